"""Statements about searches and their steps."""

import threading

import pytest
from sqlalchemy.exc import StatementError

from learn2search.store import collections, searches
from learn2search.store.database import Database
from learn2search.store.enums import AnswerKind
from learn2search.store.searches import SearchFilter
from tests.store.rows import NOW, closed, new_search, question


def test_values_outside_an_enumeration_should_be_refused(database: Database, faces: collections.Collection) -> None:
    with pytest.raises(StatementError, match="'dance' is not a valid SearchStatus"), database.write() as db:
        searches.add(db, new_search(faces, status="dance"), question(1))


def test_an_open_step_should_be_answered_once(database: Database, faces: collections.Collection) -> None:
    row = new_search(faces)
    with database.write() as db:
        searches.add(db, row, question(1))
    with database.write() as db:
        assert searches.answer(db, row.id, closed(1, AnswerKind.CHOICE, 2, 900), NOW)
        searches.show(db, row.id, question(2))
    with database.write() as db:
        assert not searches.answer(db, row.id, closed(1, AnswerKind.CHOICE, 3, 900), NOW)
        assert not searches.answer(db, row.id, closed(7, AnswerKind.CHOICE, 3, 900), NOW)
    with database.read() as db:
        first, second = searches.steps(db, row.id)
        assert (first.kind, first.chosen, first.milliseconds) == ("choice", 2, 900)
        assert second == question(2)


def test_of_many_answers_at_once_exactly_one_should_win(database: Database, faces: collections.Collection) -> None:
    row, won = new_search(faces), []
    with database.write() as db:
        searches.add(db, row, question(1))

    def answer(chosen: int) -> None:
        with database.write() as db:
            if searches.answer(db, row.id, closed(1, AnswerKind.CHOICE, chosen, 0), NOW):
                searches.show(db, row.id, question(2))
                won.append(chosen)

    threads = [threading.Thread(target=answer, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    with database.read() as db:
        assert [step.chosen for step in searches.steps(db, row.id)] == [won[0], None]


def test_idle_searches_should_count_as_left(database: Database, faces: collections.Collection) -> None:
    with database.write() as db:
        searches.add(db, new_search(faces), question(1))
        searches.add(db, new_search(faces, "b" * 32, changed_at=NOW + 100), question(1))
        assert searches.abandon_idle(db, NOW + 50) == 1
        assert searches.count_by_status(db, faces.id) == {"open": 1, "abandoned": 1}


def test_the_pages_should_get_their_numbers(database: Database, faces: collections.Collection) -> None:
    found = {"status": "found", "target": 3}
    with database.write() as db:
        for number, letter in enumerate("abc"):
            ended = {"questions": number + 5, "ended_at": NOW + number, "lesson": number + 1}
            row = new_search(faces, letter * 32, **found, **ended)
            searches.add(db, row, question(1))
        searches.answer(db, "a" * 32, closed(1, AnswerKind.FOUND, 3, 800), NOW)
        searches.change(db, "c" * 32, quarantine="too quick")
    with database.read() as db:
        assert searches.latest_costs(db, faces.id, 4, 10) == [6, 5]
        assert searches.latest_costs(db, faces.id, 9, 10) == []
        assert [one.questions for one in searches.finished(db, faces.id)] == [5, 6]
        assert searches.answer_times(db, faces.id, 10) == [800]
        assert searches.count(db, faces.id) == (3, 1)
        assert [row.id[0] for row in searches.latest(db, faces.id, 10, wanted=SearchFilter(quarantined=True))] == ["c"]
        assert [row.id[0] for row in searches.page_of_ids(db, faces.id, "a" * 32, 1)] == ["b"]
        assert searches.count_since(db, faces.id, NOW + 1) == 2
        assert len(searches.steps_of(db, ["a" * 32, "b" * 32])["b" * 32]) == 1


def test_a_search_of_little_weight_should_be_set_aside_unless_the_owner_trusts_it(
    database: Database, faces: collections.Collection
) -> None:
    found = {"status": "found", "target": 4, "questions": 3, "ended_at": NOW}
    with database.write() as db:
        for letter in "abc":
            searches.add(db, new_search(faces, letter * 32, **found), question(1))
        searches.change(db, "c" * 32, trusted=True, weight=1.0)
        searches.set_weights(db, [("a" * 32, 0.9, 3.0), ("b" * 32, 0.01, -6.0), ("c" * 32, 0.01, -6.0)])
    with database.read() as db:
        assert searches.count(db, faces.id) == (3, 1)
        assert [row.id[0] for row in searches.latest(db, faces.id, 9, wanted=SearchFilter(quarantined=True))] == ["b"]
        assert {row.id[0] for row in searches.latest_found(db, faces.id, 9)} == {"a", "c"}
        weights = {letter: searches.get(db, letter * 32) for letter in "abc"}
    assert [row and (row.weight, row.evidence, row.is_set_aside) for row in weights.values()] == [
        (0.9, 3.0, False),
        (0.01, -6.0, True),
        (1.0, None, False),
    ]
