"""The engine and its migrations, on SQLite and on a real PostgreSQL server."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, String, event, inspect, select, update
from sqlalchemy.exc import DataError, IntegrityError, SQLAlchemyError, TimeoutError

from learn2search.store import collections, items, lessons, participants, screens, searches, webhooks
from learn2search.store.collections import Collection
from learn2search.store.database import Database, WriteQueue, is_away, newest_revision
from learn2search.store.enums import TrialKind
from learn2search.store.participants import Participant, Study, TrialRow
from learn2search.store.screens import ScreenRow
from learn2search.store.tables import metadata
from learn2search.store.webhooks import Delivery, Webhook
from tests.store.rows import NOW, new_item, new_search, question


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


def strategy_length(database: Database) -> int | None:
    columns = {column["name"]: column for column in inspect(database.engine).get_columns("search")}
    kind = columns["strategy"]["type"]
    assert isinstance(kind, String)
    return kind.length


def all_rows(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Of all tables, as they are at the present revision."""
    there = MetaData()
    there.reflect(database.engine)
    with database.read() as db:
        return {table.name: [dict(row) for row in db.execute(select(table)).mappings()] for table in there.sorted_tables
                if table.name != "alembic_version"}  # fmt: skip


def test_weights_should_come_and_go_without_losing_a_row(database: Database, faces: Collection) -> None:
    with database.write() as db:
        searches.add(db, new_search(faces, weight=0.25, evidence=-1.5, trusted=True), question(1))
        lessons.add(db, faces.id, 1, "a" * 32, [(1, np.array([[4, 0, 1]]))], weight=0.5)
    with database.changing_schema() as config:
        command.downgrade(config, "0002")
    assert "weight" not in all_rows(database)["search"][0]
    database.migrate()
    with database.read() as db:
        row = searches.get(db, "a" * 32)
        assert row is not None
        assert (row.weight, row.evidence, row.trusted) == (None, None, False)  # it counts in full, as before
        triplets, weights, _ = lessons.between(db, faces.id, 0, 1)
        assert (triplets.tolist(), weights.tolist()) == ([[4, 0, 1]], [1.0])


def test_hints_and_links_should_come_and_go_without_losing_a_row(database: Database, faces: Collection) -> None:
    with database.write() as db:
        searches.add(db, new_search(faces, to_find=3, near=(1, 2)), question(1))
        items.add(db, [replace(new_item(faces.id, 70), link="https://example.org")])
    with database.read() as db:
        row = searches.get(db, "a" * 32)
        assert row is not None
        assert (row.to_find, row.near) == (3, (1, 2))
        assert items.by_number(db, faces.id, [70])[70].link == "https://example.org"
    with database.changing_schema() as config:
        command.downgrade(config, "0003")
    assert not {"to_find", "near"} & set(all_rows(database)["search"][0])
    database.migrate()
    with database.read() as db:
        row = searches.get(db, "a" * 32)
        assert row is not None
        assert (row.to_find, row.near) == (None, ())
        assert items.by_number(db, faces.id, [70])[70].link == ""


def test_a_longer_strategy_should_come_and_go_without_losing_a_row(database: Database, faces: Collection) -> None:
    """SQLite rebuilds the table of searches for it, to which steps and triplets refer."""
    with database.write() as db:
        searches.add(db, new_search(faces), question(1))
        lessons.add(db, faces.id, 1, "a" * 32, [(1, np.array([[4, 0, 1]]))])
        db.execute(update(metadata.tables["model"]).values(checksum=None))  # it does not come back
    before = all_rows(database)
    for revision, length in (("0001", 16), ("0002", 64)):
        with database.changing_schema() as config:
            (command.downgrade if revision == "0001" else command.upgrade)(config, revision)
        assert (database.revision(), strategy_length(database)) == (revision, length)
        kept = all_rows(database)
        assert {table: [row | one for row, one in zip(before[table], kept[table], strict=True)] for table in kept} == {
            table: before[table] for table in kept
        }  # others came later
    database.migrate()
    assert all_rows(database) == before
    indexes = {index["name"] for index in inspect(database.engine).get_indexes("search")}
    assert indexes == {index.name for index in metadata.tables["search"].indexes}


def test_webhooks_should_come_and_go_with_their_collection(database: Database, faces: Collection) -> None:
    hook = Webhook("w" * 32, faces.id, "https://shop.example", "s" * 64, ["search.found"], NOW)
    told = Delivery("d" * 32, hook.id, "search.found", "{}", NOW, next_at=NOW)
    with database.write() as db:
        webhooks.add_webhook(db, hook)
        webhooks.add_deliveries(db, [told])
        db.execute(update(metadata.tables["model"]).values(checksum=None))  # it does not come back
    with database.read() as db:
        assert webhooks.webhooks_of(db, faces.id) == [hook]
        assert webhooks.due(db, NOW, 5) == [told]
    before = all_rows(database)
    with database.changing_schema() as config:
        command.downgrade(config, "0004")
    assert not {"webhook", "delivery"} & set(all_rows(database))
    database.migrate()
    assert all_rows(database) == before | {"webhook": [], "delivery": []}
    with database.write() as db:
        webhooks.add_webhook(db, hook)
        webhooks.add_deliveries(db, [told])
        collections.remove(db, faces.id)
    assert (all_rows(database)["webhook"], all_rows(database)["delivery"]) == ([], [])


