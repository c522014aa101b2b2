"""A colour in plain words, from its lightness, chroma and hue in OKLab."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from learn2search.oklab import in_gamut
from learn2search.typing import Array

# Where each hue name begins, in degrees of OKLab hue. Pure red is at 29, yellow 110, green 142, blue 264.
HUES = (
    (0, "pinkish red"),
    (18, "red"),
    (40, "orange red"),
    (52, "orange"),
    (78, "golden yellow"),
    (98, "yellow"),
    (114, "yellow green"),
    (134, "green"),
    (156, "sea green"),
    (178, "blue green"),
    (212, "sky blue"),
    (246, "blue"),
    (280, "violet"),
    (308, "purple"),
    (322, "magenta"),
    (342, "pink"),
)
GREYS = ((0.0, "black"), (0.18, "very dark grey"), (0.32, "dark grey"), (0.5, "grey"), (0.72, "light grey"))
WHITES = ((0.88, "very light grey"), (0.96, "white"))
LIGHTNESS = ((0.0, "very dark"), (0.28, "dark"), (0.45, ""), (0.74, "light"), (0.88, "very light"))

# Names that a hue takes on at some lightness and chroma: the first that fits is used.
RENAMED: tuple[tuple[str, Callable[[float, float, float], bool]], ...] = (
    ("brown", lambda light, chroma, hue: 35 <= hue < 78 and light < 0.62 and chroma < 0.15),
    ("brown", lambda light, chroma, hue: 24 <= hue < 92 and light < 0.68 and chroma < 0.10),
    ("beige", lambda light, chroma, hue: 35 <= hue < 85 and light > 0.72 and chroma < 0.08),
    ("olive green", lambda light, chroma, hue: 92 <= hue < 125 and light < 0.68),
    ("plum", lambda light, chroma, hue: 312 <= hue < 355 and light < 0.44),
    ("wine red", lambda light, chroma, hue: (hue >= 355 or hue < 24) and light < 0.46),
    ("coral", lambda light, chroma, hue: 18 <= hue < 40 and light > 0.66 and chroma > 0.11),
    ("pink", lambda light, chroma, hue: (hue >= 342 or hue < 40) and light > 0.66),
)
DARK_NAMES = ("brown", "olive green", "plum", "wine red")

NO_HUE = 0.018  # chroma below which nobody names a hue
GREYISH = 0.045


def describe(lab: Array) -> str:
    """Words for one OKLab colour (3,): "a light, muted blue green"."""
    lightness, chroma, hue = _lch(lab)
    if chroma < NO_HUE:
        return _with_article(_last_reached(GREYS + WHITES, lightness))
    noun = _noun(lightness, chroma, hue)
    adjectives = [_lightness_word(noun, lightness), _strength_word(lightness, chroma, hue)]
    return _with_article(" ".join([", ".join(filter(None, adjectives)), noun]).strip())


def _noun(lightness: float, chroma: float, hue: float) -> str:
    """The name of the hue; some hues change their name when they are dark, pale or greyish."""
    renamed = (name for name, fits in RENAMED if fits(lightness, chroma, hue))
    return next(renamed, _last_reached(HUES, hue))


def _lightness_word(noun: str, lightness: float) -> str:
    # A name that says "dark" already needs less of the word: what counts as dark for it starts lower.
    return _last_reached(LIGHTNESS, lightness + 0.13 if noun in DARK_NAMES else lightness)


def _strength_word(lightness: float, chroma: float, hue: float) -> str:
    """Muted is greyer than the lightness asks for; vivid is near the strongest that the hue can be."""
    if chroma < GREYISH:
        return "greyish"
    if chroma < 0.5 * strongest_chroma(lightness, hue):
        return "muted"
    strongest = max(strongest_chroma(level, hue) for level in np.linspace(0.3, 0.97, 24))
    return "vivid" if chroma > 0.8 * strongest else ""


def strongest_chroma(lightness: float, hue: float) -> float:
    """The largest chroma that a screen can show at this lightness and hue (degrees)."""
    direction = np.array([math.cos(math.radians(hue)), math.sin(math.radians(hue))])
    chroma = np.linspace(0, 0.4, 401)
    ray = np.column_stack([np.full(chroma.size, lightness), chroma[:, None] * direction])
    inside = in_gamut(ray)
    return float(chroma[inside].max()) if inside.any() else 0.0


def _lch(lab: Array) -> tuple[float, float, float]:
    lightness, a, b = (float(value) for value in lab)
    return lightness, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _last_reached(scale: tuple[tuple[float, str], ...], value: float) -> str:
    """The word of the last threshold at or below the value."""
    reached = [word for threshold, word in scale if value >= threshold]
    return reached[-1] if reached else scale[0][1]


def _with_article(words: str) -> str:
    if words in ("black", "white"):
        return words
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"
