"""The shape of the hair: how high it stands, where it begins on the forehead, how far it falls.

Hair grows with its length: first a shaved cap that only gains colour, then height over the crown, then sides that come
down over the ears and past the shoulders. Style walks through five cuts: swept back (-1), side part (-0.5), curtain (0;
tousled while the hair is short), side-swept fringe (0.5), straight fringe (1). Curl adds volume and waves, and at last
discs that grow out of the contour.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from learn2search.demo.head import ROUNDNESS, skull
from learn2search.demo.outline import Pen, Point, above, between, bump, clamp, evenly, smoothstep, through
from learn2search.demo.person import DrawnPerson

CROWN_POINTS, HAIRLINE_POINTS, SIDE_POINTS = 15, 25, 9
LONGEST = 224  # below the lower edge of the picture
GOLDEN = 0.6180339887


def scatter(number: int) -> float:
    """A number in [0, 1) that looks random and is the same in every face (multiples of the golden ratio)."""
    return (number * GOLDEN + 0.13) % 1


@dataclass(frozen=True)
class Hair:
    """The hair of a person: its traits (0 is absent, 1 is full), and from them its outlines."""

    person: DrawnPerson

    @cached_property
    def visible(self) -> float:
        return smoothstep(self.person.hair, -1.0, -0.78)

    @cached_property
    def body(self) -> float:
        return smoothstep(self.person.hair, -0.88, -0.3)

    @cached_property
    def sides(self) -> float:
        """How far the sides cover the ears."""
        return smoothstep(self.person.hair, -0.3, 0.02)

    @cached_property
    def long(self) -> float:
        return smoothstep(self.person.hair, -0.1, 0.7)

    @cached_property
    def curl(self) -> float:
        return smoothstep(self.person.hair_curl, -0.2, 1.0)

    @cached_property
    def wave(self) -> float:
        return smoothstep(self.person.hair_curl, -0.9, 0.1) * (1 - 0.6 * self.curl)

    @cached_property
    def part(self) -> float:
        """Where the hair parts, from -1 (left) to 1 (right)."""
        return through(self.person.hair_style, (-1, 0), (-0.5, 0.85), (0, 0.05), (0.5, -0.9), (1, 0))

    @cached_property
    def fringe(self) -> float:
        """From -1, swept back, to 1, a fringe over the forehead; a bald forehead has none."""
        style = through(self.person.hair_style, (-1, -1), (-0.5, -0.12), (0, 0.08), (0.5, 0.55), (1, 1))
        style -= 0.35 * self.person.old * self.person.masculine
        return style * (self.body if style > 0 else between(0.75, 1.0, self.body))

    @cached_property
    def tousled(self) -> float:
        """Short hair without a part stands up in tufts instead of falling like a curtain."""
        return bump(self.person.hair_style, 0.0, 0.3) * (1 - smoothstep(self.person.hair, -0.35, 0.1))

    # --- how thick it lies on the head -------------------------------------------------------------------------

    @cached_property
    def _volume(self) -> float:
        return between(0.12, 1.0, self.body)

    @cached_property
    def top(self) -> float:
        length, looseness = self.person.hair, (self.person.hair_curl + 1) / 2
        grown = 7 * smoothstep(length, -0.88, -0.62) + 9 * smoothstep(length, -0.66, -0.15) + 2 * self.long
        return 1.5 + grown + (20 * self.curl + 7 * looseness) * self._volume

    @cached_property
    def side(self) -> float:
        looseness = (self.person.hair_curl + 1) / 2
        return 1.5 + 3 * self.body + 5 * self.long + (19 * self.curl + 8 * looseness) * self._volume

    @cached_property
    def sideburn(self) -> float:
        """How low the hair comes before the ear."""
        return between(4, 20, self.body) * between(1.0, 0.7, self.person.feminine)

    @cached_property
    def bottom(self) -> float:
        return between(self.sideburn, LONGEST, max(0.0, (self.person.hair + 0.3) / 1.3) ** 1.12)

    # --- outlines ----------------------------------------------------------------------------------------------

    @cached_property
    def crown(self) -> list[Point]:
        """The outer contour over the head, from left to right."""
        steps = [172 - step * 164 / (CROWN_POINTS - 1) for step in range(CROWN_POINTS)]
        roundness = ROUNDNESS + 0.12 * self.body
        return [skull(self.person, degrees, self._lift(degrees, step), roundness) for step, degrees in enumerate(steps)]

    def _lift(self, degrees: float, step: int) -> float:
        """How far the hair stands off the skull: more on the side it falls to, less along the part."""
        straight = self.body * (1 - self.curl)
        lift = between(self.side, self.top, math.sin(math.radians(degrees)) ** 1.5)
        fall = 8.5 * straight * (1 - 0.35 * self.long) * (0.35 + 0.65 * abs(self.part))
        lift += fall * bump(degrees, 90 + 24 * self.part, 34)
        lift -= 3.2 * straight * (1 - abs(self.fringe)) * (1 - self.tousled) * bump(degrees, 90 - 31 * self.part, 7.5)
        quiff = 7 * max(0.0, -self.fringe) * (1 - self.long) + 5 * self.tousled
        tufts = 3.2 * self.tousled * (1 if step % 2 else -1) * bump(degrees, 90, 55)
        return lift + straight * (quiff * bump(degrees, 90, 38) + tufts)

    @cached_property
    def hairline(self) -> list[Point]:
        """Where the hair begins on the forehead, from the right temple to the left."""
        back, middle, front = max(0.0, -self.fringe), 1 - abs(self.fringe), max(0.0, self.fringe)
        points = []
        for step in range(HAIRLINE_POINTS):
            across = 1 - 2 * step / (HAIRLINE_POINTS - 1)
            loose = between(self._curtain(across), self._tufts(across, step), self.tousled)
            y = back * self._swept_back(across) + middle * loose + front * self._straight_fringe(across)
            points.append((self._temple[0] * across, y + self._locks(across)))
        return points

    @cached_property
    def _temple(self) -> Point:
        return 0.865 * self.person.width, -0.34 * self.person.crown

    def _swept_back(self, across: float) -> float:
        """An arch, which recedes at the corners with age."""
        arch = between(-0.79 * self.person.crown, self._temple[1] - 8, abs(across) ** 3.2)
        return arch - (10 * self.person.masculine + 8 * self.person.old) * bump(abs(across), 0.66, 0.2)

    def _curtain(self, across: float) -> float:
        """Hair that falls to both sides from the part."""
        parting = 0.6 * self.part
        reach = 1 - parting if across > parting else 1 + parting
        fallen = (abs(across - parting) / reach) ** between(2.0, 1.3, smoothstep(self.fringe, -0.2, 0.5))
        return between(-0.76 * self.person.crown, self._temple[1] + 6 * self.body, fallen)

    def _tufts(self, across: float, step: int) -> float:
        """An arch of small points, as of fingers run through short hair."""
        arch = between(-0.7 * self.person.crown, self._temple[1] - 6, abs(across) ** 3.4)
        point = (-1.0, -0.3, 1.0, 0.2)[step % 4] * between(0.5, 1.2, scatter(step // 4)) * (1 - across**4)
        recede = (6 * self.person.masculine + 6 * self.person.old) * bump(abs(across), 0.7, 0.18)
        return arch + 5 * point * self.body - recede

    def _straight_fringe(self, across: float) -> float:
        return -0.4 * self.person.crown + 7 * across**2 + 10 * self.part * across * (1 - across**2)

    def _locks(self, across: float) -> float:
        """The lower edge of a fringe, in five locks."""
        lock: float = abs(math.sin(math.pi * (2.5 * across + 0.5 + 0.12 * self.part))) ** 0.7
        return 7.5 * (lock - 0.55) * smoothstep(self.fringe, 0.05, 0.55) * self.body * (1 - 0.6 * self.curl)

    @cached_property
    def right(self) -> tuple[list[Point], list[Point]]:
        return self._edges(1)

    @cached_property
    def left(self) -> tuple[list[Point], list[Point]]:
        return self._edges(-1)

    def _edges(self, side: int) -> tuple[list[Point], list[Point]]:
        """The outer and the inner edge of the hair beside the face, from the temple down."""
        top = -0.12 * self.person.crown
        outer, inner = [], []
        for step in range(SIDE_POINTS):
            along = step / (SIDE_POINTS - 1)
            y = between(top, self.bottom, along)
            swing = y / 22 + (0.4 if side > 0 else 2.4)
            ripple = 6.5 * self.wave * smoothstep(y, -5, 50)
            far = self._outer(y, along) + ripple * math.sin(swing)
            near = self._inner(y) + 0.8 * ripple * math.sin(swing + 0.5)
            near = between(near, (far + near) / 2, 0.7 * self.sides * smoothstep(along, 0.82, 1.0))
            outer.append((side * far, y))
            inner.append((side * near, y - 5 * along * self.sides))
        return outer, inner

    def _outer(self, y: float, along: float) -> float:
        """Short hair thins out to the sideburn; long hair swings out and comes in again at the tips."""
        person = self.person
        off = between(1 - smoothstep(y, -0.3 * person.crown, self.sideburn), 1.0, self.sides)
        arc = math.sin(math.pi * clamp((y + 0.12 * person.crown) / 215, 0.0, 1.0))
        tips = 0.17 * person.width * smoothstep(along, 0.74, 1.0) * between(0.25, 1.0, self.long) * self.sides
        return 0.985 * person.width + self.side * off + 9 * (arc + self.curl) * self.long - tips

    def _inner(self, y: float) -> float:
        """Along the cheek, then inwards below the jaw."""
        short = between(0.905, 0.94, smoothstep(y, -0.12 * self.person.crown, self.sideburn))
        grown = between(0.9, 0.885, smoothstep(y, -10, 40))
        share = between(short, grown, self.sides)
        share = between(share, 0.72, smoothstep(y, 60, 140))
        return self.person.width * between(share, 0.52, smoothstep(y, 140, 215))

    # --- shapes ------------------------------------------------------------------------------------------------

    @cached_property
    def contour(self) -> list[Point]:
        """The outer edge, from the left tips over the crown to the right tips."""
        return [*self.left[0][::-1], *self.crown, *self.right[0]]

    @cached_property
    def rim(self) -> list[Point]:
        """The edge around the face, from the right tips over the forehead to the left tips."""
        return [*self.right[1][::-1], *self.hairline[1:-1], *self.left[1]]

    def front(self) -> Pen:
        """All hair before the ears and over the head."""
        contour, rim = self.contour, self.rim
        pen = Pen().spline(contour)
        self._tip(pen, contour[-1], rim[0])
        pen.spline(rim)
        self._tip(pen, rim[-1], contour[0])
        pen.close()
        outer_end = between(-0.1 * self.person.crown, self.bottom, self.sides)
        inner_end = between(-0.25 * self.person.crown, self.bottom, self.sides)
        self._add_curls(pen, above(contour, outer_end), 33, (8, 17), 3)
        self._add_curls(pen, above(rim, inner_end), 23, (6, 10), 40)
        return pen

    def back(self) -> Pen:
        """The hair behind the neck."""
        width, low = self.person.width, self.bottom
        pen = Pen().spline(self.contour)
        pen.bend((0.8 * width, low + 5), (0.4 * width, low + 2))
        pen.curve((0.13 * width, low), (-0.13 * width, low + 6), (-0.4 * width, low + 2)).close()
        self._add_curls(pen, [(0.85 * width, low - 2), (-0.85 * width, low - 2)], 9, (8, 14), 60)
        return pen

    def _tip(self, pen: Pen, start: Point, end: Point) -> None:
        middle = (start[0] + end[0]) / 2
        pen.bend((middle, max(start[1], end[1]) + 5 * self.sides), end)

    def _add_curls(self, pen: Pen, edge: Sequence[Point], count: int, sizes: tuple[float, float], salt: int) -> None:
        """Discs along an edge that has the hair on its right, rising out of it as curl grows."""
        curl = self.curl * between(0.25, 1.0, self.body)
        if curl == 0:
            return
        places = evenly(edge, count + 2)
        size = clamp(0.8 * math.dist(places[1], places[2]), *sizes) * smoothstep(curl, 0.0, 0.25)
        for at in range(1, count + 1):
            (x0, y0), (x, y), (x1, y1) = places[at - 1 : at + 2]
            across, down = x1 - x0, y1 - y0
            length = math.hypot(across, down) or 1.0
            radius = size * between(0.84, 1.16, scatter(at + salt))
            depth = radius * (1 - 0.6 * curl)  # of the centre inside the edge
            pen.disc((x - down / length * depth, y + across / length * depth), radius)
