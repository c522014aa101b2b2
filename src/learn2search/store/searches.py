"""Statements about searches and their steps. An answer is one UPDATE of an open step and one INSERT of the next."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    insert,
    not_,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from learn2search.store.enums import AnswerKind, SearchOrigin, SearchStatus, TrialKind
from learn2search.store.tables import search, step

_AT_ONCE = 500  # ids in one statement
SET_ASIDE = 0.05  # a search with less weight counts as set aside
WRONG_END = "it ended with another item than the one to find"  # the reason why such a search is set aside


@dataclass(frozen=True)
class StepRow:
    """A question and, once there is one, its answer. kind: None while the question is open."""

    number: int
    shown: tuple[int, ...]
    kind: AnswerKind | None
    chosen: int | None
    milliseconds: int | None
    shown_at: float
    fits: float
    likely: tuple[int, ...]


@dataclass(frozen=True)
class SearchRow:
    """A search without its steps.

    Attributes
    ----------
    to_find
        The item that the site asked the visitor to find; None where they had something in mind.
    near
        Items that the visitor said it is like, before the first question.
    trial
        What it is for, in a study; None outside of studies.
    """

    id: str
    collection_id: int
    model_id: int
    lessons: int
    strategy: str
    show: int
    status: SearchStatus
    target: int | None
    questions: int | None
    lesson: int | None
    quarantine: str | None
    visitor: str | None
    origin: SearchOrigin
    started_at: float
    changed_at: float
    ended_at: float | None
    weight: float | None = None
    evidence: float | None = None
    trusted: bool = False
    to_find: int | None = None
    near: tuple[int, ...] = ()
    trial: TrialKind | None = None

    @property
    def is_wrong_end(self) -> bool:
        """Did it end with another item than the one that the visitor was asked to find?"""
        return None not in (self.to_find, self.target) and self.to_find != self.target

    @property
    def is_set_aside(self) -> bool:
        """Does it teach nothing, or next to nothing?"""
        return self.quarantine is not None or (self.weight is not None and self.weight < SET_ASIDE)


# The statements of every click are built once.
_ADD = {
    "sqlite": sqlite.insert(search).on_conflict_do_nothing(index_elements=["id"]).returning(search.c.id),
    "postgresql": postgresql.insert(search).on_conflict_do_nothing(index_elements=["id"]).returning(search.c.id),
}
_GET = select(search).where(search.c.id == bindparam("of_search"))
_STEPS = select(step).where(step.c.search_id == bindparam("of_search")).order_by(step.c.number)
_SHOW = insert(step)
_TOUCH = update(search).where(search.c.id == bindparam("of_search")).values(changed_at=bindparam("now"))
_CLOSE = (
    update(step)
    .where(step.c.search_id == bindparam("of_search"), step.c.number == bindparam("at_number"), step.c.kind.is_(None))
    .values(
        kind=bindparam("new_kind"),
        chosen=bindparam("new_chosen"),
        milliseconds=bindparam("new_milliseconds"),
    )
)
_WEIGH = (
    update(search)
    .where(search.c.id == bindparam("of_search"), search.c.trusted.is_(False))
    .values(weight=bindparam("new_weight"), evidence=bindparam("new_evidence"))
)


def add(db: Connection, row: SearchRow, first: StepRow) -> bool:
    """Write a new search and its first question; False when there is one of this id."""
    if db.execute(_ADD[db.dialect.name], _row_values(row)).first() is None:
        return False
    show(db, row.id, first)
    return True


def add_many(db: Connection, rows: Sequence[SearchRow], steps: Sequence[tuple[str, StepRow]]) -> None:
    """Write many searches with all their steps."""
    if rows:
        db.execute(insert(search), [_row_values(row) for row in rows])
    if steps:
        db.execute(insert(step), [{"search_id": search_id} | _step_values(one) for search_id, one in steps])


def get(db: Connection, search_id: str) -> SearchRow | None:
    row = db.execute(_GET, {"of_search": search_id}).mappings().first()
    return None if row is None else _row(row)


def by_ids(db: Connection, search_ids: Sequence[str]) -> dict[str, SearchRow]:
    """Those of these searches that have begun, by their ids."""
    found: dict[str, SearchRow] = {}
    for first in range(0, len(search_ids), _AT_ONCE):
        part = list(search_ids[first : first + _AT_ONCE])
        found |= {row.id: row for row in _rows(db, select(search).where(search.c.id.in_(part)))}
    return found


def visitor(db: Connection, search_id: str) -> str | None:
    """Who began a search, if that is known; None also where there is no such search."""
    return db.execute(select(search.c.visitor).where(search.c.id == search_id)).scalar_one_or_none()


def open_of(db: Connection, visitor: str, limit: int) -> list[SearchRow]:
    """The open searches of a visitor, the newest first."""
    theirs = and_(search.c.status == SearchStatus.OPEN, search.c.visitor == visitor)
    return _rows(db, select(search).where(theirs).order_by(search.c.changed_at.desc()).limit(limit))


def by_beginning(db: Connection, beginning: str) -> SearchRow | None:
    """The search whose id begins so."""
    between = search.c.id.between(beginning, beginning + "g")  # one more than the last hexadecimal digit
    row = db.execute(select(search).where(between).limit(1)).mappings().first()
    return None if row is None else _row(row)


def steps(db: Connection, search_id: str) -> list[StepRow]:
    return [_step(row) for row in db.execute(_STEPS, {"of_search": search_id}).mappings()]


def steps_of(db: Connection, search_ids: Sequence[str]) -> dict[str, list[StepRow]]:
    """The steps of several searches."""
    found: dict[str, list[StepRow]] = {search_id: [] for search_id in search_ids}
    query = select(step).where(step.c.search_id.in_(list(search_ids))).order_by(step.c.search_id, step.c.number)
    for row in db.execute(query).mappings():
        found[row["search_id"]].append(_step(row))
    return found


def show(db: Connection, search_id: str, question: StepRow) -> None:
    """Write an open step: the items shown."""
    db.execute(_SHOW, {"search_id": search_id} | _step_values(question))


def answer(db: Connection, search_id: str, closed: StepRow, now: float) -> bool:
    """Write the answer to an open step; False when the step is answered or not there.

    The search stays locked until the commit.
    """
    db.execute(_TOUCH, {"of_search": search_id, "now": now})
    values = {"new_kind": closed.kind, "new_chosen": closed.chosen, "new_milliseconds": closed.milliseconds}
    return db.execute(_CLOSE, {"of_search": search_id, "at_number": closed.number} | values).rowcount == 1


def change(db: Connection, search_id: str, **values: Any) -> None:
    db.execute(update(search).where(search.c.id == search_id).values(**values))


def set_weights(db: Connection, weights: Sequence[tuple[str, float, float]]) -> None:
    """Write down weight and evidence of searches, by their ids; those that the owner trusts keep theirs."""
    if weights:
        values = [dict(zip(("of_search", "new_weight", "new_evidence"), one, strict=True)) for one in weights]
        db.execute(_WEIGH, values)


def end(db: Connection, search_id: str, status: SearchStatus, now: float, **values: Any) -> None:
    change(db, search_id, status=status, ended_at=now, changed_at=now, **values)


def reopen(db: Connection, search_id: str, now: float) -> bool:
    """Open an ended search again; False when it is open."""
    ended = and_(search.c.id == search_id, search.c.status != SearchStatus.OPEN)
    values = {"status": SearchStatus.OPEN, "target": None, "questions": None, "ended_at": None, "changed_at": now}
    return db.execute(update(search).where(ended).values(values)).rowcount == 1


def abandon_idle(db: Connection, before: float) -> int:
    """End the open searches that had their last answer before this time; how many there were."""
    idle = and_(search.c.status == SearchStatus.OPEN, search.c.changed_at < before)
    left = {"status": SearchStatus.ABANDONED, "ended_at": search.c.changed_at}
    return db.execute(update(search).where(idle).values(left)).rowcount


# --- figures and lists --------------------------------------------------------------------------------


def latest_costs(db: Connection, collection_id: int, show: int, limit: int, *, to_find_only: bool = False) -> list[int]:
    """Questions of the searches with `show` items at a time that were found last, without a hint, the newest first.

    Parameters
    ----------
    to_find_only
        Only those whose visitors were asked to find an item, and found it.
    """
    query = select(search.c.questions).where(_found_unaided(collection_id), search.c.show == show)
    if to_find_only:
        query = query.where(search.c.to_find == search.c.target)
    return [int(count) for count in db.execute(query.order_by(search.c.ended_at.desc()).limit(limit)).scalars()]


@dataclass(frozen=True)
class Finished:
    """What the figures need of a search that was found and became a lesson."""

    ended_at: float
    questions: int
    target: int
    strategy: str
    lesson: int
    started_at: float = 0.0
    visitor: str | None = None
    origin: SearchOrigin = SearchOrigin.PAGE


def finished(db: Connection, collection_id: int) -> list[Finished]:
    """All searches that were found, without a hint, and became lessons, in the order of their ends."""
    columns = [search.c[field.name] for field in fields(Finished)]
    learnt = and_(_found_unaided(collection_id), search.c.lesson.is_not(None))
    query = select(*columns).where(learnt).order_by(search.c.ended_at, search.c.id)
    return [Finished(*row) for row in db.execute(query)]


def _found(collection_id: int) -> Any:
    found = search.c.status == SearchStatus.FOUND
    return and_(search.c.collection_id == collection_id, found, not_(_set_aside()))


def _found_unaided(collection_id: int) -> Any:
    """Found without a hint at the start: only these tell how long a search takes."""
    return and_(_found(collection_id), cast(search.c.near, Text) == "[]")


def _set_aside() -> Any:
    """As `SearchRow.is_set_aside`."""
    return or_(search.c.quarantine.is_not(None), func.coalesce(search.c.weight, 1.0) < SET_ASIDE)


def ended_to_find(db: Connection, collection_id: int) -> list[SearchRow]:
    """Of the searches on the pages whose visitors were asked to find an item, all that ended, in this order.

    Those of studies are not among them.
    """
    visited = and_(search.c.to_find.is_not(None), search.c.trial.is_(None))
    asked = and_(search.c.collection_id == collection_id, visited)
    ended = and_(search.c.origin == SearchOrigin.PAGE, search.c.status != SearchStatus.OPEN)
    return _rows(db, select(search).where(asked, ended).order_by(search.c.ended_at))


def count_by_status(db: Connection, collection_id: int) -> dict[SearchStatus, int]:
    query = select(search.c.status, func.count()).where(search.c.collection_id == collection_id)
    return {SearchStatus(row[0]): int(row[1]) for row in db.execute(query.group_by(search.c.status))}


def count_since(db: Connection, collection_id: int, since: float) -> int:
    """How many searches have ended since then."""
    query = select(func.count()).where(search.c.collection_id == collection_id, search.c.ended_at >= since)
    return int(db.execute(query).scalar_one())


def answer_times(db: Connection, collection_id: int, limit: int) -> list[int]:
    """Milliseconds of the latest answers."""
    query = (
        select(step.c.milliseconds)
        .join(search, search.c.id == step.c.search_id)
        .where(search.c.collection_id == collection_id, step.c.milliseconds.is_not(None))
        .order_by(step.c.shown_at.desc())
        .limit(limit)
    )
    return [int(value) for value in db.execute(query).scalars()]


_ANSWERED = (AnswerKind.CHOICE, AnswerKind.NONE, AnswerKind.FOUND)


def answer_times_by_count(db: Connection, collection_id: int, limit: int) -> dict[int, list[int]]:
    """Milliseconds of people's latest answers, by the number of items that were shown."""
    query = (
        select(step.c.shown, step.c.milliseconds)
        .join(search, search.c.id == step.c.search_id)
        .where(search.c.collection_id == collection_id, search.c.origin == SearchOrigin.PAGE)
        .where(step.c.milliseconds.is_not(None), step.c.kind.in_(_ANSWERED), not_(_set_aside()))
        .order_by(step.c.shown_at.desc())
        .limit(limit)
    )
    times: dict[int, list[int]] = {}
    for shown, milliseconds in db.execute(query):
        times.setdefault(len(shown), []).append(int(milliseconds))
    return times


