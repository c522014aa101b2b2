"""Statements about triplets: what finished searches and screens of teaching teach, one lesson each.

The triplets of searches are rows of their own; those of a screen follow from its row (`store/screens.py`).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Select, and_, func, insert, select, update

from learn2search.store import screens
from learn2search.store.enums import AnswerKind
from learn2search.store.tables import search, step, triplet
from learn2search.typing import Array, Integers, Triplets

_CHUNK = 10_000  # rows that are read at a time


class NewLesson(NamedTuple):
    """The triplets of one search: `(step number, triplets (k - 1, 3))` for each of its choices, and what they count."""

    number: int
    search_id: str
    rows: Sequence[tuple[int, Triplets]]
    weight: float = 1.0


def add(
    db: Connection,
    collection_id: int,
    lesson: int,
    search_id: str,
    rows: Sequence[tuple[int, Triplets]],
    weight: float = 1.0,
) -> None:
    """Write the triplets of one search, as in `NewLesson`."""
    add_many(db, collection_id, [NewLesson(lesson, search_id, rows, weight)])


def add_many(db: Connection, collection_id: int, lessons: Sequence[NewLesson]) -> None:
    values = [
        {
            "collection_id": collection_id,
            "lesson": lesson,
            "step": number,
            "pair": pair,
            "search_id": search_id,
            "anchor": anchor,
            "near": near,
            "far": far,
            "withdrawn": False,
            "weight": weight,
        }
        for lesson, search_id, rows, weight in lessons
        for number, rows_of_step in rows
        for pair, (anchor, near, far) in enumerate(rows_of_step.tolist())
    ]
    if values:
        db.execute(insert(triplet), values)


def between(db: Connection, collection_id: int, after: int, up_to: int) -> tuple[Triplets, Array, Integers]:
    """The triplets that online steps learn from the lessons after + 1, ..., up_to, `(m, 3)`, in their order, what
    each counted when its search ended, `(m,)`, and the number of its lesson, `(m,)`.

    Triplets that were withdrawn later are among them, so that every process learns the same.
    """
    columns = (triplet.c.anchor, triplet.c.near, triplet.c.far, triplet.c.lesson, triplet.c.weight)
    query = select(*columns).where(
        triplet.c.collection_id == collection_id, triplet.c.lesson > after, triplet.c.lesson <= up_to
    )
    query = query.order_by(triplet.c.lesson, triplet.c.step, triplet.c.pair)
    rows: list[tuple[Any, ...]] = [tuple(row) for row in db.execute(query)]
    for number, one in screens.between(db, collection_id, after, up_to):
        rows += [(*row, number, one.first_weight) for _, part in one.rows for row in part.tolist()]
    rows.sort(key=lambda row: row[3])  # by lesson; it keeps the order within one
    triplets = np.array([row[:3] for row in rows], np.int64).reshape(-1, 3)
    return triplets, np.array([row[4] for row in rows], float), np.array([row[3] for row in rows], np.int64)


class TaughtBy(NamedTuple):
    """The search or the screen that a lesson came from."""

    id: str
    visitor: str | None
    weight: float | None
    trusted: bool
    is_screen: bool = False


def taught_by(db: Connection, collection_id: int) -> dict[int, TaughtBy]:
    """Where all lessons came from, by their numbers."""
    columns = (search.c.lesson, search.c.id, search.c.visitor, search.c.weight, search.c.trusted)
    query = select(*columns).where(search.c.collection_id == collection_id, search.c.lesson.is_not(None))
    found = {int(row[0]): TaughtBy(*row[1:]) for row in db.execute(query)}
    for number, one in screens.lessons_of(db, collection_id):
        found[number] = TaughtBy(one.id, one.visitor, one.weight, one.trusted, is_screen=True)
    return found


def places(db: Connection, collection_id: int) -> dict[tuple[int, int], int]:
    """Where on the screen the chosen item was, by lesson and number of the step."""
    columns = (search.c.lesson, step.c.number, step.c.shown, step.c.chosen)
    query = select(*columns).join(search, search.c.id == step.c.search_id)
    query = query.where(search.c.collection_id == collection_id, search.c.lesson.is_not(None))
    rows = db.execute(query.where(step.c.kind == AnswerKind.CHOICE))
    found = {(row[0], row[1]): list(row[2]).index(row[3]) for row in rows if row[3] in row[2]}
    for number, one in screens.lessons_of(db, collection_id):
        found |= {(number, step): one.shown.index(item) for step, item in enumerate(one.chosen)}
    return found


def usable_triplets(db: Connection, collection_id: int) -> Triplets:
    """The triplets that a fit may use: `(m, 5)`, columns anchor, near, far, lesson, step, in the order of the
    lessons."""
    columns = (triplet.c.anchor, triplet.c.near, triplet.c.far, triplet.c.lesson, triplet.c.step)
    query = _valid(select(*columns), collection_id).order_by(triplet.c.lesson, triplet.c.step, triplet.c.pair)
    numbers = chain.from_iterable(_plain_rows(db, query))
    rows = np.fromiter(numbers, np.int64).reshape(-1, len(columns))
    taught = [
        (*row, number, step)
        for number, one in screens.lessons_of(db, collection_id)
        for step, part in one.rows
        for row in part.tolist()
    ]
    if not taught:
        return rows
    both = np.concatenate([rows, np.array(taught, np.int64)])
    return both[np.argsort(both[:, 3], kind="stable")]


def _plain_rows(db: Connection, query: Select[Any]) -> Iterator[tuple[int, ...]]:
    """The rows of a query of numbers as the driver gives them: for a million, the objects around them would count."""
    cursor: Any = db.execute(query).cursor
    while rows := cursor.fetchmany(_CHUNK):
        yield from rows


def count(db: Connection, collection_id: int, after: int = 0) -> int:
    """How many triplets a fit may use, of the lessons after this one."""
    query = _valid(select(func.count()), collection_id).where(triplet.c.lesson > after)
    return int(db.execute(query).scalar_one()) + screens.count_triplets(db, collection_id, after)


def count_by_item(db: Connection, collection_id: int) -> dict[int, int]:
    """How many triplets that a fit may use name each item; items that none names are left out."""
    counts: Counter[int] = Counter()
    for column in (triplet.c.anchor, triplet.c.near, triplet.c.far):
        query = _valid(select(column, func.count()), collection_id).group_by(column)
        counts.update({int(row[0]): int(row[1]) for row in db.execute(query)})
    for _, one in screens.lessons_of(db, collection_id):
        for _, part in one.rows:
            counts.update(part.ravel().tolist())
    return dict(counts)


def withdraw(db: Connection, search_id: str) -> None:
    """Leave the triplets of a search out of all later fits."""
    db.execute(update(triplet).where(triplet.c.search_id == search_id).values(withdrawn=True))


def _valid(query: Select[Any], collection_id: int) -> Select[Any]:
    """The few searches that are set aside are looked up once: a join would look up the search of every triplet."""
    set_aside = select(search.c.id).where(search.c.collection_id == collection_id, search.c.quarantine.is_not(None))
    valid = and_(
        triplet.c.collection_id == collection_id,
        triplet.c.withdrawn.is_(False),
        triplet.c.search_id.not_in(set_aside),
    )
    return query.select_from(triplet).where(valid)
