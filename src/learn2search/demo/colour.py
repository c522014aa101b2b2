"""Colours of the drawings, mixed in OKLab so that the middle of two colours also looks like their middle."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from learn2search.oklab import to_oklab, to_rgb


class Colour(NamedTuple):
    """A colour in OKLab: lightness from 0 to 1, `a` towards red, `b` towards yellow."""

    lightness: float
    a: float
    b: float

    @property
    def hex(self) -> str:
        """As SVG writes it: `#rrggbb`, the nearest that a screen can show."""
        return _hex(self)

    def mixed(self, other: Colour, share: float) -> Colour:
        """`share` of the way to another colour."""
        share = min(max(share, 0.0), 1.0)
        return Colour(*(here + (there - here) * share for here, there in zip(self, other, strict=True)))

    def scaled(self, lightness: float, chroma: float = 1.0) -> Colour:
        """Lightness and chroma times a factor; `chroma=1` keeps the colour as strong for its new lightness."""
        strength = lightness * chroma
        return Colour(self.lightness * lightness, self.a * strength, self.b * strength)

    def lighter(self, step: float) -> Colour:
        """Lightness plus a step, which may be negative."""
        return self._replace(lightness=min(max(self.lightness + step, 0.0), 1.0))


@lru_cache(maxsize=256)  # a face uses each of its colours many times
def _hex(lab: Colour) -> str:
    channels = (255 * to_rgb(np.array(lab))).tolist()
    return "#" + "".join(f"{min(max(round(channel), 0), 255):02x}" for channel in channels)


def colour(text: str) -> Colour:
    """A colour from `#rrggbb`."""
    channels = np.array([int(text[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return Colour(*to_oklab(channels).tolist())


def colours(*texts: str) -> tuple[Colour, ...]:
    return tuple(colour(text) for text in texts)


def ramp(stops: Sequence[Colour], value: float) -> Colour:
    """The colour at `value` in [-1, 1] along the stops, which lie at equal distances."""
    position = (min(max(value, -1.0), 1.0) + 1) / 2 * (len(stops) - 1)
    start = min(int(position), len(stops) - 2)
    return stops[start].mixed(stops[start + 1], position - start)