@dataclass(frozen=True)
class SearchFilter:
    """Which searches; None leaves a column alone. `quarantined`: those set aside, or the others."""

    quarantined: bool | None = None
    status: SearchStatus | None = None
    origin: SearchOrigin | None = None
    strategy: str | None = None


def latest(
    db: Connection, collection_id: int, limit: int, offset: int = 0, wanted: SearchFilter | None = None
) -> list[SearchRow]:
    """Searches, the newest first."""
    query, wanted = select(search).where(search.c.collection_id == collection_id), wanted or SearchFilter()
    if wanted.quarantined is not None:
        query = query.where(_set_aside() if wanted.quarantined else not_(_set_aside()))
    for name in ("status", "origin", "strategy"):
        if getattr(wanted, name) is not None:
            query = query.where(search.c[name] == getattr(wanted, name))
    return _rows(db, query.order_by(search.c.changed_at.desc(), search.c.id).offset(offset).limit(limit))


def strategies(db: Connection, collection_id: int) -> list[str]:
    """The strategies that searches have used."""
    query = select(search.c.strategy).where(search.c.collection_id == collection_id).distinct()
    return sorted(str(name) for name in db.execute(query).scalars())


def latest_found(db: Connection, collection_id: int, limit: int) -> list[SearchRow]:
    """Searches that were found, the newest first."""
    return _rows(db, select(search).where(_found(collection_id)).order_by(search.c.ended_at.desc()).limit(limit))


