"""Features that were computed once: kept in files, by the content that they were computed from.

Each batch is a file of its own, written atomically. So a long computation that was stopped goes on where it was, and
processes that compute the same write the same. The files can be deleted: what is missing is computed again.
"""

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from learn2search.files import read_npz, write_npz
from learn2search.typing import Array

Progress = Callable[[Iterable[Any], str, int], Iterable[Any]]  # (steps, label, how many) -> the same steps, shown

_FORMAT, _VERSION = "learn2search.features", 1


def silent(steps: Iterable[Any], label: str, total: int) -> Iterable[Any]:
    """No progress is shown."""
    return steps


def rows_by_key(
    folder: Path,
    keys: Sequence[str],
    compute: Callable[[list[str]], Sequence[Array | None]] | None,
    *,
    batch: int,
    label: str,
    progress: Progress = silent,
) -> dict[str, Array]:
    """The features of each content that has any, by its key.

    Parameters
    ----------
    folder
        Where files of these features are.
    keys
        Names of contents, the same for the same content.
    compute
        From the keys of a batch to a row `(f,)` each, or None for a content without features; None if only what was
        computed before can be had.
    batch
        How many rows are computed before they are written.
    """
    wanted = set(keys)
    known = {key: row for key, row in _read(folder).items() if key in wanted}
    missing = [key for key in dict.fromkeys(keys) if key not in known]
    if compute is None or not missing:
        return known
    starts = range(0, len(missing), batch)
    for start in progress(starts, label, len(starts)):
        part = missing[start : start + batch]
        found = {key: _rounded(row) for key, row in zip(part, compute(part), strict=True) if row is not None}
        _write(folder, found)
        known |= found
    return known


def forget_rows(folder: Path, keys: Collection[str]) -> None:
    """Delete what was computed from these contents, in all folders below: files with such a row go, and what else they
    held is computed again when it is needed."""
    gone = set(keys)
    for path in sorted(folder.rglob("*.npz")) if gone else []:
        try:
            content = read_npz(path, _FORMAT, _VERSION, "a file of features", ("keys", "rows"))
        except (ValueError, OSError):
            continue
        if gone & set(content["keys"].tolist()):
            path.unlink(missing_ok=True)


def _rounded(row: Array) -> Array:
    """As it is read again, so that all processes have the same numbers."""
    return row.astype(np.float32).astype(float)


def _read(folder: Path) -> dict[str, Array]:
    """All rows in a folder. A damaged file is computed again."""
    found: dict[str, Array] = {}
    for path in sorted(folder.glob("*.npz")):
        try:
            content = read_npz(path, _FORMAT, _VERSION, "a file of features", ("keys", "rows"))
        except (ValueError, OSError):
            continue
        found.update(zip(content["keys"].tolist(), content["rows"].astype(float), strict=True))
    return found


def _write(folder: Path, rows: dict[str, Array]) -> None:
    if rows:
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256("\n".join(rows).encode()).hexdigest()[:32]
        content = {"keys": np.array(list(rows)), "rows": np.stack(list(rows.values())).astype(np.float32)}
        write_npz(folder / f"{name}.npz", _FORMAT, _VERSION, content)
