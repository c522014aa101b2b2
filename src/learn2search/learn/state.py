"""The file of a loop's state: one NPZ archive, plain values as JSON beside the arrays, written whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from learn2search.typing import Arrays

_FORMAT = "learn2search.learner"
_VERSION = 1


def write_state(path: str | os.PathLike[str], choices: dict[str, Any], arrays: Arrays) -> None:
    """Write beside the place first, then move: a crash leaves the old state or the new one."""
    place = Path(path)
    beside = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    head = {"format": _FORMAT, "version": _VERSION, **choices}
    try:
        with open(beside, "wb") as file:
            np.savez(file, head=np.array(json.dumps(head)), **arrays)  # type: ignore[arg-type]
        beside.replace(place)
    finally:
        beside.unlink(missing_ok=True)


def read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Arrays]:
    """What `write_state` wrote; anything else is a ValueError that says what was found."""
    name = os.fspath(path)
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        head = json.loads(str(arrays.pop("head")))
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{name} is not the state of a learning loop (or is damaged): {error}") from error
    if head.get("format") != _FORMAT:
        raise ValueError(f"{name} is not the state of a learning loop: its format is {head.get('format')!r}")
    if head.get("version") != _VERSION:
        raise ValueError(
            f"{name} is the state of a learning loop of version {head.get('version')!r}, this release reads version "
            f"{_VERSION}: finish it with the release that wrote it, or begin anew"
        )
    return head, arrays
