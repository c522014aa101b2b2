"""What finished searches teach, and which are set aside."""

from dataclasses import replace

import numpy as np
import pytest

from learn2search import Embedding, online_step
from learn2search.site.administration import owners
from learn2search.site.context import Site
from learn2search.site.errors import Conflict
from learn2search.site.learning import finished_searches
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.site.visits.search_state import SearchState
from learn2search.site.visits.searching import correct, start, state
from learn2search.store import lessons as stored
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, SearchOrigin
from learn2search.store.models import Model
from learn2search.store.searches import StepRow
from tests.site.visits.clicks import choose, end
from tests.store.rows import question


def hasty(site: Site, monkeypatch: pytest.MonkeyPatch) -> SearchState:
    """A search whose answers took no time."""
    monkeypatch.setattr(site, "now", lambda: 1_700_000_000.0)
    now = start(site, "colours")
    for place in (0, 1, 2):
        now = choose(site, now, place)
    return end(site, now)


def test_searches_without_looking_should_be_set_aside(
    site: Site, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = hasty(site, monkeypatch)
    assert done.row.quarantine == "answered too quickly"
    assert done.row.lesson is None
    owners.release(site, done.row.id)
    assert state(site, done.row.id).row.lesson == 1
    with pytest.raises(Conflict):
        owners.release(site, done.row.id)
    owners.set_aside(site, done.row.id)
    with site.database.read() as db:
        assert stored.count(db, collection.id) == 0


def test_an_end_should_be_judged_anew_when_it_is_corrected(
    site: Site, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = hasty(site, monkeypatch)
    assert done.row.quarantine == "answered too quickly"
    monkeypatch.setattr(finished_searches, "suspicion", lambda *_: None)
    better = end(site, correct(site, done.row.id), 1)
    assert (better.row.quarantine, better.row.lesson) == (None, 1)


def test_what_the_owner_set_aside_should_stay_so_when_it_is_corrected(site: Site, collection: Collection) -> None:
    done = end(site, choose(site, start(site, "colours")))
    owners.set_aside(site, done.row.id)
    again = end(site, correct(site, done.row.id), 1)
    assert (again.row.quarantine, again.row.lesson) == ("by the owner", None)
    owners.release(site, done.row.id)
    assert state(site, done.row.id).row.quarantine is None
    with site.database.read() as db:
        assert stored.count(db, collection.id) == 3


def test_one_place_always_should_look_automatic(site: Site, collection: Collection) -> None:
    now = start(site, "colours", show=2)
    for _ in range(14):
        now = choose(site, now, 1)
    done = end(site, now)
    assert done.row.lesson == 1  # it is kept as a lesson, with next to no weight
    assert done.row.weight is not None
    assert done.row.weight < 0.05
    assert done.row.is_set_aside
    owners.release(site, done.row.id)
    released = state(site, done.row.id).row
    assert (released.weight, released.trusted, released.is_set_aside) == (1.0, True, False)
    owners.set_aside(site, done.row.id)
    assert state(site, done.row.id).row.quarantine == "by the owner"


def test_simulated_visitors_of_the_owner_should_teach_at_any_speed(
    site: Site, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "now", lambda: 1_700_000_000.0)
    now = start(site, "colours", origin=SearchOrigin.SIMULATED)
    for _ in range(4):
        now = choose(site, now, 1)
    assert end(site, now).row.lesson == 1


def test_answers_against_the_grain_should_count_little(site: Site, collection: Collection) -> None:
    known = site.models.embedding_at(collection.model_id, 0)
    sharp = np.column_stack([np.arange(30.0), np.zeros(30)])
    info = type(known.model.info)(**(vars(known.model.info) | {"metrics": {"prior_variance": 100.0}}))
    known = EmbeddingAt(Model(info, known.items, Embedding(sharp)), 0, Embedding(sharp, np.full((30, 2), 0.01)))

    def answers(near: bool) -> tuple[StepRow, ...]:
        pairs = [(1 + step, 20 + step)[:: 1 if step % 2 else -1] for step in range(9)]  # now here, now there
        chosen = [min(pair) if near or step % 3 == 0 else max(pair) for step, pair in enumerate(pairs)]
        return tuple(
            replace(question(number), shown=pair, kind=AnswerKind.CHOICE, chosen=one)
            for number, (pair, one) in enumerate(zip(pairs, chosen, strict=True), start=1)
        )

    backwards = finished_searches.weighed(collection, answers(near=False), 0, known)
    forwards = finished_searches.weighed(collection, answers(near=True), 0, known)
    assert backwards.weight < 0.2 < 0.9 < forwards.weight
    assert backwards.evidence is not None
    assert backwards.evidence < 0


def test_online_steps_should_be_scaled_by_the_weight(site: Site, collection: Collection) -> None:
    known = site.models.embedding_at(collection.model_id, 0)
    triplets = np.array([[0, 1, 2]])
    done = start(site, "colours").row
    with site.database.write() as db:
        stored.add(db, collection.id, 1, done.id, [(1, triplets)], weight=0.5)
    assert known.embedding.var is not None
    moved = site.models._advance(known, 1).embedding
    expected = online_step(known.embedding, triplets, sample_weight=[0.5])
    np.testing.assert_allclose(moved.mean, expected.mean)
