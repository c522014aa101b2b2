"""One learning policy: recorded searches give the same embedding through the library's loop and through the site."""

from pathlib import Path

import numpy as np
import pytest

import learn2search as l2s
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.learning.recorded_searches import RecordedSearch, recorded_step, write_searches
from learn2search.site.settings import Settings
from learn2search.store import models
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin

N, D, SEED = 30, 3, 7
FEATURES = np.random.default_rng(2).normal(size=(N, D))


def cards(site: Site, folder: Path, show: int) -> Collection:
    """A collection of N text cards, of which nothing is known."""
    (folder / "cards.csv").write_text("title\n" + "".join(f"Card {number:02}\n" for number in range(N)))
    made = make_collection(site, "cards", "Cards", show=show, dimensions=D)
    import_source(site, folder / "cards.csv", made)
    return site.collection("cards")


def recorded(site: Site, collection: Collection, episode: l2s.Episode) -> RecordedSearch:
    """An episode as a visitor's search: the last step found the target."""
    asked = enumerate(zip(episode.queries, episode.answers, strict=True), start=1)
    steps = tuple(
        recorded_step(number, shown, chosen, episode.target, last=number == episode.cost)
        for number, (shown, chosen) in asked
    )
    model_id = site.published_model_id(collection)
    return RecordedSearch(model_id, collection.lessons, "sampled", episode.target, steps)


@pytest.mark.parametrize("show", [2, 4])
def test_the_loop_and_the_site_should_learn_the_same(tmp_path: Path, show: int) -> None:
    oracle = l2s.ProbitOracle(FEATURES, 0.3, seed=1)
    learner = l2s.Learner(oracle, N, k=show, n_components=D, seed=SEED, weigh_searches=True)
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=SEED))
    collection = cards(site, tmp_path, show)
    versions = []
    for episode in learner.searches(60):
        write_searches(site, collection, [recorded(site, collection, episode)])
        trainer.train_due(site)
        collection = site.collection("cards")
        with site.database.read() as db:
            history = models.history(db, collection.id)
        fits = [info for info in history if info.origin is ModelOrigin.FIT and info.published]
        versions.append((len(fits), learner.version))
    assert all(of_site == of_loop for of_site, of_loop in versions)  # the same fits were made and used
    now = site.newest_embedding(collection)
    assert metadata_of(now.model.info).online
    np.testing.assert_allclose(now.embedding.mean, learner.embedding.mean, atol=1e-3)  # models are stored in float32
    np.testing.assert_allclose(now.embedding.var, learner.embedding.var, rtol=1e-3)
    site.close()
