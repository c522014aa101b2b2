"""The statements, on SQLite and on a real PostgreSQL server."""

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, String, event, inspect
from sqlalchemy.exc import DataError, IntegrityError

from learn2search import Embedding
from learn2search.store import collections, dump, items, lessons, models, searches
from learn2search.store.collections import Collection
from learn2search.store.database import MIGRATIONS, Database, newest_revision
from learn2search.store.enums import AnswerKind
from learn2search.store.lock import trainer_lock
from learn2search.store.tables import metadata

NOW = 1_700_000_000.0


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def faces(database: Database) -> collections.Collection:
    """A collection of five items with a model."""
    with database.write() as db:
        made = collections.add(db, "faces", "Faces", {"show": 4}, NOW)
        items.add(db, [new_item(made.id, number) for number in range(5)])
        first = add_model(db, made.id, None)
        assert collections.swap_model(db, made.id, None, first.info.id)
        return collections.by_id(db, made.id)


def new_item(collection_id: int, number: int) -> items.Item:
    media = {"kind": "text"}
    return items.Item(collection_id, number, f"k{number}", f"T_{number}", "", "", media, "d", True, None, NOW)


def add_model(db: Connection, collection_id: int, parent: int | None, **changes: Any) -> models.Model:
    values: dict[str, Any] = {"origin": "start", "published": True, "trained_up_to": 0, "triplets": 0}
    values |= {"noise": 1.0, "metrics": {}} | changes
    space = Embedding(np.arange(10.0).reshape(5, 2), np.ones((5, 2)))
    numbers = np.arange(5)
    return models.add(
        db,
        collection_id=collection_id,
        parent_id=parent,
        items=numbers,
        embedding=space,
        now=NOW,
        **values,
    )


def new_search(faces: collections.Collection, search_id: str = "a" * 32, **changes: Any) -> searches.SearchRow:
    values: dict[str, Any] = {
        "lessons": 0,
        "strategy": "sampled",
        "show": 4,
        "status": "open",
        "target": None,
        "questions": None,
    }
    values |= {"lesson": None, "quarantine": None, "visitor": None, "origin": "page", "started_at": NOW}
    values |= {"changed_at": NOW, "ended_at": None} | changes
    assert faces.model_id is not None
    return searches.SearchRow(search_id, faces.id, faces.model_id, **values)


def question(number: int) -> searches.StepRow:
    return searches.StepRow(number, (0, 1, 2, 3), None, None, None, NOW + number, 5.0, (4,))


def closed(number: int, kind: AnswerKind, chosen: int, milliseconds: int) -> searches.StepRow:
    return replace(question(number), kind=kind, chosen=chosen, milliseconds=milliseconds)


def test_migrations_should_make_the_tables_that_the_code_describes(database: Database) -> None:
    with database.read() as db:
        assert compare_metadata(MigrationContext.configure(db, opts={"compare_type": True}), metadata) == []
    assert database.revision() == newest_revision()


def test_migrating_twice_should_change_nothing(database: Database) -> None:
    database.migrate()
    assert database.revision() == newest_revision()


def test_several_processes_should_be_able_to_migrate_at_once(database_url: str) -> None:
    several = [Database(database_url) for _ in range(3)]
    threads = [threading.Thread(target=one.migrate) for one in several]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert several[0].revision() == newest_revision()
    for one in several:
        one.close()


def strategy_length(database: Database) -> int:
    columns = {column["name"]: column for column in inspect(database.engine).get_columns("search")}
    kind = columns["strategy"]["type"]
    assert isinstance(kind, String)
    return kind.length


def test_a_longer_strategy_should_come_and_go_without_losing_a_row(database: Database, faces: Collection) -> None:
    """SQLite rebuilds the table of searches for it, to which steps and triplets refer."""
    with database.write() as db:
        searches.add(db, new_search(faces), question(1))
        lessons.add(db, faces.id, 1, "a" * 32, [(1, np.array([[4, 0, 1]]))])
    with database.read() as db:
        before = list(dump.rows(db))
    for revision, length in (("0001", 16), ("0002", 64)):
        with database.changing_schema() as config:
            (command.downgrade if revision == "0001" else command.upgrade)(config, revision)
        assert (database.revision(), strategy_length(database)) == (revision, length)
        with database.read() as db:
            assert list(dump.rows(db)) == before
    indexes = {index["name"] for index in inspect(database.engine).get_indexes("search")}
    assert indexes == {index.name for index in metadata.tables["search"].indexes}


def test_a_migration_should_leave_foreign_keys_checked(database: Database, faces: collections.Collection) -> None:
    row = replace(new_search(faces), model_id=999)
    with pytest.raises(IntegrityError), database.write() as db:
        searches.add(db, row, question(1))


