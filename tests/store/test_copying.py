"""A whole database in another: the same rows, or none."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy
from typer.testing import CliRunner

from learn2search.cli.main import app
from learn2search.store import dump
from learn2search.store.copying import CopyError, copy_database, rows_of
from learn2search.store.database import Database
from learn2search.store.tables import metadata
from tests.store.test_older_versions import load_database

KINDS = ["sqlite", "postgresql"]


@pytest.fixture
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """The address of an empty database of a kind."""

    def make(kind: str) -> str:
        name = f"copy_{os.urandom(6).hex()}"
        if kind == "sqlite":
            return f"sqlite:///{tmp_path / name}.db"
        url = request.getfixturevalue("postgres_url")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"{url.rsplit('/', 1)[0]}/{name}"

    return make


@pytest.fixture(params=KINDS)
def source(request: pytest.FixtureRequest, new_url: Callable[[str], str]) -> Iterator[Database]:
    """What an older version wrote, brought up to date: rows of nearly every table."""
    url = new_url(request.param)
    load_database(url)
    database = Database(url)
    database.migrate()
    yield database
    database.close()


@pytest.fixture(params=KINDS)
def target(request: pytest.FixtureRequest, new_url: Callable[[str], str]) -> Iterator[Database]:
    database = Database(new_url(request.param))
    yield database
    database.close()


def content(database: Database) -> list[str]:
    with database.read() as db:
        return sorted(json.dumps(row, sort_keys=True) for row in dump.rows(db))


def test_every_row_should_be_the_same_in_either_kind_of_database(source: Database, target: Database) -> None:
    sums = copy_database(source, target)
    assert content(target) == content(source)
    with target.read() as db:
        assert rows_of(db) == {name: one.rows for name, one in sums.items()}
    assert sums["step"].rows > 100
    with target.write() as db:  # ids go on where they were
        values = {"slug": "more", "title": "More", "options": {}, "lessons": 0, "created_at": 0.0}
        db.execute(sqlalchemy.insert(metadata.tables["collection"]).values(**values))
    with pytest.raises(CopyError, match="is not empty, and nothing was copied. It has rows: .* in collection"):
        copy_database(source, target)


def test_a_row_that_differs_should_leave_the_target_empty(
    source: Database, target: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = dump.load

    def damage(db: sqlalchemy.Connection, rows: Any) -> int:
        count = real(db, rows)
        db.execute(sqlalchemy.text("UPDATE item SET title = title || '?' WHERE number = 3"))
        return count

    monkeypatch.setattr(dump, "load", damage)
    with pytest.raises(CopyError, match="table item differs after copying"):
        copy_database(source, target)
    with target.read() as db:
        assert not any(rows_of(db).values())


KILLED = """
import os, signal, sys
from learn2search.store import copying, dump
from learn2search.store.database import Database

real = dump.rows

def rows(db):
    for at, one in enumerate(real(db)):
        if at == 700:
            os.kill(os.getpid(), signal.SIGKILL)
        yield one

dump.rows = rows
dump._CHUNK = 50
copying.copy_database(Database(sys.argv[1]), Database(sys.argv[2]))
"""


@pytest.mark.heavy
def test_a_copy_that_was_killed_should_begin_anew(source: Database, target: Database) -> None:
    urls = [one.url.render_as_string(hide_password=False) for one in (source, target)]
    assert subprocess.run([sys.executable, "-c", KILLED, *urls]).returncode == -9
    assert sum(one.rows for one in copy_database(source, target).values()) > 700
    assert content(target) == content(source)


def test_the_command_should_say_what_it_copied_or_why_not(new_url: Callable[[str], str]) -> None:
    old, new = new_url("sqlite"), new_url("postgresql")
    load_database(old)
    run = CliRunner().invoke
    assert "has schema 0001, this release has" in str(run(app, ["copy-database", old, new]).output)
    database = Database(old)
    database.migrate()
    database.close()
    done = run(app, ["copy-database", old, new])
    assert done.exit_code == 0
    assert "copied and verified" in done.output
    for arguments, message in {
        (old, new): "is not empty",
        ("sqlite:////no/such.db", new): "is not there",
        ("mysql://host/name", new): "must be sqlite:///... or postgresql://",
        (new_url("postgresql"), new): "no database of a site",
    }.items():
        refused = run(app, ["copy-database", *arguments])
        assert refused.exit_code == 1
        assert message in refused.output
