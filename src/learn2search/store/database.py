"""The engine: SQLite in WAL mode or PostgreSQL, transactions, and migrations."""

import errno
import hashlib
import os
import select
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, cast

import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import (
    DatabaseError,
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    SQLAlchemyError,
    TimeoutError,
)

MIGRATIONS = Path(__file__).parent / "migrations"
WAIT_SECONDS = 30.0  # for a lock or a connection
_QUEUE_SHARE = 0.2  # of that: how long one write of this process may take before only one more waits for it
_FAULTS_OF_STATEMENTS = (DataError, IntegrityError, ProgrammingError, NotSupportedError)
# Seconds, and milliseconds: a server that vanished without a word is found out, in place of being waited for.
_KEEPALIVES = {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3, "tcp_user_timeout": 11_000}
Timed = Callable[[str], AbstractContextManager[Any]]
_MIGRATING = 0x12C0DE  # the advisory lock under which the schema is changed


class Database:
    """A database, with connections to read and transactions to write.

    Parameters
    ----------
    url
        `sqlite:///path` or `postgresql://user@host/name`.
    wait_seconds
        How long to wait for a lock or a connection. Then it is an error for which `is_away` is true.
    timed
        Gives a context for what is done to the database, by name: `database read`, `database write`, `database click`.

    Raises
    ------
    ValueError
        If it is another kind of database.
    """

    def __init__(self, url: str, wait_seconds: float = WAIT_SECONDS, timed: Timed = nullcontext) -> None:
        self._timed = timed
        self.url = sqlalchemy.make_url(url)
        if self.url.get_backend_name() == "postgresql":
            self.url = self.url.set(drivername="postgresql+psycopg")
        elif self.url.get_backend_name() != "sqlite":
            raise ValueError(f"the database must be sqlite:///... or postgresql://..., got {self.url.drivername}://")
        self.engine = _engine(self.url, wait_seconds)
        # SQLite makes writers poll, with ever longer sleeps. Threads of one process wait in this queue instead.
        self._writing: AbstractContextManager[None] = WriteQueue(wait_seconds) if self.is_sqlite else nullcontext()
        self._direct = DirectConnections(self.engine)

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database, whatever others write meanwhile."""
        with self._timed("database read"), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction: committed at the end of the block, rolled back by an error.

        On SQLite it takes the write lock at the beginning, so that it cannot fail later because another has it. A disk
        that is full is an OSError (ENOSPC), as for any other file.
        """
        with self._timed("database write"), _full_disk(), self._writing, self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def direct(self, *, writing: bool = False) -> Iterator[Any]:
        """A connection of the driver alone, for statements that run at every click: each is committed by itself.

        Parameters
        ----------
        writing
            On SQLite: one transaction that has the write lock, as in `write`.
        """
        with self._timed("database click"), _full_disk(), self._direct.connection() as driver:
            if not writing:
                yield driver
                return
            with self._writing:
                driver.execute("BEGIN IMMEDIATE")
                try:
                    yield driver
                except BaseException:
                    driver.rollback()
                    raise
                driver.commit()

    def migrate(self) -> None:
        """Bring the schema up to date. Several processes may do so at the same time.

        Nothing is written where it is up to date: a worker can start while another process writes for long.
        """
        if self.revision() == newest_revision():
            return
        with self.changing_schema() as config:
            command.upgrade(config, "head")

    @contextmanager
    def changing_schema(self) -> Iterator[Config]:
        """A transaction for Alembic's commands, in which only one process can be at a time."""
        with self.engine.connect() as connection:
            if self.is_sqlite:
                _let_tables_be_rebuilt(connection)
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            else:
                connection.execute(sqlalchemy.select(sqlalchemy.func.pg_advisory_xact_lock(_MIGRATING)))
            config = Config()
            config.set_main_option("script_location", str(MIGRATIONS))
            config.attributes["connection"] = connection
            yield config
            connection.commit()

    def revision(self) -> str | None:
        """The schema's revision, None for an empty database."""
        with self.read() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    def close(self) -> None:
        self._direct.close()
        self.engine.dispose()


class WriteQueue(AbstractContextManager[None]):
    """Threads of one process that want to write, one at a time.

    Where another process keeps the database locked, threads would gather here until none is left for anything else. So
    when one write has taken a fifth of `wait_seconds`, one thread goes on waiting for it, and others are refused.
    """

    def __init__(self, wait_seconds: float) -> None:
        self._wait_seconds = wait_seconds
        self._free = threading.Condition()
        self._since: float | None = None  # when the thread that writes began; None while none does
        self._waiting = 0

    def __enter__(self) -> None:
        with self._free:
            patience = self._wait_seconds * (_QUEUE_SHARE if self._waiting else 1.0)
            self._waiting += 1
            try:
                while self._since is not None:
                    left = self._since + patience - time.monotonic()
                    if left <= 0:
                        raise TimeoutError("the database is locked: another write takes long")
                    self._free.wait(left)
                self._since = time.monotonic()
            finally:
                self._waiting -= 1

    def __exit__(self, *_: object) -> None:
        with self._free:
            self._since = None
            self._free.notify()


