"""The account of processes that the study of a large site reads, and its mathematics."""

import os
import subprocess
import sys

from research import memory, million_site


def test_processes_should_be_found_with_what_they_hold_and_compute() -> None:
    waiting = "import sys; sys.stdin.read()"
    command = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {waiting!r}])"
    process = subprocess.Popen([sys.executable, "-c", command], stdin=subprocess.PIPE)
    try:
        while len(found := memory.descendants(process.pid)) < 2:
            assert process.poll() is None
        assert found[0] == process.pid
        assert 0 < memory.in_proportion(process.pid) <= memory.held(process.pid)
        assert memory.cpu_seconds([os.getpid()]) > memory.cpu_seconds(found[1:])
    finally:
        process.communicate(b"")


def test_computing_should_be_measured_by_answers() -> None:
    row = million_site.computing(200, 12)
    assert row["answers"] == 12
    assert 0 < row["p50_cpu_ms"] <= row["p99_cpu_ms"]
