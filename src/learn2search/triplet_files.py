"""Triplets in files (CSV, NPZ, Parquet) and in tables, with the names, screens and participants that they hold."""

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.files import open_atomic, read_npz, write_npz
from learn2search.triplet_columns import (
    PARTICIPANT,
    SCREEN,
    SESSION,
    Answers,
    Columns,
    columns_of,
    first_of,
    is_table,
    knows,
    plain_name,
    read_answers,
)
from learn2search.triplet_data import TripletData
from learn2search.triplets import as_triplets, from_labels, infer_groups, is_sparse
from learn2search.typing import Groups, Integers

_COLUMNS = ("anchor", "near", "far")
_SEPARATORS = (",", ";", "\t")
_TEXT = (".csv", ".tsv", ".txt")
_FORMAT = "learn2search.triplets"
_VERSION = 1


def write_triplets(path: str | os.PathLike[str], triplets: ArrayLike) -> None:
    """Write triplets to a file: the numbers of the items.

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
    >>> l2s.read_triplets("answers.csv").triplets.tolist()
    [[0, 1, 2], [3, 2, 0]]
    """
    rows, target = as_triplets(triplets), Path(path)
    kind = _kind(target)
    if kind in _TEXT:
        with open_atomic(target) as file:
            separator = "\t" if kind == ".tsv" else ","
            np.savetxt(file, rows, fmt="%d", delimiter=separator, header=separator.join(_COLUMNS), comments="")
    elif kind == ".npz":
        write_npz(target, _FORMAT, _VERSION, {"triplets": rows}, compress=True)
    else:
        arrow, parquet = _arrow()
        with open_atomic(target) as file:
            parquet.write_table(arrow.table(dict(zip(_COLUMNS, rows.T, strict=True))), file)


def read_triplets(source: str | os.PathLike[str] | Any, names: Sequence[Any] | None = None) -> TripletData:
    r"""Read triplets from a file or a table, by the names of its columns.

    The columns of Salmon, NEXT and psiz-collect are known beside anchor, near, far; docs/triplets.md lists them. Items
    may be numbers or names. Columns that say who answered, in which session and on which screen or trial become
    `participants` and `groups`.

    Parameters
    ----------
    source : str, path or table
        A .csv, .tsv, .txt (separated by comma, semicolon or tab), .npz or .parquet file; or a table with named columns:
        a dictionary, or what pandas, polars and pyarrow have. A text file without a header has three columns, anchor,
        near, far.
    names : sequence, optional
        The items in the order of their numbers, as the `names` of another file: two files, or a file and a saved fit,
        then have the same numbers.

    Returns
    -------
    TripletData
        Triplets, screens, names and participants. Items that are numbered 0, 1, ... keep their numbers; other labels,
        and numbers with large gaps, are numbered in their order. `names` has the labels.

    Raises
    ------
    ValueError
        If the file is of another kind or has other columns, if a line is no triplet, or an item not among `names`.

    Examples
    --------
    >>> import learn2search as l2s
    >>> with open("salmon.csv", "w") as file:
    ...     _ = file.write("head,winner,loser,puid\n0,1,2,ann\n")
    >>> data = l2s.read_triplets("salmon.csv")
    >>> data.triplets.tolist(), data.participants.tolist()
    ([[0, 1, 2]], ['ann'])
    >>> data = l2s.read_triplets({"far": ["car"], "anchor": ["apple"], "near": ["pear"]})
    >>> data.triplets.tolist(), data.names
    ([[0, 2, 1]], ('apple', 'car', 'pear'))
    >>> more = {"anchor": ["pear"], "near": ["apple"], "far": ["car"]}
    >>> l2s.read_triplets(more, names=data.names).triplets.tolist()
    [[2, 0, 1]]
    """
    if is_table(source):
        return _data(columns_of(source), "the table", names)
    if not isinstance(source, str | os.PathLike):
        raise ValueError(
            f"expected a path or a table with named columns, got {type(source).__name__}: arrays of numbers need no "
            "reading, and triplets.from_labels numbers names"
        )
    path = Path(source)
    kind = _kind(path)
    if kind in _TEXT:
        return _data(_text_columns(path), str(path), names)
    if kind == ".npz":
        rows = as_triplets(read_npz(path, _FORMAT, _VERSION, "a file of triplets", ("triplets",))["triplets"])
        return _data(dict(zip(_COLUMNS, rows.T.astype(object), strict=True)), str(path), names)
    _, parquet = _arrow()
    try:
        table = parquet.read_table(path)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a Parquet file (or is damaged): {error}") from error
    return _data(columns_of(table), str(path), names)


