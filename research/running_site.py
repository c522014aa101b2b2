"""A site that was started as a user starts it, for as long as it is measured."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from research import memory

COMMAND = [sys.executable, "-m", "learn2search.cli"]


class Site:
    """A running site. ready_seconds: from the command until the first page."""

    def __init__(self, process: subprocess.Popen[str], port: int, token: str, ready_seconds: float) -> None:
        self.process, self.port, self.token, self.ready_seconds = process, port, token, round(ready_seconds, 1)

    def memory(self) -> float:
        """MB that the serving process holds."""
        return round(memory.held(self.process.pid) / 2**20, 1)


@contextmanager
def serving(home: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[Site]:
    """A site that answers. `environment`: added to that of this process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--home", str(home), "--port", str(port), "--no-browser", "--new-token"]
    began = time.perf_counter()
    added = os.environ | (environment or {})
    process = subprocess.Popen([*COMMAND, *arguments, *options], stdout=subprocess.PIPE, text=True, env=added)
    assert process.stdout is not None
    token = ""
    for line in process.stdout:
        found = re.match(r"  Token +(\S+)", line)
        token = found[1] if found else token
        if "Ctrl-C" in line:
            break
    # What it goes on to say is read: a pipe that is full would hold up its workers.
    threading.Thread(target=process.stdout.read, daemon=True).start()
    try:
        wait_for(port, process)
        yield Site(process, port, token, time.perf_counter() - began)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)  # a worker that was killed may just be starting


def wait_for(port: int, process: subprocess.Popen[Any]) -> None:
    while process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the site has ended before it answered: its messages stand above")
