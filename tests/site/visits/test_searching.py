"""The state machine of a search: every order of answers, repeats, stale steps and undo leaves a log that replays."""

import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learn2search.site.administration import owners
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound, Unavailable
from learn2search.site.show_counts import SHOW_COUNTS, ShowCount
from learn2search.site.visits import searching
from learn2search.site.visits.search_state import SearchState
from learn2search.site.visits.searching import answer, correct, gallery, start, state
from learn2search.store import lessons as stored
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
from tests.site.conftest import Clock
from tests.site.visits.clicks import choose, end

Last = tuple[int, AnswerKind, int | None] | None  # the last answer: step, kind, item


def test_a_search_should_begin_with_four_different_items(site: Site, collection: Collection) -> None:
    now = start(site, "colours")
    assert now.question is not None
    assert len(set(now.question.shown)) == 4
    assert (now.number, now.row.status, now.size) == (1, "open", 30)


def test_an_answer_should_lead_to_another_question(site: Site, collection: Collection) -> None:
    first = start(site, "colours")
    second = choose(site, first, 2)
    assert second.number == 2
    assert [step.kind for step in second.answers] == ["choice"]
    assert second.answers[0].chosen == first.question.shown[2]
    assert not set(second.question.shown) & set(first.question.shown)
    assert second.question.fits <= first.question.fits + 1e-9


def test_the_same_answer_twice_should_be_one_answer(site: Site, collection: Collection) -> None:
    first = start(site, "colours")
    second = choose(site, first)
    again = choose(site, first)
    assert not again.stale
    assert again.question == second.question
    assert len(again.answers) == 1


def test_a_stale_page_should_be_shown_the_current_question(site: Site, collection: Collection) -> None:
    first = start(site, "colours")
    second = choose(site, first, 0)
    stale = choose(site, first, 1)
    assert stale.stale
    assert stale.question == second.question
    assert answer(site, first.row.id, 99, AnswerKind.NONE).stale


def test_undo_should_append_and_bring_the_question_back(site: Site, collection: Collection) -> None:
    first = start(site, "colours")
    second = choose(site, first)
    undone = answer(site, second.row.id, second.question.number, AnswerKind.UNDO)
    assert undone.question.shown == first.question.shown
    assert (undone.number, undone.question.number) == (1, 3)
    steps = owners.replay(site, first.row.id)
    assert [step.kind for step in steps] == ["choice", "undo", None]
    with pytest.raises(Invalid, match="nothing to undo"):
        answer(site, first.row.id, 3, AnswerKind.UNDO)


def test_items_that_were_not_shown_should_be_refused_as_a_choice(site: Site, collection: Collection) -> None:
    now = start(site, "colours")
    hidden = next(number for number in range(30) if number not in now.question.shown)
    with pytest.raises(Invalid, match=f"Item {hidden} was not shown"):
        answer(site, now.row.id, 1, AnswerKind.CHOICE, hidden)
    with pytest.raises(Invalid, match="no item 999"):
        answer(site, now.row.id, 1, AnswerKind.FOUND, 999)
    with pytest.raises(Invalid, match="needs the item"):
        answer(site, now.row.id, 1, AnswerKind.FOUND)
    with pytest.raises(Invalid, match="names no item"):
        answer(site, now.row.id, 1, AnswerKind.NONE, 3)
    assert state(site, now.row.id).number == 1


def test_a_found_search_should_become_a_lesson(site: Site, collection: Collection) -> None:
    now = choose(site, choose(site, start(site, "colours")), 1)
    done = end(site, now, 3)
    assert (done.row.status, done.row.target, done.row.questions) == ("found", now.question.shown[3], 3)
    assert done.row.lesson == 1
    with site.database.read() as db:
        rows = stored.usable_triplets(db, collection.id)
    assert len(rows) == 6
    assert set(rows[:, 0]) == {done.row.target}
    assert not end(site, now, 3).stale
    assert site.collection("colours").lessons == 1


def test_not_it_should_reopen_the_search_and_withdraw_its_lesson(site: Site, collection: Collection) -> None:
    now = choose(site, start(site, "colours"))
    done = end(site, now)
    back = correct(site, done.row.id)
    assert (back.row.status, back.row.target, back.row.lesson) == ("open", None, None)
    assert back.question.shown == now.question.shown
    assert correct(site, done.row.id).question == back.question
    with site.database.read() as db:
        assert stored.count(db, collection.id) == 0
    other = end(site, back, 2)
    with site.database.read() as db:
        assert set(stored.usable_triplets(db, collection.id)[:, 0]) == {other.row.target}
    assert other.row.lesson == 2


def test_not_here_should_end_and_can_be_taken_back(site: Site, collection: Collection) -> None:
    now = choose(site, start(site, "colours"))
    gone = answer(site, now.row.id, now.question.number, AnswerKind.NOT_HERE)
    assert gone.row.status == "not-here"
    assert gone.row.lesson is None
    assert correct(site, now.row.id).question.shown == now.question.shown


