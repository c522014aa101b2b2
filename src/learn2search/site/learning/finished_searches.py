"""What a finished search teaches, and which searches are set aside.

A search that looks automatic is quarantined: kept, with the reason, but it teaches nothing unless the owner says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection

from learn2search.comparison import answer_probabilities
from learn2search.learn import policy
from learn2search.site.learning.model_cache import EmbeddingAt, to_rows
from learn2search.store import collections, searches
from learn2search.store import lessons as stored
from learn2search.store.enums import AnswerKind, SearchOrigin
from learn2search.store.searches import SearchRow, StepRow
from learn2search.triplets import from_choice
from learn2search.typing import Triplets

if TYPE_CHECKING:
    from learn2search.site.context import Site
    from learn2search.site.visits.search_state import SearchState

BY_OWNER = "by the owner"


@dataclass(frozen=True)
class Lesson:
    """What a search teaches: its triplets by the number of the step, and why not to learn from them, if so."""

    rows: list[tuple[int, Triplets]]
    quarantine: str | None


def prepare(site: Site, state: SearchState, target: int) -> Lesson:
    """What a search that ends with `target` teaches, computed before the transaction that writes it."""
    rows = triplets_of(state.answers, target)
    if state.row.origin is SearchOrigin.SIMULATED:  # only the owner can run simulated visitors
        return Lesson(rows, None)
    known = site.models.embedding_at(state.row.model_id, state.row.lessons)
    return Lesson(rows, suspicion(state.answers, rows, known))


def triplets_of(answers: tuple[StepRow, ...], target: int) -> list[tuple[int, Triplets]]:
    """The triplets of each click: the chosen item is near, each other one far."""
    clicks = [step for step in answers if step.kind is AnswerKind.CHOICE]
    return [(step.number, from_choice(target, step.shown, step.chosen)) for step in clicks]


def record(db: Connection, row: SearchRow, lesson: Lesson) -> None:
    """Write a lesson, or the reason why it does not count. What the owner has set aside stays set aside."""
    if row.quarantine == BY_OWNER:
        return
    if lesson.quarantine is not None:
        searches.change(db, row.id, quarantine=lesson.quarantine)
        return
    number = collections.next_lesson(db, row.collection_id)
    stored.add(db, row.collection_id, number, row.id, lesson.rows)
    searches.change(db, row.id, lesson=number, quarantine=None)


def withdraw(db: Connection, search_id: str) -> None:
    """Take back what a search has taught."""
    stored.withdraw(db, search_id)
    searches.change(db, search_id, lesson=None)


def suspicion(answers: tuple[StepRow, ...], rows: list[tuple[int, Triplets]], known: EmbeddingAt) -> str | None:
    """Why a search looks automatic, None if it does not."""
    times = [step.milliseconds for step in answers if step.milliseconds is not None]
    clicked = [
        step.shown.index(step.chosen)
        for step in answers
        if step.kind is AnswerKind.CHOICE and step.chosen in step.shown
    ]
    triplets = to_rows(np.concatenate([np.empty((0, 3), np.int64), *(part for _, part in rows)]), known.items)
    if known.metadata.is_taught and len(triplets):
        probabilities = answer_probabilities(known.embedding, triplets, noise=known.model.info.noise)
    else:
        probabilities = np.empty(0)
    return policy.doubt(times, clicked, probabilities)
