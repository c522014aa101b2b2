"""A visitor's search. Each answer is one transaction; what is computed is computed before it.

An answer names the step that it answers. The step is open or it is not: of two answers to one step the first counts,
the same answer again changes nothing, and any other is from a stale page, which is shown the current question.
"""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import Connection

from learn2search.site.catalogue.options import Options, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound, Unavailable
from learn2search.site.learning import finished_searches
from learn2search.site.learning.fitting import recipe_of
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.visits.beliefs import LIKELY, MISS_RATE, OpenSearch
from learn2search.store import collections, items, searches
from learn2search.store.collections import Collection
from learn2search.store.items import Item
from learn2search.store.searches import SearchRow, StepRow

GALLERY = 14
KINDS = ("choice", "none", "found", "undo", "not-here")


@dataclass(frozen=True)
class SearchState:
    """A search as it is now. stale: the answer came from an old page and was not counted."""

    collection: Collection
    options: Options
    row: SearchRow
    answers: tuple[StepRow, ...]  # those that count
    question: StepRow | None  # the open one, None when the search has ended
    items: dict[int, Item]
    size: int = 0  # how many items the search knows
    stale: bool = False

    @property
    def number(self) -> int:
        """The number of the current question, or of the last one when the search has ended."""
        return len(self.answers) + (self.question is not None)

    @property
    def exhausted(self) -> bool:
        """Everything has been shown, and it was not there."""
        return self.question is not None and not self.question.shown


def start(
    site: Site, slug: str, *, visitor: str | None = None, show: int | None = None, origin: str = "page"
) -> SearchState:
    """Begin a search with the model and the lessons of now."""
    collection = site.collection(slug)
    options = options_of(collection)
    if collection.model_id is None:
        raise Unavailable(f"“{collection.title}” has no items yet.")
    show = options.show if show is None else show
    if show not in (2, 4):
        raise Invalid(f"A question shows 2 or 4 items, not {show}.")
    row = _new_row(site, collection, options, visitor, show, origin)
    belief = site.beliefs.begin(row)
    first = _question(site, collection, row, belief, 1)
    with site.database.write() as db:
        searches.add(db, row, first)
    site.beliefs.keep(row.id, 1, belief)
    return state(site, row.id)


def _new_row(
    site: Site, collection: Collection, options: Options, visitor: str | None, show: int, origin: str
) -> SearchRow:
    assert collection.model_id is not None
    now, search_id = site.now(), secrets.token_hex(16)
    known = site.models.newest(collection.model_id, collection.lessons)
    knows_nothing = metadata_of(site.models.model(collection.model_id).info).knows_nothing
    strategy = _assigned(options.strategies, visitor or search_id)
    if knows_nothing:
        strategy = recipe_of(collection).untaught_strategy
    return SearchRow(
        id=search_id,
        collection_id=collection.id,
        model_id=collection.model_id,
        lessons=known,
        strategy=strategy,
        show=show,
        status="open",
        target=None,
        questions=None,
        lesson=None,
        quarantine=None,
        visitor=visitor,
        origin=origin,
        started_at=now,
        changed_at=now,
        ended_at=None,
    )


def _assigned(strategies: Sequence[str], who: str) -> str:
    """One of the strategies, always the same for one visitor."""
    return strategies[hashlib.sha256(who.encode()).digest()[0] % len(strategies)]


# --- reading ---------------------------------------------------------------------------------------


def state(site: Site, search_id: str, *, stale: bool = False) -> SearchState:
    return _with_items(site, replace(_log(site, search_id), stale=stale))


def _log(site: Site, search_id: str) -> SearchState:
    """A search as it is now, without the items that it shows."""
    with site.database.read() as db:
        row = searches.get(db, search_id)
        if row is None:
            raise NotFound("There is no such search: its link may be incomplete.")
        steps = searches.steps(db, search_id)
        collection = collections.by_id(db, row.collection_id)
    question = steps[-1] if steps[-1].kind is None else None
    answers = tuple(answers_that_count(steps))
    size = len(site.models.covered(row.model_id))
    return SearchState(collection, options_of(collection), row, answers, question, {}, size)


