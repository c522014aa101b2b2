import re
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest
from typer.testing import CliRunner

from learn2search.cli.main import app

COLOURED: dict[str, Any] = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
PLAIN: dict[str, Any] = {"FORCE_COLOR": None, "NO_COLOR": None, "LEARN2SEARCH_SEED": None}


def printed(*arguments: str, status: int = 0, **environment: str) -> str:
    """What a command prints. Its standard input is not a terminal."""
    done = CliRunner().invoke(app, list(arguments), env=PLAIN | environment, prog_name="learn2search")
    assert done.exit_code == status, done.output
    return done.output


def test_version_should_be_that_of_the_package() -> None:
    assert printed("version").strip() == version("learn2search")


def test_help_should_name_the_commands() -> None:
    assert {"play", "version"} <= set(printed("--help").split())
    assert "colors" in printed("play", "--help")


def test_help_of_the_game_should_teach_its_keys() -> None:
    text = printed("play", "colors", "--help")
    expected = [
        "most like it",
        "this is it",
        "can't tell",
        "undo",
        "start again",
        "quit",
        "--show 2|4|6|9|12",
        "--seed",
    ]
    assert [words for words in expected if words not in text] == []


def test_help_should_not_load_the_game() -> None:
    loaded = "import sys, learn2search.cli.main; print([name for name in sys.modules if 'learn2search.play' in name])"
    found = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_without_a_keyboard_a_simulated_person_should_play() -> None:
    text = printed("play", "colors", "--seed", "1")
    assert "simulated person" in text
    assert re.search(r"Found at question \d+: #[0-9a-f]{6}, a", text)
    assert "\x1b" not in text


@pytest.mark.parametrize("show", ["2", "4", pytest.param("12", marks=pytest.mark.heavy)])
def test_a_simulated_search_should_be_coloured_where_that_is_wanted(show: str) -> None:
    text = printed("play", "colors", "--show", show, "--seed", "1", **COLOURED)
    assert "\x1b[48;2;" in text
    assert "Found at question" in text
    assert "\x1b[48;2;" not in printed("play", "colors", "--show", show, "--seed", "1", **COLOURED, NO_COLOR="1")


def test_the_same_seed_should_give_the_same_search() -> None:
    once = printed("play", "colors", "--seed", "7")
    assert once == printed("play", "colors", LEARN2SEARCH_SEED="7")
    assert once != printed("play", "colors", "--seed", "8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["play", "colors", "--show", "3"], "2, 4, 6, 9 or 12 are shown at a time, not 3"),
        (["play", "colors", "--show", "many"], "--show"),
        (["play", "colors", "--seed", "-1"], "--seed"),
        (["play", "music"], "No such command 'music'"),
    ],
)
def test_wrong_options_should_be_explained(arguments: list[str], words: str) -> None:
    assert words in printed(*arguments, status=2)
