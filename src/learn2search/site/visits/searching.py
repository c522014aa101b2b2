"""A visitor's search: begin, answer, end. Each answer is one transaction; everything is computed before it.

An answer names the step that it answers. Of two answers to one step the first counts; the same answer again changes
nothing; any other answer comes from an old page, which is shown the current question instead. An earlier question can
be looked at, and answered anew: what was answered from there on is undone first.
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from sqlalchemy import Connection

from learn2search.site.catalogue.options import Options, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound
from learn2search.site.learning import finished_searches
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.learning.recipes import recipe_of
from learn2search.site.learning.triplet_counts import count_anew
from learn2search.site.notifications import events
from learn2search.site.show_counts import AUTOMATIC, ShowCount, checked_show
from learn2search.site.spans import span
from learn2search.site.teaching.teaching_progress import searches_so_far
from learn2search.site.visits.automatic_show import automatic_show
from learn2search.site.visits.beliefs import LIKELY, MISS_RATE, OpenSearch
from learn2search.site.visits.familiarity import Familiarity, familiarity_of
from learn2search.site.visits.search_state import SearchState, answers_that_count
from learn2search.site.visits.to_find import Ticket
from learn2search.store import clicks, collections, items, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, SearchOrigin, SearchStatus, TrialKind
from learn2search.store.items import Item
from learn2search.store.searches import SearchRow, StepRow

GALLERY = 14  # items
MOST_NEAR = 8  # items that a search can begin near
_UNDER_WAY = 20  # open searches of a visitor that are looked at
_CODE = 16  # digits of a search's id that name it to others: 64 bits, as many as stay secret
_ANSWERS = 2000  # the latest, which say how long people take,
_SECONDS = 60.0  # and for how long that is taken as known


@dataclass(frozen=True)
class Answer:
    """What was said about the question of step `number`.

    Attributes
    ----------
    chosen
        The item that it names, if it names one.
    since
        When the visitor saw the question, where that was not when its step was written.
    """

    number: int
    kind: AnswerKind
    chosen: int | None = None
    since: float | None = field(default=None, compare=False)


def start(
    site: Site,
    slug: str,
    *,
    visitor: str | None = None,
    show: int | None = None,
    small_screen: bool = False,
    origin: SearchOrigin = SearchOrigin.PAGE,
    ticket: Ticket | None = None,
    near: Sequence[int] = (),
) -> SearchState:
    """Begin a search with the published model and the lessons so far.

    Parameters
    ----------
    visitor
        The hash of the visitor's cookie, or of the secret of this search, which stands for it. It decides the strategy
        where there are several.
    show
        How many items to show at a time; by default what the collection says.
    small_screen
        Where the collection chooses by itself, it shows no more than fits a telephone.
    ticket
        What the site has asked the visitor to find. The search has the id of the ticket; used again, it is the search
        that began with it.
    near
        Items that it is said to be like, a few at most: there the search begins.

    Raises
    ------
    NotFound
        If there is no such collection.
    Conflict
        If it is archived.
    Invalid
        If `near` names too many items, or one that cannot be searched.
    Unavailable
        If the collection has too few items.
    """
    collection = site.collection(slug)
    options = options_of(collection)
    if options.archived:
        raise Conflict("“%(title)s” is archived: no new search begins here.", title=collection.title)
    count = _usual_show(site, collection, options, small_screen) if show is None else checked_show(show)
    if ticket is not None and ticket.strategy is not None:
        options = options.model_copy(update={"strategies": (ticket.strategy,)})
    row = _new_row(site, collection, options, visitor, count, origin)
    row = replace(row, near=_checked_hint(site, row, near))
    if ticket is not None:
        row = _with_ticket(row, ticket)
    belief = site.beliefs.begin(row)
    first = _question(site, collection, row, belief, 1)
    if row.trial is TrialKind.CHECK and row.to_find is not None:
        first = replace(first, shown=belief.show_also(row.to_find, first.shown))
    with site.database.write() as db:
        is_new = searches.add(db, row, first)
    if not is_new:
        return state(site, row.id)
    begun = _state_of(site, collection, row, [first])
    site.beliefs.keep(row.id, 1, belief, begun)
    return _with_items(site, begun)


def _new_row(
    site: Site, collection: Collection, options: Options, visitor: str | None, show: int, origin: SearchOrigin
) -> SearchRow:
    model_id = site.published_model_id(collection)
    now, search_id = site.now(), secrets.token_hex(16)
    knows_nothing = metadata_of(site.models.model(model_id).info).knows_nothing
    strategy = _assigned(options.strategies, visitor or search_id)
    if knows_nothing:
        strategy = str(recipe_of(collection).untaught_strategy)
    return SearchRow(
        id=search_id,
        collection_id=collection.id,
        model_id=model_id,
        lessons=site.models.newest(model_id, collection.lessons),
        strategy=strategy,
        show=show,
        status=SearchStatus.OPEN,
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


def _with_ticket(row: SearchRow, ticket: Ticket) -> SearchRow:
    """The row of a search for a known item."""
    return replace(row, id=ticket.search_id, to_find=ticket.item, trial=ticket.trial, quarantine=ticket.quarantine)


def _checked_hint(site: Site, row: SearchRow, near: Sequence[int]) -> tuple[int, ...]:
    items_said = tuple(dict.fromkeys(near))
    if len(items_said) > MOST_NEAR:
        raise Invalid(
            "A search can begin near %(most)s items at most, not near %(count)s.", most=MOST_NEAR, count=len(items_said)
        )
    unknown = next((item for item in items_said if item not in site.models.covered(row.model_id)), None)
    if unknown is not None:
        raise Invalid("There is no item %(item)s to begin near: it is unknown, or has been retired.", item=unknown)
    return items_said


def _usual_show(site: Site, collection: Collection, options: Options, small_screen: bool) -> ShowCount:
    """How many items the collection shows at a time: what the owner chose, or what makes a search quickest."""
    if options.show != AUTOMATIC:
        return options.show
    model_id = site.published_model_id(collection)
    n_items = len(site.models.covered(model_id))
    positions_given = metadata_of(site.models.model(model_id).info).prior.features
    learnt_from = searches_so_far(site, collection)
    learnt_from = max(learnt_from, n_items) if positions_given else learnt_from
    times = site.remember(("answer times", collection.id), _SECONDS, lambda: _answer_times(site, collection))
    return automatic_show(learnt_from, n_items, times, small_screen=small_screen)


def _answer_times(site: Site, collection: Collection) -> dict[int, list[int]]:
    with site.database.read() as db:
        return searches.answer_times_by_count(db, collection.id, _ANSWERS)


def _assigned(strategies: Sequence[str], who: str) -> str:
    """One of the strategies, always the same for one visitor."""
    return strategies[hashlib.sha256(who.encode()).digest()[0] % len(strategies)]


# --- reading ---------------------------------------------------------------------------------------


def state(site: Site, search_id: str, *, stale: bool = False) -> SearchState:
    """A search as it is now, with the items that it names."""
    return _with_items(site, replace(_log(site, search_id), stale=stale))


def _log(site: Site, search_id: str) -> SearchState:
    """A search as it is now, without the items that it shows."""
    with site.database.read() as db:
        row = searches.get(db, search_id)
        if row is None:
            raise NotFound("There is no such search: its link may be incomplete.")
        steps = searches.steps(db, search_id)
        collection = collections.by_id(db, row.collection_id)
    return _state_of(site, collection, row, steps)


def _log_at(site: Site, search_id: str, number: int) -> SearchState:
    """A search as it is now, where the log until step `number` is at hand with one statement.

    The step may have been answered meanwhile: writing an answer finds out.
    """
    kept = site.beliefs.state_at(search_id, number)
    found = None if kept is None else clicks.read(site.database, search_id)
    if kept is None or found is None or found[0].status is not SearchStatus.OPEN:
        return _log(site, search_id)
    return replace(kept, row=found[0], collection=found[1], options=options_of(found[1]))


def _state_of(site: Site, collection: Collection, row: SearchRow, steps: Sequence[StepRow]) -> SearchState:
    question = steps[-1] if steps[-1].kind is None else None
    answers = tuple(answers_that_count(steps))
    size = len(site.models.covered(row.model_id))
    metadata = metadata_of(site.models.model(row.model_id).info)
    return SearchState(
        collection,
        options_of(collection),
        row,
        answers,
        question,
        items={},
        size=size,
        familiarity=familiarity_of(metadata, size),
        is_taught=metadata.is_taught,
    )


def _with_items(site: Site, now: SearchState) -> SearchState:
    wanted = {number for step in now.answers for number in (*step.shown, step.chosen) if number is not None}
    wanted |= set() if now.question is None else {*now.question.shown, *now.question.likely}
    if now.is_over and now.row.to_find is not None:  # before the end nothing says which one it is
        wanted.add(now.row.to_find)
    return replace(now, items=site.items(now.row.collection_id, wanted))


def share_code(search_id: str) -> str:
    """The first half of a search's id. It names the search to others; who has all of the id can answer it."""
    return search_id[:_CODE]


