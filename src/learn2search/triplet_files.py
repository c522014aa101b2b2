"""Triplets in files: CSV with the columns anchor, near, far (or Salmon's head, winner, loser), NPZ, Parquet."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.files import open_atomic, read_npz, write_npz
from learn2search.triplets import as_triplets
from learn2search.typing import Triplets

_COLUMNS = ("anchor", "near", "far")
_KNOWN_HEADERS = (_COLUMNS, ("head", "winner", "loser"))  # ours, Salmon's
_FORMAT = "learn2search.triplets"
_VERSION = 1


def write_triplets(path: str | os.PathLike[str], triplets: ArrayLike) -> None:
    """Write triplets to a file.

    Parameters
    ----------
    path : str or path
        The ending of its name says how: .csv, .npz or .parquet.
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.write_triplets("answers.csv", [(0, 1, 2), (3, 2, 0)])
    >>> l2s.read_triplets("answers.csv").tolist()
    [[0, 1, 2], [3, 2, 0]]
    """
    rows, target = as_triplets(triplets), Path(path)
    kind = _kind(target)
    if kind == ".csv":
        with open_atomic(target) as file:
            np.savetxt(file, rows, fmt="%d", delimiter=",", header=",".join(_COLUMNS), comments="")
    elif kind == ".npz":
        write_npz(target, _FORMAT, _VERSION, {"triplets": rows}, compress=True)
    else:
        arrow, parquet = _arrow()
        with open_atomic(target) as file:
            parquet.write_table(arrow.table(dict(zip(_COLUMNS, rows.T, strict=True))), file)


def read_triplets(path: str | os.PathLike[str]) -> Triplets:
    r"""Read triplets from a file.

    Parameters
    ----------
    path : str or path
        A .csv, .npz or .parquet file. A CSV may be Salmon's (head, winner, loser), and may have other columns.

    Returns
    -------
    (m, 3) array of int
        Rows (anchor, near, far).

    Raises
    ------
    ValueError
        If the file is of another kind or has other columns, or if a line is no triplet.

    Examples
    --------
    >>> import learn2search as l2s
    >>> with open("salmon.csv", "w") as file:
    ...     _ = file.write("head,winner,loser\n0,1,2\n")
    >>> l2s.read_triplets("salmon.csv").tolist()
    [[0, 1, 2]]
    """
    source = Path(path)
    kind = _kind(source)
    if kind == ".csv":
        return _read_csv(source)
    if kind == ".npz":
        return as_triplets(read_npz(source, _FORMAT, _VERSION, "a file of triplets", ("triplets",))["triplets"])
    _, parquet = _arrow()
    try:
        table = parquet.read_table(source)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{source} is not a Parquet file (or is damaged): {error}") from error
    names = _header(table.column_names, source)
    return as_triplets(np.column_stack([table.column(name).to_numpy() for name in names]))


def _read_csv(source: Path) -> Triplets:
    with open(source, newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file)
        header = [name.strip().lower() for name in next(reader, [])]
        places = [header.index(name) for name in _header(header, source)]
        rows = []
        for number, row in enumerate(reader, start=2):
            if not row:
                continue
            try:
                rows.append([int(row[place]) for place in places])
            except (ValueError, IndexError):
                raise ValueError(
                    f"{source}, line {number}: expected three whole numbers, got {','.join(row)!r}"
                ) from None
    return as_triplets(np.array(rows, np.int64).reshape(-1, 3))


def _header(names: Sequence[str], source: Path) -> tuple[str, ...]:
    for known in _KNOWN_HEADERS:
        if set(known) <= set(names):
            return known
    wanted = " or ".join(", ".join(known) for known in _KNOWN_HEADERS)
    raise ValueError(f"{source} must have the columns {wanted}, found: {', '.join(names) or 'none'}")


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in (".csv", ".npz", ".parquet"):
        raise ValueError(f"triplets are kept in .csv, .npz or .parquet files, got {path.name!r}")
    return kind


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ValueError(
            "Parquet files need pyarrow: pip install 'learn2search[parquet]', or use .csv or .npz"
        ) from None
    return pyarrow, pyarrow.parquet
