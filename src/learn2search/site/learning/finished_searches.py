"""What a finished search teaches, how much, and which searches are set aside.

Each search has a weight: how probable it is that a person searched. It comes from what was known when the search ended,
and anew from each fit. A search that was answered without looking, or that the owner does not trust, is quarantined:
kept, with the reason, but it teaches nothing unless the owner says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection

from learn2search.learn import policy
from learn2search.learn.learnt import Learnt
from learn2search.site.learning.model_cache import EmbeddingAt, to_rows
from learn2search.site.learning.recipes import recipe_of
from learn2search.store import collections, searches
from learn2search.store import lessons as stored
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, SearchOrigin
from learn2search.store.searches import SearchRow, StepRow
from learn2search.triplets import from_choice
from learn2search.typing import Triplets

if TYPE_CHECKING:
    from learn2search.site.context import Site
    from learn2search.site.visits.search_state import SearchState

BY_OWNER = "by the owner"
OF_STUDY = "of a study"


@dataclass(frozen=True)
class Lesson:
    """What a search teaches: its triplets by the number of the step, why not to learn from them, if so, and what they
    count, with the evidence for that."""

    rows: list[tuple[int, Triplets]]
    quarantine: str | None
    weight: float = 1.0
    evidence: float | None = None


def prepare(site: Site, state: SearchState, target: int) -> Lesson:
    """What a search that ends with `target` teaches, computed before the transaction that writes it.

    Its visitor was perhaps asked to find another item: then nobody knows what the clicks were about.
    """
    if state.row.to_find not in (None, target):
        return Lesson([], searches.WRONG_END)
    known = site.models.embedding_at(state.row.model_id, state.row.lessons)
    with site.database.read() as db:
        collection = collections.by_id(db, state.row.collection_id)
    lesson = weighed(collection, state.answers, target, known)
    if state.row.trusted:
        lesson = replace(lesson, weight=1.0)
    if state.row.origin is SearchOrigin.SIMULATED:  # only the owner can run simulated visitors
        return lesson
    return replace(lesson, quarantine=suspicion(state.answers))


def weighed(collection: Collection, answers: tuple[StepRow, ...], target: int, known: EmbeddingAt) -> Lesson:
    """What these answers teach, and how much, by what was known before them."""
    rows, triplets, places = triplets_of(answers, target), [], []
    clicked = places_of(answers)
    for number, part in rows:
        inside = to_rows(part, known.items)
        triplets.append(inside)
        places += [clicked[number]] * len(inside)
    recipe = recipe_of(collection)
    of_search = np.concatenate([np.empty((0, 3), np.int64), *triplets])
    weight, evidence = policy.weigh_new(recipe, learnt_of(known), of_search, np.array(places, np.int64))
    return Lesson(rows, None, weight, evidence)


def learnt_of(known: EmbeddingAt) -> Learnt:
    """What a model knows, as the policy takes it."""
    metadata = known.metadata
    return Learnt(
        known.embedding,
        metadata.prior.variances(known.embedding.dim),
        known.model.info.noise,
        known.lessons,
        metadata.is_taught,
        metadata.online,
        crowd=metadata.crowd,
    )


def places_of(answers: tuple[StepRow, ...]) -> dict[int, int]:
    """The place on the screen of each click, by the number of its step."""
    return {
        step.number: step.shown.index(step.chosen)
        for step in answers
        if step.kind is AnswerKind.CHOICE and step.chosen in step.shown
    }


def triplets_of(answers: tuple[StepRow, ...], target: int) -> list[tuple[int, Triplets]]:
    """The triplets of each click: the chosen item is near, each other one far."""
    clicks = [step for step in answers if step.kind is AnswerKind.CHOICE]
    return [(step.number, from_choice(target, step.shown, step.chosen)) for step in clicks]


def record(db: Connection, row: SearchRow, lesson: Lesson) -> None:
    """Write a lesson, or the reason why it does not count. What the owner or a study has set aside stays set aside."""
    if row.quarantine in (BY_OWNER, OF_STUDY):
        return
    if lesson.quarantine is not None:
        searches.change(db, row.id, quarantine=lesson.quarantine)
        return
    number = collections.next_lesson(db, row.collection_id)
    stored.add(db, row.collection_id, number, row.id, lesson.rows, lesson.weight)
    values = {"lesson": number, "quarantine": None, "weight": lesson.weight, "evidence": lesson.evidence}
    searches.change(db, row.id, **values)


def withdraw(db: Connection, search_id: str) -> None:
    """Take back what a search has taught."""
    stored.withdraw(db, search_id)
    searches.change(db, search_id, lesson=None)


def suspicion(answers: tuple[StepRow, ...]) -> str | None:
    """Why a search teaches nothing at all, None if it may."""
    return policy.doubt([step.milliseconds for step in answers if step.milliseconds is not None])
