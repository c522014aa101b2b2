"""The wave of a sound as a drawing, so that sounds can be told apart by the eye, too. Only WAV files are decoded.

A drawing lies beside its sound. Where it is missing, as after an import by an earlier version, it is drawn when it is
first asked for.
"""

from pathlib import Path

import numpy as np

from learn2search.files import write_atomic
from learn2search.site.catalogue.features.sound_features import UnreadableSound, decode_wav, to_float
from learn2search.typing import Array

BARS = 48
_WIDTH, _HEIGHT = 240, 80  # of a drawing; a bar has five units of width, three of which are seen
_LEAST = 0.03  # of the height: silence is a line, not nothing
_STYLE = "path{stroke:#5d2e6e}@media(prefers-color-scheme:dark){path{stroke:#d9b6ea}}"  # --plum of tokens.css
WAVE = "-w.svg"  # the end of a drawing's name
_NOT_DECODED = (0.2, 0.5, 0.9, 0.35, 0.65, 0.25, 0.1)  # stands for a sound, and says nothing about it


def wave_name(sound: str) -> str | None:
    """The name of the drawing that belongs to a sound's file; None where the file is not decoded."""
    path = Path(sound)
    return f"{path.stem}{WAVE}" if path.suffix == ".wav" else None


def sound_name(wave: str) -> str:
    """The name of the sound that a drawing belongs to."""
    return f"{wave.removesuffix(WAVE)}.wav"


def wave_file(folder: Path, name: str) -> Path | None:
    """The drawing of this name, drawn now if it is missing; None if it is no drawing of a sound here."""
    path = folder / name
    sound = folder / sound_name(name)
    if not name.endswith(WAVE) or path.is_file():
        return path if path.is_file() else None
    if not sound.is_file():
        return None
    try:
        heights = loudness(sound)
    except UnreadableSound:
        heights = np.array(_NOT_DECODED)
    write_atomic(path, wave_svg(heights).encode())
    return path


def loudness(path: Path, bars: int = BARS) -> Array:
    """The largest amplitude in each of `bars` equal parts of a WAV file, `(bars,)`, as shares of the largest of all.

    Raises
    ------
    UnreadableSound
        If it is not a WAV file of numbers, or is damaged.
    """
    _, samples = decode_wav(path)
    parts = np.array_split(samples, bars)
    peaks = np.array([np.abs(to_float(part)).max(initial=0.0) for part in parts])
    return peaks / (peaks.max() or 1.0)


def wave_svg(heights: Array) -> str:
    """A drawing of these heights between 0 and 1: bars around a middle line."""
    step = _WIDTH / len(heights)
    bars = []
    for at, height in enumerate(np.maximum(heights, _LEAST)):
        half = height * (_HEIGHT / 2 - 2)
        bars.append(f"M{step * (at + 0.5):.1f} {_HEIGHT / 2 - half:.1f}v{2 * half:.1f}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"><style>{_STYLE}</style>'
        f'<path d="{"".join(bars)}" stroke-width="{0.6 * step:.1f}" stroke-linecap="round"/></svg>'
    )
