"""A site in processes of its own whose database another process has locked, and one of whose workers is killed then."""

import os
import signal
import sqlite3
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.served_site import PATIENCE, children, served


def status_of(address: str, *, post: bool = False) -> int:
    request = urllib.request.Request(address, data=b"" if post else None, method="POST" if post else "GET")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.heavy
def test_a_site_should_outlive_a_locked_database_and_a_killed_worker(tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (6, 3)).tolist()):
        Image.new("RGB", (40, 50), tuple(colour)).save(pictures / f"colour_{number}.png")
    home = tmp_path / "home"
    with served("serve", str(pictures), "--slug", "colours", home=home, workers=2) as site:
        search = f"{site.address}/api/v1/collections/colours/searches"
        assert status_of(search, post=True) == 201
        other = sqlite3.connect(home / "site.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        workers = children(site.process.pid, "spawn_main")
        os.kill(workers[0], signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while len(set(children(site.process.pid, "spawn_main")) - set(workers)) < 1:
            assert time.monotonic() < deadline, "no worker took the place of the killed one"
            time.sleep(0.2)
        assert status_of(search, post=True) == 503
        assert status_of(f"{site.address}/static/site.css") == 200
        assert status_of(f"{site.address}/healthz") == 503
        other.execute("ROLLBACK")
        other.close()
        while status_of(search, post=True) != 201:
            assert time.monotonic() < deadline, "the site does not go on"
            time.sleep(0.2)
        assert site.process.poll() is None
    assert site.process.returncode in (0, -signal.SIGTERM)
