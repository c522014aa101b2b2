"""The figures of the owner's first page: how searches became shorter, what is known, how strategies compare."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from learn2search.site.administration.learning_progress import LearningProgress, learning_progress
from learn2search.site.administration.measured_searches import MeasuredSearches, measured, of_people
from learn2search.site.administration.strategy_comparison import StrategyTest, compare_strategies
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Unavailable
from learn2search.site.learning.damaged_models import DamagedModel, damaged_model
from learn2search.site.learning.failures import Failure, failure_of
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.teaching.teaching_progress import searches_so_far
from learn2search.site.visits.figures import ENOUGH, RECENT, first_median, rounded_median
from learn2search.store import items, lessons, models, screens, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin, SearchStatus
from learn2search.store.items import Item
from learn2search.store.models import ModelInfo
from learn2search.store.screens import ScreenCount
from learn2search.store.searches import Finished
from learn2search.typing import Array, Integers, Items, Mask, Triplets

_POINTS = 60  # of a curve
_ANSWERS = 2000  # the latest ones, whose times are looked at
_LITTLE = 0.25  # of the median number of comparisons: items with fewer are little known
_NAMED = 4  # little-known items that are named


@dataclass(frozen=True)
class Curve:
    """Questions per search over time: at each point, the searches before it, `RECENT` at most.

    Attributes
    ----------
    at
        The points, in searches.
    low, high
        The middle half of the searches.
    well_known, little_known
        Medians where the target was well known when the search began, and where it was not; NaN where there are none.
    models
        Where a new model came into use, in searches.
    """

    at: tuple[int, ...]
    median: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    well_known: tuple[float, ...]
    little_known: tuple[float, ...]
    models: tuple[int, ...]
    total: int


@dataclass(frozen=True)
class ModelRow:
    """A model in the list of models.

    Attributes
    ----------
    what
        How it came about, in words.
    times
        How many models in a row only followed the items, of which this is the newest; 1 for any other model.
    """

    info: ModelInfo
    what: str
    times: int = 1


@dataclass(frozen=True)
class Overview:
    """The owner's first page.

    Attributes
    ----------
    seconds
        Median time of an answer.
    triplets
        How many comparisons there are to learn from.
    triplets_per_item
        How many of them name each item, `(n,)`, in the order of the embedding's items.
    least_known
        The items with the fewest, and how many they have.
    embedding
        Where the items are now; None when the collection has too few items.
    measured
        What the searches for a given item say; None when there were none.
    taught
        Screens of teaching, which are no searches: only comparisons, models and progress count what they say.
    """

    collection: Collection
    size: int
    by_status: dict[SearchStatus, int]
    ended_today: int
    recent_median: int | None
    first_median: int | None
    seconds: float | None
    triplets: int
    triplets_per_item: Integers
    least_known: tuple[tuple[Item, int], ...]
    quarantined: int
    curve: Curve | None
    models: tuple[ModelRow, ...]
    strategy_test: StrategyTest | None
    embedding: EmbeddingAt | None
    failure: Failure | None
    damaged: DamagedModel | None
    progress: LearningProgress | None
    measured: MeasuredSearches | None
    taught: ScreenCount

    @property
    def little_known_below(self) -> float:
        """Items that fewer comparisons than this name are little known."""
        return _LITTLE * float(np.median(self.triplets_per_item)) if len(self.triplets_per_item) else 0.0


def overview(site: Site, collection: Collection) -> Overview:
    """All figures of a collection."""
    embedding = _embedding(site, collection)
    numbers = np.empty(0, np.int64) if embedding is None else embedding.items
    damaged = damaged_model(site, collection)
    failure, options = failure_of(site, collection), options_of(collection)
    progress = _progress(site, collection, embedding)
    with site.database.read() as db:
        done = searches.finished(db, collection.id)
        learnt = lessons.usable_triplets(db, collection.id)
        history = models.history(db, collection.id)
        times = searches.answer_times(db, collection.id, _ANSWERS)
        per_item = triplets_per_item(learnt[:, :3], numbers)
        least = np.argsort(per_item, kind="stable")[:_NAMED]
        named = items.by_number(db, collection.id, numbers[least].tolist())
        costs = [one.questions for one in done]
        return Overview(
            collection=collection,
            size=len(numbers),
            by_status=searches.count_by_status(db, collection.id),
            ended_today=searches.count_since(db, collection.id, site.now() - 86_400),
            recent_median=rounded_median(costs[-RECENT:]) if costs else None,
            first_median=first_median(costs),
            seconds=float(np.median(times)) / 1000 if times else None,
            triplets=len(learnt),
            triplets_per_item=per_item,
            least_known=tuple((named[int(numbers[at])], int(per_item[at])) for at in least),
            quarantined=searches.count(db, collection.id)[1],
            curve=curve(done, well_known_targets(done, learnt, _on_curve(len(done))), history),
            models=tuple(model_rows(history, screens.numbers(db, collection.id))),
            strategy_test=compare_strategies(done, options.strategies, options.strategies_since),
            embedding=embedding,
            failure=failure,
            damaged=damaged,
            progress=progress,
            measured=measured(of_people(db, collection.id)),
            taught=screens.count(db, collection.id),
        )


def _embedding(site: Site, collection: Collection) -> EmbeddingAt | None:
    """Where the items are now, None with too few items or when every model is damaged."""
    try:
        return site.newest_embedding(collection)
    except Unavailable:
        return None


def _progress(site: Site, collection: Collection, embedding: EmbeddingAt | None) -> LearningProgress | None:
    """None where the owner gave positions: then there is little left to learn."""
    if embedding is None or embedding.metadata.prior.features:
        return None
    known_before = embedding.metadata.knows_features
    show = options_of(collection).usual_show
    return learning_progress(len(embedding.items), show, searches_so_far(site, collection), known_before)


def model_rows(history: Sequence[ModelInfo], taught: Sequence[int] = ()) -> list[ModelRow]:
    """The models, the newest first. Those that only followed uploads and retired items, one after the other, are one
    row: their figures are those of the model before. taught: the lessons that were screens of teaching, ascending."""
    versions = {info.id: info.version for info in history}
    found: list[ModelRow] = []
    for info in history:
        follows = bool(found) and found[-1].info.origin is info.origin is ModelOrigin.ITEMS
        if follows:
            found[-1] = replace(found[-1], times=found[-1].times + 1)
        else:
            found.append(ModelRow(info, _how_it_came(info, versions, taught)))
    return found


def _how_it_came(info: ModelInfo, versions: dict[int, int], taught: Sequence[int]) -> str:
    metadata = metadata_of(info)
    of_screens = bisect_right(taught, metadata.lessons)
    fitted_to = f"{metadata.lessons - of_screens:,} searches" + (f", {of_screens:,} screens" if of_screens else "")
    size = f"now {metadata.size:,} items" if metadata.size else "items came or went"
    parent = versions.get(info.parent_id or -1)
    words = {
        ModelOrigin.START: "the first",
        ModelOrigin.ITEMS: size,
        ModelOrigin.FIT: f"fitted to {fitted_to}",
        ModelOrigin.FEATURES: "positions that were given",
        ModelOrigin.ROLLBACK: "rolled back" if parent is None else f"rolled back to {parent}",
    }
    return words[info.origin]


def triplets_per_item(triplets: Triplets, numbers: Items) -> Integers:
    """How many triplets name each of the items."""
    size = 1 + max(int(triplets.max(initial=0)), int(numbers.max(initial=0)))
    return np.bincount(triplets.ravel(), minlength=size)[numbers].astype(np.int64)


def well_known_targets(done: Sequence[Finished], learnt: Integers, wanted: Mask | None = None) -> Mask:
    """Was the target of each search well known when it began, that is, named in as many triplets as the median item?

    Parameters
    ----------
    learnt
        `(m, 4)`: anchor, near, far and lesson of each triplet, in the order of the lessons.
    wanted
        The searches that are asked about, by default all; of the others it says no.
    """
    size = 1 + max(int(learnt[:, :3].max(initial=0)), max((one.target for one in done), default=0))
    counts, well_known, counted = np.zeros(size, np.int64), np.zeros(len(done), bool), 0
    middle = [(size - 1) // 2, size // 2]  # of the sorted counts: their median is the mean of these
    places = range(len(done)) if wanted is None else np.flatnonzero(wanted).tolist()
    for place in sorted(places, key=lambda place: done[place].lesson):
        before = int(np.searchsorted(learnt[:, 3], done[place].lesson))
        if before > counted:
            np.add.at(counts, learnt[counted:before, :3].ravel(), 1)
            counted = before
        median = np.partition(counts, middle)[middle].mean()
        well_known[place] = counts[done[place].target] >= max(1.0, median)
    return well_known


def curve(done: Sequence[Finished], well_known: Mask, history: Sequence[ModelInfo]) -> Curve | None:
    """Questions per search over time, None while there are too few searches.

    Parameters
    ----------
    well_known
        `(m,)`, from `well_known_targets`.
    """
    if len(done) < ENOUGH:
        return None
    costs = np.array([one.questions for one in done])
    parts = _windows(len(done))
    return Curve(
        at=tuple(part.stop for part in parts),
        median=tuple(float(np.median(costs[part])) for part in parts),
        low=tuple(float(np.quantile(costs[part], 0.25)) for part in parts),
        high=tuple(float(np.quantile(costs[part], 0.75)) for part in parts),
        well_known=tuple(_median(costs[part][well_known[part]]) for part in parts),
        little_known=tuple(_median(costs[part][~well_known[part]]) for part in parts),
        models=tuple(_where_models_came(done, history)),
        total=len(done),
    )


def _windows(count: int) -> list[slice]:
    """The searches before each point of the curve."""
    window = min(RECENT, max(10, count // 5))
    at = np.unique(np.linspace(window, count, _POINTS).astype(int)).tolist()
    return [slice(max(0, end - window), end) for end in at]


def _on_curve(count: int) -> Mask:
    """Which searches the curve shows: with many thousands, not all."""
    shown = np.zeros(count, bool)
    for part in _windows(count) if count >= ENOUGH else ():
        shown[part] = True
    return shown


def _where_models_came(done: Sequence[Finished], history: Sequence[ModelInfo]) -> list[int]:
    """After how many of the searches each fitted model came into use."""
    learnt = np.sort([one.lesson for one in done])
    fitted = [info for info in history if info.origin == ModelOrigin.FIT and info.published]
    return sorted(int(np.searchsorted(learnt, metadata_of(info).lessons, side="right")) for info in fitted)


def _median(costs: Array | Integers) -> float:
    return float(np.median(costs)) if len(costs) else float("nan")
