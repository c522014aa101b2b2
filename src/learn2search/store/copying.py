"""All rows of one database in another, of either kind, in one transaction: all of them are there, verified, or none."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import DBAPIError

from learn2search.store import dump
from learn2search.store.database import Database, newest_revision
from learn2search.store.tables import metadata

Rows = Iterable[tuple[str, dump.Row]]


def _silent(rows: Rows, _label: str, _total: int) -> Rows:
    return rows


class CopyError(Exception):
    """Why nothing was copied, in a sentence."""


@dataclass
class TableSum:
    """How many rows a table has, and a sum over the SHA-256 of each: it is the same in whatever order they come."""

    rows: int = 0
    checksum: int = 0

    def add(self, row: dump.Row) -> None:
        written = json.dumps(row, sort_keys=True).encode()
        self.rows += 1
        self.checksum = (self.checksum + int.from_bytes(hashlib.sha256(written).digest(), "big")) % 2**256


def copy_database(
    source: Database, target: Database, progress: Callable[[Rows, str, int], Rows] = _silent
) -> dict[str, TableSum]:
    """Copy all rows into an empty database, and compare what is there then with what was read, table by table.

    It is one transaction: if this is interrupted, or anything differs, the target stays empty, and the same call begins
    anew. What others write into the source meanwhile is not copied.

    Parameters
    ----------
    progress
        Passes rows on, and shows how far they are; it gets a label and their number.

    Returns
    -------
    dict
        Rows and checksum by the name of the table.

    Raises
    ------
    CopyError
        If the source has another schema, if the target is not empty, if it cannot store a row, or if a table differs
        in the end.
    """
    _check_source(source)
    target.migrate()
    with source.read() as reading, target.write() as writing:
        _check_empty(writing, target)
        total = sum(rows_of(reading).values())
        sums = {name: TableSum() for name in metadata.tables}
        try:
            dump.load(writing, progress(_summed(dump.rows(reading), sums), "Copying", total))
        except DBAPIError as error:
            reason = str(error.orig).splitlines()[0]
            raise CopyError(f"The target cannot store a row, and nothing was copied: {reason}") from error
        _compare(sums, _sums(progress(dump.rows(writing), "Verifying", total)))
    return sums


def rows_of(db: Connection) -> dict[str, int]:
    """How many rows each table has."""
    return {
        name: int(db.execute(select(func.count()).select_from(table)).scalar_one())
        for name, table in metadata.tables.items()
    }


def _check_source(source: Database) -> None:
    revision = source.revision()
    if revision is None:
        raise CopyError(f"{source.url.render_as_string()} is no database of a site: it has no tables of one.")
    if revision != newest_revision():
        raise CopyError(
            f"{source.url.render_as_string()} has schema {revision}, this release has {newest_revision()}: "
            "`learn2search doctor` brings it up to date."
        )


def _check_empty(db: Connection, target: Database) -> None:
    filled = {name: rows for name, rows in rows_of(db).items() if rows}
    if filled:
        found = ", ".join(f"{rows:,} in {name}" for name, rows in filled.items())
        raise CopyError(
            f"{target.url.render_as_string()} is not empty, and nothing was copied. It has rows: {found}. "
            "Give the address of an empty database."
        )


def _summed(rows: Rows, sums: dict[str, TableSum]) -> Iterator[tuple[str, dump.Row]]:
    for name, row in rows:
        sums[name].add(row)
        yield name, row


def _sums(rows: Rows) -> dict[str, TableSum]:
    sums = {name: TableSum() for name in metadata.tables}
    for _ in _summed(rows, sums):
        pass
    return sums


def _compare(read: dict[str, TableSum], written: dict[str, TableSum]) -> None:
    for name, expected in read.items():
        found = written[name]
        if found != expected:
            raise CopyError(
                f"The table {name} differs after copying ({expected.rows:,} rows read, {found.rows:,} written, "
                f"checksums {expected.checksum:064x} and {found.checksum:064x}): nothing was copied."
            )