def test_a_strategy_that_is_too_long_should_stop_the_way_back(database: Database, faces: Collection) -> None:
    name = "a strategy of another package"
    with database.write() as db:
        searches.add(db, new_search(faces, strategy=name), question(1))
    if database.is_sqlite:  # does not count characters
        with database.changing_schema() as config:
            command.downgrade(config, "0001")
    else:
        with pytest.raises(DataError), database.changing_schema() as config:
            command.downgrade(config, "0001")
    with database.read() as db:
        assert searches.get(db, "a" * 32).strategy == name


def test_every_migration_should_say_what_it_does_to_the_rows_of_a_backup() -> None:
    scripts = ScriptDirectory(str(MIGRATIONS)).walk_revisions()
    assert [*dump.UPGRADES, newest_revision()] == [script.revision for script in scripts][::-1]


def test_rows_of_an_older_backup_should_take_every_step_since(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(name: str) -> dump.Upgrade:
        return lambda table, row: {**row, "steps": [*row["steps"], f"{table} {name}"]}

    monkeypatch.setattr(dump, "UPGRADES", {name: step(name) for name in ("a", "b", "c")})
    rows: list[tuple[str, dict[str, Any]]] = [("item", {"steps": []})]
    assert list(dump.upgraded(rows, "b")) == [("item", {"steps": ["item b", "item c"]})]
    assert list(dump.upgraded(rows, str(newest_revision()))) == rows
    assert [dump.can_load(name) for name in ("a", "c", newest_revision(), "d", None)] == [True] * 3 + [False] * 2


def test_an_unknown_database_should_be_refused_by_name() -> None:
    with pytest.raises(ValueError, match="sqlite:///... or postgresql://"):
        Database("mysql://root@localhost/site")


def test_a_write_should_leave_nothing_behind_when_it_fails(database: Database) -> None:
    def add_and_fail() -> None:
        with database.write() as db:
            collections.add(db, "faces", "Faces", {}, NOW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_fail()
    with database.read() as db:
        assert collections.all_collections(db) == []


def test_writers_should_queue_instead_of_asking_again_and_again(tmp_path: Path) -> None:
    """SQLite without any patience: whoever finds it busy fails. Threads that take their turns never do."""
    database = Database(f"sqlite:///{tmp_path / 'site.db'}")
    event.listen(database.engine, "connect", lambda connection, _: connection.execute("PRAGMA busy_timeout = 0"))
    database.migrate()

    def write(thread: int) -> None:
        for number in range(40):
            with database.write() as db:
                collections.put_setting(db, f"{thread}", f"{number}")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    with database.read() as db:
        assert [collections.get_setting(db, f"{thread}") for thread in range(8)] == ["39"] * 8
    database.close()


def test_two_collections_should_not_share_an_address(database: Database, faces: collections.Collection) -> None:
    with pytest.raises(IntegrityError), database.write() as db:
        collections.add(db, "faces", "Other", {}, NOW)


def test_a_model_should_come_back_as_it_was(database: Database, faces: collections.Collection) -> None:
    with database.read() as db:
        assert faces.model_id is not None
        model = models.get(db, faces.model_id)
    assert model.items.tolist() == [0, 1, 2, 3, 4]
    assert model.embedding.mean.tolist() == np.arange(10.0).reshape(5, 2).tolist()
    assert model.info.version == 1


def test_only_one_of_two_models_should_be_published_after_the_same_parent(
    database: Database, faces: Collection
) -> None:
    with database.write() as db:
        second, third = (add_model(db, faces.id, faces.model_id, origin="fit") for _ in range(2))
        assert [second.info.version, third.info.version] == [2, 3]
        assert collections.swap_model(db, faces.id, faces.model_id, second.info.id)
        assert not collections.swap_model(db, faces.id, faces.model_id, third.info.id)
        assert collections.by_id(db, faces.id).model_id == second.info.id
        last = models.last_attempt(db, faces.id)
        assert last is not None
        assert last.version == 3


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


def test_lessons_should_be_numbered_without_gaps(database: Database, faces: collections.Collection) -> None:
    def learn() -> None:
        for _ in range(5):
            with database.write() as db:
                collections.next_lesson(db, faces.id)

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as db:
        assert collections.by_id(db, faces.id).lessons == 20


def test_fits_should_see_only_valid_triplets_and_online_steps_all(database: Database, faces: Collection) -> None:
    rows = np.array([[4, 0, 1], [4, 0, 2]])
    with database.write() as db:
        for lesson, letter in enumerate("abc", start=1):
            searches.add(db, new_search(faces, letter * 32), question(1))
            lessons.add(db, faces.id, lesson, letter * 32, [(1, rows)])
        lessons.withdraw(db, "a" * 32)
        searches.change(db, "b" * 32, quarantine="too quick")
    with database.read() as db:
        assert lessons.usable_triplets(db, faces.id).tolist() == [[4, 0, 1, 3], [4, 0, 2, 3]]
        assert lessons.count(db, faces.id) == 2
        assert lessons.between(db, faces.id, 0, 2).tolist() == [*rows.tolist(), *rows.tolist()]


def test_a_pair_should_teach_once_unless_it_was_withdrawn(database: Database, faces: collections.Collection) -> None:
    row, pairs = new_search(faces), [(1, np.array([[4, 0, 1]]))]
    with database.write() as db:
        searches.add(db, row, question(1))
        lessons.add(db, faces.id, 1, row.id, pairs)
    with pytest.raises(IntegrityError), database.write() as db:
        lessons.add(db, faces.id, 2, row.id, pairs)
    with database.write() as db:
        lessons.withdraw(db, row.id)
        lessons.add(db, faces.id, 2, row.id, pairs)


def test_items_should_be_found_by_words_and_numbers(database: Database, faces: collections.Collection) -> None:
    with database.read() as db:
        assert set(items.by_number(db, faces.id, [3, 1, 99])) == {1, 3}
        assert items.page(db, faces.id, "t_3", 0, 10)[1][0].number == 3
        assert items.page(db, faces.id, "%", 0, 10)[0] == 0
        assert items.page(db, faces.id, "", 1, 2)[0] == 5
        assert items.next_number(db, faces.id) == 5


def test_a_changed_item_should_keep_its_number(database: Database, faces: collections.Collection) -> None:
    with database.write() as db:
        old = items.by_number(db, faces.id, [2])[2]
        items.change(db, [items.Item(**(vars(old) | {"title": "New", "active": False, "retired_by": "owner"}))])
    with database.read() as db:
        assert items.by_number(db, faces.id, [2])[2].title == "New"
        assert items.active_numbers(db, faces.id) == [0, 1, 3, 4]
        assert collections.sizes(db) == {faces.id: 4}


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
        assert searches.latest_costs(db, faces.id, 10) == [6, 5]
        assert [one.questions for one in searches.finished(db, faces.id)] == [5, 6]
        assert searches.answer_times(db, faces.id, 10) == [800]
        assert searches.count(db, faces.id) == (3, 1)
        assert [row.id[0] for row in searches.latest(db, faces.id, 10, quarantined=True)] == ["c"]
        assert [row.id[0] for row in searches.page_of_ids(db, faces.id, "a" * 32, 1)] == ["b"]
        assert searches.count_since(db, faces.id, NOW + 1) == 2
        assert len(searches.steps_of(db, ["a" * 32, "b" * 32])["b" * 32]) == 1


def test_settings_should_be_overwritten(database: Database) -> None:
    with database.write() as db:
        assert collections.get_setting(db, "token") is None
        collections.put_setting(db, "token", "1")
        collections.put_setting(db, "token", "2")
        assert collections.get_setting(db, "token") == "2"


def test_numbers_and_settings_should_be_given_once_though_many_ask(database: Database, faces: Collection) -> None:
    def write(thread: int) -> None:
        for turn in range(5):
            with database.write() as db:
                add_model(db, faces.id, None)
                number = items.next_number(db, faces.id)
                items.add(db, [replace(new_item(faces.id, number), key=f"{thread} {turn}")])
            with database.write() as db:
                collections.put_setting(db, f"turn {turn}", str(thread))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    with database.read() as db:
        assert [info.version for info in models.history(db, faces.id)] == list(range(21, 0, -1))
        assert items.active_numbers(db, faces.id) == list(range(25))
        assert collections.get_setting(db, "turn 4") in "0123"


def test_a_new_file_should_be_opened_by_many_at_once(tmp_path: Path) -> None:
    """Changing it to WAL needs it alone for a moment, for which SQLite itself does not wait."""
    url = f"sqlite:///{tmp_path / 'site.db'}"
    with sqlite3.connect(tmp_path / "site.db", isolation_level=None, check_same_thread=False) as other:
        other.execute("CREATE TABLE there (x)")
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.3, other.rollback).start()
        with Database(url).read() as db:
            assert db.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


def test_only_one_trainer_should_hold_the_lock(database: Database, database_url: str, tmp_path: Path) -> None:
    other = Database(database_url)
    with trainer_lock(database, tmp_path) as first, trainer_lock(other, tmp_path) as second:
        assert (first, second) == (True, False)
    with trainer_lock(other, tmp_path) as second:
        assert second
    other.close()
