"""What was computed once is not computed again, and a computation that was stopped goes on."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learn2search.site.catalogue.features.feature_cache import Progress, rows_by_key, silent


class Counting:
    """Rows made from the keys; counts what it is asked for. Keys that begin with x have none."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, keys: list[str]) -> list[np.ndarray | None]:
        self.asked += keys
        return [None if key.startswith("x") else np.array([len(key), 0.1]) for key in keys]


def rows(folder: Path, keys: list[str], compute: Counting | None, progress: Progress = silent) -> dict[str, np.ndarray]:
    return rows_by_key(folder, keys, compute, batch=2, label="Counting", progress=progress)


def test_rows_should_be_computed_once(tmp_path: Path) -> None:
    count = Counting()
    first = rows(tmp_path / "new", ["a", "bb", "ccc", "bb", "x"], count)
    assert {key: row[0] for key, row in first.items()} == {"a": 1, "bb": 2, "ccc": 3}
    assert count.asked == ["a", "bb", "ccc", "x"]
    again = rows(tmp_path / "new", ["a", "bb", "ccc", "dddd"], count)
    assert count.asked == ["a", "bb", "ccc", "x", "dddd"]
    assert all((again[key] == first[key]).all() for key in first)  # to the last bit
    assert set(rows(tmp_path / "new", ["ccc", "eeeee"], None)) == {"ccc"}


def test_a_computation_that_was_stopped_should_go_on(tmp_path: Path) -> None:
    def stopping(steps: Iterable[Any], label: str, total: int) -> Iterator[Any]:
        assert (label, total) == ("Counting", 3)
        for number, step in enumerate(steps):
            if number == 2:
                raise KeyboardInterrupt
            yield step

    count = Counting()
    with pytest.raises(KeyboardInterrupt):
        rows(tmp_path, list("abcdef"), count, stopping)
    rows(tmp_path, list("abcdef"), count)
    assert count.asked == list("abcdef")


def test_a_damaged_file_should_be_computed_again(tmp_path: Path) -> None:
    rows(tmp_path, ["a"], Counting())
    for path in tmp_path.iterdir():
        path.write_bytes(b"damaged")
    count = Counting()
    assert set(rows(tmp_path, ["a"], count)) == {"a"}
    assert count.asked == ["a"]
