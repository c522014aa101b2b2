"""The benchmarks run: their small versions, in a folder of their own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.heavy
def test_known_features_should_run_and_go_on_where_it_was_stopped(tmp_path):
    for script in BENCHMARKS.glob("*.py"):
        shutil.copy(script, tmp_path)
    command = [sys.executable, str(tmp_path / "known_features.py"), "--quick"]
    first = subprocess.run(command, check=True, capture_output=True, text=True)
    results = tmp_path / "results" / "known_features-quick.json"
    cells = json.loads(results.read_text())["cells"]
    assert cells["questions | n=100 | on policy | mode | ig"]["searches"] == 100
    assert "| n | σ | IG |" in first.stdout
    assert (tmp_path / "results" / "known_features-quick.svg").stat().st_size > 10_000

    removed = "questions | n=100 | on policy | mode | ig"
    stored = json.loads(results.read_text())
    before = stored["cells"].pop(removed)
    results.write_text(json.dumps(stored))
    second = subprocess.run(command, check=True, capture_output=True, text=True)
    assert second.stderr.split("\n") == [f"  {removed} ...", ""]  # only this one is measured again
    assert json.loads(results.read_text())["cells"][removed] == before  # and comes out the same