def _with_items(site: Site, now: SearchState) -> SearchState:
    wanted = {number for step in now.answers for number in (*step.shown, step.chosen) if number is not None}
    wanted |= set() if now.question is None else {*now.question.shown, *now.question.likely}
    return replace(now, items=site.items(now.row.collection_id, wanted))


def answers_that_count(steps: Sequence[StepRow]) -> list[StepRow]:
    """The answers that were not undone."""
    kept: list[StepRow] = []
    for step in steps:
        if step.kind == "undo":
            del kept[-1:]
        elif step.kind is not None:
            kept.append(step)
    return kept


# --- answering -------------------------------------------------------------------------------------


def answer(site: Site, search_id: str, number: int, kind: str, chosen: int | None = None) -> SearchState:
    """Answer step `number`: a choice, none ("can't tell"), found, undo, or not-here."""
    before = _log(site, search_id)
    question = before.question
    if question is None or number != question.number:
        return _not_counted(site, search_id, number, kind, chosen)
    _check(before, question, kind, chosen)
    if kind in ("found", "not-here"):
        return _end(site, before, question, kind, chosen)
    belief, following = _follow(site, before, question, kind, chosen)
    closed = _closed(site, question, kind, chosen)
    with site.database.write() as db:
        counted = _close(db, site, before.row, closed)
        if counted:
            searches.show(db, search_id, following)
            if before.row.status == "abandoned":
                searches.change(db, search_id, status="open", ended_at=None)
    if not counted:
        return _not_counted(site, search_id, number, kind, chosen)
    if belief is not None:
        site.beliefs.keep(search_id, following.number, belief)
    answers = before.answers[:-1] if kind == "undo" else (*before.answers, closed)
    row = replace(before.row, status="open", ended_at=None)
    return _with_items(site, replace(before, row=row, answers=answers, question=following))


def _not_counted(site: Site, search_id: str, number: int, kind: str, chosen: int | None) -> SearchState:
    """The current question, for an answer that was given before, or for one from a stale page."""
    return state(site, search_id, stale=not _is_repeated(site, search_id, number, kind, chosen))


def _check(before: SearchState, question: StepRow, kind: str, chosen: int | None) -> None:
    if kind not in KINDS:
        raise Invalid(f"An answer is one of {', '.join(KINDS)}, not “{kind}”.")
    if kind == "choice" and chosen not in question.shown:
        raise Invalid(f"Item {chosen} was not shown: the items shown are {', '.join(map(str, question.shown))}.")
    if kind == "found" and chosen is None:
        raise Invalid("Which one is it? The answer “found” needs the item.")
    if kind in ("none", "undo", "not-here") and chosen is not None:
        raise Invalid(f"The answer “{kind}” names no item.")
    if kind == "undo" and not before.answers:
        raise Invalid("There is nothing to undo: this is the first question.")
    if kind == "none" and not question.shown:
        raise Invalid("Everything has been shown.")


def _follow(
    site: Site, before: SearchState, question: StepRow, kind: str, chosen: int | None
) -> tuple[OpenSearch | None, StepRow]:
    """The question after this answer, and the belief behind it (None where it is not worth keeping)."""
    if kind == "undo":
        return None, _again(site, before.answers[-1], question.number + 1)
    belief = site.beliefs.at(before.row, before.answers, question)
    belief.tell(chosen)
    return belief, _question(site, before.collection, before.row, belief, question.number + 1)


def _question(site: Site, collection: Collection, row: SearchRow, belief: OpenSearch, number: int) -> StepRow:
    active = site.models.covered(collection.model_id or row.model_id)
    shown = belief.ask(row.show, active, np.random.default_rng([int(row.id, 16), number]))
    likely = [item for item, _ in belief.top(LIKELY + len(shown)) if item not in shown and item in active]
    return StepRow(number, shown, None, None, None, site.now(), belief.fits, tuple(likely[:LIKELY]))


