"""The memory of a process, from the kernel's own account (Linux)."""

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
