"""The memory of a process, from the kernel's own account (Linux)."""

import os
from collections.abc import Iterable
from pathlib import Path


def begin_new_peak() -> None:
    """From now on, `peak` is the most that this process holds from now on."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Bytes, the most that this process has held."""
    return _account("self", "VmHWM")


def held(process: int | str = "self") -> int:
    """Bytes that a process holds now."""
    return _account(process, "VmRSS")


def _account(process: int | str, line: str) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * int(status.split(f"{line}:")[1].split()[0])


def in_proportion(process: int) -> int:
    """Bytes that a process holds, what several share counted in parts (PSS)."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    return 1024 * int(rollup.split("\nPss:")[1].split()[0])


def descendants(process: int) -> list[int]:
    """The process and all that it has started, and they."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(pid) for task in tasks for pid in task.read_text().split()]
    return [process, *(pid for child in children for pid in descendants(child))]


def cpu_seconds(processes: Iterable[int]) -> float:
    """What they have computed so far, as programs and in the kernel."""
    ticks = 0
    for process in processes:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