def count(db: Connection, collection_id: int) -> tuple[int, int]:
    """How many searches there are, and how many are set aside."""
    aside = func.count(case((_set_aside(), 1)))
    row = db.execute(select(func.count(), aside).where(search.c.collection_id == collection_id)).one()
    return int(row[0]), int(row[1])


def page_of_ids(db: Connection, collection_id: int, after: str, limit: int) -> list[SearchRow]:
    """Searches in the order of their ids, for an export that goes through all of them."""
    query = select(search).where(search.c.collection_id == collection_id, search.c.id > after)
    return _rows(db, query.order_by(search.c.id).limit(limit))


def _rows(db: Connection, query: Select[Any]) -> list[SearchRow]:
    return [_row(row) for row in db.execute(query).mappings()]


def _row(row: RowMapping) -> SearchRow:
    return SearchRow(**{**row, "near": tuple(row["near"])})


def _row_values(row: SearchRow) -> dict[str, Any]:
    return vars(row) | {"near": list(row.near)}


def _step(row: RowMapping) -> StepRow:
    values = {name: value for name, value in row.items() if name != "search_id"}
    return StepRow(**{**values, "shown": tuple(values["shown"]), "likely": tuple(values["likely"])})


def _step_values(one: StepRow) -> dict[str, Any]:
    return vars(one) | {"shown": list(one.shown), "likely": list(one.likely)}
