"""The features of a collection: of pictures by default, of texts and sounds when asked for, of an encoder if given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

from learn2search import demo
from learn2search.demo.install import SLUG, install_faces
from learn2search.progress import track
from learn2search.site.catalogue.features.encoder import open_encoder
from learn2search.site.catalogue.features.picture_features import N_GRADIENTS
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.catalogue.item_features import feature_source, item_features
from learn2search.site.catalogue.options import EncoderFile, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning.metadata import ModelMetadata, metadata_of
from learn2search.site.visits import searching
from learn2search.store.collections import Collection
from tests.site.catalogue.features import networks

N_COLOURS = 3 * 8 * 8


@pytest.fixture
def stripes(tmp_path: Path) -> Path:
    """Twelve pictures of stripes: six colours, each with stripes that lie and with stripes that stand."""
    folder = tmp_path / "stripes"
    folder.mkdir()
    for number in range(12):
        pixels = np.zeros((64, 64, 3), np.uint8)
        pixels[:, :] = 40 * (number // 2)
        (pixels if number % 2 else pixels.transpose(1, 0, 2))[::8] = 255
        Image.fromarray(pixels.repeat(4, axis=0).repeat(4, axis=1)).save(folder / f"{number:02}.png")
    return folder


def imported(site: Site, source: Path, **options: Any) -> Collection:
    import_source(site, source, make_collection(site, "things", "Things", **options), track)
    return site.collection("things")


def metadata(site: Site, collection: Collection) -> ModelMetadata:
    return metadata_of(site.models.model(site.published_model_id(collection)).info)


def features_of(site: Site, collection: Collection) -> np.ndarray:
    source = feature_source(collection)
    assert source is not None
    return item_features(site, collection, source)


def encoder_options(path: Path) -> dict[str, Any]:
    opened = open_encoder(path)
    return {
        "warm_start": "encoder",
        "encoder": EncoderFile(path=str(path), kind=opened.description.kind, digest=opened.digest),
    }


def cached(site: Site) -> list[Path]:
    return sorted(site.settings.features.rglob("*.npz"))


# --- what items show -------------------------------------------------------------------------------


def test_pictures_should_be_placed_by_default(site: Site, stripes: Path) -> None:
    made = imported(site, stripes)
    assert options_of(made).warm_start == "pictures"
    found = features_of(site, made)
    assert found.shape == (12, N_COLOURS + N_GRADIENTS)
    edges = found[:, N_COLOURS:]
    same = np.linalg.norm(edges[2:12:2] - edges[0], axis=1)
    other = np.linalg.norm(edges[1:12:2] - edges[0], axis=1)
    assert same.max() < other.min()  # stripes of one direction are alike, whatever their colour
    prior = metadata(site, made).prior
    assert prior.content is not None
    assert (prior.content.source, prior.content.axes_from) == ("pictures", 12)
    assert searching.start(site, "things").row.strategy == "sampled"


def test_it_can_be_turned_off_and_existing_collections_should_keep_what_they_have(site: Site, stripes: Path) -> None:
    made = imported(site, stripes, warm_start="nothing")
    assert feature_source(made) is None
    assert metadata(site, made).knows_nothing
    assert metadata(site, imported(site, stripes)).knows_nothing  # a later import without a word about it
    on = imported(site, stripes, warm_start="pictures")
    assert metadata(site, on).knows_features
    off = imported(site, stripes, warm_start="nothing")
    assert metadata(site, off).knows_nothing  # no answer has come yet, so nothing is lost


def test_features_should_be_computed_once(site: Site, stripes: Path) -> None:
    made = imported(site, stripes)
    before = features_of(site, made)
    files = cached(site)
    assert len(files) == 1
    stamp = files[0].stat().st_mtime_ns
    np.testing.assert_array_equal(features_of(site, made), before)
    assert cached(site)[0].stat().st_mtime_ns == stamp
    files[0].unlink()  # a cache: what is missing is computed again
    np.testing.assert_array_equal(features_of(site, made), before)


def test_new_items_should_leave_the_features_of_the_first_alone(
    site: Site, stripes: Path, make_png: Callable[..., bytes]
) -> None:
    before = features_of(site, imported(site, stripes))
    (stripes / "99.png").write_bytes(make_png(200, 30, 60))
    after = item_features(site, imported(site, stripes), "pictures", first=12)
    assert len(after) == 13
    np.testing.assert_allclose(after[:12], before, atol=1e-12)


def test_text_cards_should_say_nothing_unless_asked(site: Site, tmp_path: Path) -> None:
    lines = [f"{kind} {number},a {kind} of {place}" for kind in ("wine", "tea") for number, place in enumerate("xyz")]
    (tmp_path / "cards.csv").write_text("title,description\n" + "\n".join(lines))
    made = imported(site, tmp_path / "cards.csv")
    assert metadata(site, made).knows_nothing
    version = site.published_model_id(made)
    assert site.published_model_id(imported(site, tmp_path / "cards.csv")) == version  # and nothing new is published
    asked = imported(site, tmp_path / "cards.csv", warm_start="content")
    found = features_of(site, asked)
    assert (found[:3] @ found[:3].T).min() > (found[:3] @ found[3:].T).max()
    assert metadata(site, asked).knows_features


def test_a_mixed_collection_should_use_what_each_item_has(site: Site, tmp_path: Path, stripes: Path) -> None:
    for number, hertz in enumerate((300, 310, 3000)):
        tone = 0.5 * np.sin(2 * np.pi * hertz * np.arange(8000) / 16_000)
        wavfile.write(stripes / f"tone-{number}.wav", 16_000, (32_767 * tone).astype(np.int16))
    (stripes / "unheard.mp3").write_bytes(b"ID3" + bytes(100))
    for name, text in {"p": "old port", "q": "old wine", "r": "new wine"}.items():
        (stripes / f"{name}.txt").write_text(text)
    made = imported(site, stripes, warm_start="content")
    keys = sorted(path.name for path in stripes.iterdir())
    found = dict(zip(keys, features_of(site, made), strict=True))
    assert not found["unheard.mp3"].any()
    low, close, high = (found[f"tone-{number}.wav"] for number in range(3))
    assert np.linalg.norm(low - close) < np.linalg.norm(low - high)
    used = {name: set(np.flatnonzero(row).tolist()) for name, row in found.items()}
    kinds = [used[name] for name in ("00.png", "p.txt", "tone-0.wav")]
    assert all(kinds)
    assert len(set.union(*kinds)) == sum(map(len, kinds))  # each kind has columns of its own


@pytest.mark.heavy
def test_the_faces_of_the_demo_should_have_colours_and_edges(site: Site) -> None:
    install_faces(site, with_snapshot=False)
    assert metadata(site, site.collection(SLUG)).knows_nothing  # the demo is as it was
    found = item_features(site, site.collection(SLUG), "pictures")
    assert found.shape == (513, N_COLOURS + N_GRADIENTS)
    rng, truth = np.random.default_rng(0), demo.similarity_features(demo.faces())
    a, b, c = rng.integers(0, 513, (3, 20_000))
    right = [(nearer(one, a, b, c) == nearer(truth, a, b, c)).mean() for one in (found[:, :N_COLOURS], found)]
    assert right == pytest.approx([0.688, 0.714], abs=0.015)  # recorded; a standard error is 0.003


def nearer(features: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Is b nearer to a than c is?"""
    return np.linalg.norm(features[a] - features[b], axis=1) < np.linalg.norm(features[a] - features[c], axis=1)