def test_everything_shown_should_end_in_the_gallery(site: Site, collection: Collection) -> None:
    now = start(site, "colours")
    while not now.exhausted:
        now = answer(site, now.row.id, now.question.number, AnswerKind.NONE)
    _, shown = gallery(site, now.row.id, 40)
    assert len(shown.items) == 30
    with pytest.raises(Invalid, match="Everything has been shown"):
        answer(site, now.row.id, now.question.number, AnswerKind.NONE)
    assert answer(site, now.row.id, now.question.number, AnswerKind.FOUND, shown.items[0].number).row.status == "found"


@pytest.mark.parametrize("show", SHOW_COUNTS)
def test_every_number_at_a_time_should_be_possible(site: Site, collection: Collection, show: ShowCount) -> None:
    now = start(site, "colours", show=show)
    assert len(now.question.shown) == show
    assert len(choose(site, now, show - 1).question.shown) == show
    with pytest.raises(Invalid, match="2, 4, 6, 9 or 12 items, not 3"):
        start(site, "colours", show=3)


def test_another_number_should_replace_the_open_question_at_once(site: Site, collection: Collection) -> None:
    before = choose(site, start(site, "colours"))
    now = searching.change_show(site, before.row.id, 9)
    assert (len(now.question.shown), now.row.show) == (9, 9)
    assert (now.number, now.answers) == (before.number, before.answers), "it is no answer"
    replaced = owners.replay(site, now.row.id)[before.question.number - 1]
    assert (replaced.shown, replaced.kind) == (before.question.shown, "replaced"), "what was shown stays written"
    assert (replaced.chosen, replaced.milliseconds) == (None, None)
    again = searching.change_show(site, now.row.id, 9)
    assert again.question == now.question, "the same number again changes nothing"
    assert choose(site, before).stale, "the page with the old question is an old page"
    back = answer(site, now.row.id, now.question.number, AnswerKind.UNDO)
    assert back.answers == ()
    done = end(site, choose(site, back))
    assert done.row.lesson == 1
    assert len(searching.change_show(site, done.row.id, 4).answers) == 2, "after the end nothing changes"


def test_nobody_should_answer_with_replaced(site: Site, collection: Collection) -> None:
    now = start(site, "colours")
    with pytest.raises(Invalid, match="is no answer"):
        answer(site, now.row.id, now.question.number, AnswerKind.REPLACED)


def test_retired_items_should_never_be_shown(site: Site, collection: Collection) -> None:
    running = start(site, "colours")
    for number in range(10, 30):
        if number not in running.question.shown:
            owners.change_item(site, collection, number, active=False)
    active = set(range(10)) | set(running.question.shown)
    for now in (running, start(site, "colours")):
        while not now.exhausted:
            assert set(now.question.shown) <= active
            now = choose(site, now)
        assert {item.number for item in gallery(site, now.row.id, 40)[1].items} <= active


def test_what_is_unknown_should_be_said(site: Site, collection: Collection) -> None:
    make_collection(site, "empty", "Empty")
    with pytest.raises(Unavailable, match="no items yet"):
        start(site, "empty")
    with pytest.raises(NotFound, match="no collection"):
        start(site, "nowhere")
    with pytest.raises(NotFound, match="no such search"):
        state(site, "0" * 32)


def test_of_two_tabs_one_answer_should_count(site: Site, collection: Collection) -> None:
    now = start(site, "colours")
    seen: list[SearchState] = []
    threads = [threading.Thread(target=lambda place=place: seen.append(choose(site, now, place))) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.question for one in seen}) == 1
    assert sum(not one.stale for one in seen) == 1
    assert len(state(site, now.row.id).answers) == 1


def test_left_searches_should_be_continued_by_an_answer(site: Site, collection: Collection, clock: Clock) -> None:
    now = start(site, "colours")
    clock.time += 3600
    assert searching.abandon_idle(site, 1800) == 1
    assert state(site, now.row.id).row.status == "abandoned"
    assert choose(site, state(site, now.row.id)).row.status == "open"


# --- the log is the truth --------------------------------------------------------------------------