def shared(site: Site, code: str) -> SearchState:
    """The search that was found, for those to whom its link was given.

    Raises
    ------
    NotFound
        If there is none, or it has not ended with what was looked for.
    """
    if re.fullmatch(f"[0-9a-f]{{{_CODE}}}", code):
        with site.database.read() as db:
            row = searches.by_beginning(db, code)
        if row is not None and row.status is SearchStatus.FOUND and not row.is_wrong_end:
            return state(site, row.id)
    raise NotFound("There is no such result: its link may be incomplete, or the search goes on.")


def under_way(site: Site, visitor: str) -> dict[int, SearchState]:
    """The searches that a visitor can go on with: the newest of each collection that has answers, by its id."""
    with site.database.read() as db:
        rows = searches.open_of(db, visitor, _UNDER_WAY)
    found: dict[int, SearchState] = {}
    for row in rows:
        now = None if row.collection_id in found else state(site, row.id)
        if now is not None and now.answers and now.question is not None:
            found[row.collection_id] = now
    return found


def is_of(site: Site, search_id: str, visitor: str) -> bool:
    """Did this visitor begin the search? One without a visitor, as programs began them once, is of all with its id."""
    known = site.beliefs.visitor_of(search_id)  # where it is given, it never changes
    if known is not None:
        return known == visitor
    with site.database.read() as db:
        return searches.visitor(db, search_id) in (None, visitor)


