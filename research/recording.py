"""What benchmarks and experiments share: a results file that grows cell by cell, and the machine it was made on."""

import json
import os
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy

import learn2search as l2s

RESULTS = Path(__file__).parent / "results"


def environment() -> dict[str, Any]:
    """Where and with what the figures were made."""
    return {
        "learn2search": l2s.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


class Recording:
    """Cells of results by name, written to `<name>.json` after each: a benchmark goes on where it was stopped."""

    def __init__(self, name: str, command: str, fresh: bool = False) -> None:
        self.path = RESULTS / f"{name}.json"
        self.cells: dict[str, Any] = {}
        if self.path.exists() and not fresh:
            self.cells = json.loads(self.path.read_text())["cells"]
        self.head: dict[str, Any] = {"command": command, "environment": environment()}

    def cell(self, key: str, measure: Callable[[], Any]) -> Any:
        """The cell's value, measured only if it is not there yet."""
        if key not in self.cells:
            print(f"  {key} ...", file=sys.stderr, flush=True)
            self.cells[key] = measure()
            self.save()
        return self.cells[key]

    def save(self) -> None:
        self.path.parent.mkdir(exist_ok=True)
        content = {**self.head, "finished": datetime.now(UTC).isoformat(timespec="seconds"), "cells": self.cells}
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(json.dumps(content, indent=1) + "\n")
        temporary.replace(self.path)