MOVES = st.sampled_from(
    ["choice", "choice", "none", "undo", "repeat", "stale", "found", "not-it", "forget", "gone", "show"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(moves=st.lists(st.tuples(MOVES, st.integers(0, 8)), min_size=1, max_size=14), show=st.sampled_from([2, 4, 9]))
def test_the_log_should_always_replay_to_the_same_belief(
    site: Site, collection: Collection, moves: list[tuple[str, int]], show: int
) -> None:
    now, last = start(site, "colours", show=show), None
    for move, place in moves:
        now, last = _move(site, now, last, move, place)
        _check(site, now)


def _move(site: Site, now: SearchState, last: Last, move: str, place: int) -> tuple[SearchState, Last]:
    search_id = now.row.id
    if move == "forget":
        site.beliefs.forget()
        return state(site, search_id), last
    if move == "not-it":
        return correct(site, search_id), last
    if now.question is None:
        return now, last
    number, shown = now.question.number, now.question.shown
    place %= max(len(shown), 1)
    if move == "show":
        after = searching.change_show(site, search_id, SHOW_COUNTS[place % len(SHOW_COUNTS)])
        assert after.answers == now.answers
        return after, last
    if move == "repeat" and last is not None:
        after = answer(site, search_id, *last)
        assert after.answers == now.answers
        return after, last
    if move == "stale":
        after = answer(site, search_id, number + 7, AnswerKind.NONE)
        assert after.stale
        assert after.answers == now.answers
        return after, last
    answers = {
        "choice": (AnswerKind.CHOICE, shown[place] if shown else None),
        "none": (AnswerKind.NONE, None),
        "undo": (AnswerKind.UNDO, None),
        "found": (AnswerKind.FOUND, shown[place] if shown else 0),
        "gone": (AnswerKind.NOT_HERE, None),
    }
    if move not in answers:
        return now, last
    try:
        return answer(site, search_id, number, *answers[move]), (number, *answers[move])
    except Invalid:
        assert (move == "undo" and not now.answers) or not shown
        return state(site, search_id), last


def _check(site: Site, now: SearchState) -> None:
    """What is at hand, what is rebuilt, and what was written when it was shown are the same."""
    steps = owners.replay(site, now.row.id)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert sum(step.kind is None for step in steps) == (now.question is not None)
    assert (now.row.status == "open") == (now.question is not None)
    if now.question is None or not now.question.shown:
        return
    rebuilt = site.beliefs.replay(now.row, now.answers, now.question)
    assert rebuilt.fits == pytest.approx(now.question.fits, rel=1e-6)
    kept = site.beliefs.at(now.row, now.answers, now.question)
    assert kept.search.probability() == pytest.approx(rebuilt.search.probability(), abs=1e-12)
    site.beliefs.keep(now.row.id, now.question.number, kept)


# --- earlier questions, and searches under way -----------------------------------------------------


def again(site: Site, now: SearchState, place: int, kind: AnswerKind, chosen: int | None = None) -> SearchState:
    assert now.question is not None
    return searching.answer_again(site, now.row.id, place, now.question.number, kind, chosen)


def test_an_earlier_question_answered_anew_should_undo_what_came_after(site: Site, collection: Collection) -> None:
    now = start(site, "colours")
    first = now.question.shown
    for _ in range(3):
        now = choose(site, now)
    now = again(site, now, 1, AnswerKind.CHOICE, first[2])
    assert [(step.kind, step.chosen) for step in now.answers] == [("choice", first[2])]
    assert now.number == 2
    assert [step.kind for step in owners.replay(site, now.row.id)] == [*["choice"] * 3, *["undo"] * 3, "choice", None]
    assert now.answers[0].milliseconds >= 1000, "the time since the page was seen, not since the undo"
    replayed = site.beliefs.replay(now.row, now.answers, now.question)
    kept = site.beliefs.at(now.row, now.answers, now.question)
    assert replayed.search.log == kept.search.log


def test_the_answer_that_a_question_has_should_change_nothing(site: Site, collection: Collection) -> None:
    now = choose(site, choose(site, start(site, "colours")))
    same = again(site, now, 1, AnswerKind.CHOICE, now.answers[0].chosen)
    assert (same.answers, same.question, same.stale) == (now.answers, now.question, False)


def test_an_earlier_answer_should_count_once_and_not_from_an_old_page(site: Site, collection: Collection) -> None:
    now = choose(site, choose(site, start(site, "colours")))
    once = again(site, now, 1, AnswerKind.NONE)
    repeated = again(site, now, 1, AnswerKind.NONE)
    assert (repeated.question, repeated.stale) == (once.question, False)
    old = again(site, now, 1, AnswerKind.CHOICE, now.answers[0].shown[3])
    assert (old.question, old.stale) == (once.question, True)
    assert again(site, once, 7, AnswerKind.NONE).stale


def test_an_earlier_question_should_end_the_search_too(site: Site, collection: Collection) -> None:
    now = choose(site, choose(site, start(site, "colours")))
    ended = again(site, now, 2, AnswerKind.FOUND, now.answers[1].shown[3])
    assert (ended.row.status, ended.row.questions, ended.row.lesson) == ("found", 2, 1)


@pytest.mark.parametrize("kind", [AnswerKind.UNDO, AnswerKind.NOT_HERE])
def test_an_earlier_question_should_take_only_answers(site: Site, collection: Collection, kind: AnswerKind) -> None:
    now = choose(site, start(site, "colours"))
    with pytest.raises(Invalid, match="answered anew"):
        again(site, now, 1, kind)
    with pytest.raises(Invalid, match="was not shown"):
        again(site, now, 1, AnswerKind.CHOICE, now.question.shown[0])
    assert state(site, now.row.id).answers == now.answers


def test_the_newest_search_with_answers_should_be_gone_on_with(site: Site, collection: Collection) -> None:
    assert searching.under_way(site, "v") == {}
    choose(site, start(site, "colours", visitor="v"))
    newest = choose(site, start(site, "colours", visitor="v"))
    start(site, "colours", visitor="v")  # has no answers
    choose(site, start(site, "colours", visitor="another"))
    found = searching.under_way(site, "v")
    assert [one.row.id for one in found.values()] == [newest.row.id]
    end(site, newest)
    assert searching.under_way(site, "v")[collection.id].row.id != newest.row.id