# --- answering -------------------------------------------------------------------------------------


def answer(site: Site, search_id: str, number: int, kind: AnswerKind, chosen: int | None = None) -> SearchState:
    """Answer the question of step `number`, and get the search as it is after that.

    Parameters
    ----------
    chosen
        The item that a choice or a find names; the other kinds name none.

    Raises
    ------
    Invalid
        If the answer makes no sense for this question, or names an item that was not shown.
    NotFound
        If there is no such search.
    """
    if kind is AnswerKind.REPLACED:
        raise Invalid("“replaced” is no answer: the site writes it itself, when it shows another number of items.")
    return _count(site, search_id, Answer(number, kind, chosen))


def answer_again(
    site: Site, search_id: str, place: int, number: int, kind: AnswerKind, chosen: int | None = None
) -> SearchState:
    """Answer an earlier question anew, and get the search as it is after that: answers from there on are undone first.

    The answer that it has already changes nothing.

    Parameters
    ----------
    place
        Which of the questions that count, from 1.
    number
        The step that is open: what was answered meanwhile elsewhere is not undone unseen.

    Raises
    ------
    Invalid
        If the answer makes no sense for this question.
    """
    if kind not in (AnswerKind.CHOICE, AnswerKind.NONE, AnswerKind.FOUND):
        raise Invalid("An earlier question can be answered anew, but not with “%(kind)s”.", kind=kind)
    now = _log(site, search_id)
    if now.question is None or number != now.question.number or not 0 < place <= len(now.answers):
        return state(site, search_id, stale=not _is_later(site, search_id, Answer(number, kind, chosen)))
    earlier, since = now.answers[place - 1], now.question.shown_at
    if (earlier.kind, earlier.chosen) == (kind, chosen):
        return state(site, search_id)
    _check(now, earlier, Answer(number, kind, chosen))
    while now.question is not None and len(now.answers) >= place:
        now = _count(site, search_id, Answer(now.question.number, AnswerKind.UNDO))
    if now.question is None:
        return now
    return _count(site, search_id, Answer(now.question.number, kind, chosen, since))


