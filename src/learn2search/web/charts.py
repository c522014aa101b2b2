"""Coordinates for the SVG charts in the templates. The markup is in the templates, the numbers are here."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learn2search.site.administration.dashboard import Curve
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.visits.figures import Band
from learn2search.site.visits.search_state import SearchState
from learn2search.typing import Array

_EDGE = 30.0  # from the middle of a picture on the map to the edge of the map: a picture is 40 × 50
FUNNEL_WIDTH, FUNNEL_MIDDLE, FUNNEL_HALF = 1200.0, 37.0, 35.0


@dataclass(frozen=True)
class Dot:
    """A question on the middle line of the funnel; `item` was clicked, None for "can't tell" and questions to come."""

    number: int
    x: float
    item: int | None
    answered: bool


@dataclass(frozen=True)
class FunnelShape:
    """How the items that still fit become fewer, question by question.

    Attributes
    ----------
    now
        Where the current question is, from the left.
    body
        The outline, as an SVG path. Its height is log2 of the items that still fit over log2 n.
    band
        Left edge and width of "most searches end here".
    """

    width: float
    dots: tuple[Dot, ...]
    now: float
    body: str
    band: tuple[float, float] | None


def funnel(
    now: SearchState, size: int, band: Band | None, width: float = FUNNEL_WIDTH, half: float = FUNNEL_HALF
) -> FunnelShape:
    """The questions so far and some to come; of a long search, the latest part."""
    current = now.number
    usual = 16 if band is None else max(16, band.high + 3)
    cells = min(max(usual, current + 2), 24 if width > 600 else 16)
    start = max(0, current + 2 - cells)
    step = (width - 46) / (cells - 1)
    place = [23 + step * at for at in range(cells)]
    fits = [answer.fits for answer in now.answers] + ([now.question.fits] if now.question else [])
    heights = [half * math.log2(max(fit, 1.0)) / math.log2(max(size, 2)) for fit in fits[start:]]
    dots = tuple(
        Dot(
            number=start + at + 1,
            x=round(place[at], 1),
            item=now.answers[start + at].chosen if start + at < len(now.answers) else None,
            answered=start + at < len(now.answers),
        )
        for at in range(cells)
    )
    here = place[current - 1 - start]
    return FunnelShape(width, dots, round(here, 1), _body(place, heights, half), _band(band, start, cells, place, step))


def _body(place: Sequence[float], heights: Sequence[float], half: float) -> str:
    """A shape around the middle line, rounded at its beginning."""
    middle = half + 2
    first = max(heights[0], 6.0)
    above = [f"L{x:.1f} {middle - max(high, 3.0):.1f}" for x, high in zip(place, heights, strict=False)]
    below = [f"L{x:.1f} {middle + max(high, 3.0):.1f}" for x, high in zip(place, heights, strict=False)][::-1]
    top, bottom, curve = middle - first, middle + first, min(10.0, first)
    start = f"M1 {top + curve:.1f}Q1 {top:.1f} 11 {top:.1f}"
    end = f"L11 {bottom:.1f}Q1 {bottom:.1f} 1 {bottom - curve:.1f}Z"
    return start + "".join(above) + "".join(below) + end


def _band(band: Band | None, start: int, cells: int, place: Sequence[float], step: float) -> tuple[float, float] | None:
    if band is None or band.high <= start:
        return None
    left = max(0, band.low - 1 - start)
    right = min(cells - 1, band.high - 1 - start)
    return round(place[left] - step / 2, 1), round(place[right] - place[left] + step, 1)


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` along pixels from `start` to `end`; ticks are (pixel, label)."""

    ticks: tuple[tuple[float, str], ...]
    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


def axis(high: float, start: float, end: float, count: int = 6, low: float = 0.0) -> Axis:
    """An axis from `low` to a round number at or above `high`, with about `count` round ticks."""
    rough = max(high - low, 1e-9) / count
    power = 10.0 ** math.floor(math.log10(rough))
    size = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough)
    if high - low >= count:
        size = max(1.0, round(size))
    first = math.floor(low / size) * size
    top = first + size * math.ceil((high - first) / size - 1e-9)
    ends = Axis((), first, top, start, end)
    values = np.arange(first, top + size / 2, size)
    return Axis(tuple((ends.at(value), f"{value:,.10g}") for value in values.tolist()), first, top, start, end)


def line(x: Axis, y: Axis, xs: Sequence[float], ys: Sequence[float]) -> str:
    """A path through the points; points that are not numbers are left out."""
    points = [f"{x.at(a)} {y.at(min(b, y.high))}" for a, b in zip(xs, ys, strict=True) if math.isfinite(b)]
    return "M" + "L".join(points) if points else ""


def area(x: Axis, y: Axis, xs: Sequence[float], low: Sequence[float], high: Sequence[float]) -> str:
    there = [f"{x.at(a)} {y.at(min(b, y.high))}" for a, b in zip(xs, high, strict=True)]
    back = [f"{x.at(a)} {y.at(min(b, y.high))}" for a, b in zip(xs, low, strict=True)]
    return "M" + "L".join(there + back[::-1]) + "Z"


def last_finite(values: Sequence[float]) -> float | None:
    finite = [value for value in values if math.isfinite(value)]
    return finite[-1] if finite else None


def apart(labels: Sequence[tuple[str, float | None]], gap: float) -> dict[str, float]:
    """Heights of labels at the ends of lines, moved apart so that none covers another."""
    wanted = sorted(((height, name) for name, height in labels if height is not None), key=lambda pair: pair[0])
    moved: dict[str, float] = {}
    previous = -math.inf
    for height, name in wanted:
        previous = max(height, previous + gap)
        moved[name] = round(previous, 1)
    return moved


