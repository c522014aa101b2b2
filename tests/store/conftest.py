"""An empty database of each kind, and a small collection in it."""

from collections.abc import Iterator

import pytest

from learn2search.store import collections, items
from learn2search.store.database import Database
from tests.store.rows import NOW, add_model, new_item


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def faces(database: Database) -> collections.Collection:
    """A collection of five items with a model."""
    with database.write() as db:
        made = collections.add(db, "faces", "Faces", {"show": 4}, NOW)
        items.add(db, [new_item(made.id, number) for number in range(5)])
        first = add_model(db, made.id, None)
        assert collections.swap_model(db, made.id, None, first.info.id)
        return collections.by_id(db, made.id)
