"""The figures that the pages show, all from the log: how long searches take, and how that has changed."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learn2search.site.catalogue.options import Options, options_of
from learn2search.site.context import Site
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.visits.search_state import answers_that_count
from learn2search.store import collections, items, lessons, models, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin, SearchStatus
from learn2search.store.items import Item
from learn2search.store.models import ModelInfo
from learn2search.store.searches import Finished, StepRow
from learn2search.typing import Integers, Items, Mask, Triplets

RECENT = 200  # searches
FIRST = 100
MANY = 20  # searches: below, there is nothing to say about how long they usually take
_SECONDS = 5.0  # that a figure may be old
_POINTS = 60  # of a curve
_EXAMPLES = 40  # searches among which one is chosen for the first page
_STARVING = 0.25  # of the median number of comparisons


@dataclass(frozen=True)
class Summary:
    """A collection in a few numbers. trend: medians over time, oldest first. example: what was clicked in a search that
    ended well, by question, and its target.
    """

    collection: Collection
    options: Options
    size: int
    median: int | None
    first_median: int | None
    trend: tuple[float, ...]
    sample: tuple[Item, ...]
    example: tuple[tuple[int, Item], ...]


@dataclass(frozen=True)
class Band:
    """Most searches (the middle three quarters) end between these questions."""

    low: int
    high: int


@dataclass(frozen=True)
class Distribution:
    """Searches by their number of questions: counts[i] took i + 1, the last also those that took more."""

    counts: tuple[int, ...]
    median: int
    longer: float  # the share that took more questions than this one


@dataclass(frozen=True)
class Curve:
    """Questions per search over time: at each point the searches before it, `RECENT` at most."""

    at: tuple[int, ...]
    median: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    well_known: tuple[float, ...]  # medians where the target was well known, NaN where there are none
    little_known: tuple[float, ...]
    models: tuple[int, ...]  # where a new model came into use
    total: int


@dataclass(frozen=True)
class Comparison:
    """A strategy: median questions with a 95% interval."""

    strategy: str
    searches: int
    median: float
    low: float
    high: float


def summaries(site: Site) -> list[Summary]:
    """All collections that are listed and not empty."""
    return site.remember("summaries", _SECONDS, lambda: _summaries(site))


def summaries_of(site: Site, slug: str) -> list[Summary]:
    """One collection, listed or not; nothing when it is empty."""
    return site.remember(("summary", slug), _SECONDS, lambda: _summarised(site, [site.collection(slug)]))


def _summaries(site: Site) -> list[Summary]:
    with site.database.read() as db:
        known = collections.all_collections(db)
    return _summarised(site, [one for one in known if options_of(one).listed])


def _summarised(site: Site, known: Sequence[Collection]) -> list[Summary]:
    with site.database.read() as db:
        sizes = collections.sizes(db)
    return [_summary(site, one, sizes.get(one.id, 0)) for one in known if one.model_id is not None]


def _summary(site: Site, collection: Collection, size: int) -> Summary:
    with site.database.read() as db:
        costs = [one.questions for one in searches.finished(db, collection.id)]
        numbers = site.models.model(collection.model_id or 0).items
        spread = numbers[np.linspace(0, len(numbers) - 1, min(12, len(numbers))).astype(int)]
        sample = items.by_number(db, collection.id, spread.tolist())
    return Summary(
        collection,
        options_of(collection),
        size,
        middle(costs[-RECENT:]) if len(costs) >= MANY else None,
        middle(costs[:FIRST]) if len(costs) >= FIRST + RECENT else None,
        tuple(_trend(costs)),
        tuple(sample[number] for number in spread.tolist() if number in sample),
        _example(site, collection, spread.tolist()),
    )


def _example(site: Site, collection: Collection, others: Sequence[int]) -> tuple[tuple[int, Item], ...]:
    """Four clicks of a late search and what it found; without one, some items without numbers."""
    with site.database.read() as db:
        rows = searches.latest_found(db, collection.id, _EXAMPLES)
        steps = searches.steps_of(db, [row.id for row in rows])
        ways = [_clicks(steps[row.id]) for row in rows]
        way = max((way for way in ways if len(way) >= 5), key=lambda way: -abs(len(way) - 8), default=None)
        if way is None:
            way = [(0, number) for number in others[:5]]
        else:
            way = [way[at] for at in np.linspace(0, len(way) - 1, 5).astype(int)]
        found = items.by_number(db, collection.id, [number for _, number in way])
    return tuple((question, found[number]) for question, number in way if number in found and found[number].active)


def _clicks(steps: Sequence[StepRow]) -> list[tuple[int, int]]:
    """The clicks of a search that was found, by question; none if an answer was "can't tell"."""
    answers = answers_that_count(steps)
    clicks = [(at, step.chosen) for at, step in enumerate(answers, start=1) if step.chosen is not None]
    return clicks if len(clicks) == len(answers) else []


def _trend(costs: Sequence[int], points: int = 12) -> list[float]:
    if len(costs) < 5 * points:
        return []
    return [float(np.median(part)) for part in np.array_split(np.array(costs), points)]


def middle(costs: Sequence[int]) -> int | None:
    """The median of whole numbers, as a whole number."""
    return int(np.median(costs) + 0.5) if len(costs) else None


def band(site: Site, collection: Collection) -> Band | None:
    """When most searches end, None when there are too few to say."""
    return site.remember(("band", collection.id), _SECONDS, lambda: _band(site, collection))


def _band(site: Site, collection: Collection) -> Band | None:
    with site.database.read() as db:
        costs = searches.latest_costs(db, collection.id, RECENT)
    if len(costs) < MANY:
        return None
    low, high = np.quantile(costs, [0.125, 0.875])
    return Band(int(low), max(int(low) + 1, int(np.ceil(high))))


def distribution(site: Site, collection: Collection, questions: int) -> Distribution | None:
    """Where a search of so many questions stands among the latest."""
    with site.database.read() as db:
        costs = np.array(searches.latest_costs(db, collection.id, 1000))
    if len(costs) < MANY:
        return None
    longest = int(min(max(20, questions), max(20, np.quantile(costs, 0.97))))
    counts = np.bincount(np.minimum(costs, longest), minlength=longest + 1)[1:]
    typical = middle(costs.tolist())
    assert typical is not None
    return Distribution(tuple(int(count) for count in counts), typical, float((costs > questions).mean()))


# --- the owner's dashboard -------------------------------------------------------------------------


@dataclass(frozen=True)
class Overview:
    """The owner's first page. seen: comparisons that name each item, `(n,)`, in the order of the model's items."""

    collection: Collection
    size: int
    by_status: dict[SearchStatus, int]
    ended_today: int
    recent_median: int | None
    first_median: int | None
    seconds: float | None
    comparisons: int
    quarantined: int
    curve: Curve | None
    seen: Integers
    starving: tuple[tuple[Item, int], ...]
    models: tuple[ModelInfo, ...]
    strategies: tuple[Comparison, ...]
    known: EmbeddingAt | None


def overview(site: Site, collection: Collection) -> Overview:
    with site.database.read() as db:
        done = searches.finished(db, collection.id)
        taught = lessons.teaching(db, collection.id)
        infos = models.history(db, collection.id)
        times = searches.answer_times(db, collection.id, 2000)
        known = _latest(site, collection)
        numbers = np.empty(0, np.int64) if known is None else known.items
        seen = comparisons_per_item(taught[:, :3], numbers)
        starving = _starving(seen, numbers)
        found = items.by_number(db, collection.id, [number for number, _ in starving])
        costs = [one.questions for one in done]
        return Overview(
            collection=collection,
            size=len(numbers),
            by_status=searches.count_by_status(db, collection.id),
            ended_today=searches.count_since(db, collection.id, site.now() - 86_400),
            recent_median=middle(costs[-RECENT:]),
            first_median=middle(costs[:FIRST]) if len(costs) >= FIRST + RECENT else None,
            seconds=float(np.median(times)) / 1000 if times else None,
            comparisons=len(taught),
            quarantined=searches.count(db, collection.id)[1],
            curve=curve(done, known_before(done, taught), infos),
            seen=seen,
            starving=tuple((found[number], count) for number, count in starving),
            models=tuple(infos),
            strategies=tuple(compare(done)),
            known=known,
        )


def _latest(site: Site, collection: Collection) -> EmbeddingAt | None:
    if collection.model_id is None:
        return None
    return site.models.embedding_at(collection.model_id, site.models.newest(collection.model_id, collection.lessons))


def comparisons_per_item(triplets: Triplets, numbers: Items) -> Integers:
    """In how many triplets each of the items stands."""
    size = 1 + max(int(triplets.max(initial=0)), int(numbers.max(initial=0)))
    counts: Integers = np.bincount(triplets.ravel(), minlength=size)[numbers].astype(np.int64)
    return counts


def starving_below(seen: Integers) -> float:
    """Items named in fewer comparisons than this are shown more often."""
    return _STARVING * float(np.median(seen)) if len(seen) else 0.0


def _starving(seen: Integers, numbers: Items, most: int = 4) -> list[tuple[int, int]]:
    order = np.argsort(seen, kind="stable")[:most]
    return [(int(numbers[at]), int(seen[at])) for at in order]


def known_before(done: Sequence[Finished], taught: Items) -> Mask:
    """Was the target of each search well known when it began: named in as many comparisons as most items?

    taught: `(m, 4)`, columns anchor, near, far, lesson, in the order of the lessons.
    """
    size = 1 + max(int(taught[:, :3].max(initial=0)), max((one.target for one in done), default=0))
    counts, known, at = np.zeros(size, np.int64), np.zeros(len(done), bool), 0
    order = sorted(range(len(done)), key=lambda place: done[place].lesson or 0)
    for place in order:
        before = int(np.searchsorted(taught[:, 3], done[place].lesson or 0))
        if before > at:
            counts += np.bincount(taught[at:before, :3].ravel(), minlength=size)
            at = before
        known[place] = counts[done[place].target] >= max(1.0, float(np.median(counts)))
    return known


def curve(done: Sequence[Finished], is_known: Mask, infos: Sequence[ModelInfo]) -> Curve | None:
    """None when there are too few searches for a curve. is_known: whether the target was well known, `(m,)`."""
    if len(done) < MANY:
        return None
    costs = np.array([one.questions for one in done])
    window = min(RECENT, max(10, len(done) // 5))
    at = np.unique(np.linspace(window, len(done), _POINTS).astype(int))
    parts = [slice(max(0, end - window), end) for end in at]
    learnt = np.sort([one.lesson or 0 for one in done])
    fitted = [info for info in infos if info.origin == ModelOrigin.FIT and info.published]
    came = [int(np.searchsorted(learnt, metadata_of(info).lessons, side="right")) for info in fitted]
    return Curve(
        at=tuple(int(end) for end in at),
        median=tuple(float(np.median(costs[part])) for part in parts),
        low=tuple(float(np.quantile(costs[part], 0.25)) for part in parts),
        high=tuple(float(np.quantile(costs[part], 0.75)) for part in parts),
        well_known=tuple(_median(costs[part][is_known[part]]) for part in parts),
        little_known=tuple(_median(costs[part][~is_known[part]]) for part in parts),
        models=tuple(sorted(came)),
        total=len(done),
    )


def _median(costs: Integers) -> float:
    return float(np.median(costs)) if len(costs) else float("nan")


def compare(done: Sequence[Finished], latest: int = 1000) -> list[Comparison]:
    """Strategies side by side, with intervals by order statistics; empty unless there are two."""
    by_strategy: dict[str, list[int]] = {}
    for one in done[-latest:]:
        if one.strategy != "random":
            by_strategy.setdefault(one.strategy, []).append(one.questions)
    if len(by_strategy) < 2:
        return []
    return [Comparison(name, len(costs), *_interval(costs)) for name, costs in sorted(by_strategy.items())]


def _interval(costs: Sequence[int]) -> tuple[float, float, float]:
    """The median, and the order statistics that enclose it with 95% probability."""
    ordered = np.sort(costs)
    half = 0.98 * np.sqrt(len(ordered))
    low = int(max(0, np.floor(len(ordered) / 2 - half)))
    high = int(min(len(ordered) - 1, np.ceil(len(ordered) / 2 + half)))
    return float(np.median(ordered)), float(ordered[low]), float(ordered[high])


def ago(now: float, then: float) -> str:
    """When something was, in words."""
    seconds = now - then
    if seconds < 90:
        return "just now"
    for size, name in ((60, "minute"), (3600, "hour"), (86_400, "day")):
        count = round(seconds / size)
        if count < {"minute": 60, "hour": 24}.get(name, 30):
            return f"{count} {name}{'s' if count != 1 else ''} ago"
    return time.strftime("%Y-%m-%d", time.gmtime(then))