def test_studies_should_come_and_go_without_losing_a_search(database: Database, faces: Collection) -> None:
    study = Study("study-1", faces.id, {"title": "s"}, True, NOW)
    person = Participant(study.id, "P1", 0, NOW)
    asked = TrialRow(study.id, "P1", 1, TrialKind.CHECK, 3, "a" * 32)
    with database.write() as db:
        searches.add(db, new_search(faces, to_find=3, trial=TrialKind.CHECK), question(1))
        participants.add_study(db, study)
        participants.add_participant(db, person, [asked, replace(asked, number=2, search_id="b" * 32)])
    with database.read() as db:
        assert participants.get_study(db, study.id, lock=True) == study
        assert participants.trial_of_search(db, "a" * 32) == asked
        assert searches.by_ids(db, ["a" * 32, "b" * 32])["a" * 32].trial is TrialKind.CHECK
    before = all_rows(database)
    with database.changing_schema() as config:
        command.downgrade(config, "0008")
    assert not {"study", "participant", "trial"} & set(all_rows(database))
    assert "trial" not in all_rows(database)["search"][0]
    database.migrate()
    kept = [row | {"trial": None} for row in before["search"]]
    assert all_rows(database) == before | {"study": [], "participant": [], "trial": [], "search": kept}
    with database.write() as db:
        participants.add_study(db, study)
        participants.add_participant(db, person, [asked])
        collections.remove(db, faces.id)
    assert [all_rows(database)[name] for name in ("study", "participant", "trial")] == [[], [], []]


def test_screens_should_come_and_go_with_their_collection(database: Database, faces: Collection) -> None:
    row = ScreenRow("s" * 32, faces.id, "v", 0, (1, 2, 3), (2,), 900, NOW, lesson=1, triplets=2)
    with database.write() as db:
        assert screens.add(db, row)
        assert not screens.add(db, row)
    with database.read() as db:
        assert screens.get(db, row.id) == row
        assert screens.lessons_of(db, faces.id) == screens.between(db, faces.id, 0, 1) == [(1, row)]
    before = all_rows(database)
    with database.changing_schema() as config:
        command.downgrade(config, "0009")
    assert "screen" not in all_rows(database)
    database.migrate()
    assert all_rows(database) == before | {"screen": []}
    with database.write() as db:
        screens.add(db, row)
        collections.remove(db, faces.id)
    assert all_rows(database)["screen"] == []


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
    assert all_rows(database)["search"][0]["strategy"] == name


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


def test_a_new_file_should_be_opened_by_many_at_once(tmp_path: Path) -> None:
    """Changing it to WAL needs it alone for a moment, for which SQLite itself does not wait."""
    url = f"sqlite:///{tmp_path / 'site.db'}"
    with sqlite3.connect(tmp_path / "site.db", isolation_level=None, check_same_thread=False) as other:
        other.execute("CREATE TABLE there (x)")
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(0.3, other.rollback).start()
        with Database(url).read() as db:
            assert db.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


def test_only_one_thread_should_wait_for_a_write_that_takes_long() -> None:
    """The others are free for something else: a database that another process has locked stalls nothing but writes."""
    queue = WriteQueue(wait_seconds=60.0)
    with queue:
        queue._since = time.monotonic() - 13.0  # it writes for longer than a fifth of that
        first = threading.Thread(target=lambda: queue.__enter__())
        first.start()
        while queue._waiting < 1:
            time.sleep(0.001)
        with pytest.raises(TimeoutError, match="another write takes long"):
            queue.__enter__()
    first.join(10)
    assert not first.is_alive()
    queue.__exit__()
    with queue:
        pass


def test_a_database_that_does_not_answer_should_be_away_for_the_statements_of_a_click(tmp_path: Path) -> None:
    """By the connection of the driver alone, whose errors SQLAlchemy does not translate."""
    (tmp_path / "site.db").mkdir()  # no file that could be opened
    for url in ("postgresql://nobody@127.0.0.1:1/none", f"sqlite:///{tmp_path / 'site.db'}"):
        database = Database(url, wait_seconds=2)
        with pytest.raises(SQLAlchemyError) as caught, database.direct():
            pass
        assert is_away(caught.value)
        database.close()
