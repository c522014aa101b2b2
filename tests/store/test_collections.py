"""Statements about collections and settings."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from learn2search.store import collections, items, models, searches
from learn2search.store.collections import Collection
from learn2search.store.database import Database
from tests.store.rows import NOW, add_model, new_item, new_search, question


def test_two_collections_should_not_share_an_address(database: Database, faces: collections.Collection) -> None:
    with pytest.raises(IntegrityError), database.write() as db:
        collections.add(db, "faces", "Other", {}, NOW)


def test_lessons_should_be_numbered_without_gaps(database: Database, faces: collections.Collection) -> None:
    def learn() -> None:
        for _ in range(5):
            with database.write() as db:
                collections.next_lesson(db, faces.id)

    threads = [threading.Thread(target=learn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as db:
        assert collections.by_id(db, faces.id).lessons == 20


def test_settings_should_be_overwritten(database: Database) -> None:
    with database.write() as db:
        assert collections.get_setting(db, "token") is None
        collections.put_setting(db, "token", "1")
        collections.put_setting(db, "token", "2")
        assert collections.get_setting(db, "token") == "2"


def test_numbers_and_settings_should_be_given_once_though_many_ask(database: Database, faces: Collection) -> None:
    def write(thread: int) -> None:
        for turn in range(5):
            with database.write() as db:
                add_model(db, faces.id, None)
                number = items.next_number(db, faces.id)
                items.add(db, [replace(new_item(faces.id, number), key=f"{thread} {turn}")])
            with database.write() as db:
                collections.put_setting(db, f"turn {turn}", str(thread))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    with database.read() as db:
        assert [info.version for info in models.history(db, faces.id)] == list(range(21, 0, -1))
        assert items.active_numbers(db, faces.id) == list(range(25))
        assert collections.get_setting(db, "turn 4") in ("0", "1", "2", "3")


def test_a_removed_collection_should_leave_no_row_and_no_id_to_give_again(
    database: Database, faces: collections.Collection
) -> None:
    with database.write() as db:
        other = collections.add(db, "other", "Other", {}, NOW)
        collections.put_setting(db, f"retrain:{faces.id}", "1")
        collections.put_setting(db, f"retrain:{faces.id}0", "of another collection")
        searches.add(db, new_search(faces), question(1))
        collections.remove(db, other.id)
        collections.remove(db, faces.id)
    with database.write() as db:
        assert collections.all_collections(db) == []
        assert items.all_items(db, faces.id) == []
        assert searches.get(db, "a" * 32) is None
        assert collections.get_setting(db, f"retrain:{faces.id}") is None
        assert collections.get_setting(db, f"retrain:{faces.id}0") is not None
        again = collections.add(db, "faces", "Faces", {}, NOW)
        assert again.id > other.id
        assert add_model(db, again.id, None).info.id > faces.model_id
        assert add_model(db, again.id, None).info.id > faces.model_id + 1
