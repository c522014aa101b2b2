"""What a collection has learnt as one small file, so that a copy of it can begin there: the demo does.

The file holds the searches (targets, questions, clicks) and the models, in arrays.
"""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from learn2search import Embedding
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning.simulated_visitors import finished_row, write_searches
from learn2search.store import collections, items, models, searches
from learn2search.store.collections import Collection
from learn2search.store.searches import SearchRow, StepRow
from learn2search.typing import Arrays, Items

_FORMAT = "learn2search.taught 1"
_CHUNK = 500
_NOBODY = -1  # stands for "can't tell", and for a place without an item


def save(site: Site, slug: str, path: Path) -> None:
    """Write what the finished searches of a collection have taught."""
    collection = site.collection(slug)
    rows, steps = _finished(site, collection)
    asked = [step for row in rows for step in steps[row.id]]
    shown = np.full((len(asked), max(len(step.shown) for step in asked)), _NOBODY, np.int16)
    for at, step in enumerate(asked):
        shown[at, : len(step.shown)] = step.shown
    with site.database.read() as db:
        infos = models.history(db, collection.id)[::-1]
        made = [models.get(db, info.id) for info in infos]
        size = len(items.active_numbers(db, collection.id))
    version = {info.id: info.version for info in infos}
    arrays: Arrays = {
        "format": np.array(_FORMAT),
        "size": np.array(size),
        "targets": np.array([row.target for row in rows], np.int16),
        "lengths": np.array([len(steps[row.id]) for row in rows], np.int16),
        "began": np.array([(version[row.model_id], row.lessons) for row in rows], np.int32),
        "random": np.array([row.strategy == "random" for row in rows]),
        "shown": shown,
        "chosen": np.array([_NOBODY if step.chosen is None else step.chosen for step in asked], np.int16),
        "models": np.array(json.dumps([_told(one.info) for one in made])),
    }
    for one in made:
        arrays[f"mean_{one.info.version}"] = one.embedding.mean.astype(np.float16)
        arrays[f"var_{one.info.version}"] = np.asarray(one.embedding.var).astype(np.float16)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    path.write_bytes(buffer.getvalue())


def _finished(site: Site, collection: Collection) -> tuple[list[SearchRow], dict[str, list[StepRow]]]:
    with site.database.read() as db:
        every = searches.latest_found(db, collection.id, 10**9)[::-1]
        steps: dict[str, list[StepRow]] = {}
        for start in range(0, len(every), _CHUNK):
            steps |= searches.steps_of(db, [row.id for row in every[start : start + _CHUNK]])
    return every, steps


def _told(info: models.ModelInfo) -> dict[str, Any]:
    kept = ("version", "origin", "published", "trained_up_to", "triplets", "noise", "metrics")
    return {name: getattr(info, name) for name in kept}


def load(site: Site, slug: str, path: Path) -> None:
    """Teach a collection that has learnt nothing yet what the file holds."""
    collection = site.collection(slug)
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    with site.database.read() as db:
        numbers = np.array(items.active_numbers(db, collection.id), np.int64)
    if str(arrays["format"]) != _FORMAT or int(arrays["size"]) != len(numbers) or collection.lessons:
        raise Invalid(f"{path.name} does not fit the collection “{collection.title}”.")
    versions = _load_models(site, collection, numbers, arrays)
    _load_searches(site, collection, arrays, versions)
    site.forget()


def _load_models(site: Site, collection: Collection, numbers: Items, arrays: Arrays) -> dict[int, int]:
    """Write the models and publish the last one; their ids by version in the file."""
    ids: dict[int, int] = {}
    with site.database.write() as db:
        for told in json.loads(str(arrays["models"])):
            version = told.pop("version")
            if told["origin"] == "start" and collection.model_id is not None:
                ids[version] = collection.model_id
                continue
            mean, var = (arrays[f"{name}_{version}"].astype(np.float64) for name in ("mean", "var"))
            space = Embedding(mean, np.maximum(var, 1e-6))
            made = models.add(
                db,
                collection_id=collection.id,
                parent_id=max(ids.values(), default=None),
                items=numbers,
                embedding=space,
                now=site.now(),
                **told,
            )
            ids[version] = made.info.id
            if told["published"]:
                collections.swap_model(db, collection.id, collections.by_id(db, collection.id).model_id, made.info.id)
    return ids


def _load_searches(site: Site, collection: Collection, arrays: Arrays, versions: dict[int, int]) -> None:
    lengths, targets = arrays["lengths"].tolist(), arrays["targets"].tolist()
    shown, chosen = arrays["shown"].tolist(), arrays["chosen"].tolist()
    told, at = [], 0
    for place, (length, target) in enumerate(zip(lengths, targets, strict=True)):
        version, lessons = arrays["began"][place].tolist()
        steps = [
            _step(number, shown[row], chosen[row], number == length)
            for number, row in enumerate(range(at, at + length), start=1)
        ]
        at += length
        strategy = "random" if arrays["random"][place] else "sampled"
        told.append((finished_row(collection, versions[version], lessons, target, length, strategy), steps))
    write_searches(site, collection, told)


def _step(number: int, shown: list[int], chosen: int, last: bool) -> StepRow:
    items_shown = tuple(item for item in shown if item != _NOBODY)
    kind = "found" if last else "none" if chosen == _NOBODY else "choice"
    return StepRow(number, items_shown, kind, None if chosen == _NOBODY else chosen, None, 0.0, 0.0, ())