# --- encoders --------------------------------------------------------------------------------------


def test_an_encoder_should_place_pictures(site: Site, pictures: Path, tmp_path: Path) -> None:
    network = networks.mean_colour(tmp_path / "model.onnx")
    made = imported(site, pictures, **encoder_options(network))
    found = features_of(site, made)
    assert found.shape == (30, 3)
    seen = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0
    expected = (seen - seen.mean(axis=0)) / np.sqrt(seen.var(axis=0).sum())
    np.testing.assert_allclose(found, expected, atol=0.03)  # what WebP leaves of a colour
    assert metadata(site, made).knows_features


def test_an_encoder_that_is_gone_should_stop_nothing(
    site: Site, pictures: Path, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    network = networks.mean_colour(tmp_path / "model.onnx")
    made = imported(site, pictures, **encoder_options(network))
    before = features_of(site, made)
    network.unlink()
    np.testing.assert_array_equal(features_of(site, made), before)  # they are in the cache
    (pictures / "new.png").write_bytes(make_png(1, 2, 3))
    import_source(site, pictures, made)
    now = item_features(site, made, feature_source(made), first=30)
    np.testing.assert_allclose(now[:30], before)
    assert not now[30].any()  # at the mean
    with pytest.raises(Invalid, match="is not there"):  # who imports by hand is told
        imported(site, pictures)
    assert len(site.models.covered(site.published_model_id(site.collection("things")))) == 31  # and it is searched


def test_another_encoder_should_count_while_nothing_is_taught(site: Site, pictures: Path, tmp_path: Path) -> None:
    first = imported(site, pictures)
    network = networks.mean_colour(tmp_path / "model.onnx")
    second = imported(site, pictures, **encoder_options(network))
    assert metadata(site, second).prior.content != metadata(site, first).prior.content
    networks.describe(network, 'kind = "picture"\nsize = 8\n')  # another description, so another encoder
    site.settings.features.rename(tmp_path / "moved")
    with pytest.raises(Invalid, match="another encoder now"):
        imported(site, pictures)


def test_a_text_encoder_should_read_the_words_of_all_items(site: Site, pictures: Path, tmp_path: Path) -> None:
    (pictures / "yes.txt").write_text("yes")
    made = imported(site, pictures, **encoder_options(networks.string_lengths(tmp_path / "words.onnx")))
    found = features_of(site, made)
    assert found.argmax() == 30
    assert len(np.unique(found[:30])) == 1
