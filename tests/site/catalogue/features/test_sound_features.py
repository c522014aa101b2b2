"""What sounds say: tones of known pitch, and WAV files of every kind."""

import io
import wave
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from learn2search.site.catalogue.features.sound_features import (
    BANDS,
    N_MEL,
    N_MFCC,
    RATE,
    UnreadableSound,
    log_mel,
    mel_filters,
    read_wav,
    sound_features,
)


def tone(hertz: float, seconds: float = 0.5, rate: int = RATE) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)


def centres() -> np.ndarray:
    """The middle of each band in hertz, by the inverse of O'Shaughnessy's formula in natural logarithms."""
    lowest, highest = (1127 * np.log1p(hertz / 700) for hertz in (50, 8000))
    return 700 * np.expm1(np.linspace(lowest, highest, BANDS + 2)[1:-1] / 1127)


@pytest.mark.parametrize("hertz", [300.0, 440.0, 1000.0, 3000.0, 6000.0])
def test_a_tone_should_be_loudest_in_the_band_of_its_pitch(hertz: float) -> None:
    loudest = log_mel(tone(hertz)).mean(axis=0).argmax()
    assert loudest == np.abs(centres() - hertz).argmin()


def test_bands_should_share_each_frequency_between_them() -> None:
    """From the first centre to the last, triangles sum to 1."""
    frequencies = np.fft.rfftfreq(512, 1 / RATE)
    inside = (frequencies >= centres()[0]) & (frequencies <= centres()[-1])
    np.testing.assert_allclose(mel_filters().sum(axis=0)[inside], 1)


def test_twice_as_loud_should_be_four_times_the_power() -> None:
    noise = np.random.default_rng(0).normal(size=RATE)
    quiet, loud = sound_features(0.1 * noise), sound_features(0.2 * noise)
    assert quiet.shape == (N_MEL + N_MFCC,)
    np.testing.assert_allclose((loud - quiet)[:BANDS], np.log10(4), atol=1e-9)
    np.testing.assert_allclose((loud - quiet)[BANDS:N_MEL], 0, atol=1e-9)  # changes over time are the same,
    np.testing.assert_allclose((loud - quiet)[N_MEL + 1 :], 0, atol=1e-9)  # and the shape of the spectrum, too


def test_mfcc_should_be_the_cosine_transform_of_the_bands() -> None:
    sound = tone(700) + 0.1 * np.random.default_rng(0).normal(size=RATE // 2)
    bands, number = log_mel(sound), np.arange(BANDS)
    third = np.sqrt(2 / BANDS) * bands @ np.cos(np.pi * 3 * (2 * number + 1) / (2 * BANDS))
    assert sound_features(sound)[[N_MEL + 3, N_MEL + 13 + 3]] == pytest.approx([third.mean(), third.std()])


def test_a_sound_shorter_than_a_window_should_have_features() -> None:
    assert np.isfinite(sound_features(tone(440, 0.01))).all()


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.float32])
def test_samples_of_every_width_should_be_the_same_sound(kind: type, tmp_path: Path) -> None:
    heard = tone(440)
    scale = 1.0 if kind is np.float32 else np.iinfo(kind).max // (2 if kind is np.uint8 else 1)
    samples = heard * scale + (128 if kind is np.uint8 else 0)
    wavfile.write(tmp_path / "a.wav", RATE, (samples if kind is np.float32 else np.round(samples)).astype(kind))
    np.testing.assert_allclose(read_wav(tmp_path / "a.wav"), heard, atol=0.01)


def test_channels_rates_and_lengths_should_be_brought_together(tmp_path: Path) -> None:
    stereo = np.stack([tone(440, 2, 44_100), np.zeros(88_200)], axis=1)
    wavfile.write(tmp_path / "a.wav", 44_100, (32_767 * stereo).astype(np.int16))
    heard = read_wav(tmp_path / "a.wav", longest=1.0)
    assert len(heard) == RATE
    np.testing.assert_allclose(heard[500:-500], (tone(440, 1) / 2)[500:-500], atol=0.005)


def test_24_bits_should_be_read_as_the_standard_library_writes_them(tmp_path: Path) -> None:
    whole = np.round(tone(440) * (2**23 - 1)).astype("<i4")
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((1, 3, RATE, len(whole), "NONE", ""))
        file.writeframes(whole.view(np.uint8).reshape(-1, 4)[:, :3].tobytes())
    np.testing.assert_allclose(read_wav(tmp_path / "a.wav"), tone(440), atol=1e-5)


@pytest.mark.parametrize("content", [b"ID3 an mp3", b"", b"RIFF\x00\x00\x00\x00WAVE"])
def test_what_is_not_decoded_should_say_so(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.mp3").write_bytes(content)
    with pytest.raises(UnreadableSound, match="a.mp3"):
        read_wav(tmp_path / "a.mp3")


def test_an_empty_sound_should_say_so(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    wavfile.write(buffer, RATE, np.zeros(0, np.int16))
    (tmp_path / "a.wav").write_bytes(buffer.getvalue())
    with pytest.raises(UnreadableSound, match="a.wav"):
        read_wav(tmp_path / "a.wav")
