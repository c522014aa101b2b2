"""The demo's collection: drawn once, and taught by what simulated visitors did."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from learn2search import demo
from learn2search.progress import bar, track
from learn2search.site.catalogue.drawings import Drawing, add_drawings
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors
from learn2search.site.learning import snapshot as taught_files
from learn2search.site.settings import Settings
from learn2search.store import collections
from learn2search.typing import Array

SLUG, TITLE = "faces", "Drawn faces"
DIMENSIONS = 16
NOISE = 0.5  # of the simulated visitors, in units of what they perceive
SEARCHES = 2000
SNAPSHOT = Path(__file__).parent / "assets" / "snapshot.npz"
THUMBNAIL_COLOURS = Path(__file__).parent / "assets" / "thumbnail_colours.npz"
WIDTH, HEIGHT = 400, 500
_NOTE = "A demonstration, first taught by simulated visitors. Your answers join theirs."
_UNTAUGHT = "A demonstration that knows nothing yet: your answers teach it."


def perceived() -> Array:
    """What a simulated visitor sees of the faces."""
    return np.asarray(demo.similarity_features(demo.faces()))


def looks() -> list[str]:
    """What a warm start sees of the drawings: 8 × 8 colours each, from a photograph, since nothing here draws SVG."""
    with np.load(THUMBNAIL_COLOURS, allow_pickle=False) as file:
        return [row.tobytes().hex() for row in file["looks"]]


def make_faces(site: Site, *, taught: bool, warm_start: str = "nothing") -> None:
    """The collection, made at the first start and left alone later."""
    with site.database.read() as db:
        known = collections.by_slug(db, SLUG)
    if known is not None and known.model_id is not None:
        return
    options = {"noun": "face", "nouns": "faces", "shape": "tall", "dimensions": DIMENSIONS, "warm_start": warm_start}
    collection = make_collection(site, SLUG, TITLE, note=_NOTE if taught else _UNTAUGHT, **options)
    faces = demo.faces()
    titles, seen = demo.titles(faces), looks()
    steps = track(range(len(faces)), "Drawing the faces", len(faces))
    drawings = (_drawing(number, faces[number], titles[number], seen[number]) for number in steps)
    add_drawings(site, collection, drawings, WIDTH, HEIGHT)
    if taught:
        taught_files.load(site, SLUG, SNAPSHOT)


def _drawing(number: int, face: Array, title: str, look: str) -> Drawing:
    key = f"face-{number:03}"
    return Drawing(key, title, demo.describe(face), demo.draw(face, f"{key}-"), look)


def teach_anew(site: Site, searches: int, seed: int = 0) -> None:
    """Make the snapshot: run this when the faces, the searches or the trainer have changed."""
    make_faces(site, taught=False)
    with bar("Teaching", searches) as show:
        simulated_visitors.teach(site, SLUG, perceived(), NOISE, searches, seed, show)
    taught_files.save(site, SLUG, SNAPSHOT)


def main() -> None:
    """`python -m learn2search.demo.install`: teach the faces anew, in a folder of its own, and keep the file."""
    with tempfile.TemporaryDirectory() as folder:
        site = Site.open(Settings(home=Path(folder), database_url=None, seed=0))
        teach_anew(site, SEARCHES)
        site.close()


if __name__ == "__main__":
    main()
