"""Statements about items."""

from learn2search.store import collections, items
from learn2search.store.database import Database


def test_items_should_be_found_by_words_and_numbers(database: Database, faces: collections.Collection) -> None:
    with database.read() as db:
        assert set(items.by_number(db, faces.id, [3, 1, 99])) == {1, 3}
        assert items.page(db, faces.id, "t_3", 0, 10)[1][0].number == 3
        assert items.page(db, faces.id, "%", 0, 10)[0] == 0
        assert items.page(db, faces.id, "", 1, 2)[0] == 5
        assert items.next_number(db, faces.id) == 5


def test_a_changed_item_should_keep_its_number(database: Database, faces: collections.Collection) -> None:
    with database.write() as db:
        old = items.by_number(db, faces.id, [2])[2]
        items.change(db, [items.Item(**(vars(old) | {"title": "New", "active": False, "retired_by": "owner"}))])
    with database.read() as db:
        assert items.by_number(db, faces.id, [2])[2].title == "New"
        assert items.active_numbers(db, faces.id) == [0, 1, 3, 4]
        assert collections.sizes(db) == {faces.id: 4}
