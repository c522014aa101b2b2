"""The A/B test of a collection: its strategies side by side, by the visitors who came since the test began.

A visitor always gets the same strategy, so visitors and not searches are drawn at random: an interval comes from
drawing the visitors again (bootstrap), each with all of their searches.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learn2search.store.enums import SearchOrigin
from learn2search.store.searches import Finished
from learn2search.typing import Array

ENOUGH_VISITORS = 20  # of each strategy: with fewer, nothing is said
_DRAWS = 2000
_UNTAUGHT = "random"  # what searches use while nothing is known, whatever the test says


@dataclass(frozen=True)
class StrategyFigures:
    """Mean questions of a strategy with a 95% interval; both None with too few visitors."""

    strategy: str
    visitors: int
    searches: int
    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class StrategyDifference:
    """How many more questions a strategy takes than another, in the mean, with a 95% interval."""

    strategy: str
    other: str
    difference: float
    low: float
    high: float

    @property
    def in_words(self) -> str:
        """What can be said about it."""
        if self.low <= 0 <= self.high:
            return f"no difference can be seen yet between {self.strategy} and {self.other}"
        fewer = self.difference < 0
        return f"{self.strategy} takes {'fewer' if fewer else 'more'} questions than {self.other}"


@dataclass(frozen=True)
class StrategyTest:
    """All strategies of a test, and each against the first.

    Attributes
    ----------
    since
        When it began, in seconds since 1970.
    differences
        Empty while a strategy has too few visitors.
    """

    since: float
    figures: tuple[StrategyFigures, ...]
    differences: tuple[StrategyDifference, ...]

    @property
    def fewest_visitors(self) -> int:
        return min(one.visitors for one in self.figures)


def compare_strategies(done: Sequence[Finished], strategies: Sequence[str], since: float | None) -> StrategyTest | None:
    """The test of these strategies, None if there is none: fewer than two, or nobody knows since when.

    Parameters
    ----------
    done
        All finished searches. Those that began before the test, simulated ones, and those of other strategies are left
        out.
    since
        When the test began; None for one of before that was noted: then it began when the last of its strategies was
        first used.
    """
    wanted = list(dict.fromkeys(name for name in strategies if name != _UNTAUGHT))
    real = [one for one in done if one.origin is not SearchOrigin.SIMULATED and one.strategy in wanted]
    if len(wanted) < 2 or (since is None and not real):
        return None
    begun = _first_of_all(real) if since is None else since
    of_test = [one for one in real if one.started_at >= begun]
    sums = {name: _by_visitor([one for one in of_test if one.strategy == name]) for name in wanted}
    draws = {name: _drawn(part, seed) for seed, (name, part) in enumerate(sums.items())}
    figures = tuple(_figures(name, sums[name], draws[name]) for name in wanted)
    is_enough = min(one.visitors for one in figures) >= ENOUGH_VISITORS
    first, *others = wanted
    differences = [_difference(name, first, sums, draws) for name in others] if is_enough else []
    return StrategyTest(begun, figures, tuple(differences))


def _first_of_all(done: Sequence[Finished]) -> float:
    first: dict[str, float] = {}
    for one in done:
        first[one.strategy] = min(one.started_at, first.get(one.strategy, one.started_at))
    return max(first.values())


def _by_visitor(done: Sequence[Finished]) -> Array:
    """(questions, searches) of each visitor, `(v, 2)`. Who is not known is a visitor with one search."""
    found: dict[object, list[float]] = {}
    for at, one in enumerate(done):
        sums = found.setdefault(at if one.visitor is None else one.visitor, [0.0, 0.0])
        sums[0] += one.questions
        sums[1] += 1
    return np.array(list(found.values())).reshape(-1, 2)


def _drawn(sums: Array, seed: int) -> Array:
    """Mean questions in each of many draws of as many visitors, `(_DRAWS,)`; empty with too few of them."""
    if len(sums) < ENOUGH_VISITORS:
        return np.empty(0)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=_DRAWS)
    totals = times @ sums
    return np.asarray(totals[:, 0] / totals[:, 1])


def _figures(name: str, sums: Array, draws: Array) -> StrategyFigures:
    visitors, searches = len(sums), int(sums[:, 1].sum())
    if len(draws) == 0:
        return StrategyFigures(name, visitors, searches, None, None, None)
    return StrategyFigures(name, visitors, searches, _mean(sums), *_interval(draws))


def _difference(name: str, other: str, sums: dict[str, Array], draws: dict[str, Array]) -> StrategyDifference:
    interval = _interval(draws[name] - draws[other])
    return StrategyDifference(name, other, _mean(sums[name]) - _mean(sums[other]), *interval)


def _mean(sums: Array) -> float:
    return float(sums[:, 0].sum() / sums[:, 1].sum())


def _interval(draws: Array) -> tuple[float, float]:
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)
