"""Items that our own code draws. Only these are SVG: a picture from outside is decoded and encoded again."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from learn2search.files import write_atomic
from learn2search.site.catalogue.item_media import Picture, to_json
from learn2search.site.context import Site
from learn2search.site.learning import publishing
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item


class Drawing(NamedTuple):
    """One item to be; `thumbnail_colours` and `thumbnail_gradients` as in `Picture`."""

    key: str
    title: str
    description: str
    svg: str
    thumbnail_colours: str | None = None
    thumbnail_gradients: str | None = None


def add_drawings(site: Site, collection: Collection, drawings: Iterable[Drawing], width: int, height: int) -> None:
    """Fill an empty collection with drawings of this size."""
    folder = site.media.folder(collection.slug)
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number, drawing in enumerate(drawings):
        name = _write(drawing.svg, folder)
        picture = Picture(
            large=name,
            small=name,
            width=width,
            height=height,
            thumbnail_colours=drawing.thumbnail_colours,
            thumbnail_gradients=drawing.thumbnail_gradients,
        )
        made.append(
            Item(
                collection_id=collection.id,
                number=number,
                key=drawing.key,
                title=drawing.title,
                description=drawing.description,
                family="",
                media=to_json(picture),
                digest=name[:32],
                active=True,
                retired_by=None,
                created_at=site.now(),
            )
        )
    site.media.keep(collection.slug, {item.digest + ".svg" for item in made})
    with site.database.write() as db:
        items.add(db, made)
    publishing.cover(site, collection.id)


def _write(svg: str, folder: Path) -> str:
    """Write a drawing under a name made from its content; the name."""
    data = svg.encode()
    name = f"{hashlib.sha256(data).hexdigest()[:32]}.svg"
    write_atomic(folder / name, data)
    return name