def _data(columns: Columns, where: str, names: Sequence[Any] | None) -> TripletData:
    answers = read_answers(columns, where)
    if len(answers.labels) == 0:
        raise ValueError(f"{where}: there are no triplets, at least one row is needed")
    triplets, found = from_labels(answers.labels)
    known = _item_names(found) if names is None else tuple(names)
    number = {name: at for at, name in enumerate(known)}
    unknown = [name for name in found if name not in number]
    if unknown:
        raise ValueError(f"{where} has the item {unknown[0]!r}, which is not among the {len(known)} given names")
    items = np.array([number[name] for name in found], np.int64)[triplets]
    who = first_of(columns, PARTICIPANT)
    participants = None if who is None else _plain(who, answers)
    return TripletData(items, len(known), _groups(columns, answers, items), known, participants)


def _item_names(found: tuple[Any, ...]) -> tuple[Any, ...]:
    """The labels; where they are item numbers already, all numbers from 0 to the largest."""
    is_number = type(found[0]) is int and found[0] >= 0 and not is_sparse(found[-1], len(found))
    return tuple(range(found[-1] + 1)) if is_number else found


def _groups(columns: Columns, answers: Answers, triplets: NDArray[np.int64]) -> Groups:
    """The screen of each triplet: what the table says, else its row where a row is a question, else inferred."""
    known = [found for names in (PARTICIPANT, SESSION, SCREEN) if (found := first_of(columns, names)) is not None]
    keys = [_numbered(_plain(column, answers)) for column in known]
    if first_of(columns, SCREEN) is None:
        keys.append(answers.rows if answers.one_question_a_row else infer_groups(triplets))
    return np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _plain(column: NDArray[np.object_], answers: Answers) -> NDArray[Any]:
    """A column at the rows of the triplets, as an array of numbers or text where it is that."""
    return np.array(column[answers.rows].tolist())


def _numbered(labels: NDArray[Any]) -> Integers:
    return np.unique(labels.astype(str), return_inverse=True)[1].reshape(-1)


def _text_columns(path: Path) -> Columns:
    """The columns of a text file. Its first line is a header where it has known names; three columns need none."""
    lines = _lines(path)
    cells = [row for _, row in lines]
    header = [plain_name(cell) for cell in cells[0]]
    if knows(header):
        lines = lines[1:]
    elif _is_triplet(cells):
        header = list(_COLUMNS)
    else:
        read_answers(dict.fromkeys(header, np.empty(0, object)), str(path))  # which says what is missing
    if len(set(header)) < len(header):
        raise ValueError(f"{path}: two columns have one name: {', '.join(cells[0])}")
    for number, row in lines:
        if len(row) != len(header):
            raise ValueError(f"{path}, line {number}: expected {len(header)} columns, got {len(row)}: {row}")
    table = np.array([row for _, row in lines], object).reshape(-1, len(header))
    return dict(zip(header, table.T, strict=True))


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of each line that is not empty, with its number; separated by what the first line has most of."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error}): save it as CSV in UTF-8") from error
    first = next((line for line in text.splitlines() if line.strip()), "")
    reader = csv.reader(io.StringIO(text), delimiter=max(_SEPARATORS, key=first.count))
    found = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    lines = [(number, row) for number, row in found if any(row)]
    if not lines:
        raise ValueError(f"{path} is empty: expected a header such as {','.join(_COLUMNS)}, and a triplet a line")
    return lines


def _is_triplet(cells: list[list[str]]) -> bool:
    """Whether the first of three-column lines is one of the triplets: numbers, or names that come again."""
    first, below = cells[0], {cell for row in cells[1:] for cell in row}
    return len(first) == 3 and (all(cell.isdigit() for cell in first) or any(cell in below for cell in first))


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in (*_TEXT, ".npz", ".parquet"):
        raise ValueError(f"triplets are kept in .csv, .tsv, .txt, .npz or .parquet files, got {path.name!r}")
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
