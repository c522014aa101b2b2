"""Beliefs in memory."""

import pytest

from learn2search.site.context import Site
from learn2search.site.visits.searching import start
from learn2search.store.collections import Collection
from tests.site.visits.clicks import end


def test_beliefs_at_hand_should_count_what_they_hold_on_to(
    site: Site, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = site.models.embedding_at(collection.model_id or 0, 0)
    one, other = start(site, "colours"), start(site, "colours")
    both = site.beliefs._bytes
    assert both == 2 * (20 * 30 + 4_000) + 24 * known.embedding.mean.size  # the same known is held once
    end(site, one)
    assert site.beliefs._bytes == both - (20 * 30 + 4_000)
    end(site, other)
    assert site.beliefs._bytes == 0
    monkeypatch.setattr("learn2search.site.visits.beliefs._MEMORY", 1)
    for _ in range(3):
        start(site, "colours")
    assert len(site.beliefs._kept) == 1
