"""A site in a temporary folder, and pictures to put on it."""

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors
from learn2search.site.settings import Settings
from learn2search.store.collections import Collection


class Clock:
    """A clock that goes on by a second whenever it is read: visitors take their time."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0
        self.step = 1.0

    def __call__(self) -> float:
        self.time += self.step
        return self.time


def png(red: int, green: int, blue: int, size: tuple[int, int] = (40, 50)) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", size, (red, green, blue)).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def site(tmp_path: Path, clock: Clock) -> Iterator[Site]:
    site = Site.open(Settings(home=tmp_path / "home", database_url=None, seed=0), clock)
    yield site
    site.close()


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Thirty colours as pictures."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, colour in enumerate(colours(30)):
        (folder / f"colour_{number:02}.png").write_bytes(png(*colour))
    return folder


def colours(count: int) -> list[tuple[int, int, int]]:
    drawn = np.random.default_rng(0).integers(0, 256, (count, 3))
    return [(int(red), int(green), int(blue)) for red, green, blue in drawn]


@pytest.fixture
def collection(site: Site, pictures: Path) -> Collection:
    made = make_collection(site, "colours", "Colours", noun="colour", nouns="colours", show=4, warm_start="nothing")
    import_source(site, pictures, made)
    return site.collection("colours")


@pytest.fixture
def features() -> np.ndarray:
    """What visitors see of the thirty colours."""
    return np.array(colours(30)) / 255.0


@pytest.fixture
def learnt(site: Site, collection: Collection, features: np.ndarray) -> Collection:
    """The collection after forty simulated searches."""
    simulated_visitors.run(site, "colours", features, 0.1, 40, seed=1)
    return site.collection("colours")


@pytest.fixture
def make_png() -> Callable[..., bytes]:
    return png
