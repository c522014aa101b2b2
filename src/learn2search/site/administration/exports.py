"""What an owner can take away: clicks, triplets, positions, items. `EXPORTS` lists the files and what is in each."""

import csv
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from learn2search import Embedding, write_triplets
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import NotFound, Unavailable
from learn2search.site.learning.expected_positions import positions_for
from learn2search.site.studies import study_results, study_setup
from learn2search.store import items, lessons, screens, searches
from learn2search.store.collections import Collection
from learn2search.store.models import Model
from learn2search.store.participants import Study

_CHUNK = 200  # searches that are read at a time
Parts = Iterator[bytes]

SEARCH_COLUMNS = (
    *("id", "model_id", "lessons", "strategy", "show", "status", "target", "questions", "lesson", "quarantine"),
    *("origin", "started_at", "changed_at", "ended_at", "weight", "evidence", "trusted", "to_find", "near", "trial"),
)
STEP_COLUMNS = ("number", "shown", "kind", "chosen", "milliseconds", "shown_at")
SCREEN_COLUMNS = (
    *("id", "anchor", "shown", "chosen", "milliseconds", "answered_at", "lesson", "quarantine", "weight", "evidence"),
    *("trusted", "withdrawn"),
)
TRIPLET_COLUMNS = ("anchor", "near", "far")
COLLECTION_COLUMNS = ("title", "noun", "nouns", "note", "sentences")
TRIAL_COLUMNS = (
    *("study", "participant", "trial", "kind", "target", "found", "questions", "milliseconds", "started", "ended"),
    *("model", "strategy", "search"),
)
STUDY_TRIPLET_COLUMNS = ("study", "participant", "trial", *TRIPLET_COLUMNS)
ITEM_COLUMNS = ("item", "key", "title", "description", "group", "active", "link")


@dataclass(frozen=True)
class Export:
    """A file that can be exported.

    Attributes
    ----------
    columns
        What a row of it holds, `*` standing for the number of an axis. Nothing else leaves the site.
    make
        Gives the content in parts. What goes wrong does so before the first part.
    package
        The package without which it cannot be written.
    """

    media_type: str
    columns: tuple[str, ...]
    make: Callable[[Site, Collection], Parts]
    package: str | None = None


def export(site: Site, collection: Collection, name: str) -> tuple[Parts, str]:
    """The content of a file of `EXPORTS`, in parts, and its media type.

    Raises
    ------
    NotFound
        If there is no export of this name.
    Unavailable
        If there is nothing to export yet, or a package is missing.
    """
    if name not in EXPORTS:
        raise NotFound(f"There is no export “{name}”: {', '.join(EXPORTS)}.")
    return EXPORTS[name].make(site, collection), EXPORTS[name].media_type


def available_exports() -> list[str]:
    """The names of the files that can be written here: their packages are installed."""
    return [name for name, one in EXPORTS.items() if one.package is None or find_spec(one.package) is not None]


def _clicks(site: Site, collection: Collection) -> Parts:
    """One search a line with all its steps, undone ones too."""
    after = ""
    while True:
        with site.database.read() as db:
            rows = searches.page_of_ids(db, collection.id, after, _CHUNK)
            steps = searches.steps_of(db, [row.id for row in rows])
        if not rows:
            return
        after = rows[-1].id
        for row in rows:
            line = _selected(row, SEARCH_COLUMNS) | {"steps": [_selected(step, STEP_COLUMNS) for step in steps[row.id]]}
            yield (json.dumps(line, separators=(",", ":")) + "\n").encode()


def _screens(site: Site, collection: Collection) -> Parts:
    """One screen of teaching a line, those taken back too."""
    after = ""
    while True:
        with site.database.read() as db:
            rows = screens.page_of_ids(db, collection.id, after, _CHUNK)
        if not rows:
            return
        after = rows[-1].id
        for row in rows:
            yield (json.dumps(_selected(row, SCREEN_COLUMNS), separators=(",", ":")) + "\n").encode()


def _selected(row: object, columns: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in columns}


