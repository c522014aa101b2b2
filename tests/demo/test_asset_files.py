"""The files that the demo begins with are of the faces as they are drawn now, and can be made again."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from learn2search import demo
from learn2search.demo import asset_files, make_assets
from learn2search.demo.install import SLUG, install_faces
from learn2search.site.context import Site
from learn2search.site.learning import snapshot
from learn2search.site.settings import Settings


@pytest.mark.heavy
def test_the_thumbnails_should_be_of_the_faces_as_they_are_drawn() -> None:
    assert asset_files.thumbnails_are_current(), "the faces have changed: python -m learn2search.demo thumbnails"
    thumbnails = asset_files.read_thumbnails()
    assert len(thumbnails) == len(demo.faces())
    assert {(len(colours), len(gradients)) for colours, gradients in thumbnails} == {(6 * 8 * 8, 2 * 8 * 8 * 8)}


def test_thumbnails_should_be_cut_from_the_photograph_in_the_order_of_the_faces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sheet on which face i has the colour (i // 256, i % 256, 0)."""
    written: list[str] = []

    def photograph(svgs: list[str]) -> Image.Image:
        rows = -(-len(svgs) // 27)
        numbers = np.arange(27 * rows).reshape(rows, 27)
        pixels = np.stack([numbers // 256, numbers % 256, 0 * numbers], axis=-1).astype(np.uint8)
        return Image.fromarray(pixels.repeat(80, axis=0).repeat(64, axis=1))

    monkeypatch.setattr(make_assets, "drawings", lambda: [""] * len(demo.faces()))
    monkeypatch.setattr(make_assets, "_photograph", photograph)
    monkeypatch.setattr(make_assets, "write_thumbnails", lambda svgs, colours, gradients: written.extend(colours))
    make_assets.make_thumbnails()
    assert written == [f"{number:04x}00" * 64 for number in range(len(demo.faces()))]


@pytest.mark.heavy
def test_a_snapshot_should_be_made_and_installed(tmp_path: Path) -> None:
    make_assets.make_snapshot(tmp_path / "snapshot.npz", n_searches=8)
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=0))
    install_faces(site, with_snapshot=False)
    snapshot.load(site, SLUG, tmp_path / "snapshot.npz")
    assert 0 < site.collection(SLUG).lessons <= 8
    site.close()


@pytest.mark.heavy
def test_the_demo_should_begin_with_its_snapshot(tmp_path: Path) -> None:
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=0))
    install_faces(site, with_snapshot=True)
    assert site.collection(SLUG).lessons == make_assets.SEARCHES
    install_faces(site, with_snapshot=True)  # a second start changes nothing
    assert site.collection(SLUG).lessons == make_assets.SEARCHES
    site.close()
