"""How far a collection was taught: screens answered, and the questions that a search is expected to take by now.

The second is an estimate. Simulated people searched collections of this size (`growth_curve`): that tells the questions
of a search after so many others. A click among k items holds at most log₂ k bits, in a search as on a screen of
teaching; so the screens count as the searches whose clicks hold as many bits.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from learn2search import GrowthCurve, growth_curve
from learn2search.site.administration.learning_progress import FEWEST_ITEMS
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.store import screens
from learn2search.store.collections import Collection
from learn2search.store.screens import ScreenCount, ScreenRow

_SECONDS = 5.0  # that the estimate may be old
_STEPS = 10_000  # searches that are looked at one by one, at most


@dataclass(frozen=True)
class TeachingProgress:
    """yours: screens that this visitor answered; all: by everybody. first, now: questions of a search before any screen
    and by now, an estimate; None where the collection is too small for one. known_before: something was known before
    the first screen, so that searches take fewer."""

    yours: int
    all: ScreenCount
    first: float | None = None
    now: float | None = None
    known_before: bool = False


def teaching_progress(site: Site, collection: Collection, visitor: str) -> TeachingProgress:
    """How far the collection is."""
    with site.database.read() as db:
        yours, everybody = screens.count(db, collection.id, visitor).screens, screens.count(db, collection.id)
    first, now = site.remember(("taught", collection.id), _SECONDS, lambda: _estimate(site, collection))
    known_before = site.newest_embedding(collection).metadata.knows_features
    return TeachingProgress(yours, everybody, first, now, known_before)


def screens_taught(site: Site, collection: Collection) -> ScreenCount:
    """Screens that were answered, and by how many visitors."""
    with site.database.read() as db:
        return screens.count(db, collection.id)


def _estimate(site: Site, collection: Collection) -> tuple[float | None, float | None]:
    size = len(site.models.covered(site.published_model_id(collection)))
    if size < FEWEST_ITEMS:
        return None, None
    curve = growth_curve(size, options_of(collection).usual_show)
    searches, worth = lessons_in_searches(site, collection, curve)
    return curve.at(searches), curve.at(searches + worth)


def lessons_in_searches(site: Site, collection: Collection, curve: GrowthCurve) -> tuple[int, float]:
    """The searches that have taught a collection, and how many more its screens of teaching are worth."""
    with site.database.read() as db:
        taught = [row for _, row in screens.lessons_of(db, collection.id)]
        searches = collection.lessons - screens.count_lessons(db, collection.id)
    return searches, searches_worth(curve, searches, bits_of(taught)) - searches


def searches_so_far(site: Site, collection: Collection) -> int:
    """How many searches a collection has learnt from, or what teaching is worth as many."""

    def worth() -> float:
        size = len(site.models.covered(site.published_model_id(collection)))
        if size < FEWEST_ITEMS:
            return 0.0
        return lessons_in_searches(site, collection, growth_curve(size, options_of(collection).usual_show))[1]

    with site.database.read() as db:
        of_screens = screens.count_lessons(db, collection.id)
    more = site.remember(("worth", collection.id), _SECONDS, worth) if of_screens else 0.0
    return collection.lessons - of_screens + round(more)


def bits_of(taught: Iterable[ScreenRow]) -> float:
    """What the clicks of screens hold at most: log₂ (1 + items not chosen), for each chosen one."""
    return sum(len(one.chosen) * math.log2(1 + len(one.shown) - len(one.chosen)) for one in taught)


def searches_worth(curve: GrowthCurve, searches: float, bits: float) -> float:
    """So many searches, and as many more as hold these bits: each its questions of the curve times log₂ k.

    Examples
    --------
    >>> from learn2search import GrowthCurve
    >>> curve = GrowthCurve(100, 4, (10.0, 100.0), (10.0, 10.0), best=4.0)
    >>> searches_worth(curve, 0, bits=60.0)
    3.0
    """
    step = max(1.0, curve.searches[-1] / _STEPS)
    while bits > 0:
        a_search = curve.at(searches) * math.log2(curve.k)
        taken = bits / a_search
        if searches < curve.searches[-1]:  # beyond, all are alike
            taken = min(taken, step)
        searches, bits = searches + taken, bits - taken * a_search
    return searches
