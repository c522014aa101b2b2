"""`learn2search reproduce` finds the experiments, and says so where there are none."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from learn2search.cli import reproduce
from learn2search.cli.main import app

ROOT = Path(__file__).parents[2]


def test_the_experiments_should_be_found_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert reproduce.find_repository() == ROOT


def test_without_the_repository_the_command_should_say_where_the_experiments_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reproduce, "find_repository", lambda: None)
    done = CliRunner().invoke(app, ["reproduce"])
    assert done.exit_code == 1
    assert "they are in the repository" in str(done.exception)


def test_options_should_reach_the_experiments(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[list[str]] = []

    def run(line: list[str], folder: Path) -> int:
        lines.append(line)
        return 0

    monkeypatch.setattr(reproduce, "_run", run)
    arguments = ["--full", "--only", "lemma", "--only", "figure1", "--workers", "2", "--scheduler", "tcp://host:1"]
    for given in (arguments, ["--report"], [], ["--help"]):
        assert CliRunner().invoke(app, ["reproduce", *given]).exit_code == 0
        assert lines.pop() == [sys.executable, "-m", "research.reproduce", *given]


def test_an_unknown_experiment_should_be_refused_with_the_names() -> None:
    line = [sys.executable, "-m", "research.reproduce", "--only", "figure9"]
    done = subprocess.run(line, check=False, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "supplement_dimension" in done.stderr


@pytest.mark.heavy
def test_one_experiment_should_run_by_the_command() -> None:
    line = [sys.executable, "-m", "learn2search.cli", "reproduce", "--only", "lemma", "--workers", "1"]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    assert "reproduction-quick.md" in done.stdout
