"""The wave of a sound, drawn at import or when it is first asked for."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.io import wavfile

from learn2search.site.catalogue.features.sound_features import UnreadableSound
from learn2search.site.catalogue.waveforms import BARS, loudness, wave_file, wave_name, wave_svg

NAME = "a" * 32


@pytest.fixture
def sounds(tmp_path: Path) -> Path:
    """A tone that grows, in stereo."""
    tone = np.linspace(0, 1, 8000) * np.sin(np.arange(8000))
    wavfile.write(tmp_path / f"{NAME}.wav", 8000, (32_767 * np.column_stack([tone, 0 * tone])).astype(np.int16))
    return tmp_path


def test_the_bars_should_be_as_high_as_the_sound_is_loud(sounds: Path) -> None:
    found = loudness(sounds / f"{NAME}.wav")
    np.testing.assert_allclose(found, np.arange(1, BARS + 1) / BARS, atol=0.03)


def test_silence_should_be_a_line(tmp_path: Path) -> None:
    wavfile.write(tmp_path / "a.wav", 8000, np.zeros(100, np.int16))
    assert (loudness(tmp_path / "a.wav") == 0).all()
    drawn = ElementTree.fromstring(wave_svg(np.zeros(BARS)))
    heights = re.findall(r"v([\d.]+)", drawn[1].get("d", ""))
    assert len(heights) == BARS
    assert set(heights) == {"2.3"}


def test_a_missing_drawing_should_be_made_once(sounds: Path) -> None:
    name = wave_name(f"{NAME}.wav")
    assert name is not None
    path = wave_file(sounds, name)
    assert path == sounds / f"{NAME}-w.svg"
    path.write_text("kept")
    assert wave_file(sounds, name) == path
    assert path.read_text() == "kept"


def test_what_is_not_decoded_should_have_a_sign(tmp_path: Path) -> None:
    (tmp_path / f"{NAME}.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    assert wave_name(f"{NAME}.mp3") is None
    assert wave_file(tmp_path, f"{'b' * 32}-w.svg") is None
    path = wave_file(tmp_path, f"{NAME}-w.svg")
    assert path is not None
    assert path.read_text().count("M") == 7, "a sign for any sound"
    with pytest.raises(UnreadableSound):
        loudness(tmp_path / f"{NAME}.wav")
