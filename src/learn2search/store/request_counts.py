"""Requests counted by all workers together. A row is of one sender and one slice of time, and soon deleted."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from learn2search.store.tables import request_count

_AT_ONCE = 500  # senders in one statement
Counted = Mapping[tuple[str, int], int]  # (sender, slice) -> requests


def add(db: Connection, counted: Counted) -> None:
    """Add these to what is there. Always in one order, so that no two workers wait for each other."""
    make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert
    insert = make(request_count)
    together = request_count.c.requests + insert.excluded.requests
    statement = insert.on_conflict_do_update(index_elements=["sender", "slice"], set_={"requests": together})
    rows = [{"sender": sender, "slice": at, "requests": count} for (sender, at), count in sorted(counted.items())]
    if rows:
        db.execute(statement, rows)


def of(db: Connection, senders: Iterable[str], since: int) -> dict[tuple[str, int], int]:
    """What all workers have counted for these senders, from this slice on."""
    wanted, found = sorted(senders), dict[tuple[str, int], int]()
    for first in range(0, len(wanted), _AT_ONCE):
        theirs = request_count.c.sender.in_(wanted[first : first + _AT_ONCE])
        for row in db.execute(select(request_count).where(theirs, request_count.c.slice >= since)):
            found[(row.sender, row.slice)] = row.requests
    return found


def forget(db: Connection, before: int) -> None:
    """Delete what is older than this slice."""
    db.execute(delete(request_count).where(request_count.c.slice < before))
