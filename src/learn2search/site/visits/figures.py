"""How long searches take, for the pages that visitors see. Every figure comes from the log of finished searches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learn2search.site.catalogue.options import Options, in_order, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Unavailable
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.visits.familiarity import Familiarity, familiarity_of
from learn2search.site.visits.search_state import answers_that_count
from learn2search.store import collections, items, searches
from learn2search.store.collections import Collection
from learn2search.store.items import Item
from learn2search.store.searches import StepRow

RECENT = 200  # searches that stand for how long they take now,
FIRST = 100  # and for how long they took in the beginning
ENOUGH_TO_FIND = 10  # searches for what the site showed, with which one of them is compared
ENOUGH = 20  # searches: with fewer there is nothing to say about how long they usually take
_LATEST = 1000  # searches of a distribution
_SECONDS = 5.0  # for which a figure is kept
_SAMPLE = 12  # items that stand for a collection on the first page
_EXAMPLES = 40  # searches among which the example of the first page is chosen
_EXAMPLE_LENGTH, _EXAMPLE_SHOWN = 8, 5  # questions that an example should have about, and how many are shown of it


@dataclass(frozen=True)
class Summary:
    """A collection in a few numbers.

    Attributes
    ----------
    median, first_median
        Questions of the recent searches and of the first ones; None while there are too few.
    trend
        Medians over time, the oldest first; empty while there are too few searches.
    sample
        Some items, evenly over the collection.
    example
        (number of the question, item that was clicked) of a search that ended well; the last is what it found.
        Without such a search, some items with the question 0.
    familiarity
        What the published model knows about the items.
    """

    collection: Collection
    options: Options
    size: int
    median: int | None
    first_median: int | None
    trend: tuple[float, ...]
    sample: tuple[Item, ...]
    example: tuple[tuple[int, Item], ...]
    familiarity: Familiarity


@dataclass(frozen=True)
class Band:
    """Most searches (the middle three quarters) end between these two questions."""

    low: int
    high: int


@dataclass(frozen=True)
class Distribution:
    """Searches by their number of questions.

    Attributes
    ----------
    counts
        counts[i] searches took i + 1 questions; the last entry also counts those that took more.
    longer
        The share of searches that took more questions than the one that is compared.
    """

    counts: tuple[int, ...]
    median: int
    longer: float


def rounded_median(costs: Sequence[int]) -> int:
    """The median of at least one number of questions, rounded to a number of questions."""
    return int(np.median(costs) + 0.5)


# --- the first page --------------------------------------------------------------------------------


def summaries(site: Site) -> list[Summary]:
    """All collections that are listed and have items."""
    return site.remember("summaries", _SECONDS, lambda: _listed_summaries(site))


def summaries_of(site: Site, slug: str) -> list[Summary]:
    """One collection, listed or not; an empty list when it has no items."""
    return site.remember(("summary", slug), _SECONDS, lambda: _summaries(site, [site.collection(slug)]))


def _listed_summaries(site: Site) -> list[Summary]:
    with site.database.read() as db:
        known = collections.all_collections(db)
    return _summaries(site, [one for one in in_order(known) if _is_offered(options_of(one))])


def _is_offered(options: Options) -> bool:
    return options.listed and not options.archived


def _summaries(site: Site, known: Sequence[Collection]) -> list[Summary]:
    with site.database.read() as db:
        sizes = collections.sizes(db)
    found = [_summary_or_none(site, one, sizes.get(one.id, 0)) for one in known if one.model_id is not None]
    return [one for one in found if one is not None]


def _summary_or_none(site: Site, collection: Collection, size: int) -> Summary | None:
    """None when every model of the collection is damaged: the others are shown all the same."""
    try:
        return _summary(site, collection, size)
    except Unavailable:
        return None


def _summary(site: Site, collection: Collection, size: int) -> Summary:
    model = site.models.model(site.published_model_id(collection))
    numbers = model.items
    sample = numbers[np.linspace(0, len(numbers) - 1, min(_SAMPLE, len(numbers))).astype(int)].tolist()
    with site.database.read() as db:
        costs = [one.questions for one in searches.finished(db, collection.id)]
        found = items.by_number(db, collection.id, sample)
    return Summary(
        collection=collection,
        options=options_of(collection),
        size=size,
        median=rounded_median(costs[-RECENT:]) if len(costs) >= ENOUGH else None,
        first_median=first_median(costs),
        trend=tuple(_trend(costs)),
        sample=tuple(found[number] for number in sample if number in found),
        example=_example(site, collection, sample),
        familiarity=familiarity_of(metadata_of(model.info), len(numbers)),
    )


def first_median(costs: Sequence[int]) -> int | None:
    """The median of the first searches, None while they are also the recent ones."""
    return rounded_median(costs[:FIRST]) if len(costs) >= FIRST + RECENT else None


def _trend(costs: Sequence[int], points: int = 12) -> list[float]:
    if len(costs) < 5 * points:
        return []
    return [float(np.median(part)) for part in np.array_split(np.array(costs), points)]


def _example(site: Site, collection: Collection, sample: Sequence[int]) -> tuple[tuple[int, Item], ...]:
    """Clicks of a late search and what it found; without such a search, some items with the question 0."""
    with site.database.read() as db:
        rows = searches.latest_found(db, collection.id, _EXAMPLES)
        steps = searches.steps_of(db, [row.id for row in rows])
        ways = [clicks for row in rows if len(clicks := _clicks(steps[row.id])) >= _EXAMPLE_SHOWN]
        if ways:
            way = min(ways, key=lambda clicks: abs(len(clicks) - _EXAMPLE_LENGTH))
            way = [way[at] for at in np.linspace(0, len(way) - 1, _EXAMPLE_SHOWN).astype(int)]
        else:
            way = [(0, number) for number in sample[:_EXAMPLE_SHOWN]]
        found = items.by_number(db, collection.id, [number for _, number in way])
    return tuple((question, found[number]) for question, number in way if number in found and found[number].active)


def _clicks(steps: Sequence[StepRow]) -> list[tuple[int, int]]:
    """The items that were clicked, by question; nothing if one answer was "can't tell"."""
    answers = answers_that_count(steps)
    clicks = [(at, step.chosen) for at, step in enumerate(answers, start=1) if step.chosen is not None]
    return clicks if len(clicks) == len(answers) else []


# --- a search --------------------------------------------------------------------------------------


def band(site: Site, collection: Collection, show: int) -> Band | None:
    """When most searches with `show` items at a time end, None while there are too few to say."""
    return site.remember(("band", collection.id, show), _SECONDS, lambda: _band(site, collection, show))


def _band(site: Site, collection: Collection, show: int) -> Band | None:
    with site.database.read() as db:
        costs = searches.latest_costs(db, collection.id, show, RECENT)
    if len(costs) < ENOUGH:
        return None
    low, high = np.quantile(costs, [0.125, 0.875])
    return Band(int(low), max(int(low) + 1, int(np.ceil(high))))


def distribution(
    site: Site, collection: Collection, show: int, questions: int, *, to_find: bool = False
) -> Distribution | None:
    """Where a search of so many questions stands among the latest with as many items at a time; None while there are
    too few.

    Parameters
    ----------
    to_find
        Compare it with those only whose visitors were asked to find an item.
    """
    with site.database.read() as db:
        costs = searches.latest_costs(db, collection.id, show, _LATEST, to_find_only=to_find)
    if len(costs) < (ENOUGH_TO_FIND if to_find else ENOUGH):
        return None
    longest = int(min(max(20, questions), max(20, np.quantile(costs, 0.97))))
    counts = np.bincount(np.minimum(costs, longest), minlength=longest + 1)[1:]
    longer = float((np.array(costs) > questions).mean())
    return Distribution(tuple(int(count) for count in counts), rounded_median(costs), longer)
