"""The benchmarks run: their small versions, in a folder of their own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.heavy
def test_known_features_should_run_and_go_on_where_it_was_stopped(copied):
    command = [sys.executable, "-m", "research.known_features", "--quick"]
    first = subprocess.run(command, check=True, cwd=copied, capture_output=True, text=True)
    results = copied / "research" / "results" / "known_features-quick.json"
    cells = json.loads(results.read_text())["cells"]
    assert cells["questions | n=100 | on policy | mode | ig"]["searches"] == 100
    assert "| n | σ | IG |" in first.stdout

    removed = "questions | n=100 | on policy | mode | ig"
    stored = json.loads(results.read_text())
    before = stored["cells"].pop(removed)
    results.write_text(json.dumps(stored))
    second = subprocess.run(command, check=True, cwd=copied, capture_output=True, text=True)
    assert second.stderr.split("\n") == [f"  {removed} ...", ""]  # only this one is measured again
    assert json.loads(results.read_text())["cells"][removed] == before  # and comes out the same


@pytest.mark.heavy
def test_accelerated_should_measure_and_add_to_what_is_there(tmp_path):
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"cells": {"other": {}}}))
    command = [sys.executable, "-m", "research.accelerated", "--size", "tiny", "--out", str(results)]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    assert "million triplets a second" in done.stdout
    cells = json.loads(results.read_text())["cells"]
    assert set(cells) == {"other", "tiny"}
    cell = cells["tiny"]
    assert cell["true_features"]["held_out_accuracy"] == pytest.approx(0.904, abs=0.01)
    assert cell["held_out_accuracy"] > 0.88
    assert len(cell["trajectory"]) == cell["settings"]["epochs"]
    assert cell["triplets_a_second"] > 0
    subprocess.run([*command, "--estimator"], check=True, cwd=ROOT, capture_output=True)
    assert json.loads(results.read_text())["cells"]["tiny estimator"]["held_out_accuracy"] > 0.88


@pytest.mark.heavy
def test_blind_should_run_and_go_on_where_it_was_stopped(copied):
    lines = ["wine best", "wine cold, 3 features of 11", "faces d=5 skewed best"]
    command = [sys.executable, "-m", "research.blind", "--quick", "--only", *lines]
    first = subprocess.run(command, check=True, cwd=copied, capture_output=True, text=True)
    cells = json.loads((copied / "research" / "results" / "blind-quick.json").read_text())["cells"]
    assert all(cells[line]["seeds"] == 2 for line in lines)
    assert cells["flips | wine"] == pytest.approx(0.1, abs=0.003)
    assert all(f"\n| {line} | " in first.stdout for line in lines)
    assert subprocess.run(command, check=True, cwd=copied, capture_output=True, text=True).stdout == first.stdout
