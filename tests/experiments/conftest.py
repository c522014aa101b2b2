"""The modules of experiments/, imported as the scripts there import each other; results in a folder of their own."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = {ROOT / "experiments", ROOT / "experiments" / "claims", ROOT / "benchmarks"}


@pytest.fixture
def experiment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ModuleType]]:
    """A module of experiments/ by its name."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "experiments"), *sys.path])
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).parent in FOLDERS:
            del sys.modules[name]


@pytest.fixture
def results(experiment: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder where the experiments' results go."""
    monkeypatch.setattr(experiment("study"), "RESULTS", tmp_path)
    return tmp_path
