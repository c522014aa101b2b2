"""The statements of a click, beside those of SQLAlchemy that do the same."""

import threading
from typing import Any

import pytest
from sqlalchemy.exc import SQLAlchemyError

from learn2search.store import clicks, collections, searches
from learn2search.store.database import Database
from learn2search.store.enums import AnswerKind, TrialKind
from tests.store.rows import NOW, closed, new_search, question


@pytest.mark.parametrize(
    "changes",
    [{}, {"near": (1, 3), "trial": TrialKind.CHECK, "to_find": 2, "trusted": True, "visitor": "v" * 32, "weight": 0.5}],
)
def test_a_search_should_be_read_as_by_sqlalchemy(
    database: Database, faces: collections.Collection, changes: dict[str, Any]
) -> None:
    row = new_search(faces, **changes)
    with database.write() as db:
        searches.add(db, row, question(1))
    with database.read() as db:
        assert clicks.read(database, row.id) == (searches.get(db, row.id), faces)
    assert clicks.read(database, "f" * 32) is None


def test_an_answer_should_be_written_as_by_sqlalchemy(database: Database, faces: collections.Collection) -> None:
    rows, given = [new_search(faces, name * 32) for name in "ab"], closed(1, AnswerKind.CHOICE, 2, 900)
    with database.write() as db:
        for row in rows:
            searches.add(db, row, question(1))
        assert searches.answer(db, rows[0].id, given, NOW + 5)
        searches.show(db, rows[0].id, question(2))
    assert clicks.answer(database, rows[1].id, given, question(2), NOW + 5)
    with database.read() as db:
        one, other = (searches.steps(db, row.id) for row in rows)
        assert one == other
        assert searches.get(db, rows[1].id) == new_search(faces, "b" * 32, changed_at=NOW + 5)


def test_a_step_should_be_answered_once(database: Database, faces: collections.Collection) -> None:
    row = new_search(faces)
    with database.write() as db:
        searches.add(db, row, question(1))
    won = []

    def answer(chosen: int) -> None:
        if clicks.answer(database, row.id, closed(1, AnswerKind.CHOICE, chosen, 0), question(2), NOW):
            won.append(chosen)

    threads = [threading.Thread(target=answer, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert not clicks.answer(database, row.id, closed(7, AnswerKind.CHOICE, 1, 0), question(8), NOW)
    with database.read() as db:
        assert [step.chosen for step in searches.steps(db, row.id)] == [won[0], None]


def test_a_connection_that_the_server_has_ended_should_be_replaced(
    database: Database, faces: collections.Collection
) -> None:
    row = new_search(faces)
    with database.write() as db:
        searches.add(db, row, question(1))
    assert clicks.read(database, row.id) is not None
    if database.is_sqlite:
        return
    with database.write() as db:
        db.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert clicks.read(database, row.id) is not None


def test_an_error_should_be_one_of_sqlalchemy_and_cost_the_connection(
    database: Database, faces: collections.Collection
) -> None:
    with pytest.raises(SQLAlchemyError, match="nowhere"), database.direct() as driver:
        driver.execute("SELECT 1 FROM nowhere")
    assert clicks.read(database, "a" * 32) is None