def curve_top(curve: Curve) -> float:
    """The top of the axis of a curve: all of the median fits below it, and most of the band."""
    return 1.12 * max(max(curve.median), float(np.quantile(curve.high, 0.9)))


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    count: int
    low: float
    high: float


def histogram(values: Sequence[int], width: float, height: float, bins: int = 20) -> tuple[list[Bar], Axis, Axis]:
    """Bars of equal ranges up to the 98th percentile; the last one holds all above."""
    data = np.asarray(values, float)
    x = axis(max(float(np.quantile(data, 0.98)), bins), 0.0, width, 4)
    size = (x.high - x.low) / bins
    counts = np.bincount(np.minimum((data / size).astype(int), bins - 1), minlength=bins)
    y = axis(float(counts.max()), height, 0.0, 2)
    each = width / bins
    bars = [
        Bar(
            round(at * each, 1),
            y.at(count),
            round(each - 2.5, 1),
            round(height - y.at(count), 1),
            int(count),
            at * size,
            (at + 1) * size,
        )
        for at, count in enumerate(counts.tolist())
    ]
    return bars, x, y


@dataclass(frozen=True)
class Point:
    """An item on the map. Its uncertainty is drawn with the radius `halo`, and its picture if it is `shown`."""

    item: int
    x: float
    y: float
    halo: float
    shown: bool


def map_points(known: EmbeddingAt, width: float, height: float, pictures: int = 60) -> list[Point]:
    """The items on the first two principal components; at most `pictures` of them have room for a picture."""
    mean = known.embedding.mean - known.embedding.mean.mean(axis=0)
    _, _, directions = np.linalg.svd(mean, full_matrices=False)
    flat = mean @ directions[:2].T if len(directions) > 1 else np.column_stack([mean[:, 0], np.zeros(len(mean))])
    reach = np.maximum(np.quantile(np.abs(flat), 0.99, axis=0), 1e-9)
    room = np.array([width, height]) / 2 - _EDGE
    scale = float((room / reach).min())
    points = np.clip(flat * scale, -room, room)
    points += np.array([width / 2, height / 2])
    variance = known.embedding.var
    spread = np.zeros(len(mean)) if variance is None else np.sqrt(variance.mean(axis=1)) * scale
    shown = _spaced(points, pictures, 0.9 * math.sqrt(width * height / (3.2 * pictures)))
    return [
        Point(int(item), round(float(x), 1), round(float(y), 1), round(float(min(halo, 60)), 1), at in shown)
        for at, (item, (x, y), halo) in enumerate(zip(known.items, points, spread, strict=True))
    ]


def _spaced(points: Array, most: int, gap: float) -> set[int]:
    """Rows of some of the points, no two nearer than `gap`."""
    chosen: list[int] = []
    for at in np.random.default_rng(0).permutation(len(points)).tolist():
        if all(math.dist(points[at], points[other]) >= gap for other in chosen):
            chosen.append(at)
        if len(chosen) == most:
            break
    return set(chosen)


@dataclass(frozen=True)
class Spark:
    """A small line without axes, and the point where it ends."""

    path: str
    x: float
    y: float


def spark(values: Sequence[float]) -> Spark:
    x = Axis((), 0, len(values) - 1, 4, 104)
    y = Axis((), min(values), max(max(values), min(values) + 1), 40, 6)
    return Spark(line(x, y, range(len(values)), values), x.at(len(values) - 1), y.at(values[-1]))


def fitting(fits: float) -> int:
    """How many items still fit, as a number to say: at least 1, and rounded to two or three digits."""
    rounded = max(1, round(fits))
    return rounded if rounded < 100 else round(rounded, -1) if rounded < 1000 else round(rounded, -2)


@dataclass(frozen=True)
class CostBar:
    """How many searches took a number of questions; `you` marks the bar that this search belongs to."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    label: str
    you: bool


def bars(
    counts: Sequence[int], yours: int, width: float = 528.0, low: float = 110.0, high: float = 26.0
) -> list[CostBar]:
    """The distribution of costs as bars; the last one also counts all longer searches."""
    each, most = width / len(counts), max(counts)
    mine = min(yours, len(counts)) - 1
    every = max(1, math.ceil(len(counts) / 22)) * 5
    drawn = []
    for at, count in enumerate(counts):
        height = max((low - high) * count / most, 2.0)
        last = at == len(counts) - 1
        number = f"{at + 1}+" if last else str(at + 1)
        near_mine = at != mine and abs(at - mine) < 2
        named = at == mine or (not near_mine and (at == 0 or last or (at + 1) % every == 0))
        named = named and not (at != mine and not last and len(counts) - 1 - at < 2)
        drawn.append(
            CostBar(
                round(at * each + 2, 1),
                round(low - height, 1),
                round(each - 4, 1),
                round(height, 1),
                round((at + 0.5) * each, 1),
                number if named else "",
                at == mine,
            )
        )
    return drawn


def at_random(size: int, show: int) -> float:
    """Mean number of questions if items were shown at random."""
    return (size / show + 1) / 2


def end_of(y: Axis, values: Sequence[float]) -> float | None:
    """Where a line ends."""
    value = last_finite(values)
    return None if value is None else y.at(min(value, y.high))


def uncertainty(known: EmbeddingAt, item: int) -> float:
    """The standard deviation of an item's position, root mean square over the axes."""
    variance = known.embedding.var
    return 0.0 if variance is None else float(np.sqrt(variance[known.row(item)].mean()))
