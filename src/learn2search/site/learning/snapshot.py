"""What a collection has learnt, as one small file from which a copy of the collection can begin: the demo does.

The file holds the finished searches (targets, questions, choices) and all models of the collection, as arrays.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from learn2search import Embedding
from learn2search.files import read_npz, write_npz
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning.recorded_searches import RecordedSearch, recorded_step, write_searches
from learn2search.store import collections, items, models, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin
from learn2search.store.models import Model, ModelInfo
from learn2search.store.searches import SearchRow, StepRow
from learn2search.typing import Arrays, Items

_FORMAT, _VERSION = "learn2search.snapshot", 2
_ARRAYS = ("size", "targets", "lengths", "began", "random", "weighed", "shown", "chosen", "models")
_MODEL_FIELDS = ("version", "origin", "published", "trained_up_to", "triplets", "noise", "metrics")
_CHUNK = 500  # searches whose steps are read at a time
_NO_ITEM = -1  # fills up short questions; as a choice it means "can't tell"


def save(site: Site, slug: str, path: Path) -> None:
    """Write the finished searches and the models of a collection to a file."""
    collection = site.collection(slug)
    rows, steps = _finished(site, collection)
    with site.database.read() as db:
        history = [models.get(db, info.id) for info in models.history(db, collection.id)[::-1]]
        size = len(items.active_numbers(db, collection.id))
    arrays = {"size": np.array(size)} | _search_arrays(rows, steps, history) | _model_arrays(history)
    write_npz(path, _FORMAT, _VERSION, arrays, compress=True)


def _finished(site: Site, collection: Collection) -> tuple[list[SearchRow], dict[str, list[StepRow]]]:
    """All searches that were found, the oldest first, and their steps."""
    with site.database.read() as db:
        rows = searches.latest_found(db, collection.id, 10**9)[::-1]
        steps: dict[str, list[StepRow]] = {}
        for start in range(0, len(rows), _CHUNK):
            steps |= searches.steps_of(db, [row.id for row in rows[start : start + _CHUNK]])
    return rows, steps


def _search_arrays(rows: list[SearchRow], steps: dict[str, list[StepRow]], history: list[Model]) -> Arrays:
    """One row a search, and one row a question: shown `(questions, k)`, chosen `(questions,)`."""
    version = {model.info.id: model.info.version for model in history}
    asked = [step for row in rows for step in steps[row.id]]
    shown = np.full((len(asked), max(len(step.shown) for step in asked)), _NO_ITEM, np.int16)
    for at, step in enumerate(asked):
        shown[at, : len(step.shown)] = step.shown
    return {
        "targets": np.array([row.target for row in rows], np.int16),
        "lengths": np.array([len(steps[row.id]) for row in rows], np.int16),
        "began": np.array([(version[row.model_id], row.lessons) for row in rows], np.int32),
        "random": np.array([row.strategy == "random" for row in rows]),
        "weighed": np.array([(row.weight, row.evidence) for row in rows], np.float32),  # None becomes NaN
        "shown": shown,
        "chosen": np.array([_NO_ITEM if step.chosen is None else step.chosen for step in asked], np.int16),
    }


def _model_arrays(history: list[Model]) -> Arrays:
    arrays: Arrays = {"models": np.array(json.dumps([_values(model.info) for model in history]))}
    for model in history:
        arrays[f"mean_{model.info.version}"] = model.embedding.mean.astype(np.float16)
        arrays[f"var_{model.info.version}"] = np.asarray(model.embedding.var).astype(np.float16)
    return arrays


def _values(info: ModelInfo) -> dict[str, Any]:
    return {name: getattr(info, name) for name in _MODEL_FIELDS}


def load(site: Site, slug: str, path: Path) -> None:
    """Fill a collection that has learnt nothing yet with the searches and models of a file.

    Raises
    ------
    Invalid
        If the file is not a snapshot, has another number of items, or the collection has lessons already.
    """
    collection = site.collection(slug)
    try:
        arrays = read_npz(path, _FORMAT, _VERSION, "a snapshot", _ARRAYS)
    except ValueError as error:
        raise Invalid(str(error)) from error
    with site.database.read() as db:
        numbers = np.array(items.active_numbers(db, collection.id), np.int64)
    if int(arrays["size"]) != len(numbers) or collection.lessons:
        raise Invalid(f"{path.name} does not fit the collection “{collection.title}”.")
    model_ids = _load_models(site, collection, numbers, arrays)
    write_searches(site, collection, _searches(arrays, model_ids))
    site.forget()


def _load_models(site: Site, collection: Collection, numbers: Items, arrays: Arrays) -> dict[int, int]:
    """Write the models and publish the last one; the new ids by the version in the file."""
    ids: dict[int, int] = {}
    with site.database.write() as db:
        for values in json.loads(str(arrays["models"])):
            version = values.pop("version")
            if values["origin"] == ModelOrigin.START and collection.model_id is not None:
                ids[version] = collection.model_id
                continue
            mean, var = (arrays[f"{name}_{version}"].astype(np.float64) for name in ("mean", "var"))
            made = models.add(
                db,
                collection_id=collection.id,
                parent_id=max(ids.values(), default=None),
                items=numbers,
                embedding=Embedding(mean, np.maximum(var, 1e-6)),
                now=site.now(),
                **values,
            )
            ids[version] = made.info.id
            if made.info.published:
                collections.swap_model(db, collection.id, collections.by_id(db, collection.id).model_id, made.info.id)
    return ids


def _searches(arrays: Arrays, model_ids: dict[int, int]) -> list[RecordedSearch]:
    """The searches of the file, each with the model that it began with."""
    shown, chosen = arrays["shown"].tolist(), arrays["chosen"].tolist()
    ends = np.cumsum(arrays["lengths"].astype(np.int64)).tolist()
    found = []
    for place, (target, end) in enumerate(zip(arrays["targets"].tolist(), ends, strict=True)):
        start = end - int(arrays["lengths"][place])
        asked = enumerate(range(start, end), start=1)
        steps = tuple(_step(number, shown[row], chosen[row], target, row == end - 1) for number, row in asked)
        version, lessons = arrays["began"][place].tolist()
        strategy = "random" if arrays["random"][place] else "sampled"
        weight, evidence = (None if np.isnan(value) else float(value) for value in arrays["weighed"][place])
        found.append(RecordedSearch(model_ids[version], lessons, strategy, target, steps, weight, evidence))
    return found


def _step(number: int, shown: list[int], chosen: int, target: int, last: bool) -> StepRow:
    items_shown = tuple(item for item in shown if item != _NO_ITEM)
    return recorded_step(number, items_shown, None if chosen == _NO_ITEM else chosen, target, last=last)
