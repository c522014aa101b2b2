"""How a collection grows up: questions a search, by the searches that have taught it.

`simulate_growth` runs the learning loop on simulated people. `growth_curve` reads a small table of such runs
(`growth.json`, made by `python -m research.growth`) and interpolates: log questions are linear between neighbours in
log items and log pictures, at equal numbers of searches an item.
"""

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np

from learn2search.comparison import calibrate_noise, random_margins
from learn2search.learn.loop import learn2search
from learn2search.oracle import ProbitOracle
from learn2search.progress import bar
from learn2search.search.stored_search import MAX_SHOWN
from learn2search.typing import Array

STOPS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.4, 2.2, 3.2)  # searches an item, at which the windows of a curve end
_PLACES = tuple((a + b) / 2 for a, b in zip((0.0, *STOPS[:-1]), STOPS, strict=True))  # the middles of the windows
GROWN = 1.25  # a collection has learnt when a search takes at most so many times the questions that it would at best
AXES, FLIPS = 5, 0.1  # people compare in five dimensions, and say the wrong one of two random items one time in ten
_COMPONENTS = 10  # as a new collection of the site has
FEWEST = 20  # items
_LAST, _FARTHEST = 3, 4.0  # points that say how a curve goes on, and for how many times its length
_BEST_SEARCHES = 400  # that say how few questions it takes where all positions are known


@dataclass(frozen=True)
class GrowthCurve:
    """Questions a search, by the searches before it.

    Attributes
    ----------
    n_items, k : int
        Items, and how many a question shows.
    searches : tuple of float
        The middle of each window of searches.
    questions : tuple of float
        Mean questions of a search in that window.
    best : float
        Mean questions where people's own positions are known: it never gets better than that.
    extrapolated : bool
        Is the collection larger or smaller than all that were simulated?

    Examples
    --------
    >>> import learn2search as l2s
    >>> curve = l2s.GrowthCurve(100, 4, (10.0, 100.0, 1000.0), (20.0, 8.0, 4.0), best=4.0)
    >>> round(curve.at(100)), round(curve.enough)
    (8, 477)
    """

    n_items: int
    k: int
    searches: tuple[float, ...]
    questions: tuple[float, ...]
    best: float
    extrapolated: bool = False

    def at(self, searches: float) -> float:
        """Expected questions of a search after so many others.

        Parameters
        ----------
        searches : float
            How many came before.

        Returns
        -------
        float
            Between two points log questions are linear in log searches; before the first and after the last, constant.
        """
        place = math.log(max(searches, 1.0))
        return float(np.exp(np.interp(place, np.log(self.searches), np.log(self.questions))))

    @property
    def enough(self) -> float | None:
        """Searches until one takes at most 25% more questions than at best.

        Where the curve ends before, its end goes on: the questions above the best fall by a power of the searches, the
        one of its last three points. None where they do not fall, or not within four times the length of the curve.
        """
        wanted = math.log(GROWN * self.best)
        logs = np.minimum.accumulate(np.log(self.questions))  # what was reached once is not lost: the rest is scatter
        if logs[0] <= wanted:
            return self.searches[0]
        if logs[-1] <= wanted:
            return float(np.exp(np.interp(-wanted, -logs, np.log(self.searches))))
        return self._enough_beyond_the_end()

    def _enough_beyond_the_end(self) -> float | None:
        excess = np.log(np.array(self.questions[-_LAST:]) / self.best - 1)
        slope, level = np.polyfit(np.log(self.searches[-_LAST:]), excess, 1) if len(excess) == _LAST else (0.0, 0.0)
        if slope >= 0:
            return None
        found = math.exp(min((math.log(GROWN - 1) - level) / slope, 700.0))
        return max(found, self.searches[-1]) if found <= _FARTHEST * self.searches[-1] else None


