"""Commands as a user types them, a site in processes of its own, and pictures to put on it."""

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from learn2search.cli.main import app


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()):
        Image.new("RGB", (40, 50), tuple(colour)).save(folder / f"colour_{number:02}.png")
    return folder


@pytest.fixture
def run_command() -> Callable[..., str]:
    """What a command prints; it must end with this status."""

    def run(*arguments: str, home: Path, status: int = 0) -> str:
        done = CliRunner().invoke(app, list(arguments), env={"LEARN2SEARCH_HOME": str(home)}, prog_name="learn2search")
        assert done.exit_code == status, done.output
        return done.output

    return run


PATIENCE = 240  # seconds: the very first start compiles


class Served:
    """A site in processes of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str, token: str) -> None:
        self.process, self.address, self.token = process, address, token


@contextmanager
def serve_until_the_end(*arguments: str, home: Path, workers: int = 1) -> Iterator[Served]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--workers", str(workers), "--no-browser", "--home", str(home)]
    command = [sys.executable, "-m", "learn2search.cli", *arguments, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        token = ""
        assert process.stdout is not None
        for line in process.stdout:
            found = re.match(r"  Token +(\S+)", line)
            token = found[1] if found else token
            if "Ctrl-C" in line:
                break
        address = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE):  # it answers at once
            pass
        yield Served(process, address, token)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def served() -> Callable[..., AbstractContextManager[Served]]:
    """A site as `learn2search serve` or `demo` starts it, until the end of the block."""
    return serve_until_the_end
