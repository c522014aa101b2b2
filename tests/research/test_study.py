"""Measuring goes on where it was stopped, and every module has the same options."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from research import blind, reproduce, study
from research.rows import Results, Table
from research.study import Study

Measure = Callable[[Study, Table, Callable[..., Any], list[dict[str, int]]], None]

ROOT = Path(__file__).parents[2]
SQUARE = Table("made_up", "square", {"n": int})
CASES = [{"n": n, "power": 2} for n in range(6)]


def squared(n: int, power: int) -> dict[str, int]:
    return {"value": n**power}


def values() -> list[int]:
    return [row["value"] for row in Results(quick=True).select(SQUARE)]


@pytest.mark.parametrize("measure", [Study.measure, Study.measure_many])
def test_only_what_is_missing_should_be_measured(results_folder: Path, measure: Measure) -> None:
    measure(Study("made_up"), SQUARE, squared, CASES[:3])
    measure(Study("made_up"), SQUARE, lambda n, power: {"value": -n}, CASES)
    assert values() == [0, 1, 4, -3, -4, -5]
    head = json.loads((results_folder / "made_up-quick.json").read_text())
    assert head["command"] == "python -m research.made_up --quick"


def test_a_run_that_was_kept_should_be_read_and_not_run_again(results_folder: Path) -> None:
    Study("made_up").measure_many(SQUARE, squared, CASES)
    (results_folder / "made_up-quick.json").unlink()
    Study("made_up").measure_many(SQUARE, lambda n, power: {"value": -1}, CASES)
    assert values() == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("measure", [Study.measure, Study.measure_many])
def test_a_fresh_study_should_measure_each_case_once(results_folder: Path, measure: Measure) -> None:
    measure(Study("made_up"), SQUARE, squared, CASES)
    calls: list[int] = []

    def negative(n: int, power: int) -> dict[str, int]:
        calls.append(n)
        return {"value": -n}

    again = Study("made_up", fresh=True)
    for _ in range(2):
        measure(again, SQUARE, negative, CASES[:3])
    assert sorted(calls) == [0, 1, 2]
    assert sorted(values()) == [-2, -1, 0, 9, 16, 25]  # what it does not measure stays


@pytest.mark.parametrize("measure", [Study.measure, Study.measure_many])
def test_nothing_should_begin_when_the_time_is_up(
    results_folder: Path, measure: Measure, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(Study("made_up", until=time.monotonic()), SQUARE, squared, CASES)
    assert "the time is up, 6 are left" in capsys.readouterr().err
    assert not values()


def test_the_seed_should_be_at_the_head_of_the_own_file_only(results_folder: Path) -> None:
    for name in ("made_up", "other"):
        Study(name, seed=7).measure(
            Table(name if name == "other" else "elsewhere", "square", {"n": int}), squared, CASES
        )
    assert json.loads((results_folder / "other-quick.json").read_text())["seed"] == 7
    assert "seed" not in json.loads((results_folder / "elsewhere-quick.json").read_text())


def test_a_new_process_should_return_what_the_function_returns() -> None:
    assert study.in_new_process(divmod, 7, 2) == (3, 1)


@pytest.mark.parametrize(
    ("line", "quick"),
    [([], True), (["--quick"], True), (["--full"], False), (["--report"], False), (["--report", "--quick"], True)],
)
def test_the_size_should_be_small_unless_full_results_are_wanted(
    monkeypatch: pytest.MonkeyPatch, line: str, quick: bool
) -> None:
    monkeypatch.setattr(sys, "argv", ["program", *line])
    assert study.options(blind).quick is quick


@pytest.mark.parametrize(
    ("line", "message"), [(["--full", "--quick"], "--quick or --full"), (["--only", "wine bset"], "'wine best'")]
)
def test_options_that_make_no_sense_should_be_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["program", *line])
    with pytest.raises(SystemExit):
        study.options(blind)
    assert message in capsys.readouterr().err


def test_parts_should_be_chosen_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["program", "--only", "lemma", "--only", "scaling"])
    given = study.options(reproduce)
    chosen = Study("reproduce", only=given.only)
    assert [part for part in reproduce.PARTS if chosen.wants(part)] == ["lemma", "scaling"]
    assert all(Study("reproduce").wants(part) for part in reproduce.PARTS)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with one worker: processes that begin in another folder, without this package."""
    file = tmp_path / "scheduler.json"
    known = ["--scheduler-file", str(file), "--no-dashboard"]
    parts = {"scheduler": ["--port", "0"], "worker": ["--nthreads", "1", "--no-nanny"]}
    with ExitStack() as stack:
        for part, options in parts.items():
            line = [sys.executable, "-m", f"distributed.cli.dask_{part}", *known, *options]
            process = stack.enter_context(subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
        while not file.exists():
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"]


@pytest.mark.heavy
def test_workers_of_a_cluster_should_get_the_package(cluster: str, results_folder: Path) -> None:
    from research import lemma

    Study("lemma", scheduler=cluster).measure_many(lemma.PATH, lemma.path_of, [{"first": 1.0, "steps": 5}])
    assert Results(quick=True).one(lemma.END, first=1.0)["steps"] == 5
