"""Many runs: over cores, over a cluster whose workers die, resumed from files."""

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import learn2search as l2s


def square(number: int, calls: str) -> dict[str, Any]:
    with open(calls, "a") as file:
        file.write(f"{number}\n")
    return {"square": number * number}


def slow_square(number: int, killed: str) -> dict[str, Any]:
    """The later ones wait until a worker has been killed."""
    while number >= 6 and not Path(killed).exists():
        time.sleep(0.01)
    time.sleep(0.3)
    return {"square": number * number, "process": os.getpid()}


def failing(number: int) -> int:
    if number == 1:
        raise RuntimeError("number 1 fails")
    return number


def names(calls: Path) -> list[int]:
    return sorted(int(line) for line in calls.read_text().splitlines())


@pytest.mark.parametrize("workers", [1, 2])
def test_runs_should_be_resumed_by_their_files(tmp_path: Path, workers: int) -> None:
    calls = tmp_path / "calls"
    runs = {f"seed={number}": {"number": number, "calls": str(calls)} for number in range(4)}
    some = {name: runs[name] for name in ("seed=1", "seed=3")}
    l2s.run_many(square, some, tmp_path / "out", workers=workers)
    results = l2s.run_many(square, runs, tmp_path / "out", workers=workers)
    assert list(results.items()) == [(f"seed={number}", {"square": number**2}) for number in range(4)]
    assert names(calls) == [0, 1, 2, 3]


def test_a_failure_should_keep_what_is_done(tmp_path: Path) -> None:
    runs = {str(number): {"number": number} for number in range(3)}
    with pytest.raises(RuntimeError, match="number 1 fails"):
        l2s.run_many(failing, runs, tmp_path, workers=1)
    assert json.loads((tmp_path / "0.json").read_text())["result"] == 0


def test_a_file_of_other_arguments_should_be_refused(tmp_path: Path) -> None:
    l2s.run_many(failing, {"a": {"number": 2}}, tmp_path, workers=1)
    with pytest.raises(ValueError, match="rename the run"):
        l2s.run_many(failing, {"a": {"number": 3}}, tmp_path, workers=1)
    with pytest.raises(ValueError, match="letters"):
        l2s.run_many(failing, {"../a": {"number": 3}}, tmp_path, workers=1)
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(ValueError, match="not a result"):
        l2s.run_many(failing, {"b": {"number": 3}}, tmp_path, workers=1)


def test_a_bar_should_be_shown_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    l2s.run_many(failing, {"a": {"number": 2}}, tmp_path, workers=1, progress=True)
    assert "1/1" in capsys.readouterr().err


def kill_when_some_are_done(process: int, folder: Path, done: list[int], killed: Path) -> None:
    while not list(folder.glob("*.json")):
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    done.append(len(list(folder.glob("*.json"))))
    killed.touch()


@pytest.mark.heavy
def test_a_cluster_should_complete_although_a_worker_is_killed(tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    killed, done = tmp_path / "killed", list[int]()
    runs = {str(number): {"number": number, "killed": str(killed)} for number in range(12)}
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            processes = list(client.run(os.getpid).values())
        killer = threading.Thread(target=kill_when_some_are_done, args=(processes[0], tmp_path, done, killed))
        killer.start()
        results = l2s.run_many(slow_square, runs, tmp_path, scheduler=cluster.scheduler_address)
        killer.join()
    assert len(set(processes)) == 2
    assert 1 <= done[0] < 12  # it was killed on the way
    assert {name: result["square"] for name, result in results.items()} == {str(n): n * n for n in range(12)}
    assert sorted(path.stem for path in tmp_path.glob("*.json")) == sorted(runs)
