"""Rows of a backup, also of an older schema."""

from typing import Any

import pytest
from alembic.script import ScriptDirectory

from learn2search.store import dump
from learn2search.store.database import MIGRATIONS, newest_revision


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
