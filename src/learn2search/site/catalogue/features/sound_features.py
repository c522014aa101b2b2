"""What a sound says: how loud its pitches are on the average and how much they change (log-mel), and the shape of its
spectrum, which tells voices and instruments apart (MFCC). Only WAV files are decoded."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.io import wavfile

from learn2search.typing import Array

RATE = 16_000  # samples a second to which sounds are brought
LONGEST = 60  # seconds that are heard
WINDOW, HOP = 512, 256  # samples of a spectrum, and from one to the next
BANDS, COEFFICIENTS = 40, 13
N_MEL, N_MFCC = 2 * BANDS, 2 * COEFFICIENTS
_LOWEST, _HIGHEST = 50.0, 8000.0  # hertz
_SILENCE = 1e-10  # the least power of a band: -100 dB


class UnreadableSound(Exception):
    """Why a sound cannot be heard here."""


def read_wav(path: Path, rate: int = RATE, longest: float = LONGEST) -> Array:
    """The samples of a WAV file, `(m,)` in [-1, 1]: channels averaged, at `rate`, cut after `longest` seconds.

    Raises
    ------
    UnreadableSound
        If it is not a WAV file of numbers (PCM or float), or is damaged.
    """
    found, samples = decode_wav(path)
    heard = to_float(samples[: max(1, int(found * longest))])
    mono = heard.reshape(len(heard), -1).mean(axis=1)
    if found == rate:
        return np.asarray(mono)
    from scipy.signal import resample_poly  # here, since it imports all of scipy.stats

    shared = int(np.gcd(found, rate))
    return np.asarray(resample_poly(mono, rate // shared, found // shared), float)


def decode_wav(path: Path) -> tuple[int, NDArray[Any]]:
    """Samples a second, and the samples as they are in a WAV file: `(m,)` or `(m, channels)`, at least one.

    Raises
    ------
    UnreadableSound
        If it is not a WAV file of numbers (PCM or float), or is damaged.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)  # of chunks that it skips
            rate, samples = wavfile.read(path)
    except Exception as error:  # a damaged file can fail anywhere in the reader
        raise UnreadableSound(f"{path.name} is not decoded: {error}") from error
    if rate <= 0 or samples.size == 0:
        raise UnreadableSound(f"{path.name} is empty")
    return int(rate), samples


def to_float(samples: NDArray[Any]) -> Array:
    """Integers of any width as numbers in [-1, 1]; 8-bit samples have no sign."""
    if samples.dtype == np.uint8:
        return (samples.astype(float) - 128) / 128
    if np.issubdtype(samples.dtype, np.integer):
        return np.asarray(samples / (np.iinfo(samples.dtype).max + 1.0))
    return np.asarray(np.nan_to_num(samples.astype(float)))


def sound_features(samples: Array) -> Array:
    """Means and standard deviations over time, of 40 log-mel bands and then of 13 MFCC: `(80 + 26,)`.

    Parameters
    ----------
    samples
        `(m,)` at 16,000 a second.
    """
    mel = log_mel(samples)
    mfcc = dct(mel, axis=1, norm="ortho")[:, :COEFFICIENTS]
    return np.concatenate([mel.mean(axis=0), mel.std(axis=0), mfcc.mean(axis=0), mfcc.std(axis=0)])


def log_mel(samples: Array) -> Array:
    """The power of 40 bands that are equally wide on the mel scale, in log10, `(times, 40)`."""
    padded = np.pad(samples, (0, max(0, WINDOW - len(samples))))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(frames * np.hanning(WINDOW), axis=1)) ** 2 / WINDOW
    return np.log10(np.maximum(power @ mel_filters().T, _SILENCE))


def mel_filters() -> Array:
    """The share of each frequency in each band, `(40, 257)`: triangles from one centre to the next."""
    edges = _hertz(np.linspace(_mel(_LOWEST), _mel(_HIGHEST), BANDS + 2))
    frequencies = np.fft.rfftfreq(WINDOW, 1 / RATE)
    below, centre, above = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (frequencies - below) / (centre - below), (above - frequencies) / (above - centre)
    return np.asarray(np.maximum(0.0, np.minimum(rising, falling)))


def _mel(hertz: float) -> float:
    return float(2595 * np.log10(1 + hertz / 700))


def _hertz(mel: Array) -> Array:
    return np.asarray(700 * (10 ** (mel / 2595) - 1))
