"""Items that our own code draws. Only these are SVG: what comes from outside is decoded and encoded anew."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from learn2search.files import write_atomic
from learn2search.site.context import Site
from learn2search.site.learning import publishing
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item


class Drawing(NamedTuple):
    """One item: its key, its words, the drawing, and how it looks (`looks.py`), if that is known."""

    key: str
    title: str
    description: str
    svg: str
    look: str | None = None


def add_drawings(site: Site, collection: Collection, drawings: Iterable[Drawing], width: int, height: int) -> None:
    """Fill an empty collection with drawings."""
    folder = site.settings.media / collection.slug
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number, drawing in enumerate(drawings):
        name = _write(drawing.svg, folder)
        media: dict[str, Any] = {"kind": "picture", "large": name, "small": name, "width": width, "height": height}
        if drawing.look is not None:
            media["look"] = drawing.look
        words = (drawing.key, drawing.title, drawing.description, "", media, name[:32])
        made.append(Item(collection.id, number, *words, True, None, site.now()))
    with site.database.write() as db:
        items.add(db, made)
    publishing.cover(site, collection.id)


def _write(svg: str, folder: Path) -> str:
    data = svg.encode()
    name = f"{hashlib.sha256(data).hexdigest()[:32]}.svg"
    write_atomic(folder / name, data)
    return name
