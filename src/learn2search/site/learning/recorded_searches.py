"""Writing searches that ended elsewhere into a collection: those of simulated visitors, or of a snapshot.

Each becomes a search with its steps and the next lesson, exactly as if a visitor had found the target on the site.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from learn2search.site.context import Site
from learn2search.site.learning.finished_searches import Lesson, triplets_of, weighed
from learn2search.store import collections, lessons, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, SearchOrigin, SearchStatus
from learn2search.store.lessons import NewLesson
from learn2search.store.searches import SearchRow, StepRow

_SECONDS_APART = 45.0  # between the ends of two searches, in the times that are written


@dataclass(frozen=True)
class RecordedSearch:
    """A search that found its target, not yet in the database.

    Attributes
    ----------
    model_id, lessons
        What the search knew: the model that it began with, and how many lessons there were.
    steps
        From `recorded_step`; the last one is the find.
    weight, evidence
        How much it counts, and why, where that is known.
    """

    model_id: int
    lessons: int
    strategy: str
    target: int
    steps: tuple[StepRow, ...]
    weight: float | None = None
    evidence: float | None = None


def recorded_step(number: int, shown: tuple[int, ...], chosen: int | None, target: int, *, last: bool) -> StepRow:
    """A question with its answer: the find at the end, else a choice, or "can't tell" where `chosen` is None."""
    kind = AnswerKind.FOUND if last else AnswerKind.NONE if chosen is None else AnswerKind.CHOICE
    item = target if last else chosen
    return StepRow(number, shown, kind, item, milliseconds=None, shown_at=0.0, fits=0.0, likely=())


def write_searches(site: Site, collection: Collection, found: Sequence[RecordedSearch], to_come: int = 0) -> None:
    """Write searches as the next lessons of a collection; those without a weight are weighed by what each knew.

    Parameters
    ----------
    to_come
        How many more will follow: the times are chosen so that the very last search ends now.
    """
    first = site.now() - _SECONDS_APART * (len(found) + to_come)
    rows: list[SearchRow] = []
    steps: list[tuple[str, StepRow]] = []
    learnt = []
    for place, one in enumerate(found):
        if one.weight is None:
            known = site.models.embedding_at(one.model_id, one.lessons)
            lesson = weighed(collection, one.steps, one.target, known)
        else:
            lesson = Lesson(triplets_of(one.steps, one.target), None, one.weight, one.evidence)
        row = _row(collection, one, collection.lessons + place + 1, first + _SECONDS_APART * place)
        rows.append(replace(row, weight=lesson.weight, evidence=lesson.evidence))
        steps += [(row.id, replace(step, shown_at=row.started_at)) for step in one.steps]
        learnt.append(NewLesson(collection.lessons + place + 1, row.id, lesson.rows, lesson.weight))
    with site.database.write() as db:
        searches.add_many(db, rows, steps)
        lessons.add_many(db, collection.id, learnt)
        collections.set_lessons(db, collection.id, collection.lessons + len(found))


def _row(collection: Collection, search: RecordedSearch, lesson: int, started_at: float) -> SearchRow:
    ended_at = started_at + _SECONDS_APART
    return SearchRow(
        id=secrets.token_hex(16),
        collection_id=collection.id,
        model_id=search.model_id,
        lessons=search.lessons,
        strategy=search.strategy,
        show=max(len(step.shown) for step in search.steps),
        status=SearchStatus.FOUND,
        target=search.target,
        questions=len(search.steps),
        lesson=lesson,
        quarantine=None,
        visitor=None,
        origin=SearchOrigin.SIMULATED,
        started_at=started_at,
        changed_at=ended_at,
        ended_at=ended_at,
    )
