"""The statements of every click, straight by the driver: one to read a search, one transaction to write its answer.

SQLAlchemy would take several times longer than the database itself. What these statements do is what
`searches.get`, `collections.by_id`, `searches.answer` and `searches.show` do; a test holds them equal.
"""

import json
from typing import Any

from sqlalchemy import Table

from learn2search.store.collections import Collection
from learn2search.store.database import Database
from learn2search.store.enums import SearchOrigin, SearchStatus, TrialKind
from learn2search.store.searches import SearchRow, StepRow
from learn2search.store.tables import collection, search

_JSON = {"near", "options"}
_OF_SEARCH, _OF_COLLECTION = ([column.name for column in table.c] for table in (search, collection))
_N_SEARCH = len(_OF_SEARCH)


def _columns(table: Table) -> str:
    """Its columns; JSON as text, since one driver would parse it and the other would not."""
    names = (f"{table.name}.{column.name}" for column in table.c)
    return ", ".join(f"CAST({name} AS TEXT)" if name.split(".")[1] in _JSON else name for name in names)


_READ = " ".join(
    [
        *("SELECT", _columns(search), ",", _columns(collection)),
        "FROM search JOIN collection ON collection.id = search.collection_id WHERE search.id = ",
    ]
)
_CLOSE = "UPDATE step SET kind = ?, chosen = ?, milliseconds = ? WHERE search_id = ? AND number = ? AND kind IS NULL"
_TOUCH = "UPDATE search SET changed_at = ? WHERE id = ?"
_SHOW = "INSERT INTO step (search_id, number, shown, shown_at, fits, likely) VALUES (?, ?, ?, ?, ?, ?)"
# The search is locked first, as everywhere: two transactions of one search wait for each other in one order.
_ANSWER = """
WITH touched AS (UPDATE search SET changed_at = %s WHERE id = %s RETURNING id),
closed AS (
    UPDATE step SET kind = %s, chosen = %s, milliseconds = %s FROM touched
    WHERE step.search_id = touched.id AND step.number = %s AND step.kind IS NULL RETURNING step.search_id
)
INSERT INTO step (search_id, number, shown, shown_at, fits, likely)
SELECT closed.search_id, %s, CAST(%s AS JSON), %s, %s, CAST(%s AS JSON) FROM closed RETURNING number
"""


def read(database: Database, search_id: str) -> tuple[SearchRow, Collection] | None:
    """A search without its steps, and its collection; None where there is no such search."""
    with database.direct() as driver:
        found = driver.execute(_READ + ("?" if database.is_sqlite else "%s"), (search_id,)).fetchone()
    return None if found is None else (_search(found[:_N_SEARCH]), _collection(found[_N_SEARCH:]))


def answer(database: Database, search_id: str, closed: StepRow, following: StepRow, now: float) -> bool:
    """Write the answer to an open step and the next question; False when the step is answered or not there."""
    assert closed.kind is not None
    answered = (closed.kind.value, closed.chosen, closed.milliseconds)
    shown, likely = json.dumps(following.shown), json.dumps(following.likely)
    question = (following.number, shown, following.shown_at, following.fits, likely)
    if not database.is_sqlite:
        with database.direct() as driver:
            values = (now, search_id, *answered, closed.number, *question)
            return driver.execute(_ANSWER, values).fetchone() is not None
    with database.direct(writing=True) as driver:
        counted: bool = driver.execute(_CLOSE, (*answered, search_id, closed.number)).rowcount == 1
        if counted:
            driver.execute(_TOUCH, (now, search_id))
            driver.execute(_SHOW, (search_id, *question))
    return counted


def _search(values: Any) -> SearchRow:
    row = dict(zip(_OF_SEARCH, values, strict=True))
    row["status"], row["origin"] = SearchStatus(row["status"]), SearchOrigin(row["origin"])
    row["trial"] = None if row["trial"] is None else TrialKind(row["trial"])
    row["trusted"], row["near"] = bool(row["trusted"]), tuple(json.loads(row["near"]))
    return SearchRow(**row)


def _collection(values: Any) -> Collection:
    row = dict(zip(_OF_COLLECTION, values, strict=True))
    row["options"] = json.loads(row["options"])
    return Collection(**row)
