"""How long a sound is, from headers that are written here by the formats' own descriptions."""

import io
import struct

import numpy as np
import pytest
from scipy.io import wavfile

from learn2search.site.catalogue.sound_length import sound_seconds


def wav(seconds: float) -> bytes:
    buffer = io.BytesIO()
    wavfile.write(buffer, 8000, np.zeros((int(8000 * seconds), 2), np.int16))
    return buffer.getvalue()


def flac(seconds: float, rate: int = 44_100) -> bytes:
    packed = rate << 44 | (1 << 41) | (15 << 36) | int(seconds * rate)  # rate, channels, bits, samples
    return b"fLaC\0\0\0\x22" + b"\0" * 10 + packed.to_bytes(8) + b"\0" * 16


def ogg_page(granule: int, content: bytes) -> bytes:
    return b"OggS\0\0" + struct.pack("<qIII", granule, 1, 0, 0) + bytes([1, len(content)]) + content


def vorbis(seconds: float) -> bytes:
    header = b"\x01vorbis" + struct.pack("<IBI", 0, 2, 22_050) + b"\0" * 14
    return ogg_page(0, header) + ogg_page(int(seconds * 22_050), b"sound")


def opus(seconds: float) -> bytes:
    header = b"OpusHead" + struct.pack("<BBHIhB", 1, 2, 312, 44_100, 0, 0)
    return ogg_page(0, header) + ogg_page(312 + int(seconds * 48_000), b"sound")


def m4a(seconds: float, version: int = 0) -> bytes:
    times = struct.pack(">QQIQ" if version else ">IIII", 0, 0, 600, int(600 * seconds))
    return b"\0\0\0\x18ftypM4A " + b"\0" * 12 + b"\0\0\0\x6cmvhd" + bytes([version, 0, 0, 0]) + times


def mp3(seconds: float) -> bytes:
    """Frames of 128 kbit/s at 44.1 kHz, 417 bytes each, after 20 bytes of tags."""
    tags = b"ID3\x04\0\0\0\0\0\x14" + b"\0" * 20
    return tags + (b"\xff\xfb\x90\x00" + b"\0" * 413) * round(seconds * 44_100 / 1152) + b"TAG"


@pytest.mark.parametrize(
    ("kind", "make"),
    [("wav", wav), ("flac", flac), ("ogg", vorbis), ("ogg", opus), ("m4a", m4a), ("mp3", mp3)],
    ids=["wav", "flac", "vorbis", "opus", "m4a", "mp3"],
)
@pytest.mark.parametrize("seconds", [0.5, 200.0])
def test_the_length_should_be_read(kind: str, make: object, seconds: float) -> None:
    assert callable(make)
    assert sound_seconds(make(seconds), kind) == pytest.approx(seconds, abs=0.02)


def test_a_long_header_should_be_read_too() -> None:
    assert sound_seconds(m4a(3.0, version=1), "m4a") == pytest.approx(3.0)


@pytest.mark.parametrize("kind", ["wav", "flac", "ogg", "m4a", "mp3"])
@pytest.mark.parametrize("data", [b"", b"RIFF\0\0\0\0WAVEfmt ", b"OggS", b"fLaC", b"ID3", b"\xff\xfb\xff\xff", b"mvhd"])
def test_a_damaged_file_should_have_no_length(kind: str, data: bytes) -> None:
    assert sound_seconds(data, kind) is None
