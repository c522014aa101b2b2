"""Smooth steps, smooth curves, and the pen that writes them as SVG path data.

Points are (x, y) with y pointing down. Curves are Catmull-Rom splines: they pass through the points they are given,
so that a shape can be thought of as a few places on the face and not as a list of Bézier handles.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

Point = tuple[float, float]


def clamp(value: float, low: float = -1.0, high: float = 1.0) -> float:
    return min(max(value, low), high)


def between(start: float, end: float, share: float) -> float:
    """The number at `share` of the way from start to end."""
    return start + (end - start) * share


def smoothstep(value: float, low: float, high: float) -> float:
    """0 below `low`, 1 above `high`, and in between 3t² - 2t³, which starts and stops without a kink."""
    t = clamp((value - low) / (high - low), 0.0, 1.0)
    return t * t * (3 - 2 * t)


def through(value: float, *knots: tuple[float, float]) -> float:
    """A smooth curve through (position, height) knots, level at each of them."""
    for (left, start), (right, end) in pairwise(knots):
        if value <= right:
            return between(start, end, smoothstep(value, left, right))
    return knots[-1][1]


def bump(value: float, centre: float, width: float) -> float:
    """A bell of height 1."""
    return math.exp(-(((value - centre) / width) ** 2))


def meet(start: Point, end: Point, share: float) -> Point:
    """The point at `share` of the way between two."""
    return between(start[0], end[0], share), between(start[1], end[1], share)


def mirrored(points: Iterable[Point]) -> list[Point]:
    return [(-x, y) for x, y in points]


def symmetric(half: Sequence[Point]) -> list[Point]:
    """A closed outline from its right half, whose first and last points lie on the middle line."""
    return [*half, *mirrored(half[-2:0:-1])]


def evenly(points: Sequence[Point], count: int) -> list[Point]:
    """`count` points at equal distances along a polyline, from its first to its last point."""
    reached = [0.0]
    for start, end in pairwise(points):
        reached.append(reached[-1] + math.dist(start, end))
    found, at = [], 0
    for number in range(count):
        goal = reached[-1] * number / (count - 1)
        while at < len(points) - 2 and reached[at + 1] < goal:
            at += 1
        step = reached[at + 1] - reached[at]
        found.append(meet(points[at], points[at + 1], (goal - reached[at]) / step if step else 0.0))
    return found


def above(points: Sequence[Point], height: float) -> list[Point]:
    """The part of a polyline between its first and its last crossing of a height, all of it if it ends above."""
    higher = [at for at, (_, y) in enumerate(points) if y <= height]
    first, last = higher[0], higher[-1]
    start = [_crossing(points[first], points[first - 1], height)] if first > 0 else []
    end = [_crossing(points[last], points[last + 1], height)] if last + 1 < len(points) else []
    return [*start, *points[first : last + 1], *end]


def _crossing(upper: Point, lower: Point, height: float) -> Point:
    return meet(upper, lower, (height - upper[1]) / (lower[1] - upper[1]))


def curves(points: Sequence[Point], closed: bool = False, tension: float = 1.0) -> list[tuple[Point, Point, Point]]:
    """The Catmull-Rom spline through the points, as Bézier pieces (handle, handle, end).

    The piece from p to q, whose neighbours are o and r, has the handles p + (q - o)/6 and q - (r - p)/6;
    `tension` scales their length.
    """
    count, k = len(points), tension / 6
    pieces = []
    for at in range(count if closed else count - 1):
        p, q = points[at], points[(at + 1) % count]
        o = points[at - 1] if closed or at > 0 else p
        r = points[(at + 2) % count] if closed or at + 2 < count else q
        first = (p[0] + (q[0] - o[0]) * k, p[1] + (q[1] - o[1]) * k)
        second = (q[0] - (r[0] - p[0]) * k, q[1] - (r[1] - p[1]) * k)
        pieces.append((first, second, q))
    return pieces


_WHOLE = re.compile(r"(?<=\d)\.0(?=\D|$)")


def number(value: float) -> str:
    """A coordinate with one decimal, without a needless `.0`."""
    return _WHOLE.sub("", f"{value:.1f}")


class Pen:
    """Records the path of an SVG path, one stroke after the other: `Pen().spline(points).line(point).close()`.

    The text is only made when it is asked for, since much of a drawing cannot be seen on a given face.
    """

    def __init__(self) -> None:
        self._commands: list[str] = []
        self.numbers: list[float] = []

    def _record(self, command: str, *points: Iterable[float]) -> Pen:
        self._commands.append(command)
        for point in points:
            self.numbers += point
        return self

    def move(self, to: Point) -> Pen:
        return self._record("M%.1f %.1f", to)

    def line(self, to: Point) -> Pen:
        return self._record("L%.1f %.1f", to)

    def bend(self, handle: Point, to: Point) -> Pen:
        """A quadratic curve."""
        return self._record("Q%.1f %.1f %.1f %.1f", handle, to)

    def curve(self, first: Point, second: Point, to: Point) -> Pen:
        """A cubic curve."""
        return self._record("C%.1f %.1f %.1f %.1f %.1f %.1f", first, second, to)

    def spline(self, points: Sequence[Point], tension: float = 1.0) -> Pen:
        """Go to the first point (by a line, unless nothing is drawn yet), then smoothly through the others."""
        if self._commands:
            self.line(points[0])
        else:
            self.move(points[0])
        for piece in curves(points, tension=tension):
            self.curve(*piece)
        return self

    def loop(self, points: Sequence[Point], tension: float = 1.0) -> Pen:
        """A closed smooth outline of its own."""
        self.move(points[0])
        for piece in curves(points, closed=True, tension=tension):
            self.curve(*piece)
        return self.close()

    def disc(self, centre: Point, radius: float) -> Pen:
        """A circle of its own."""
        self.move((centre[0] - radius, centre[1]))
        half = "a%.1f %.1f 0 1 1 %.1f 0"
        return self._record(half, (radius, radius), (2 * radius,))._record(half, (radius, radius), (-2 * radius,))

    def arch(self, centre: Point, radius: float) -> Pen:
        """The upper half of a circle, as a stroke of its own."""
        self.move((centre[0] - radius, centre[1]))
        return self._record("a%.1f %.1f 0 0 1 %.1f 1", (radius, radius), (2 * radius,))

    def close(self) -> Pen:
        return self._record("Z")

    @property
    def commands(self) -> str:
        """What is drawn, without where."""
        return "".join(self._commands)

    @property
    def data(self) -> str:
        """As SVG writes it, with one decimal."""
        return _WHOLE.sub("", self.commands % tuple(self.numbers))
