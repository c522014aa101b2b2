"""All rows of all tables as plain values, and back: a backup that fits either kind of database.

A backup can also be loaded by later versions: `UPGRADES` says what each migration does to a row.
"""

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, LargeBinary, func, insert, select, text

from learn2search.store.database import newest_revision
from learn2search.store.tables import metadata, request_count

_CHUNK, _FEW = 1000, 10  # rows at a time, and of those that are large
Row = dict[str, Any]
Upgrade = Callable[[str, Row], Row]  # (name of the table, row) -> the row in the next revision


def _unchanged(_table: str, row: Row) -> Row:
    return row


def _with_weights(table: str, row: Row) -> Row:
    if table == "search":
        return row | {"weight": None, "evidence": None, "trusted": False}
    return row | {"weight": 1.0} if table == "triplet" else row


def _with_checksum(table: str, row: Row) -> Row:
    return row | {"checksum": None} if table == "model" else row


def _with_hints_and_links(table: str, row: Row) -> Row:
    if table == "search":
        return row | {"to_find": None, "near": []}
    return row | {"link": ""} if table == "item" else row


def _with_trials(table: str, row: Row) -> Row:
    return row | {"trial": None} if table == "search" else row


# Older revisions in their order, with what turns a row of each into one of the next. A new migration adds a line here.
UPGRADES: dict[str, Upgrade] = {
    "0001": _unchanged,  # 0002 makes room in search.strategy
    "0002": _with_weights,  # 0003 has weights
    "0003": _with_hints_and_links,  # 0004 has search.to_find, search.near and item.link
    "0004": _unchanged,  # 0007 has webhooks
    "0007": _with_checksum,  # 0008 has checksums of models
    "0008": _with_trials,  # 0009 has studies and search.trial
    "0009": _unchanged,  # 0010 has screens of teaching
    "0010": _unchanged,  # 0011 counts requests for a minute
}


def rows(db: Connection) -> Iterator[tuple[str, Row]]:
    """Every row with the name of its table, in an order in which they can be inserted."""
    for table in metadata.sorted_tables:
        if table is request_count:  # they are of the last minute
            continue
        binary = [column.name for column in table.c if isinstance(column.type, LargeBinary)]
        chunk = _FEW if binary else _CHUNK
        result = db.execution_options(yield_per=chunk).execute(select(table)).mappings()
        for row in result:
            values = dict(row)
            yield table.name, values | {name: base64.b64encode(values[name]).decode() for name in binary}


def can_load(revision: object) -> bool:
    """Is this the present revision, or an older one that is known?"""
    return revision == newest_revision() or revision in UPGRADES


def upgraded(source: Iterable[tuple[str, Row]], revision: str) -> Iterator[tuple[str, Row]]:
    """Rows that were written with an older revision, as they are in the present one."""
    older = list(UPGRADES)
    changes = [UPGRADES[one] for one in older[older.index(revision) :]] if revision in UPGRADES else []
    for table, row in source:
        for change in changes:
            row = change(table, row)
        yield table, row


def load(db: Connection, source: Iterable[tuple[str, Row]]) -> int:
    """Insert rows into empty tables; how many there were."""
    count, current = 0, ""
    batch: list[Row] = []
    for name, row in source:
        if name not in metadata.tables:
            raise ValueError(f"the backup has a table {name!r}, which this release does not know")
        if name != current or len(batch) == (_FEW if name == "model" else _CHUNK):
            _insert(db, current, batch)
            batch, current = [], name
        batch.append(row)
        count += 1
    _insert(db, current, batch)
    _continue_ids(db)
    return count


def is_empty(db: Connection) -> bool:
    """True when there is no collection."""
    table = metadata.tables["collection"]
    return int(db.execute(select(func.count()).select_from(table)).scalar_one()) == 0


def clear_settings(db: Connection) -> None:
    """Delete the settings that a fresh database has, before those of a backup come."""
    db.execute(metadata.tables["setting"].delete())


def _insert(db: Connection, name: str, batch: list[Row]) -> None:
    if not batch:
        return
    table = metadata.tables[name]
    binary = [column.name for column in table.c if isinstance(column.type, LargeBinary)]
    db.execute(insert(table), [row | {key: base64.b64decode(row[key]) for key in binary} for row in batch])


def _continue_ids(db: Connection) -> None:
    """Set PostgreSQL's counters of ids, which inserting rows with given ids does not move."""
    if db.dialect.name != "postgresql":
        return
    for name in ("collection", "item", "model"):
        sequence = f"pg_get_serial_sequence('{name}', 'id')"
        newest = f"SELECT COALESCE(MAX(id), 0) + 1 FROM {name}"  # nosec B608 # one of these three names
        db.execute(text(f"SELECT setval({sequence}, ({newest}), false)"))
