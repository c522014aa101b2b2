"""The file of a loop's state."""

import json
from pathlib import Path

import numpy as np
import pytest

from learn2search.learn.state import read_state, write_state


def test_what_was_written_should_be_read(tmp_path: Path) -> None:
    write_state(tmp_path / "s.npz", {"number": 3}, {"mean": np.eye(2)})
    choices, arrays = read_state(tmp_path / "s.npz")
    assert choices["number"] == 3
    np.testing.assert_array_equal(arrays["mean"], np.eye(2))
    assert [path.name for path in tmp_path.iterdir()] == ["s.npz"]  # nothing left beside it


def test_another_version_should_be_refused_with_a_message(tmp_path: Path) -> None:
    head = {"format": "learn2search.learner", "version": 99}
    np.savez(tmp_path / "s.npz", head=np.array(json.dumps(head)))
    with pytest.raises(ValueError, match="version 99, this release reads version 2"):
        read_state(tmp_path / "s.npz")


def test_other_files_should_be_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="not the state of a learning loop"):
        read_state(tmp_path / "text")
    np.savez(tmp_path / "other.npz", head=np.array(json.dumps({"format": "soup"})))
    with pytest.raises(ValueError, match="soup"):
        read_state(tmp_path / "other.npz")
    with pytest.raises(FileNotFoundError):
        read_state(tmp_path / "missing.npz")
