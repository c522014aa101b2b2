"""Statements about screens of teaching: an item, others beside it, and which of them are most like it.

A screen is a lesson of its own. Its triplets follow from its row: each chosen item is nearer to the anchor than each
one that was shown and not chosen.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Select, bindparam, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from learn2search.store.tables import screen
from learn2search.typing import Triplets


@dataclass(frozen=True)
class ScreenRow:
    """A screen with its answer. chosen: of those shown; empty where none was alike. lesson: None where it teaches
    nothing. first_weight: when it was answered; weight: now, None before a fit has weighed it."""

    id: str
    collection_id: int
    visitor: str | None
    anchor: int
    shown: tuple[int, ...]
    chosen: tuple[int, ...]
    milliseconds: int
    answered_at: float
    lesson: int | None = None
    triplets: int = 0
    first_weight: float = 1.0
    weight: float | None = None
    evidence: float | None = None
    quarantine: str | None = None
    trusted: bool = False
    withdrawn: bool = False

    @property
    def rows(self) -> list[tuple[int, Triplets]]:
        return triplets_by_click(self.anchor, self.shown, self.chosen)


class ScreenCount(NamedTuple):
    """How many screens were answered, and by how many visitors."""

    screens: int
    visitors: int


def triplets_by_click(anchor: int, shown: Sequence[int], chosen: Sequence[int]) -> list[tuple[int, Triplets]]:
    """(number of the click from 0, rows (anchor, near, far)) for each chosen item, each one that was not chosen far."""
    left = [item for item in shown if item not in chosen]
    clicks = [[(anchor, near, far) for far in left] for near in chosen] if left else []
    return [(number, np.array(rows, np.int64)) for number, rows in enumerate(clicks)]


_COLUMNS = [field.name for field in fields(ScreenRow)]
_ADD = {
    "sqlite": sqlite.insert(screen).on_conflict_do_nothing(index_elements=["id"]).returning(screen.c.id),
    "postgresql": postgresql.insert(screen).on_conflict_do_nothing(index_elements=["id"]).returning(screen.c.id),
}
_WEIGH = (
    update(screen)
    .where(screen.c.id == bindparam("of_screen"), screen.c.trusted.is_(False))
    .values(weight=bindparam("new_weight"), evidence=bindparam("new_evidence"))
)


def add(db: Connection, row: ScreenRow) -> bool:
    """Write an answer; False when this screen has one."""
    values = asdict(row) | {"shown": list(row.shown), "chosen": list(row.chosen)}
    return db.execute(_ADD[db.dialect.name], values).first() is not None  # of an INSERT, rowcount may be unknown


def get(db: Connection, screen_id: str) -> ScreenRow | None:
    return next(iter(_rows(db, select(screen).where(screen.c.id == screen_id))), None)


def change(db: Connection, screen_id: str, **values: Any) -> None:
    db.execute(update(screen).where(screen.c.id == screen_id).values(**values))


def latest(db: Connection, collection_id: int, visitor: str, count: int) -> list[ScreenRow]:
    """The last screens of a visitor that were not taken back, the newest first."""
    query = select(screen).where(screen.c.collection_id == collection_id, screen.c.visitor == visitor)
    query = query.where(screen.c.withdrawn.is_(False)).order_by(screen.c.answered_at.desc()).limit(count)
    return _rows(db, query)


def page_of_ids(db: Connection, collection_id: int, after: str, count: int) -> list[ScreenRow]:
    """The next screens in the order of their ids, taken back ones too."""
    query = select(screen).where(screen.c.collection_id == collection_id, screen.c.id > after)
    return _rows(db, query.order_by(screen.c.id).limit(count))


def count(db: Connection, collection_id: int, visitor: str | None = None) -> ScreenCount:
    """Of all visitors, or of one."""
    query = select(func.count(), func.count(screen.c.visitor.distinct())).select_from(screen)
    query = query.where(screen.c.collection_id == collection_id, screen.c.withdrawn.is_(False))
    if visitor is not None:
        query = query.where(screen.c.visitor == visitor)
    return ScreenCount(*map(int, db.execute(query).one()))


def numbers(db: Connection, collection_id: int) -> list[int]:
    """The lessons of the collection that were screens, those taken back later too, ascending."""
    query = select(screen.c.lesson).where(screen.c.collection_id == collection_id, screen.c.lesson.is_not(None))
    return [int(row[0]) for row in db.execute(query.order_by(screen.c.lesson))]


def count_lessons(db: Connection, collection_id: int) -> int:
    """How many they are."""
    query = select(func.count()).where(screen.c.collection_id == collection_id, screen.c.lesson.is_not(None))
    return int(db.execute(query).scalar_one())


def asked(db: Connection, collection_id: int) -> list[tuple[int, list[int]]]:
    """Anchor and items shown of all screens that were answered."""
    query = select(screen.c.anchor, screen.c.shown).where(screen.c.collection_id == collection_id)
    return [(int(row[0]), list(row[1])) for row in db.execute(query)]


def count_triplets(db: Connection, collection_id: int, after: int = 0) -> int:
    """How many triplets of screens a fit may use, of the lessons after this one."""
    query = _usable(select(func.coalesce(func.sum(screen.c.triplets), 0)), collection_id)
    return int(db.execute(query.where(screen.c.lesson > after)).scalar_one())


def lessons_of(db: Connection, collection_id: int) -> list[tuple[int, ScreenRow]]:
    """The screens that a fit may use, by their lessons, in order."""
    return _numbered(db, _usable(select(screen), collection_id))


def between(db: Connection, collection_id: int, after: int, up_to: int) -> list[tuple[int, ScreenRow]]:
    """The screens that online steps learn as the lessons after + 1, ..., up_to, those taken back later too."""
    query = select(screen).where(screen.c.collection_id == collection_id, screen.c.lesson > after)
    return _numbered(db, query.where(screen.c.lesson <= up_to))


def _numbered(db: Connection, query: Select[Any]) -> list[tuple[int, ScreenRow]]:
    rows = _rows(db, query.order_by(screen.c.lesson))
    return [(row.lesson, row) for row in rows if row.lesson is not None]


def set_weights(db: Connection, weights: Sequence[tuple[str, float, float]]) -> None:
    """Write down weight and evidence of screens, by their ids; trusted ones keep theirs."""
    if weights:
        values = [dict(zip(("of_screen", "new_weight", "new_evidence"), one, strict=True)) for one in weights]
        db.execute(_WEIGH, values)


def _usable(query: Select[Any], collection_id: int) -> Select[Any]:
    query = query.where(screen.c.collection_id == collection_id, screen.c.lesson.is_not(None))
    return query.where(screen.c.withdrawn.is_(False), screen.c.quarantine.is_(None))


def _rows(db: Connection, query: Select[Any]) -> list[ScreenRow]:
    found = [{name: row[name] for name in _COLUMNS} for row in db.execute(query).mappings()]
    return [ScreenRow(**row | {name: tuple(row[name]) for name in ("shown", "chosen")}) for row in found]
