"""Everything can be taken away: clicks, triplets, positions, items."""

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from learn2search import Embedding, write_triplets
from learn2search.site.context import Site
from learn2search.site.errors import NotFound, Unavailable
from learn2search.site.learning.expected_positions import positions_for
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.store import items, lessons, searches
from learn2search.store.collections import Collection
from learn2search.store.models import Model

_CHUNK = 200  # searches
Parts = Iterator[bytes]


def export(site: Site, collection: Collection, name: str) -> tuple[Parts, str]:
    """The content of a file by its name, in parts, and its media type."""
    if name not in EXPORTS:
        raise NotFound(f"There is no export “{name}”: {', '.join(EXPORTS)}.")
    make, kind = EXPORTS[name]
    return make(site, collection), kind


def _clicks(site: Site, collection: Collection) -> Parts:
    """One search a line, with every step, undone ones too."""
    after = ""
    while True:
        with site.database.read() as db:
            rows = searches.page_of_ids(db, collection.id, after, _CHUNK)
            steps = searches.steps_of(db, [row.id for row in rows])
        if not rows:
            return
        after = rows[-1].id
        for row in rows:
            told = {name: value for name, value in vars(row).items() if name not in ("collection_id", "visitor")}
            told["steps"] = [_step(vars(step)) for step in steps[row.id]]
            yield (json.dumps(told, separators=(",", ":")) + "\n").encode()


def _step(step: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in step.items() if name not in ("fits", "likely")}


def _triplets(suffix: str) -> Callable[[Site, Collection], Parts]:
    def make(site: Site, collection: Collection) -> Parts:
        with site.database.read() as db:
            rows = lessons.teaching(db, collection.id)[:, :3]
        if len(rows) == 0:
            raise Unavailable("No search has been finished yet: there are no comparisons.")
        return _file(lambda path: write_triplets(path, rows), suffix)

    return make


def _embedding_npz(site: Site, collection: Collection) -> Parts:
    """Row i is item i, as in the triplets: items that are retired are where nothing is known of them."""
    known = _knowledge(site, collection)
    with site.database.read() as db:
        everything = np.arange(items.next_number(db, collection.id))
    space = known.embedding
    if len(known.items) < len(everything):
        whole = positions_for(site, collection, Model(known.model.info, known.items, space), everything)
        space = Embedding(whole.mean, None if space.var is None else whole.var)
    return _file(space.save, ".npz")


def _embedding_csv(site: Site, collection: Collection) -> Parts:
    known = _knowledge(site, collection)
    space: Embedding = known.embedding
    variance = np.zeros_like(space.mean) if space.var is None else space.var
    header = ["item", *(f"mean_{a}" for a in range(space.dim)), *(f"var_{a}" for a in range(space.dim))]
    rows = ([int(number), *mean, *var] for number, mean, var in zip(known.items, space.mean, variance, strict=True))
    return _table(header, rows)


def _items(site: Site, collection: Collection) -> Parts:
    with site.database.read() as db:
        found = items.all_items(db, collection.id)
    header = ["item", "key", "title", "description", "group", "active"]
    return _table(header, ([one.number, one.key, one.title, one.description, one.family, one.active] for one in found))


def _knowledge(site: Site, collection: Collection) -> EmbeddingAt:
    if collection.model_id is None:
        raise Unavailable(f"“{collection.title}” has no items yet.")
    return site.models.embedding_at(collection.model_id, site.models.newest(collection.model_id, collection.lessons))


def _table(header: list[str], rows: Iterator[list[Any]]) -> Parts:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    yield text.getvalue().encode()


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets a quote in front."""
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def _file(write: Callable[[Path], None], suffix: str) -> Parts:
    """What a function writes to a file. It is written at once: what goes wrong is told before anything is sent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"export{suffix}"
        try:
            write(path)
        except ValueError as error:  # a format that needs a package which is not there
            raise Unavailable(f"It cannot be written: {error}") from error
        return iter([path.read_bytes()])


EXPORTS: dict[str, tuple[Callable[[Site, Collection], Parts], str]] = {
    "clicks.jsonl": (_clicks, "application/x-ndjson"),
    "triplets.csv": (_triplets(".csv"), "text/csv"),
    "triplets.npz": (_triplets(".npz"), "application/octet-stream"),
    "triplets.parquet": (_triplets(".parquet"), "application/octet-stream"),
    "embedding.npz": (_embedding_npz, "application/octet-stream"),
    "embedding.csv": (_embedding_csv, "text/csv"),
    "items.csv": (_items, "text/csv"),
}
