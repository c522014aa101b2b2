"""The demo's collection on a site: the drawn faces, and what simulated visitors have taught about them."""

from __future__ import annotations

from learn2search import demo
from learn2search.demo.asset_files import SNAPSHOT, read_thumbnails
from learn2search.progress import track
from learn2search.site.catalogue.drawings import Drawing, add_drawings
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.learning import snapshot
from learn2search.store import collections
from learn2search.typing import Array

SLUG, TITLE = "faces", "Drawn faces"
DIMENSIONS = 16
SHOW = 4  # as the simulated visitors of the snapshot were shown
WIDTH, HEIGHT = 400, 500  # of a drawing, in pixels
_NOTE = "A demonstration, first taught by simulated visitors. Your answers join theirs."
_NOTE_WITHOUT_SNAPSHOT = "A demonstration that knows nothing yet: your answers teach it."


def install_faces(site: Site, *, with_snapshot: bool, warm_start: str = "nothing") -> None:
    """Make the collection of faces on a site that does not have it yet; an existing one is left alone.

    Parameters
    ----------
    with_snapshot
        Begin with the searches and models of the simulated visitors, instead of knowing nothing.
    warm_start
        As in `Options`.
    """
    with site.database.read() as db:
        known = collections.by_slug(db, SLUG)
    if known is not None and known.model_id is not None:
        return
    options = {"noun": "face", "nouns": "faces", "shape": "tall", "dimensions": DIMENSIONS, "warm_start": warm_start}
    options |= {"show": SHOW}
    note = _NOTE if with_snapshot else _NOTE_WITHOUT_SNAPSHOT
    collection = make_collection(site, SLUG, TITLE, note=note, **options)
    faces = demo.faces()
    titles, thumbnails = demo.titles(faces), read_thumbnails()
    numbers = track(range(len(faces)), "Drawing the faces", len(faces))
    drawings = (_drawing(number, faces[number], titles[number], thumbnails[number]) for number in numbers)
    add_drawings(site, collection, drawings, WIDTH, HEIGHT)
    if with_snapshot:
        snapshot.load(site, SLUG, SNAPSHOT)


def _drawing(number: int, face: Array, title: str, thumbnails: tuple[str, str]) -> Drawing:
    key = f"face-{number:03}"
    return Drawing(key, title, demo.describe(face), demo.draw(face, f"{key}-"), *thumbnails)