def _triplets(suffix: str) -> Callable[[Site, Collection], Parts]:
    def make(site: Site, collection: Collection) -> Parts:
        with site.database.read() as db:
            rows = lessons.usable_triplets(db, collection.id)[:, :3]
        if len(rows) == 0:
            raise Unavailable("No search has been finished and nothing was taught yet: there are no comparisons.")
        return _file(lambda path: write_triplets(path, rows), suffix)

    return make


def _embedding_npz(site: Site, collection: Collection) -> Parts:
    """Row i is item i, as in the triplets: retired items are where nothing is known about them."""
    known = site.newest_embedding(collection)
    with site.database.read() as db:
        all_items = np.arange(items.next_number(db, collection.id))
    space = known.embedding
    if len(known.items) < len(all_items):
        complete = positions_for(site, collection, Model(known.model.info, known.items, space), all_items)
        space = Embedding(complete.mean, None if space.var is None else complete.var)
    return _file(space.save, ".npz")


def _embedding_csv(site: Site, collection: Collection) -> Parts:
    """One active item a row; an embedding without variances has the variance 0."""
    known = site.newest_embedding(collection)
    space = known.embedding
    variance = np.zeros_like(space.mean) if space.var is None else space.var
    header = ["item", *(f"mean_{axis}" for axis in range(space.dim)), *(f"var_{axis}" for axis in range(space.dim))]
    rows = ([int(number), *mean, *var] for number, mean, var in zip(known.items, space.mean, variance, strict=True))
    return _table(header, rows)


def _items(site: Site, collection: Collection) -> Parts:
    with site.database.read() as db:
        found = items.all_items(db, collection.id)
    rows = ([one.number, one.key, one.title, one.description, one.family, one.active, one.link] for one in found)
    return _table(ITEM_COLUMNS, rows)


def _collection(site: Site, collection: Collection) -> Parts:
    """What the owner has written for the collection as a whole."""
    words = options_of(collection).model_dump(include=set(COLLECTION_COLUMNS))
    yield json.dumps({"title": collection.title} | words, ensure_ascii=False, indent=2).encode()


def trials(site: Site, studies: Sequence[Study]) -> Parts:
    """What the participants of studies did, one trial a row."""
    return _table(TRIAL_COLUMNS, study_results.trial_rows(site, studies))


def _trials(site: Site, collection: Collection) -> Parts:
    return trials(site, study_setup.studies_of(site, collection))


def _study_triplets(site: Site, collection: Collection) -> Parts:
    return _table(STUDY_TRIPLET_COLUMNS, study_results.triplet_rows(site, study_setup.studies_of(site, collection)))


def _table(header: Iterable[str], rows: Iterable[list[Any]]) -> Parts:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    yield text.getvalue().encode()


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets a quote in front."""
    return "'" + value if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t") else value


def _file(write: Callable[[Path], None], suffix: str) -> Parts:
    """What a function writes to a file. It is written at once, so that errors come before anything is sent."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"export{suffix}"
        try:
            write(path)
        except ValueError as error:  # a format that needs a package which is not there
            raise Unavailable(f"It cannot be written: {error}") from error
        return iter([path.read_bytes()])


_BINARY = "application/octet-stream"
EXPORTS: dict[str, Export] = {
    "clicks.jsonl": Export("application/x-ndjson", (*SEARCH_COLUMNS, "steps"), _clicks),
    "teaching.jsonl": Export("application/x-ndjson", SCREEN_COLUMNS, _screens),
    "triplets.csv": Export("text/csv", TRIPLET_COLUMNS, _triplets(".csv")),
    "triplets.npz": Export(_BINARY, TRIPLET_COLUMNS, _triplets(".npz")),
    "triplets.parquet": Export(_BINARY, TRIPLET_COLUMNS, _triplets(".parquet"), package="pyarrow"),
    "embedding.npz": Export(_BINARY, ("mean", "var"), _embedding_npz),
    "embedding.csv": Export("text/csv", ("item", "mean_*", "var_*"), _embedding_csv),
    "items.csv": Export("text/csv", ITEM_COLUMNS, _items),
    "collection.json": Export("application/json", COLLECTION_COLUMNS, _collection),
    "trials.csv": Export("text/csv", TRIAL_COLUMNS, _trials),
    "study_triplets.csv": Export("text/csv", STUDY_TRIPLET_COLUMNS, _study_triplets),
}
