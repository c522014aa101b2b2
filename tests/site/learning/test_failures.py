"""A collection that cannot be fitted stops no other, is tried again later, and is named to those who can help."""

from pathlib import Path

import numpy as np
import pytest

from learn2search.site.catalogue import imports
from learn2search.site.context import Site
from learn2search.site.learning import fitting, simulated_visitors, trainer
from learn2search.site.learning.failures import failing, failure_of, note_failure
from learn2search.store.collections import Collection
from tests.site.conftest import Clock


@pytest.fixture
def other(site: Site, pictures: Path, collection: Collection) -> Collection:
    made = imports.make_collection(site, "others", "Others", warm_start="nothing")
    imports.import_source(site, pictures, made)
    return site.collection("others")


def fails_for(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits of one collection fail, as they would with a bug or with data that nobody has thought of."""
    fit = fitting.fit_model

    def sometimes(site: Site, collection: Collection, *rest: object) -> object:
        if collection.slug == slug:
            raise ValueError("pictures were expected, and these are cards")
        return fit(site, collection, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(trainer, "fit_model", sometimes)


def test_one_that_fails_should_stop_no_other_and_be_tried_again_later(
    site: Site, collection: Collection, other: Collection, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0
    with monkeypatch.context() as broken:
        fails_for("colours", broken)
        for slug in ("colours", "others"):
            simulated_visitors.run(site, slug, features, 0.1, 24, seed=0)
            trainer.ask_for(site, site.collection(slug))
        assert [made.collection_id for made in trainer.train_due(site)] == [other.id]

        [(which, failure)] = failing(site)
        assert which.slug == "colours"
        assert failure.reason == "ValueError: pictures were expected, and these are cards"
        assert not trainer.is_due(site, site.collection("colours"))  # it rests
        trainer.ask_for(site, site.collection("colours"))  # the owner need not wait
        assert trainer.is_due(site, site.collection("colours"))
        assert trainer.train_due(site) == []
    assert [again.times for _, again in failing(site)] == [failure.times + 1]

    trainer.ask_for(site, site.collection("colours"))
    assert [made.collection_id for made in trainer.train_due(site)] == [collection.id]
    assert failing(site) == []


def test_each_failure_should_double_the_pause_up_to_six_hours(site: Site, collection: Collection, clock: Clock) -> None:
    pauses = [
        failure.again - failure.last for failure in (note_failure(site, collection, OSError("x")) for _ in range(12))
    ]
    assert pauses[:4] == [60.0, 120.0, 240.0, 480.0]
    assert pauses[-1] == 6 * 3600
    found = failure_of(site, collection)
    assert found is not None
    assert found.times == 12
