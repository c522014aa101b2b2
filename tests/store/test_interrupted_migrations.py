"""A migration from a released version that is killed in the middle changes nothing; the next start does all of it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learn2search.store import dump
from learn2search.store.database import Database, newest_revision
from tests.store.test_older_versions import EXPECTED, load_database

ROOT = Path(__file__).parents[2]

# Migrates, and kills itself after so many statements that change something; else it says how many there were.
MIGRATE = """
import os, signal, sys
from sqlalchemy import event
from learn2search.store.database import Database

database, last, done = Database(sys.argv[1]), int(sys.argv[2]), 0

def count(connection, cursor, statement, *_):
    global done
    if statement.split()[0].upper() in ("ALTER", "CREATE", "DROP", "INSERT", "UPDATE", "DELETE"):
        done += 1
        if done == last:
            os.kill(os.getpid(), signal.SIGKILL)

event.listen(database.engine, "after_cursor_execute", count)
database.migrate()
print(done)
"""


def migrate(url: str, last: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", MIGRATE, url, str(last)], capture_output=True, text=True)


def content(url: str) -> tuple[str | None, list[str]]:
    """The schema, and all rows where it is the present one."""
    database = Database(url)
    try:
        if database.revision() != newest_revision():
            return database.revision(), []
        with database.read() as db:
            return database.revision(), sorted(json.dumps([*row], sort_keys=True) for row in dump.rows(db))
    finally:
        database.close()


def test_every_released_version_should_have_a_database_to_start_from() -> None:
    """A new release adds its own, as `tests/fixtures/version_0.1.0/make.py` made that one."""
    released = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released
    assert [name for name in released if not (ROOT / "tests" / "fixtures" / f"version_{name}").is_dir()] == []


@pytest.mark.heavy
def test_a_migration_that_was_killed_should_begin_anew_and_lose_nothing(database_url: str) -> None:
    load_database(database_url)
    for last in (1, 20):
        killed = migrate(database_url, last)
        assert killed.returncode == -9, (killed.stdout, killed.stderr)
        assert content(database_url) == (EXPECTED["schema"], [])
    assert migrate(database_url, 0).returncode == 0
    revision, rows = content(database_url)
    assert (revision, len(rows)) == (newest_revision(), EXPECTED["rows"])
