"""The collection of the game: 1,000 colours, spread evenly over what a screen can show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learn2search import oklab
from learn2search.play.color_words import describe
from learn2search.typing import Array

N_COLORS = 1000
LOWEST, HIGHEST = np.array([0.0, -0.24, -0.32]), np.array([1.0, 0.28, 0.20])  # a box around the sRGB gamut
NEARLY_GREY = 0.03
DARKEST = 0.17  # OKLab tells apart shades below this that look black on every screen: black stands for them all


@dataclass(frozen=True, eq=False)
class Palette:
    """Colours in the order of the rainbow, greys last. `features` (n, 3) are their OKLab coordinates."""

    features: Array
    hexes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.hexes)

    def words(self, item: int) -> str:
        """The colour in plain words, such as "a light, muted blue green"."""
        return describe(self.features[item])

    def lightness(self, item: int) -> float:
        """From 0, black, to 1, white."""
        return float(self.features[item, 0])


def thousand_colors(count: int = N_COLORS) -> Palette:
    """The same well-spread colours every time: each is as far as possible from all those before it."""
    black_and_white = oklab.to_oklab(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    candidates = np.concatenate([black_and_white, _visible(_spread_over_box(40_000))])
    picked = candidates[_farthest_first(candidates, count)]
    rgb = np.rint(255 * oklab.to_rgb(picked)).astype(np.int64)
    rgb = rgb[_rainbow_order(oklab.to_oklab(rgb / 255))]
    hexes = tuple(f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in rgb)
    return Palette(features=oklab.to_oklab(rgb / 255), hexes=hexes)


def _spread_over_box(count: int) -> Array:
    """Points (count, 3) of an additive recurrence: even like a grid, without its rows."""
    golden = 1.2207440846057596  # root of x⁴ = x + 1, the golden ratio of three dimensions
    steps = golden ** -np.arange(1.0, 4.0)
    unit = (0.5 + np.outer(np.arange(count), steps)) % 1
    return np.asarray(LOWEST + unit * (HIGHEST - LOWEST))


def _visible(lab: Array) -> Array:
    return lab[oklab.in_gamut(lab) & (lab[:, 0] >= DARKEST)]


def _farthest_first(points: Array, count: int) -> list[int]:
    """The first point and `count` - 1 others, each the one farthest from all that were taken before."""
    taken = [0]
    nearest = np.full(len(points), np.inf)
    while len(taken) < count:
        nearest = np.minimum(nearest, ((points - points[taken[-1]]) ** 2).sum(axis=1))
        taken.append(int(nearest.argmax()))
    return taken


def _rainbow_order(lab: Array) -> NDArray[np.intp]:
    """By hue from red on; greys have no hue, so they follow by lightness."""
    lightness, chroma = lab[:, 0], np.hypot(lab[:, 1], lab[:, 2])
    hue = np.arctan2(lab[:, 2], lab[:, 1]) % (2 * np.pi)
    grey = chroma < NEARLY_GREY
    return np.lexsort((np.where(grey, lightness, hue), grey))
