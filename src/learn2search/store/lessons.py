"""Statements about triplets: what finished searches teach, one lesson a search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Select, and_, func, insert, select, update

from learn2search.store.tables import search, triplet
from learn2search.typing import Triplets


def add(db: Connection, collection_id: int, lesson: int, search_id: str, rows: Sequence[tuple[int, Triplets]]) -> None:
    """Write the triplets of one search: `(step number, triplets (k - 1, 3))` for each of its choices."""
    add_many(db, collection_id, [(lesson, search_id, rows)])


def add_many(
    db: Connection, collection_id: int, lessons: Sequence[tuple[int, str, Sequence[tuple[int, Triplets]]]]
) -> None:
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
        }
        for lesson, search_id, rows in lessons
        for number, rows_of_step in rows
        for pair, (anchor, near, far) in enumerate(rows_of_step.tolist())
    ]
    if values:
        db.execute(insert(triplet), values)


def between(db: Connection, collection_id: int, after: int, up_to: int) -> Triplets:
    """The triplets that online steps learn from the lessons after + 1, ..., up_to: `(m, 3)`, in their order.

    Triplets that were withdrawn later are among them, so that every process learns the same.
    """
    query = select(triplet.c.anchor, triplet.c.near, triplet.c.far).where(
        triplet.c.collection_id == collection_id, triplet.c.lesson > after, triplet.c.lesson <= up_to
    )
    rows = db.execute(query.order_by(triplet.c.lesson, triplet.c.step, triplet.c.pair)).all()
    return np.array([tuple(row) for row in rows], np.int64).reshape(-1, 3)


def usable_triplets(db: Connection, collection_id: int) -> Triplets:
    """The triplets that a fit may use: `(m, 4)`, columns anchor, near, far, lesson, in the order of the lessons."""
    columns = (triplet.c.anchor, triplet.c.near, triplet.c.far, triplet.c.lesson)
    query = _valid(select(*columns), collection_id).order_by(triplet.c.lesson, triplet.c.step, triplet.c.pair)
    return np.array([tuple(row) for row in db.execute(query).all()], np.int64).reshape(-1, 4)


def count(db: Connection, collection_id: int) -> int:
    """How many triplets a fit may use."""
    return int(db.execute(_valid(select(func.count()), collection_id)).scalar_one())


def withdraw(db: Connection, search_id: str) -> None:
    """Leave the triplets of a search out of all later fits."""
    db.execute(update(triplet).where(triplet.c.search_id == search_id).values(withdrawn=True))


def _valid(query: Select[Any], collection_id: int) -> Select[Any]:
    valid = and_(
        triplet.c.collection_id == collection_id, triplet.c.withdrawn.is_(False), search.c.quarantine.is_(None)
    )
    return query.select_from(triplet).join(search, search.c.id == triplet.c.search_id).where(valid)