def simulate_growth(
    n_items: int,
    k: int = 4,
    *,
    per_item: float = STOPS[-1],
    seed: int = 0,
    progress: bool | None = False,
) -> GrowthCurve:
    """Run the learning loop on simulated people, in a collection of which nothing is known.

    People compare in five dimensions and say the wrong one of two random items one time in ten.

    Parameters
    ----------
    n_items : int
        Of the collection, 20 or more.
    k : int, optional
        How many items a question shows.
    per_item : float, optional
        Searches an item to simulate.
    seed : int, optional
        The same seed gives the same people and the same searches.
    progress : bool, optional
        Show a bar; None shows it on a terminal.

    Returns
    -------
    GrowthCurve
        Means over windows of searches.

    Raises
    ------
    ValueError
        If the collection is too small, or a question cannot show so many.

    Examples
    --------
    >>> import learn2search as l2s
    >>> curve = l2s.simulate_growth(20, 4, per_item=1)
    >>> curve.n_items, len(curve.searches) == len(curve.questions)
    (20, True)
    """
    _check(n_items, k)
    features = np.random.default_rng([seed, n_items]).standard_normal((n_items, AXES))
    people = ProbitOracle(features, calibrate_noise(random_margins(features, seed=seed), FLIPS), seed=1000 + seed)
    total = max(2, round(per_item * n_items))
    costs: list[int] = []
    with bar(f"{n_items} items, {k} at a time", total, progress, transient=True) as show:
        for episode in learn2search(people, n_items, total, k=k, n_components=_COMPONENTS, seed=seed):
            costs.append(episode.cost)
            show(len(costs), f"{episode.cost} questions")
    best = [one.cost for one in learn2search(people, n_items, _BEST_SEARCHES, k=k, embedding="true", seed=seed)]
    ends = sorted({min(total, max(1, round(stop * n_items))) for stop in (*STOPS, per_item) if stop <= per_item})
    windows = list(zip([0, *ends[:-1]], ends, strict=True))
    means = tuple(float(np.mean(costs[start:stop])) for start, stop in windows)
    return GrowthCurve(n_items, k, tuple((a + b) / 2 for a, b in windows), means, float(np.mean(best)))


def growth_curve(n_items: int, k: int = 4) -> GrowthCurve:
    """What to expect of a collection of which nothing is known, from a table of simulated ones.

    Parameters
    ----------
    n_items : int
        Of the collection, 20 or more.
    k : int, optional
        How many items a question shows.

    Returns
    -------
    GrowthCurve
        Interpolated; `extrapolated` where the collection is larger or smaller than all simulated ones.

    Raises
    ------
    ValueError
        If the collection is too small, or a question cannot show so many.

    Examples
    --------
    >>> import learn2search as l2s
    >>> curve = l2s.growth_curve(500, 4)
    >>> curve.questions[0] > 2 * curve.questions[-1] > 2 * curve.best
    True
    """
    _check(n_items, k)
    table = _table()
    sizes, shown = sorted({size for size, _ in table}), sorted({one for _, one in table})
    by_shown = [_between(sizes, [table[size, one] for size in sizes], n_items) for one in shown]
    *questions, best = np.exp(_between(shown, by_shown, k)).tolist()
    best = max(best, 1.0)
    questions = np.minimum.accumulate(np.maximum(questions, best)).tolist()  # beyond the table, curves may cross
    places = tuple(at * n_items for at in _PLACES)
    is_outside = not sizes[0] <= n_items <= sizes[-1]
    return GrowthCurve(n_items, k, places, tuple(questions), best, is_outside)


def _between(points: list[int], values: list[Array], wanted: int) -> Array:
    """Linear in the logarithm of `wanted`; beyond the ends, along the line of the last two points."""
    at = int(np.clip(np.searchsorted(points, wanted) - 1, 0, len(points) - 2))
    low, high = math.log(points[at]), math.log(points[at + 1])
    share = (math.log(wanted) - low) / (high - low)
    between: Array = (1 - share) * values[at] + share * values[at + 1]
    return between


@lru_cache
def _table() -> dict[tuple[int, int], Array]:
    """By items and shown: log questions at each of `_PLACES`, and at last the log of the best."""
    stored = json.loads((files("learn2search.learn") / "growth.json").read_text(encoding="utf-8"))
    found = {}
    for row in stored["rows"]:
        logs = np.interp(np.log(_PLACES), np.log(row["at"]), np.log(row["questions"]))
        found[row["items"], row["shown"]] = np.append(logs, math.log(row["best"]))
    return found


def _check(n_items: int, k: int) -> None:
    if not isinstance(n_items, int | np.integer) or n_items < FEWEST:
        raise ValueError(f"a collection has {FEWEST} or more items here, got {n_items!r}")
    if not isinstance(k, int | np.integer) or not 2 <= k <= MAX_SHOWN:
        raise ValueError(f"a question shows 2 to {MAX_SHOWN} of the items, got {k!r}")
