"""An accent colour in place of the site's gold: shades for light and dark pages on which words can be read.

Lightness is changed in OKLab, which keeps the hue; where a screen cannot show the colour, its chroma gives way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from learn2search.oklab import contrast, in_gamut, to_oklab, to_rgb
from learn2search.typing import Array

READABLE = 4.5  # contrast of words and their ground, WCAG 2 AA
LIGHT_SURFACE, DARK_SURFACE = "#ffffff", "#241c29"  # --surface in tokens.css
_INKS = ("#261b2d", "#ffffff")
_DARK_LIGHTNESS = 0.72  # at least, of the accent on dark pages


@dataclass(frozen=True)
class Shades:
    """The values of `--gold`, `--gold-ink`, `--gold-soft` and `--gold-line`, as `#rrggbb`."""

    fill: str
    ink: str
    soft: str
    line: str


def light_shades(accent: str) -> Shades:
    """On light pages: the colour itself, if words can be read on it, else the nearest lightness on which they can."""
    lab = to_oklab(_rgb(accent))
    return _shades(lab, soft=(0.955, 0.3), surface=LIGHT_SURFACE)


def dark_shades(accent: str) -> Shades:
    """On dark pages: the same hue, light enough to stand out."""
    lab = to_oklab(_rgb(accent))
    lab[0] = max(lab[0], _DARK_LIGHTNESS)
    return _shades(lab, soft=(0.34, 0.4), surface=DARK_SURFACE)


def _shades(lab: Array, soft: tuple[float, float], surface: str) -> Shades:
    fill = _nearest(lab, lambda colour: max(contrast(_rgb(colour), _rgb(ink)) for ink in _INKS))
    ink = max(_INKS, key=lambda ink: contrast(_rgb(fill), _rgb(ink)))
    line = _nearest(lab, lambda colour: contrast(_rgb(colour), _rgb(surface)))
    lightness, share = soft
    return Shades(fill, ink, _hex(np.array([lightness, share * lab[1], share * lab[2]])), line)


def _nearest(lab: Array, judge: Callable[[str], float]) -> str:
    """The colour of this hue with the nearest lightness that the judge finds readable."""
    for distance in np.arange(0, 1, 0.005):
        for lightness in (lab[0] - distance, lab[0] + distance):
            colour = _hex(np.array([np.clip(lightness, 0, 1), lab[1], lab[2]]))
            if judge(colour) >= READABLE:
                return colour
    raise AssertionError("black or white can be read on any ground")


def _hex(lab: Array) -> str:
    """The colour as a screen shows it: with the largest share of its chroma that is in gamut."""
    for share in np.linspace(1, 0, 51):
        fitted = lab * np.array([1, share, share])
        if in_gamut(fitted) or share == 0:
            break
    channels = np.clip(np.rint(255 * to_rgb(fitted)), 0, 255).astype(int)
    return "#" + "".join(f"{channel:02x}" for channel in channels)


def _rgb(colour: str) -> Array:
    return np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255


@lru_cache
def accent_css(accent: str) -> str:
    """A stylesheet that comes after tokens.css and gives the names of the gold other values."""
    light, dark = _rules(light_shades(accent)), _rules(dark_shades(accent))
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _rules(shades: Shades) -> str:
    return f"--gold: {shades.fill}; --gold-ink: {shades.ink}; --gold-soft: {shades.soft}; --gold-line: {shades.line};"
