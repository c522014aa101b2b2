"""Large models as files, which the workers of a machine share.

The first worker that needs a model reads it from the database and writes its arrays; every worker maps these files into
its memory. So a machine holds the arrays once, however many workers it has. The files are copies: whatever is wrong
with them, the database has the model, and without them it is read into the memory of each worker.
"""

import fcntl
import hashlib
import json
import os
import platform
import shutil
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import structlog
from sqlalchemy import Connection

from learn2search import Embedding
from learn2search.files import PARTIAL
from learn2search.store import models
from learn2search.store.models import Model
from learn2search.typing import Arrays, Items

_LEAST = 1_000_000  # bytes of a model in the database: smaller ones are not worth a file
_NEWEST = 3  # published models of a collection that are kept: searches go on with the one that they began with
_PATIENCE = 60.0  # seconds until another worker has written a model; then it is read into memory
_DIGESTS = "sha256.json"
_LOCK, _IN_USE = ".lock", ".in-use"
log = structlog.get_logger()


class ModelFiles:
    """A folder of models; it can be deleted at any time.

    Parameters
    ----------
    folder
        Made when the first model is written to it, with a folder in it for each machine. None: models are only read
        into memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = None if folder is None else folder / (platform.node() or "machine")
        self._held = False

    def get(self, db: Connection, model_id: int) -> Model:
        """A model: mapped where it is large and one of the newest of its collection, else in memory.

        Raises
        ------
        DamagedModelError
            If its arrays in the database are not as they were written, whatever the files are.
        """
        if self._folder is None or models.size(db, model_id) < _LEAST:
            return models.get(db, model_id)
        newest = models.newest_published(db, _NEWEST)
        checksum = models.checked(db, model_id) if model_id in newest else None
        if checksum is None:
            return models.get(db, model_id)
        try:
            self._hold(self._folder)
            items, embedding = _shared(self._folder, db, model_id, checksum, newest)
        except OSError as error:
            log.warning("model not shared", model=model_id, place=str(self._folder), reason=str(error))
            return models.get(db, model_id)
        return Model(models.info(db, model_id), items, embedding)

    def _hold(self, folder: Path) -> None:
        """Mark the folder as in use for as long as this process maps its files.

        Who has mapped a file keeps it when it is removed, but not when another machine removes it, from a network file
        system. So each machine has a folder, and others remove that only when nobody holds it.
        """
        if not (self._held and (folder / _IN_USE).exists()):
            folder.mkdir(parents=True, exist_ok=True)
            file = os.open(folder / _IN_USE, os.O_RDWR | os.O_CREAT, 0o666)
            weakref.finalize(self, os.close, file)
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            self._held = True

    def tidy(self, db: Connection) -> None:
        """Remove the files of all models but the newest, as after a collection was deleted."""
        if self._folder is not None and self._folder.exists():
            try:
                with _one_writer(self._folder):
                    _clear(self._folder, models.newest_published(db, _NEWEST))
            except OSError as error:
                log.warning("model files not removed", place=str(self._folder), reason=str(error))


def _shared(folder: Path, db: Connection, model_id: int, checksum: str, newest: set[int]) -> tuple[Items, Embedding]:
    """The arrays of a model, mapped; an OSError if they cannot be."""
    place = folder / f"{model_id}-{checksum[:16]}"
    found = _mapped(place)
    if found is None:
        with _one_writer(folder):
            found = _mapped(place)  # another worker may have written it meanwhile
            if found is None:
                _clear(folder, newest - {model_id})  # what is left of this one is damaged
                _write(place, models.get(db, model_id))
                found = _mapped(place)
    if found is None:
        raise OSError(f"{place} is not as it was written")
    return found


def _write(place: Path, model: Model) -> None:
    """All arrays of a model, or nothing. They are in the form that `Embedding` keeps, which then needs no copy."""
    partial = place.with_name(place.name + PARTIAL)
    arrays: Arrays = {"items": model.items, "mean": model.embedding.mean}
    if model.embedding.var is not None:
        arrays["var"] = model.embedding.var
    try:
        partial.mkdir()
        for name, array in arrays.items():
            np.save(partial / f"{name}.npy", array)
        digests = {name: _sha256(partial / f"{name}.npy") for name in arrays}
        (partial / _DIGESTS).write_text(json.dumps(digests))
        partial.rename(place)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _mapped(place: Path) -> tuple[Items, Embedding] | None:
    """The items and the embedding; None where files are missing or are not as they were written."""
    try:
        digests: dict[str, str] = json.loads((place / _DIGESTS).read_text())
        if any(_sha256(place / f"{name}.npy") != digest for name, digest in digests.items()):
            raise ValueError("other bytes than were written")
        arrays = {name: np.asarray(np.load(place / f"{name}.npy", mmap_mode="r")) for name in digests}
        return arrays["items"], Embedding(arrays["mean"], arrays.get("var"), copy=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, AttributeError) as error:
        log.warning("model file damaged", place=str(place), reason=str(error))
        return None


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _clear(folder: Path, kept: set[int]) -> None:
    """Remove all models but these, what a killed worker left, and the folders of machines that are gone."""
    for place in folder.iterdir():
        number = place.name.partition("-")[0]
        if place.is_dir() and (place.suffix == PARTIAL or not (number.isdecimal() and int(number) in kept)):
            shutil.rmtree(place, ignore_errors=True)
    for other in set(folder.parent.iterdir()) - {folder}:
        with suppress(OSError), open(other / _IN_USE, "r+b") as file:  # an error: it is in use, or is no such folder
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(other, ignore_errors=True)


@contextmanager
def _one_writer(folder: Path) -> Iterator[None]:
    """One worker writes; the others wait, and then use the same files. The lock ends with its process."""
    end = time.monotonic() + _PATIENCE
    with open(folder / _LOCK, "a") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    raise
            time.sleep(0.05)
        yield
