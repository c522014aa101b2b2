"""One at a time: an advisory lock of the session on PostgreSQL, a lock on a file beside the database on SQLite.

Both belong to the process that took them, so a killed one leaves nothing to clean up: the kernel releases the file,
and PostgreSQL the lock as soon as the connection ends. Where a machine dies without a word, the server finds out by
the keepalives that are set here.
"""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from learn2search.store.database import Database

HOUSEKEEPING = 0  # what one trainer does for the whole site; collections have numbers from 1
_TRAINER = 0x12EA12  # the first half of a lock's name on PostgreSQL, the collection is the second
_KEEPALIVES = {"tcp_keepalives_idle": 3, "tcp_keepalives_interval": 1, "tcp_keepalives_count": 4}  # 7 s in all
_UNANSWERED = 7000  # milliseconds for which the server waits for a machine that takes nothing


class TrainerLock:
    """Whether it was taken, and whether it still is ours.

    Parameters
    ----------
    still_ours
        Asks the database: a lock ends with its connection. False where another process has it.
    """

    def __init__(self, taken: bool, still_ours: Callable[[], bool]) -> None:
        self.taken = taken
        self._still_ours = still_ours

    def __bool__(self) -> bool:
        return self.taken

    def still_ours(self) -> bool:
        """Is it held now? What was begun under a lock that was lost must not be written."""
        return self.taken and self._still_ours()


@contextmanager
def trainer_lock(database: Database, number: int) -> Iterator[TrainerLock]:
    """True while this process is the one that may train this collection, False when another is."""
    with _file_lock(database, number) if database.is_sqlite else _advisory_lock(database, number) as lock:
        yield lock


@contextmanager
def _file_lock(database: Database, number: int) -> Iterator[TrainerLock]:
    """Beside the database, so that all who share it share the lock, whatever their home folder is."""
    path = Path(f"{database.url.database}.trainer-{number}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield TrainerLock(False, lambda: False)
            return
        yield TrainerLock(True, lambda: True)


@contextmanager
def _advisory_lock(database: Database, number: int) -> Iterator[TrainerLock]:
    """On a connection that leaves the pool, and ends with the lock: nothing can hold it by mistake."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        taken = bool(connection.execute(select(func.pg_try_advisory_lock(_TRAINER, number))).scalar_one())
        if not taken:
            yield TrainerLock(False, lambda: False)
            return
        connection.detach()
        _keep_alive(connection)
        try:
            yield TrainerLock(True, lambda: _answers(connection))
        finally:
            with suppress(SQLAlchemyError):
                connection.execute(select(func.pg_advisory_unlock(_TRAINER, number)))


def _keep_alive(connection: Connection) -> None:
    """Let the server find out within seconds that this machine is gone. A socket of the same machine has none."""
    for name, value in (_KEEPALIVES | {"tcp_user_timeout": _UNANSWERED}).items():
        with suppress(SQLAlchemyError):  # some systems lack some of them
            connection.execute(text(f"SET {name} = {value}"))


def _answers(connection: Connection) -> bool:
    """Does the session still exist that holds the lock?"""
    try:
        return bool(connection.execute(select(1)).scalar_one())
    except SQLAlchemyError:
        return False
