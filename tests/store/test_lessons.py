"""Statements about triplets."""

import numpy as np
import pytest
from sqlalchemy.exc import IntegrityError

from learn2search.store import collections, lessons, searches
from learn2search.store.collections import Collection
from learn2search.store.database import Database
from learn2search.store.enums import AnswerKind
from tests.store.rows import closed, new_search, question


def test_fits_should_see_only_valid_triplets_and_online_steps_all(database: Database, faces: Collection) -> None:
    rows = np.array([[4, 0, 1], [4, 0, 2]])
    with database.write() as db:
        for lesson, letter in enumerate("abc", start=1):
            searches.add(db, new_search(faces, letter * 32), question(1))
            lessons.add(db, faces.id, lesson, letter * 32, [(1, rows)])
        lessons.withdraw(db, "a" * 32)
        searches.change(db, "b" * 32, quarantine="too quick")
    with database.read() as db:
        assert lessons.usable_triplets(db, faces.id).tolist() == [[4, 0, 1, 3, 1], [4, 0, 2, 3, 1]]
        assert lessons.count(db, faces.id) == 2
        between, weights, numbers = lessons.between(db, faces.id, 0, 2)
        assert between.tolist() == [*rows.tolist(), *rows.tolist()]
        assert weights.tolist() == [1.0] * 4
        assert numbers.tolist() == [1, 1, 2, 2]


def test_a_lesson_should_be_known_by_its_search_its_places_and_its_weight(
    database: Database, faces: Collection
) -> None:
    row = new_search(faces, visitor="v", lesson=1, weight=0.3, evidence=-2.0)
    with database.write() as db:
        searches.add(db, row, closed(1, AnswerKind.CHOICE, 2, 900))
        lessons.add(db, faces.id, 1, row.id, [(1, np.array([[4, 2, 1]]))], weight=0.25)
    with database.read() as db:
        assert lessons.taught_by(db, faces.id) == {1: lessons.TaughtBy(row.id, "v", 0.3, False)}
        assert lessons.places(db, faces.id) == {(1, 1): 2}
        assert lessons.between(db, faces.id, 0, 1)[1].tolist() == [0.25]


def test_a_pair_should_teach_once_unless_it_was_withdrawn(database: Database, faces: collections.Collection) -> None:
    row, pairs = new_search(faces), [(1, np.array([[4, 0, 1]]))]
    with database.write() as db:
        searches.add(db, row, question(1))
        lessons.add(db, faces.id, 1, row.id, pairs)
    with pytest.raises(IntegrityError), database.write() as db:
        lessons.add(db, faces.id, 2, row.id, pairs)
    with database.write() as db:
        lessons.withdraw(db, row.id)
        lessons.add(db, faces.id, 2, row.id, pairs)