def _count(site: Site, search_id: str, given: Answer) -> SearchState:
    """Count an answer, if its step is open."""
    before = _log_at(site, search_id, given.number)
    question = before.question
    if question is None or given.number != question.number:
        return _not_counted(site, search_id, given)
    _check(before, question, given)
    if before.row.trial is TrialKind.CHECK:
        given = _final(given)
    if given.kind is AnswerKind.FOUND and given.chosen is not None:
        return _find(site, before, question, given, given.chosen)
    if given.kind is AnswerKind.NOT_HERE:
        return _end(site, before, question, given, None)
    return _continue(site, before, question, given)


def _final(given: Answer) -> Answer:
    """An answer to a check of attention: it ends the search, since what is to be found is one of the items shown."""
    ends = {AnswerKind.CHOICE: AnswerKind.FOUND, AnswerKind.NONE: AnswerKind.NOT_HERE}
    return replace(given, kind=ends.get(given.kind, given.kind))


def _not_counted(site: Site, search_id: str, given: Answer) -> SearchState:
    """The current question, for an answer that was counted before or that comes from an old page."""
    return state(site, search_id, stale=not _is_repeated(site, search_id, given))


def _is_repeated(site: Site, search_id: str, given: Answer) -> bool:
    """Has this step been answered in just this way?"""
    with site.database.read() as db:
        steps = searches.steps(db, search_id)
    return any(Answer(step.number, step.kind, step.chosen) == given for step in steps if step.kind is not None)


def _is_later(site: Site, search_id: str, given: Answer) -> bool:
    """Was this answer given after its step was closed by an undo? Then it has been counted, and is sent again."""
    with site.database.read() as db:
        steps = searches.steps(db, search_id)
    return any((step.kind, step.chosen) == (given.kind, given.chosen) for step in steps if step.number > given.number)


def _check(before: SearchState, question: StepRow, given: Answer) -> None:
    kind, chosen = given.kind, given.chosen
    if kind is AnswerKind.CHOICE and chosen not in question.shown:
        raise Invalid(
            "Item %(item)s was not shown: the items shown are %(shown)s.",
            item=chosen,
            shown=", ".join(map(str, question.shown)),
        )
    if kind is AnswerKind.FOUND and chosen is None:
        raise Invalid("Which one is it? The answer “found” needs the item.")
    if kind not in (AnswerKind.CHOICE, AnswerKind.FOUND) and chosen is not None:
        raise Invalid("The answer “%(kind)s” names no item.", kind=kind)
    if kind is AnswerKind.UNDO and not before.answers:
        raise Invalid("There is nothing to undo: this is the first question.")
    if kind is AnswerKind.NONE and not question.shown:
        raise Invalid("Everything has been shown.")


def _continue(site: Site, before: SearchState, question: StepRow, given: Answer) -> SearchState:
    """Count a choice, a "can't tell" or an undo, and ask the next question."""
    search_id = before.row.id
    belief, following = _next_question(site, before, question, given)
    closed = _closed(site, question, given)
    if not _written(site, before.row, closed, following):
        return _not_counted(site, search_id, given)
    answers = before.answers[:-1] if given.kind is AnswerKind.UNDO else (*before.answers, closed)
    row = replace(before.row, status=SearchStatus.OPEN, ended_at=None)
    after = replace(before, row=row, answers=answers, question=following)
    if belief is not None:
        site.beliefs.keep(search_id, following.number, belief, after)
    return _with_items(site, after)


