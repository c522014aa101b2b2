"""A site in processes of its own, as `learn2search serve` or `demo` starts it."""

import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PROGRAM = (sys.executable, "-m", "learn2search.cli")
PATIENCE = 240  # seconds: the very first start compiles


class Served:
    """A site in processes of its own. said: the last lines of its output, to be read when it has ended."""

    def __init__(self, process: subprocess.Popen[str], address: str, token: str, said: deque[str]) -> None:
        self.process, self.address, self.token, self.said = process, address, token, said


@contextmanager
def served(
    *arguments: str,
    home: Path,
    workers: int = 1,
    program: Sequence[str] = PROGRAM,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--workers", str(workers), "--no-browser", "--home", str(home)]
    command = [*program, *arguments, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    # What it goes on to say is read: a pipe that is full would hold up its workers.
    said: deque[str] = deque(maxlen=1000)
    drain = threading.Thread(target=lambda: said.extend(process.stdout or ()), daemon=True)
    try:
        token = ""
        assert process.stdout is not None
        for line in process.stdout:
            found = re.match(r"  Token +(\S+)", line)
            token = found[1] if found else token
            if "Ctrl-C" in line:
                break
        drain.start()
        address = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE):  # it answers at once
            pass
        yield Served(process, address, token, said)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        if drain.ident is not None:
            drain.join(PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def wait_for(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=10):
                return
        except OSError:
            assert time.monotonic() < deadline, "the site does not answer"
            time.sleep(0.1)


def children(pid: int, word: str) -> list[int]:
    """The processes under this one whose command line has the word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                line = (entry / "cmdline").read_text()
            except (OSError, IndexError):
                continue
            if parent == pid and word in line:
                found.append(int(entry.name))
    return found
