"""Triplets in Parquet files, read a row group at a time: no process ever holds more than its share.

A device needs the triplets from its first to its last place in the order of anchors. So each anchor's triplets are
counted first, each process in its own row groups; then each process reads those row groups that may hold its anchors.
A row group that says which anchors it has, and is sorted by them, is read by one process or two; others by all.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_COLUMNS = ("anchor", "near", "far")
_MOST_ITEMS = 1 << 31


class RowGroup(NamedTuple):
    """One row group of a file, and its lowest and highest anchor where the file says so."""

    file: Any
    number: int
    anchors: tuple[int, int] | None


class TripletCounts(NamedTuple):
    """For each item how many triplets have it as anchor, and in how many it is named; how many are held out."""

    anchors: NDArray[np.int64]
    named: NDArray[np.int64]
    held_out: int


class ParquetTriplets:
    """Triplets of a Parquet file, or of all in a folder. held_out: the share that is not learnt from."""

    def __init__(self, path: Path, held_out: float) -> None:
        self.path, self.held_out = path, held_out
        self.groups = list(_row_groups(path))

    def count(self, groups: list[RowGroup], n_items: int) -> TripletCounts:
        """What these row groups hold."""
        anchors, named, held_out = np.zeros(n_items, np.int64), np.zeros(n_items, np.int64), 0
        for group in groups:
            rows = self._informative(group)
            aside = self._is_held_out(rows)
            held_out += int(aside.sum())
            rows = rows[~aside]
            anchors += np.bincount(rows[:, 0], minlength=n_items)
            named += np.bincount(rows.ravel(), minlength=n_items)
        return TripletCounts(anchors, named, held_out)

    def largest(self, groups: list[RowGroup]) -> int:
        """The largest item of these row groups."""
        return max((_largest(group, self._read) for group in groups), default=-1)

    def learnt_from(self, first: int, last: int, anchors: NDArray[np.int64]) -> NDArray[np.int32]:
        """The triplets at these places among all that are learnt from, in the order of their anchors."""
        before = np.concatenate([[0], np.cumsum(anchors)])
        last = min(last, int(before[-1]))
        if first >= last:
            return np.zeros((0, 3), np.int32)
        low, high = np.searchsorted(before, first, "right") - 1, np.searchsorted(before, last, "left") - 1
        found = [np.zeros((0, 3), np.int32)]
        for group in self.groups:
            if group.anchors is None or (group.anchors[0] <= high and group.anchors[1] >= low):
                rows = self._informative(group)
                here = (rows[:, 0] >= low) & (rows[:, 0] <= high) & ~self._is_held_out(rows)
                found.append(rows[here])
        rows = np.concatenate(found)
        rows = rows[np.argsort(rows[:, 0], kind="stable")]
        return np.asarray(rows[first - before[low] : last - before[low]], np.int32)

    def aside(self, groups: list[RowGroup]) -> NDArray[np.int32]:
        """The held-out triplets of these row groups."""
        found = [np.zeros((0, 3), np.int32)]
        for group in groups:
            rows = self._informative(group)
            found.append(rows[self._is_held_out(rows)])
        return np.concatenate(found)

    def _informative(self, group: RowGroup) -> NDArray[np.int32]:
        """Without triplets that name an item twice."""
        rows = self._read(group)
        anchor, near, far = rows.T
        return np.asarray(rows[(anchor != near) & (near != far) & (anchor != far)], np.int32)

    def _is_held_out(self, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Answers that chose the same item for the same anchor stay together: they may come from one click."""
        if not self.held_out:
            return np.zeros(len(rows), np.bool_)
        key = rows[:, 0].astype(np.uint64) << np.uint64(32) | rows[:, 1].astype(np.uint64)
        for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):  # SplitMix64: each bit goes everywhere
            key = (key ^ (key >> np.uint64(30))) * np.uint64(factor)
        return np.asarray((key ^ (key >> np.uint64(31))) < np.uint64(int(self.held_out * 2**64)))

    def _read(self, group: RowGroup) -> NDArray[np.int32]:
        table = group.file.read_row_group(group.number, columns=list(_COLUMNS))
        columns = [table.column(name).to_numpy() for name in _COLUMNS]
        if any(column.dtype.kind not in "iu" for column in columns):
            raise ValueError(
                f"{self.path}: anchor, near and far must be whole numbers without gaps, the numbers of items from 0; "
                "triplets.from_labels numbers names"
            )
        lowest = min(int(column.min()) for column in columns) if len(table) else 0
        highest = max(int(column.max()) for column in columns) if len(table) else 0
        if lowest < 0 or highest >= _MOST_ITEMS:
            raise ValueError(f"{self.path} names the items {lowest} to {highest}: they are numbered from 0")
        return np.stack(columns, axis=1).astype(np.int32)


def _row_groups(path: Path) -> Iterator[RowGroup]:
    for one in _files(path):
        file = _opened(one)
        for number in range(file.metadata.num_row_groups):
            found = _statistics(file, number, "anchor")
            yield RowGroup(file, number, found)


def _files(path: Path) -> list[Path]:
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise ValueError(f"{path} has no file that ends in .parquet")
    return files


def _opened(path: Path) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise ValueError("Parquet files need pyarrow: pip install 'learn2search[parquet]'") from None
    try:
        file = ParquetFile(path)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a Parquet file (or is damaged): {error}") from error
    missing = [name for name in _COLUMNS if name not in file.schema_arrow.names]
    if missing:
        raise ValueError(
            f"{path} needs the columns anchor, near and far, and has {', '.join(file.schema_arrow.names)}: "
            "write_triplets writes such files"
        )
    return file


def _statistics(file: Any, number: int, column: str) -> tuple[int, int] | None:
    at = file.schema_arrow.names.index(column)
    found = file.metadata.row_group(number).column(at).statistics
    return (found.min, found.max) if found is not None and found.has_min_max else None


def _largest(group: RowGroup, read: Any) -> int:
    found = [_statistics(group.file, group.number, name) for name in _COLUMNS]
    if all(one is not None and isinstance(one[1], int) for one in found):
        return max(one[1] for one in found if one is not None)
    rows = read(group)
    return int(rows.max()) if len(rows) else -1
