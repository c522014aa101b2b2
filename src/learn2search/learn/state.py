"""The file of a loop's state: its choices, plain values, as JSON beside the arrays."""

import json
import os
from typing import Any

import numpy as np

from learn2search.files import read_npz, write_npz
from learn2search.typing import Arrays

_FORMAT = "learn2search.learner"
_VERSION = 2


def write_state(path: str | os.PathLike[str], choices: dict[str, Any], arrays: Arrays) -> None:
    """A crash leaves the old state or the new one."""
    write_npz(path, _FORMAT, _VERSION, {"choices": np.array(json.dumps(choices)), **arrays})


def read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """What `write_state` wrote; anything else is a ValueError that says what was found."""
    arrays = read_npz(path, _FORMAT, _VERSION, "the state of a learning loop", ("choices",), _upgraded)
    return json.loads(str(arrays["choices"])), arrays


def _upgraded(arrays: Arrays) -> Arrays:
    """Version 1 kept the format, the version and the choices together, in `head`."""
    if "head" not in arrays:
        return arrays
    choices = json.loads(str(arrays["head"]))
    kind, version = choices.pop("format", None), choices.pop("version", None)
    marks = {"format": np.array(kind), "version": np.array(_VERSION if version == 1 else version)}
    return {**arrays, **marks, "choices": np.array(json.dumps(choices))}
