"""The soak and the fuzz run: their small versions, in a folder of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.heavy
@pytest.mark.parametrize("module", ["soak", "fuzz"])
def test_nothing_should_be_lost_and_nothing_should_fail(module: str, copied: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}  # for the PostgreSQL server of the tests
    only = ["--only", "sqlite"] if module == "soak" else []
    command = [sys.executable, "-m", f"research.{module}", "--quick", *only]
    subprocess.run(command, check=True, cwd=copied, env=environment, capture_output=True, timeout=600)
    (row,) = json.loads((copied / "research" / "results" / f"{module}-quick.json").read_text())["rows"]
    if module == "soak":
        assert row["acknowledged"] > 0
        assert (row["lost"], row["doubled"], row["wrong"]) == (0, 0, 0)
        assert sum(row["killed"].values()) > 0
    else:
        assert row["requests"] == 1000
        assert row["faults"] == 0, row["first_faults"]
