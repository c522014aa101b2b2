"""Beliefs in memory."""

from dataclasses import replace

import numpy as np
import pytest

from learn2search import make_search
from learn2search.site.context import Site
from learn2search.site.visits import searching
from learn2search.site.visits.beliefs import OpenSearch
from learn2search.site.visits.searching import start
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
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
    searching.answer(site, other.row.id, 1, AnswerKind.NONE, None)
    searching.answer(site, other.row.id, 2, AnswerKind.UNDO, None)
    assert len(site.beliefs._kept) <= 1  # what was undone is not kept
    end(site, searching.state(site, other.row.id))
    assert site.beliefs._bytes == 0
    monkeypatch.setattr("learn2search.site.visits.beliefs._MEMORY", 1)
    for _ in range(3):
        start(site, "colours")
    assert len(site.beliefs._kept) == 1


def test_fewer_items_should_be_ruled_out_where_a_belief_can_be_trusted_less(site: Site, collection: Collection) -> None:
    known = site.models.embedding_at(collection.model_id or 0, 0)
    info = known.model.info
    counts = []
    for trust in (1.0, 0.5):
        metrics = known.metadata.model_copy(update={"trust": trust}).to_json()
        trusted = replace(known, model=replace(known.model, info=replace(info, metrics=metrics)))
        belief = OpenSearch(make_search("sampled", known.embedding, 0.3, seed=0), trusted)
        belief.tell(belief.ask(4, frozenset(range(30)), np.random.default_rng(0))[0])
        counts.append(belief.fits)
    p = belief.search.probability()
    root = np.sqrt(p) / np.sqrt(p).sum()
    assert counts[1] == pytest.approx(2 ** -(root[p > 0] * np.log2(root[p > 0])).sum())
    assert counts[0] < counts[1]


def test_a_search_should_expect_the_lapses_of_its_model(
    site: Site, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = site.models.embedding_at(collection.model_id or 0, 0)
    metrics = known.metadata.model_copy(update={"lapse": 0.1}).to_json()
    careless = replace(known, model=replace(known.model, info=replace(known.model.info, metrics=metrics)))
    row = start(site, "colours").row
    assert site.beliefs.begin(row).search.options["lapse"] == 0.0
    monkeypatch.setattr(site.models, "embedding_at", lambda *_: careless)
    assert site.beliefs.begin(row, miss_rate=0.02).search.options["lapse"] == 0.1
