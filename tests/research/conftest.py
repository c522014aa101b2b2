"""The modules of research/, and an empty folder for their results."""

import importlib
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def experiment() -> Callable[[str], ModuleType]:
    """A module of research/ by its name."""
    return lambda name: importlib.import_module(f"research.{name}")


@pytest.fixture
def results(experiment: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder where results go."""
    monkeypatch.setattr(experiment("recording"), "RESULTS", tmp_path)
    return tmp_path


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A folder with the package and no results: programs that run there leave those of the repository alone."""
    shutil.copytree(ROOT / "research", tmp_path / "research", ignore=shutil.ignore_patterns("results", "__pycache__"))
    return tmp_path
