"""A warm start: pictures place the items before anybody has compared them, and answers take it from there."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from learn2search.oklab import to_oklab
from learn2search.site.catalogue import imports
from learn2search.site.catalogue.item_features import feature_positions
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors
from learn2search.site.learning.expected_positions import expected_positions
from learn2search.site.learning.metadata import ContentPrior, metadata_of
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.store import models as stored
from learn2search.store.collections import Collection
from tests.site.conftest import Clock

SEEN = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


@pytest.fixture
def warm(site: Site, pictures: Path) -> Collection:
    made = imports.make_collection(site, "colours", "Colours", warm_start="pictures")
    imports.import_source(site, pictures, made)
    return site.collection("colours")


def published(site: Site, collection: Collection) -> stored.Model:
    assert collection.model_id is not None
    return site.models.model(collection.model_id)


def content(model: stored.Model) -> ContentPrior:
    found = metadata_of(model.info).prior.content
    assert found is not None
    return found


def distances(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def test_pictures_should_be_placed_by_their_colours(site: Site, warm: Collection) -> None:
    """Pictures of one colour: their distances are those of the colours in OKLab, up to the unit."""
    found = feature_positions(site, warm, "colours", 30, 10)
    assert np.corrcoef(distances(found).ravel(), distances(to_oklab(SEEN)).ravel())[0, 1] > 0.99
    assert (found**2).mean() == pytest.approx(1.0)
    assert np.abs(found[:, 3:]).max() < 1.0  # three axes of colour; what the encoder added is small


def test_the_first_search_should_use_the_pictures_and_know_how_little_they_tell(site: Site, warm: Collection) -> None:
    assert searching.start(site, "colours").row.strategy == "sampled"
    model = published(site, warm)
    assert content(model).axes_from == 30
    assert np.corrcoef(distances(model.embedding.mean).ravel(), distances(to_oklab(SEEN)).ravel())[0, 1] > 0.95
    assert model.embedding.var is not None
    assert model.embedding.var.mean() == pytest.approx(content(model).scale ** 2, rel=1e-5)


def test_without_the_option_nothing_should_be_placed(site: Site, collection: Collection) -> None:
    assert metadata_of(published(site, collection).info).knows_nothing
    assert searching.start(site, "colours").row.strategy == "random"


def test_a_warm_start_should_be_possible_later(site: Site, collection: Collection, pictures: Path) -> None:
    again = imports.make_collection(site, "colours", "Colours", warm_start="pictures")
    assert options_of(again).noun == "colour"  # the other options stay
    imports.import_source(site, pictures, again)
    assert content(published(site, site.collection("colours"))).axes_from == 30
    assert searching.start(site, "colours").row.strategy == "sampled"


def test_new_items_should_join_where_their_picture_places_them(
    site: Site, warm: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    before = published(site, warm).embedding.mean
    twin = tuple(int(channel) for channel in np.round(255 * SEEN[4]))
    (pictures / "colour_99.png").write_bytes(make_png(*twin))
    imports.import_source(site, pictures, warm)
    after = published(site, site.collection("colours"))
    assert content(after).axes_from == 30  # the axes stay those of the first items
    np.testing.assert_allclose(after.embedding.mean[:30], before)
    assert np.linalg.norm(after.embedding.mean[30:] - before, axis=1).argmin() == 4


@pytest.mark.heavy
def test_every_fit_should_begin_with_the_pictures(site: Site, warm: Collection, pictures: Path) -> None:
    simulated_visitors.run(site, "colours", to_oklab(SEEN), 0.05, 60, seed=0)
    with site.database.read() as db:
        fits = [stored.get(db, one.id) for one in stored.history(db, warm.id) if one.origin == "fit"]
    assert fits
    assert all(content(fit).axes_from == 30 for fit in fits)
    prior = metadata_of(fits[0].info).prior
    centre = expected_positions(site, warm, prior, fits[0].items, fits[0].embedding.dim).mean
    told, shown = (pdist(positions) for positions in (fits[0].embedding.mean, centre))
    assert np.corrcoef(told, shown)[0, 1] > 0.5  # like pictures are near each other


def test_items_without_a_picture_should_be_at_the_centre(site: Site, tmp_path: Path) -> None:
    (tmp_path / "cards.csv").write_text("title\n" + "".join(f"Card {number}\n" for number in range(5)))
    made = imports.make_collection(site, "cards", "Cards", warm_start="pictures")
    imports.import_source(site, tmp_path / "cards.csv", made)
    assert not feature_positions(site, made, "pictures", 5, 3).any()
    assert searching.start(site, "cards").row.strategy == "random"


@pytest.mark.heavy
def test_a_warm_start_should_work_on_either_database(
    tmp_path: Path, pictures: Path, database_url: str, clock: Clock
) -> None:
    site = Site.open(Settings(home=tmp_path / "home", database_url=database_url, seed=0), clock)
    made = imports.make_collection(site, "colours", "Colours", warm_start="pictures")
    imports.import_source(site, pictures, made)
    simulated_visitors.run(site, "colours", to_oklab(SEEN), 0.05, 64, seed=0)
    now = published(site, site.collection("colours"))
    assert now.info.origin == "fit"
    assert content(now).axes_from == 30
    site.close()
