"""The state of a fit in a file: written whole after an epoch, read when the same fit is started again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from learn2search.files import read_npz, write_npz
from learn2search.typing import Arrays

_FORMAT, _VERSION = "learn2search.checkpoint", 1
_ARRAYS = ("table", "first", "second", "variance")


class Saved(NamedTuple):
    """Adam's state, the prior's variance, and how many epochs are done."""

    table: NDArray[np.float32]
    first: NDArray[np.float32]
    second: NDArray[np.float32]
    variance: NDArray[np.float32]
    epochs: int


def write_checkpoint(path: Path, saved: Saved, settings: Mapping[str, object]) -> None:
    """settings: what makes this fit the same as another."""
    arrays: Arrays = {name: getattr(saved, name) for name in _ARRAYS}
    arrays |= {"epochs": np.array(saved.epochs), "settings": np.array(json.dumps(settings))}
    write_npz(path, _FORMAT, _VERSION, arrays)


def read_checkpoint(path: Path, settings: Mapping[str, object]) -> Saved | None:
    """What was written, if there is such a file; that of another fit is an error."""
    if not path.exists():
        return None
    found = read_npz(path, _FORMAT, _VERSION, "a checkpoint", (*_ARRAYS, "epochs", "settings"))
    before = json.loads(str(found["settings"]))
    for name, value in settings.items():
        if before.get(name) != value:
            raise ValueError(
                f"{path} is the checkpoint of another fit, with {name} {before.get(name)} where this one has {value}: "
                "remove it, or name another file"
            )
    return Saved(found["table"], found["first"], found["second"], found["variance"], int(found["epochs"]))