def _written(site: Site, row: SearchRow, closed: StepRow, following: StepRow) -> bool:
    """Write an answer and the next question; False when another answer to the step was quicker."""
    if row.status is SearchStatus.OPEN:
        return clicks.answer(site.database, row.id, closed, following, site.now())
    with site.database.write() as db:
        counted = searches.answer(db, row.id, closed, site.now())
        if counted:
            searches.show(db, row.id, following)
            if row.status is SearchStatus.ABANDONED:
                searches.change(db, row.id, status=SearchStatus.OPEN, ended_at=None)
    return counted


def _next_question(
    site: Site, before: SearchState, question: StepRow, given: Answer
) -> tuple[OpenSearch | None, StepRow]:
    """The question after this answer and the belief behind it; an undo brings no belief, it is rebuilt when needed."""
    if given.kind is AnswerKind.UNDO:
        site.beliefs.drop(before.row.id)  # it is rebuilt from the answers that are left
        return None, _again(site, before.answers[-1], question.number + 1)
    belief = site.beliefs.at(before.row, before.answers, question)
    with span("tell"):
        belief.tell(given.chosen)
    return belief, _question(site, before.collection, before.row, belief, question.number + 1)


def _question(site: Site, collection: Collection, row: SearchRow, belief: OpenSearch, number: int) -> StepRow:
    active = site.models.covered(collection.model_id or row.model_id)
    with span("ask"):
        shown = belief.ask(row.show, active, np.random.default_rng([int(row.id, 16), number]))
    likely = [item for item, _ in belief.top(LIKELY + len(shown)) if item not in shown and item in active]
    return StepRow(number, shown, None, None, None, site.now(), belief.fits, tuple(likely[:LIKELY]))


def _again(site: Site, step: StepRow, number: int) -> StepRow:
    """The same question, open again."""
    return StepRow(number, step.shown, None, None, None, site.now(), step.fits, step.likely)


def _closed(site: Site, question: StepRow, given: Answer) -> StepRow:
    """The question with its answer, and the time that it took."""
    seen_at = question.shown_at if given.since is None else given.since
    milliseconds = min(round(1000 * max(site.now() - seen_at, 0.0)), 2**31 - 1)
    return replace(question, kind=given.kind, chosen=given.chosen, milliseconds=milliseconds)


def _find(site: Site, before: SearchState, question: StepRow, given: Answer, target: int) -> SearchState:
    """End a search with its target. What it teaches, and whom it tells, is written in the same transaction."""
    with site.database.read() as db:
        if target not in items.by_number(db, before.row.collection_id, [target]):
            raise Invalid("There is no item %(item)s in this collection.", item=target)
    lesson = finished_searches.prepare(site, before, target)
    return _end(site, before, question, given, lesson)


def _end(
    site: Site, before: SearchState, question: StepRow, given: Answer, lesson: finished_searches.Lesson | None
) -> SearchState:
    row = before.row
    status = SearchStatus.FOUND if given.kind is AnswerKind.FOUND else SearchStatus.NOT_HERE
    with site.database.write() as db:
        counted = searches.answer(db, row.id, _closed(site, question, given), site.now())
        if counted:
            searches.end(db, row.id, status, site.now(), target=given.chosen, questions=len(before.answers) + 1)
            if lesson is not None:
                finished_searches.record(db, row, lesson)
            if given.chosen is not None:
                _tell(db, site, before, given.chosen)
    site.beliefs.drop(row.id)
    return state(site, row.id) if counted else _not_counted(site, row.id, given)


def _tell(db: Connection, site: Site, before: SearchState, target: int) -> None:
    """Note the find for other programs; simulated visitors and studies are none of their concern."""
    row = before.row
    if row.origin is SearchOrigin.SIMULATED or row.trial is not None:
        return
    events.note_found(
        db,
        before.collection,
        site.now(),
        search=row.id,
        item=items.by_number(db, row.collection_id, [target])[target],
        questions=len(before.answers) + 1,
        link=f"/r/{share_code(row.id)}",
    )


# --- after the end ---------------------------------------------------------------------------------


