"""How many embeddings are kept in memory."""

from types import SimpleNamespace
from typing import Any

import pytest
from cachetools import FIFOCache

from learn2search.site.context import Site
from learn2search.site.learning.model_cache import _MEMORY, _room_of
from learn2search.store.collections import Collection


@pytest.mark.parametrize(("numbers", "kept"), [(60, 24), (1_000_000, 8), (100_000_000, 3)])
def test_from_three_to_24_embeddings_should_be_kept_by_their_bytes(numbers: int, kept: int) -> None:
    cache: FIFOCache[int, Any] = FIFOCache(_MEMORY, _room_of)
    for at in range(40):
        cache[at] = SimpleNamespace(embedding=SimpleNamespace(mean=SimpleNamespace(size=numbers)))
    assert list(cache) == list(range(40 - kept, 40))


def test_a_model_should_be_read_once(site: Site, collection: Collection) -> None:
    model_id = collection.model_id or 0
    assert site.models.model(model_id) is site.models.model(model_id)
    assert site.models.covered(model_id) is site.models.covered(model_id)
    assert site.models.embedding_at(model_id, 0) is site.models.embedding_at(model_id, 0)