def _again(site: Site, step: StepRow, number: int) -> StepRow:
    """The same question, open again."""
    return StepRow(number, step.shown, None, None, None, site.now(), step.fits, step.likely)


def _closed(site: Site, question: StepRow, kind: str, chosen: int | None) -> StepRow:
    """The question with its answer, and the time that it took."""
    milliseconds = min(round(1000 * max(site.now() - question.shown_at, 0.0)), 2**31 - 1)
    return replace(question, kind=kind, chosen=chosen, milliseconds=milliseconds)


def _close(db: Connection, site: Site, row: SearchRow, closed: StepRow) -> bool:
    return searches.answer(db, row.id, closed, site.now())


def _is_repeated(site: Site, search_id: str, number: int, kind: str, chosen: int | None) -> bool:
    """Was step `number` answered in just this way?"""
    with site.database.read() as db:
        same = [step for step in searches.steps(db, search_id) if step.number == number]
    return bool(same) and (same[0].kind, same[0].chosen) == (kind, chosen)


def _end(site: Site, before: SearchState, question: StepRow, kind: str, chosen: int | None) -> SearchState:
    """Found, or not here. A search that was found becomes a lesson in the same transaction."""
    row, now = before.row, site.now()
    if kind == "found":
        with site.database.read() as db:
            if chosen not in items.by_number(db, row.collection_id, [chosen or 0]):
                raise Invalid(f"There is no item {chosen} in this collection.")
    lesson = finished_searches.prepare(site, before, question, chosen) if kind == "found" else None
    with site.database.write() as db:
        counted = _close(db, site, row, _closed(site, question, kind, chosen))
        if counted:
            status = "found" if kind == "found" else "not-here"
            searches.end(db, row.id, status, now, target=chosen, questions=len(before.answers) + 1)
            if lesson is not None:
                finished_searches.teach(db, row, lesson)
    site.beliefs.drop(row.id, question.number)
    return state(site, row.id, stale=not (counted or _is_repeated(site, row.id, question.number, kind, chosen)))


# --- after the end ---------------------------------------------------------------------------------


def correct(site: Site, search_id: str) -> SearchState:
    """ "That was not it": the end is undone, what it taught is withdrawn, and the last question is open again."""
    before = state(site, search_id)
    if before.question is not None:
        return before
    last = before.answers[-1]
    with site.database.write() as db:
        if searches.reopen(db, search_id, site.now()):
            number = searches.steps(db, search_id)[-1].number
            undone = replace(_again(site, last, number + 1), kind="undo")
            searches.show(db, search_id, undone)
            searches.show(db, search_id, _again(site, last, number + 2))
            finished_searches.withdraw(db, search_id)
    return state(site, search_id)


def leave(site: Site, search_id: str) -> None:
    """The visitor begins again, or goes."""
    with site.database.write() as db:
        row = searches.get(db, search_id)
        if row is not None and row.status == "open":
            searches.end(db, search_id, "abandoned", site.now())


def change_show(site: Site, search_id: str, show: int) -> SearchState:
    """Two or four pictures from the next question on."""
    if show not in (2, 4):
        raise Invalid(f"A question shows 2 or 4 items, not {show}.")
    with site.database.write() as db:
        searches.change(db, search_id, show=show)
    return state(site, search_id)


def gallery(site: Site, search_id: str, count: int = GALLERY) -> tuple[SearchState, list[Item]]:
    """The items that fit the answers best, likeliest first; also what was shown, in case it was overlooked."""
    now = state(site, search_id)
    if now.question is None:
        return now, []
    belief = site.beliefs.replay(now.row, now.answers, now.question, MISS_RATE)
    best = [number for number, _ in belief.top(count + len(now.items))]
    with site.database.read() as db:
        found = items.by_number(db, now.row.collection_id, best)
    active = [found[number] for number in best if number in found and found[number].active]
    return now, active[:count]


def abandon_idle(site: Site, seconds: float) -> int:
    """Searches that nobody has answered for so long were left."""
    with site.database.write() as db:
        return searches.abandon_idle(db, site.now() - seconds)