class DirectConnections:
    """Connections of the driver that are not in use. There are never more than threads that use one at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: list[Any] = []

    @contextmanager
    def connection(self) -> Iterator[Any]:
        """One for a thread alone. Its errors are those of SQLAlchemy, and after one it is not used again."""
        taken = self._taken()
        try:
            yield taken
        except self._engine.dialect.loaded_dbapi.Error as error:
            named = self._named(error, taken)
            self._end(taken)
            raise named from error
        except BaseException:
            self._end(taken)
            raise
        self._idle.append(taken)

    def _taken(self) -> Any:
        """One that is there, unless its server went away meanwhile; else a new one."""
        with suppress(IndexError):
            while True:
                known = self._idle.pop()
                if not _is_closed(known):
                    return known
                self._end(known)
        try:
            made = self._engine.raw_connection()
        except self._engine.dialect.loaded_dbapi.Error as error:  # it does not answer
            raise self._named(error, None) from error
        made.detach()
        driver: Any = made.dbapi_connection
        if self._engine.dialect.name == "postgresql":
            driver.autocommit = True
        return driver

    def _named(self, error: Exception, connection: Any) -> SQLAlchemyError:
        dialect = self._engine.dialect
        lost = dialect.is_disconnect(cast(Any, error), connection, None)
        if lost:
            self.close()  # those beside it have lost their server, too
        named = DBAPIError.instance(
            None, None, error, dialect.loaded_dbapi.Error, connection_invalidated=lost, dialect=dialect
        )
        return cast(SQLAlchemyError, named)

    @staticmethod
    def _end(connection: Any) -> None:
        with suppress(Exception):
            connection.close()

    def close(self) -> None:
        with suppress(IndexError):
            while True:
                self._end(self._idle.pop())


def _is_closed(connection: Any) -> bool:
    """Has the server ended this connection while nobody used it? A look at its socket: no round trip."""
    known = getattr(connection, "pgconn", None)
    if known is None:
        return False
    if connection.closed:
        return True
    waiting = select.poll()
    waiting.register(known.socket, select.POLLIN)
    return bool(waiting.poll(0))  # nothing comes unasked, but the end


@contextmanager
def _full_disk() -> Iterator[None]:
    """A disk that is full is an OSError (ENOSPC), as for any other file."""
    try:
        yield
    except OperationalError as error:
        if _is_full(error):
            raise OSError(errno.ENOSPC, "the disk of the database is full") from error
        raise


def is_away(error: BaseException) -> bool:
    """Is it the database that does not answer, or takes no writes, rather than a statement that is wrong?

    Examples
    --------
    >>> is_away(TimeoutError("no connection")), is_away(ValueError("no number"))
    (True, False)
    """
    if isinstance(error, _FAULTS_OF_STATEMENTS):
        return bool(getattr(error, "connection_invalidated", False))
    return isinstance(error, (DatabaseError, TimeoutError)) or (
        isinstance(error, SQLAlchemyError) and bool(getattr(error, "connection_invalidated", False))
    )


def newest_revision() -> str | None:
    """The revision that this release needs."""
    return ScriptDirectory(str(MIGRATIONS)).get_current_head()


def _is_full(error: OperationalError) -> bool:
    """Did SQLite or PostgreSQL find no space? (SQLITE_FULL; class 53100, disk_full.)"""
    original: Any = error.orig
    return getattr(original, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL or (
        getattr(original, "sqlstate", None) == "53100"
    )


def _engine(url: sqlalchemy.URL, wait_seconds: float) -> Engine:
    if url.get_backend_name() != "sqlite":
        patience = {"connect_timeout": int(wait_seconds)} | _KEEPALIVES
        return sqlalchemy.create_engine(
            url,
            pool_size=10,
            max_overflow=20,
            pool_pre_ping=True,
            pool_timeout=wait_seconds,
            connect_args={name: value for name, value in patience.items() if name not in url.query},
        )
    if url.database and url.database != ":memory:":
        os.makedirs(os.path.dirname(url.database) or ".", exist_ok=True)
    engine = sqlalchemy.create_engine(
        url,
        connect_args={"timeout": wait_seconds, "check_same_thread": False},
        pool_size=20,
        max_overflow=20,
        pool_timeout=wait_seconds,
    )
    event.listen(engine, "connect", lambda connection, _: _prepare_sqlite(connection, wait_seconds))
    return engine


def _let_tables_be_rebuilt(connection: Connection) -> None:
    """Switch off the checks of foreign keys on this connection, which then leaves the pool.

    SQLite changes a column by replacing the table, and dropping the old one would delete all rows that refer to it. The
    switch cannot be used inside a transaction.
    """
    connection.detach()
    connection.exec_driver_sql("PRAGMA foreign_keys = OFF")


def _prepare_sqlite(connection: Any, wait_seconds: float) -> None:
    """Set up a connection: readers never wait for the writer (WAL), commits survive a crash, keys are checked."""
    connection.isolation_level = None  # transactions begin where we say so
    connection.create_function("sha256", 1, _sha256, deterministic=True)  # PostgreSQL has it
    cursor = connection.cursor()
    _use_wal(cursor, wait_seconds)
    for pragma in ("synchronous = NORMAL", "foreign_keys = ON", "cache_size = -32000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _use_wal(cursor: Any, wait_seconds: float) -> None:
    """Change the file to WAL. This needs it alone for a moment, for which SQLite itself does not wait."""
    end = time.monotonic() + wait_seconds
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
