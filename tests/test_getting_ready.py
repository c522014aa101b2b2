"""Compiling beforehand, and saying so when it was not done."""

import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba.core import event
from typer.testing import CliRunner

import learn2search as l2s
from learn2search import compiled
from learn2search.cli.main import app


def compilation_of(module: str) -> SimpleNamespace:
    """What numba tells when it compiles a function of this module."""
    return SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(__module__=module))})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr("learn2search.compiled.time.monotonic", lambda: now.seconds)
    return now


def compile_for(
    notice: compiled._Notice, clock: SimpleNamespace, seconds: float, module: str = "learn2search.a"
) -> None:
    notice.on_start(compilation_of(module))
    notice.on_start(compilation_of(module))  # a function that it calls
    clock.seconds += seconds
    notice.on_end(compilation_of(module))
    notice.on_end(compilation_of(module))


def test_a_long_compilation_should_be_said_once(clock: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    notice = compiled._Notice()
    compile_for(notice, clock, 1.5)
    clock.seconds += 1000  # a short one long ago, and nothing since
    assert not caplog.records
    for _ in range(2):
        compile_for(notice, clock, 1.5)
    (record,) = caplog.records
    assert record.name == "learn2search"
    assert record.levelno == logging.WARNING  # without any set-up it is printed on standard error
    assert "learn2search warm-up" in record.getMessage()


def test_other_peoples_functions_should_not_be_spoken_of(
    clock: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    compile_for(compiled._Notice(), clock, 100, module="somebody.else")
    assert not caplog.records


def test_a_silent_compilation_should_stay_silent(
    clock: SimpleNamespace, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    notice = compiled._Notice()
    monkeypatch.setattr(compiled, "_notice", notice)
    with compiled.say_nothing():
        compile_for(notice, clock, 100)
    assert not caplog.records


def test_every_part_should_be_ready_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CliRunner().invoke(app, ["warm-up"]).output.startswith("ready")
    with event.install_recorder("numba:compile") as recorder:
        l2s.warm_up()
    assert not recorder.buffer


def test_an_unknown_part_should_be_named() -> None:
    with pytest.raises(ValueError, match="one of search, known positions, simulate, fit, learn, not 'cook'"):
        l2s.warm_up(["cook"])


@pytest.mark.heavy
def test_a_first_search_on_an_empty_cache_should_say_that_it_compiles(tmp_path: Path) -> None:
    program = "import learn2search as l2s; l2s.GaussSearch(l2s.Embedding([[0.0], [1.0], [2.0]]), 1.0).ask()"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr.startswith("compiling for this machine")
