"""What the processes of a site are told."""

import os
import subprocess
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from learn2search.cli import serving
from learn2search.cli.serving import _export, _keep_training
from learn2search.site.settings import Settings


@pytest.mark.parametrize("origins", [(), ("https://shop.example", "https://blog.example")])
def test_workers_should_read_the_settings_that_the_site_was_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origins: tuple[str, ...]
) -> None:
    given = Settings(home=tmp_path, embed_origins=origins, workers=2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", dict(os.environ))
        _export(given)
        written = {name: value for name, value in os.environ.items() if name.startswith("LEARN2SEARCH_")}
    for name, value in written.items():
        monkeypatch.setenv(name, value)
    assert Settings() == given


def test_a_trainer_that_cannot_be_started_should_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no memory is left for a process, say: else nothing would be learnt until the site is started anew."""
    tries, stop = [], threading.Event()

    def start(command: list[str], **_: object) -> subprocess.Popen[bytes]:
        tries.append(command)
        if len(tries) == 1:
            raise OSError("no memory is left")
        stop.set()
        return subprocess.Popen(["sleep", "60"])

    stand_in = SimpleNamespace(Popen=start, TimeoutExpired=subprocess.TimeoutExpired)
    monkeypatch.setattr(serving, "subprocess", stand_in)
    monkeypatch.setattr(serving, "_AGAIN", 0.01)
    _keep_training(stop)
    assert len(tries) == 2
