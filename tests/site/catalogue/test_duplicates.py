"""Pictures that are much alike: found among few by all pairs, among many by their neighbours."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from learn2search.site.catalogue import duplicates
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.store.collections import Collection


def noise(seed: int, quality: int = 95) -> bytes:
    """A picture of 12 × 12 random fields."""
    fields = np.random.default_rng(seed).integers(0, 256, (12, 12, 3)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(fields).resize((240, 240), Image.Resampling.NEAREST).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()


@pytest.fixture
def pictures_with_two_pairs(site: Site, tmp_path: Path) -> Collection:
    folder = tmp_path / "noise"
    folder.mkdir()
    for seed in range(12):
        (folder / f"{seed:02}.jpg").write_bytes(noise(seed))
    (folder / "03 again.jpg").write_bytes(noise(3, quality=40))
    (folder / "07 again.jpg").write_bytes(noise(7, quality=80))
    made = make_collection(site, "noise", "Noise", warm_start="nothing")
    import_source(site, folder, made)
    return site.collection("noise")


def test_copies_should_be_found_and_nothing_else(site: Site, pictures_with_two_pairs: Collection) -> None:
    found = duplicates.find_duplicates(site, pictures_with_two_pairs)
    pairs = [(pair.first.title, pair.second.title) for pair in found.pairs]
    assert sorted(pairs) == [("03 again", "03"), ("07 again", "07")]
    assert pairs[0] == ("07 again", "07"), "the better copy is more alike"
    assert (found.compared, found.exact) == (14, True)
    assert 94 <= found.pairs[1].percent_alike < found.pairs[0].percent_alike < 100


def test_among_many_neighbours_should_find_the_same(
    site: Site, pictures_with_two_pairs: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_pairs = duplicates.find_duplicates(site, pictures_with_two_pairs)
    monkeypatch.setattr(duplicates, "EXACT", 5)
    found = duplicates.find_duplicates(site, pictures_with_two_pairs)
    assert not found.exact
    assert found.pairs == all_pairs.pairs


def test_the_work_should_not_grow_with_the_square() -> None:
    """Of n rows each is compared with at most 48 others; copies are found nonetheless."""
    rng = np.random.default_rng(0)
    colours = rng.uniform(size=(6000, 192)) / 8
    copies = rng.choice(6000, (100, 2), replace=False)
    colours[copies[:, 0]] = colours[copies[:, 1]] + rng.normal(0, 0.0002, (100, 192))
    found = {(a, b) for _, a, b in duplicates._neighbours(colours)}
    wanted = {tuple(sorted(pair)) for pair in copies.tolist()}
    assert len(wanted & found) >= 95
    assert found <= wanted


def test_few_or_no_pictures_should_have_no_pairs(site: Site) -> None:
    empty = make_collection(site, "empty", "Empty")
    assert duplicates.find_duplicates(site, empty) == duplicates.Duplicates((), 0, True)
