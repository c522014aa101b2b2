"""How the files of the demo are made. Run these when the faces, the searches or the trainer have changed."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from learn2search import demo
from learn2search.demo.asset_files import SNAPSHOT, drawings, write_thumbnails
from learn2search.demo.install import SLUG, install_faces
from learn2search.progress import bar
from learn2search.site.catalogue.features.picture_features import (
    gradient_histograms,
    gradients_to_hex,
    thumbnail_colours,
)
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors, snapshot
from learn2search.site.settings import Settings

NOISE = 0.5  # of the simulated visitors, in units of `similarity_features`
SEARCHES = 2000
_WIDTH, _HEIGHT, _COLUMNS = 64, 80, 27  # of a face on the sheet, in pixels; faces in a row
_STYLE = f"*{{margin:0;font-size:0}}svg{{width:{_WIDTH}px;height:{_HEIGHT}px;vertical-align:top}}"


def make_snapshot(path: Path = SNAPSHOT, n_searches: int = SEARCHES, seed: int = 0) -> None:
    """Let simulated visitors search the faces on a temporary site, and keep what it has learnt."""
    features = demo.similarity_features(demo.faces())
    with tempfile.TemporaryDirectory() as folder, bar("Simulated visitors", n_searches) as show:
        site = Site.open(Settings(home=Path(folder), database_url=None, seed=seed))
        install_faces(site, with_snapshot=False)
        simulated_visitors.run(site, SLUG, features, NOISE, n_searches, seed, on_progress=show)
        snapshot.save(site, SLUG, path)
        site.close()


def make_thumbnails() -> None:
    """Photograph all faces with Chromium, since nothing else here draws SVG, and keep what they look like."""
    svgs = drawings()
    sheet = _photograph(svgs)
    corners = [(_WIDTH * (number % _COLUMNS), _HEIGHT * (number // _COLUMNS)) for number in range(len(svgs))]
    faces = [sheet.crop((left, top, left + _WIDTH, top + _HEIGHT)) for left, top in corners]
    gradients = [gradients_to_hex(gradient_histograms(face)) for face in faces]
    write_thumbnails(svgs, [thumbnail_colours(face) for face in faces], gradients)


def _photograph(svgs: Sequence[str]) -> Image.Image:
    """All drawings on one sheet, in rows."""
    from playwright.sync_api import sync_playwright

    rows = -(-len(svgs) // _COLUMNS)
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": _WIDTH * _COLUMNS, "height": _HEIGHT * rows})
        page.set_content(f"<style>{_STYLE}</style>{''.join(svgs)}")
        photograph = page.screenshot()
        browser.close()
    return Image.open(io.BytesIO(photograph)).convert("RGB")
