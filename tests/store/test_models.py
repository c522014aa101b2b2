"""Statements about models."""

import numpy as np

from learn2search.store import collections, models
from learn2search.store.collections import Collection
from learn2search.store.database import Database
from tests.store.rows import add_model


def test_a_model_should_come_back_as_it_was(database: Database, faces: collections.Collection) -> None:
    with database.read() as db:
        assert faces.model_id is not None
        model = models.get(db, faces.model_id)
    assert model.items.tolist() == [0, 1, 2, 3, 4]
    assert model.embedding.mean.tolist() == np.arange(10.0).reshape(5, 2).tolist()
    assert model.info.version == 1


def test_only_one_of_two_models_should_be_published_after_the_same_parent(
    database: Database, faces: Collection
) -> None:
    with database.write() as db:
        second, third = (add_model(db, faces.id, faces.model_id, origin="fit") for _ in range(2))
        assert [second.info.version, third.info.version] == [2, 3]
        assert collections.swap_model(db, faces.id, faces.model_id, second.info.id)
        assert not collections.swap_model(db, faces.id, faces.model_id, third.info.id)
        assert collections.by_id(db, faces.id).model_id == second.info.id
        last = models.last_attempt(db, faces.id)
        assert last is not None
        assert last.version == 3
