"""Statements about items."""

from dataclasses import replace

from sqlalchemy import String, select, update

from learn2search.store import collections, items
from learn2search.store.database import Database
from learn2search.store.enums import RetiredBy
from learn2search.store.tables import item


def test_items_should_be_found_by_words_and_numbers(database: Database, faces: collections.Collection) -> None:
    with database.read() as db:
        assert set(items.by_number(db, faces.id, [3, 1, 99])) == {1, 3}
        assert [one.number for one in items.page(db, faces.id, "t_3", 0, 10)] == [3]
        assert items.page(db, faces.id, "%", 0, 10) == []
        assert [one.number for one in items.page(db, faces.id, "", 1, 2)] == [1, 2]
        assert items.next_number(db, faces.id) == 5


def test_a_changed_item_should_keep_its_number(database: Database, faces: collections.Collection) -> None:
    with database.write() as db:
        old = items.by_number(db, faces.id, [2])[2]
        items.change(db, [items.Item(**(vars(old) | {"title": "New", "active": False, "retired_by": "owner"}))])
    with database.read() as db:
        assert items.by_number(db, faces.id, [2])[2].title == "New"
        assert items.active_numbers(db, faces.id) == [0, 1, 3, 4]
        assert collections.sizes(db) == {faces.id: 4}


def test_every_text_of_an_erased_item_should_go(database: Database, faces: collections.Collection) -> None:
    """Also that of a column which is added later."""
    texts = [column.name for column in item.c if isinstance(column.type, String)]
    assert {"key", "title", "description", "family"} <= set(texts)
    with database.write() as db:
        db.execute(update(item).where(item.c.number == 2).values(dict.fromkeys(texts, "private")))
        items.erase(db, faces.id, [2], {"kind": "text"})
    with database.read() as db:
        row = db.execute(select(item).where(item.c.number == 2)).mappings().one()
        assert "private" not in str(dict(row))
        assert (row["title"], row["active"], row["retired_by"]) == (items.ERASED, False, RetiredBy.ERASED)
        assert items.matching(db, faces.id) == [0, 1, 3, 4]
        assert [one.number for one in items.page(db, faces.id, "", 0, 10)] == [0, 1, 3, 4]


def test_items_should_match_words_group_and_use(database: Database, faces: collections.Collection) -> None:
    with database.write() as db:
        old = items.by_number(db, faces.id, [1, 2])
        changed = [replace(old[1], family="b"), replace(old[2], family="a", active=False)]
        items.change(db, changed)
    with database.read() as db:
        assert items.families(db, faces.id) == ["a", "b"]
        assert items.matching(db, faces.id, "T_") == [0, 1, 2, 3, 4]
        assert items.matching(db, faces.id, "T_", "a") == [2]
        assert items.matching(db, faces.id, active=False) == [2]
        assert items.matching(db, faces.id, "", "a", True) == []
