import numpy as np
import pytest

import learn2search as l2s
from learn2search.play.colors import thousand_colors
from learn2search.play.screen import TYPICAL_QUESTIONS
from learn2search.play.session import NOISE, Session

FEATURES = thousand_colors().features


def new_session(show: int = 4) -> Session:
    return Session(FEATURES, show, seed=0)


def test_all_items_should_fit_at_the_start_and_fewer_after_an_answer() -> None:
    session = new_session()
    assert session.still_fit == pytest.approx(1000)
    session.answer(session.shown[0])
    assert session.still_fit < 700
    assert session.steps[0].fitted == pytest.approx(1000)


def test_a_question_should_stay_until_it_is_answered() -> None:
    session = new_session()
    assert session.shown == session.shown
    assert len(set(session.shown)) == 4


def test_undo_should_bring_back_the_same_question() -> None:
    session = new_session()
    first = session.shown
    session.answer(first[1])
    second, fitted = session.shown, session.still_fit
    session.answer(None)
    assert session.undo()
    assert (session.shown, session.number) == (second, 2)
    assert session.still_fit == pytest.approx(fitted)
    assert session.undo()
    assert session.shown == first
    assert not session.undo()


def test_undo_should_first_take_back_the_find() -> None:
    session = new_session()
    session.answer(None)
    session.find(session.shown[0])
    assert session.undo()
    assert session.found is None
    assert session.number == 2


def test_likely_items_should_be_quantiles_of_the_belief() -> None:
    session = new_session()
    assert session.likely(4) == [124, 374, 624, 874]
    for _ in range(6):
        session.answer(session.shown[0])
    likely = session.likely(200)
    assert likely == sorted(likely)
    assert len(set(likely)) < 200


def test_a_session_should_end_when_everything_was_shown() -> None:
    session = Session(np.random.default_rng(0).random((6, 3)), show=4, seed=0)
    while not session.used_up:
        session.answer(None)
    assert session.shown == ()
    assert session.likeliest() in range(6)


@pytest.mark.parametrize("show", [2, *(pytest.param(show, marks=pytest.mark.heavy) for show in (4, 6, 9, 12))])
def test_simulated_people_should_need_about_as_many_questions_as_the_end_page_says(show: int) -> None:
    costs = [questions_to_find(target, show) for target in range(10, 1000, 40)]
    assert abs(np.median(costs) - TYPICAL_QUESTIONS[show]) <= 2


def questions_to_find(target: int, show: int) -> int:
    session = Session(FEATURES, show, seed=target)
    person = l2s.ProbitOracle(FEATURES, noise=NOISE, seed=target + 5000)
    while target not in session.shown and session.number < 60:
        session.answer(person.choose(session.shown, target=target))
    return session.number
