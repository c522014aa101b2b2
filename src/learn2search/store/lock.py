"""One trainer at a time: an advisory lock on PostgreSQL, a file lock on SQLite.

Both belong to the process that took them, so a killed trainer leaves nothing to clean up.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import func, select

from learn2search.store.database import Database

_TRAINER = 0x12EA12


@contextmanager
def trainer_lock(database: Database, folder: Path) -> Iterator[bool]:
    """True while this process is the one that may train, False when another is."""
    with _file_lock(folder / "trainer.lock") if database.is_sqlite else _advisory_lock(database) as taken:
        yield taken


@contextmanager
def _file_lock(path: Path) -> Iterator[bool]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def _advisory_lock(database: Database) -> Iterator[bool]:
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        taken = bool(connection.execute(select(func.pg_try_advisory_lock(_TRAINER))).scalar_one())
        try:
            yield taken
        finally:
            if taken:
                connection.execute(select(func.pg_advisory_unlock(_TRAINER)))
