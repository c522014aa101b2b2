"""How long a sound is, from what its file says about itself. Nothing is decoded."""

import struct
from collections.abc import Callable

_MP3_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}  # by version
_MP3_KILOBITS = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),  # MPEG 1, layer III
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),  # MPEG 2 and 2.5
}


def sound_seconds(data: bytes, kind: str) -> float | None:
    """The length of a sound in seconds, None where its file does not say.

    Parameters
    ----------
    kind
        The ending of its name: mp3, ogg, wav, flac, m4a.
    """
    try:
        seconds = _READERS[kind](data)
    except (struct.error, IndexError, KeyError, ValueError, ZeroDivisionError):  # damaged
        return None
    return seconds if seconds is not None and 0 < seconds < 1e6 else None


def _wav(data: bytes) -> float | None:
    rate, at = 0, 12
    while at + 8 <= len(data):
        size = int(struct.unpack_from("<I", data, at + 4)[0])
        if data[at : at + 4] == b"fmt ":
            rate = int(struct.unpack_from("<I", data, at + 16)[0])  # bytes a second
        elif data[at : at + 4] == b"data":
            return min(size, len(data) - at - 8) / rate
        at += 8 + size + size % 2
    return None


def _flac(data: bytes) -> float | None:
    """STREAMINFO is the first block: 20 bits of rate, 8 of other things, 36 of the number of samples."""
    packed = int.from_bytes(data[18:26])
    return (packed & (1 << 36) - 1) / (packed >> 44)


def _ogg(data: bytes) -> float | None:
    """The last page says how many samples there are. Those of Opus count 48,000 a second, after some to be skipped."""
    last = data.rfind(b"OggS")
    samples = int(struct.unpack_from("<q", data, last + 6)[0])
    if (at := data.find(b"OpusHead", 0, 200)) >= 0:
        return (samples - int(struct.unpack_from("<H", data, at + 10)[0])) / 48_000
    at = data.find(b"\x01vorbis", 0, 200)
    return None if at < 0 else samples / int(struct.unpack_from("<I", data, at + 12)[0])


def _m4a(data: bytes) -> float | None:
    """The box mvhd has a time scale and a length in its units."""
    at = data.find(b"mvhd")
    if at < 0:
        return None
    place, form = (at + 24, ">IQ") if data[at + 4] == 1 else (at + 16, ">II")
    scale, length = struct.unpack_from(form, data, place)
    return float(length / scale)


def _mp3(data: bytes) -> float | None:
    """The sum over the frames, each of which says how long it is."""
    at, seconds = 0, 0.0
    if data[:3] == b"ID3":
        at = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] & 0xE6 == 0xE2:  # a frame of layer III
        version = data[at + 1] >> 3 & 3
        rate = _MP3_RATES[version][data[at + 2] >> 2 & 3]
        bits = 1000 * _MP3_KILOBITS[version == 3][data[at + 2] >> 4]
        samples = 1152 if version == 3 else 576
        at += samples // 8 * bits // rate + (data[at + 2] >> 1 & 1)
        if bits == 0:
            return None
        seconds += samples / rate
    return seconds


_READERS: dict[str, Callable[[bytes], float | None]] = {
    "wav": _wav,
    "flac": _flac,
    "ogg": _ogg,
    "m4a": _m4a,
    "mp3": _mp3,
}
