"""Known features: no cold start, a noise level that fits the answers, positions that clicks refine."""

from pathlib import Path

import numpy as np
import pytest

from learn2search import calibrate_noise, flip_rate, random_margins
from learn2search.site.catalogue import known_features
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning import simulated_visitors, trainer
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.visits import searching
from learn2search.store import models
from learn2search.store.collections import Collection

SEEN = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


def test_known_features_should_be_searched_at_once(site: Site, collection: Collection) -> None:
    known_features.publish_features(site, collection, SEEN)
    now = searching.start(site, "colours")
    assert now.row.strategy == "sampled"
    model = site.models.model(now.row.model_id)
    assert model.embedding.var is None
    assert flip_rate(random_margins(model.embedding.mean), 1.0) == pytest.approx(0.15, abs=0.005)


def test_the_trainer_should_fit_the_noise_and_then_the_positions(site: Site, collection: Collection) -> None:
    known_features.publish_features(site, collection, SEEN)
    simulated_visitors.run(site, "colours", SEEN, 0.05, 80, seed=0)
    with site.database.read() as db:
        made = models.history(db, collection.id)
        fits = [models.get(db, info.id) for info in made if info.origin == "fit"]
    assert fits
    assert all(metadata_of(fit.info).prior.features for fit in fits)
    assert fits[-1].embedding.var is None  # the first is only rescaled
    wrong = calibrate_noise(random_margins(fits[-1].embedding.mean), 0.15)
    assert wrong > 1.0  # these visitors are less noisy than was assumed
    assert trainer.is_due(site, site.collection("colours")) in (True, False)


def test_features_that_do_not_fit_should_be_refused(site: Site, collection: Collection, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="needs a row"):
        known_features.publish_features(site, collection, SEEN[:10])
    with pytest.raises(Invalid, match="cannot be used"):
        known_features.publish_features(site, collection, np.ones((30, 3)))
    (tmp_path / "bad.npy").write_bytes(b"no")
    with pytest.raises(Invalid, match="does not hold features"):
        known_features.read_features(tmp_path / "bad.npy")


def test_features_should_be_read_from_files(tmp_path: Path, features: np.ndarray) -> None:
    np.save(tmp_path / "f.npy", features)
    np.savetxt(tmp_path / "f.csv", features, delimiter=",", header="a,b,c", comments="")
    assert (known_features.read_features(tmp_path / "f.npy") == features).all()
    assert known_features.read_features(tmp_path / "f.csv") == pytest.approx(features)
