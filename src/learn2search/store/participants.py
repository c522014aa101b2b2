"""Statements about studies, their participants, and what these are asked to find."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from learn2search.store.enums import TrialKind
from learn2search.store.tables import participant, study, trial


@dataclass(frozen=True)
class Study:
    """A study on a collection; `design` is what its owner chose."""

    id: str
    collection_id: int
    design: dict[str, Any]
    is_open: bool
    created_at: float


@dataclass(frozen=True)
class Participant:
    """Who has agreed to take part.

    Attributes
    ----------
    code
        The id that the researcher gave them.
    number
        In the order of their coming, from 0.
    rested
        How many trials were behind them when their last break ended.
    """

    study_id: str
    code: str
    number: int
    began_at: float
    rested: int = 0


@dataclass(frozen=True)
class Trial:
    """One search that a participant is asked to do. `search_id` is that of the search, once it has begun."""

    study_id: str
    code: str
    number: int
    kind: TrialKind
    target: int
    search_id: str


def add_study(db: Connection, one: Study) -> None:
    db.execute(insert(study).values(**vars(one)))


def get_study(db: Connection, study_id: str, *, lock: bool = False) -> Study | None:
    """lock: nobody else may begin this study until the transaction ends."""
    query = select(study).where(study.c.id == study_id)
    row = db.execute(query.with_for_update() if lock else query).mappings().first()
    return None if row is None else Study(**row)


def studies_of(db: Connection, collection_id: int) -> list[Study]:
    """The newest first."""
    query = select(study).where(study.c.collection_id == collection_id)
    rows = db.execute(query.order_by(study.c.created_at.desc(), study.c.id)).mappings()
    return [Study(**row) for row in rows]


def set_open(db: Connection, study_id: str, is_open: bool) -> None:
    db.execute(update(study).where(study.c.id == study_id).values(is_open=is_open))


def remove_study(db: Connection, study_id: str) -> None:
    """Delete a study with the ids of its participants. Their searches stay."""
    for table in (trial, participant):
        db.execute(delete(table).where(table.c.study_id == study_id))
    db.execute(delete(study).where(study.c.id == study_id))


def add_participant(db: Connection, one: Participant, trials: Sequence[Trial]) -> None:
    db.execute(insert(participant).values(**vars(one)))
    db.execute(insert(trial), [vars(each) for each in trials])


def get_participant(db: Connection, study_id: str, code: str) -> Participant | None:
    query = select(participant).where(participant.c.study_id == study_id, participant.c.code == code)
    row = db.execute(query).mappings().first()
    return None if row is None else Participant(**row)


def participants_of(db: Connection, study_id: str) -> list[Participant]:
    """In the order of their coming."""
    query = select(participant).where(participant.c.study_id == study_id).order_by(participant.c.number)
    return [Participant(**row) for row in db.execute(query).mappings()]


def count_participants(db: Connection, study_id: str) -> int:
    query = select(func.count()).select_from(participant).where(participant.c.study_id == study_id)
    return int(db.execute(query).scalar_one())


def set_rested(db: Connection, one: Participant, trials: int) -> None:
    """Their break after so many trials has ended."""
    same = (participant.c.study_id == one.study_id, participant.c.code == one.code)
    db.execute(update(participant).where(*same).values(rested=trials))


def trials_of(db: Connection, study_id: str, code: str | None = None) -> list[Trial]:
    """The trials of one participant, or of all, each participant's in their order."""
    query = select(trial).where(trial.c.study_id == study_id).order_by(trial.c.code, trial.c.number)
    if code is not None:
        query = query.where(trial.c.code == code)
    return [Trial(**row) for row in db.execute(query).mappings()]


def trial_of_search(db: Connection, search_id: str) -> Trial | None:
    """The trial whose search this is."""
    row = db.execute(select(trial).where(trial.c.search_id == search_id)).mappings().first()
    return None if row is None else Trial(**row)


def times_given(db: Connection, study_id: str) -> Counter[int]:
    """How often each item was given to a participant to find, in trials that count."""
    counted = (trial.c.study_id == study_id, trial.c.kind == TrialKind.TRIAL)
    query = select(trial.c.target, func.count()).where(*counted).group_by(trial.c.target)
    return Counter({int(target): int(times) for target, times in db.execute(query)})