def correct(site: Site, search_id: str) -> SearchState:
    """Undo the end of a search: what it taught is withdrawn, and its last question is open again.

    Raises
    ------
    Conflict
        If the end has told the visitor which item was to be found.
    """
    before = state(site, search_id)
    if before.question is not None:
        return before
    if before.item_to_find is not None:
        raise Conflict("The end has said which one it was, so this search is over: please begin another.")
    last = before.answers[-1]
    with site.database.write() as db:
        if searches.reopen(db, search_id, site.now()):
            number = searches.steps(db, search_id)[-1].number
            undone = replace(_again(site, last, number + 1), kind=AnswerKind.UNDO)
            searches.show(db, search_id, undone)
            searches.show(db, search_id, _again(site, last, number + 2))
            finished_searches.withdraw(db, search_id)
    count_anew(site, before.collection.id)
    return state(site, search_id)


def leave(site: Site, search_id: str) -> None:
    """End a search whose visitor begins another one or goes away."""
    with site.database.write() as db:
        row = searches.get(db, search_id)
        if row is not None and row.status is SearchStatus.OPEN:
            searches.end(db, search_id, SearchStatus.ABANDONED, site.now())


def change_show(site: Site, search_id: str, show: int) -> SearchState:
    """Show so many items at a time, from now on: another question takes the place of the open one.

    What was shown stays in the log, as a step that was replaced. That is no answer: the belief stays as it was, and
    its items may be shown again.

    Raises
    ------
    Conflict
        If it is a search of a study, where the number is part of the design.
    """
    count, before = checked_show(show), _log(site, search_id)
    if before.row.trial is not None:
        raise Conflict("In a study the number of items at a time is fixed.")
    question, row = before.question, replace(before.row, show=count)
    if question is None or before.exhausted or len(question.shown) == count:
        with site.database.write() as db:
            searches.change(db, search_id, show=count)
        return state(site, search_id)
    belief = site.beliefs.replay(row, before.answers, None)
    following = _question(site, before.collection, row, belief, question.number + 1)
    with site.database.write() as db:
        searches.change(db, search_id, show=count)
        replaced = searches.answer(db, search_id, replace(question, kind=AnswerKind.REPLACED), site.now())
        if replaced:
            searches.show(db, search_id, following)
    if replaced:
        site.beliefs.keep(search_id, following.number, belief)
    return state(site, search_id)


@dataclass(frozen=True)
class Gallery:
    """Items for a visitor who gives up.

    Attributes
    ----------
    likeliest
        True: those that fit the answers best, likeliest first. False: too little is known to say which do, and these
        are the ones that were shown, the latest first.
    """

    items: list[Item]
    likeliest: bool


def gallery(site: Site, search_id: str, count: int = GALLERY) -> tuple[SearchState, Gallery]:
    """The items that fit the answers best, when they are likelier than chance; else those that were shown.

    Items that were shown are also among the first, in case the visitor overlooked one.
    """
    now = state(site, search_id)
    if now.question is None:
        return now, Gallery([], likeliest=False)
    likeliest = now.can_guess or (now.exhausted and now.familiarity is not Familiarity.NOTHING)
    best = _best(site, now, now.question, count) if likeliest else _seen(now)
    with site.database.read() as db:
        found = items.by_number(db, now.row.collection_id, best)
    active = [found[number] for number in best if number in found and found[number].active]
    return now, Gallery(active[:count], likeliest)


def _best(site: Site, now: SearchState, question: StepRow, count: int) -> list[int]:
    belief = site.beliefs.replay(now.row, now.answers, question, MISS_RATE)
    return [number for number, _ in belief.top(count + len(now.items))]


def _seen(now: SearchState) -> list[int]:
    """The items that were shown, the latest question first."""
    questions = [*now.answers, *([] if now.question is None else [now.question])]
    return list(dict.fromkeys(number for step in reversed(questions) for number in step.shown))


def abandon_idle(site: Site, seconds: float) -> int:
    """End the searches that nobody has answered for so many seconds; how many there were."""
    with site.database.write() as db:
        return searches.abandon_idle(db, site.now() - seconds)
