"""An empty folder for results, and a copy of the package to run programs in."""

import shutil
from pathlib import Path

import pytest

from research import rows

ROOT = Path(__file__).parents[2]


@pytest.fixture
def results_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder where results are read and written."""
    monkeypatch.setattr(rows, "RESULTS", tmp_path)
    return tmp_path


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with the package and no results: programs that run there leave those of the repository alone."""
    shutil.copytree(ROOT / "research", tmp_path / "research", ignore=shutil.ignore_patterns("results", "__pycache__"))
    return tmp_path
