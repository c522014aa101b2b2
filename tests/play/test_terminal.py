"""The game as a person meets it: in a real (pseudo-)terminal, with keys going in and pages coming out."""

from __future__ import annotations

import re
import signal
import sys
from typing import Any

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are for POSIX", allow_module_level=True)

from tests.terminal import WARM_UP_SECONDS, Terminal

LEAVES_ALTERNATE_SCREEN, SHOWS_CURSOR = "\x1b[?1049l", "\x1b[?25h"


def begun(*options: str, **settings: object) -> Terminal:
    terminal = Terminal(*options, "--seed", "4", **settings)  # type: ignore[arg-type]
    terminal.wait_for("Press any key", WARM_UP_SECONDS)
    terminal.press(" ")
    terminal.wait_for("question 1")
    return terminal


def colours_in(page: str) -> list[str]:
    return re.findall(r"#[0-9a-f]{6}", page)


def assert_put_back(terminal: Terminal) -> None:
    assert terminal.mode == terminal.mode_before
    assert LEAVES_ALTERNATE_SCREEN in terminal.output
    assert SHOWS_CURSOR in terminal.output


def test_a_whole_game_should_be_played_with_single_keys() -> None:
    with begun() as terminal:
        assert terminal.mode != terminal.mode_before
        terminal.press("2")
        second = terminal.wait_for("question 2")
        terminal.press("0")
        terminal.wait_for("question 3")
        terminal.press("u")
        assert colours_in(terminal.wait_for("question 2")) == colours_in(second)
        terminal.press("3")
        third = colours_in(terminal.wait_for("question 3"))
        terminal.press("f")
        terminal.wait_for("Which one?")
        terminal.press("4")
        end = terminal.wait_for("q quit")
        assert "There it is!" in end
        assert third[3] in end
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert f"{third[3]}, a" in terminal.text
        assert "found at question 3." in terminal.text
        assert_put_back(terminal)


@pytest.mark.heavy  # the quick one is in test_screen.py
def test_fast_typing_should_lose_no_key() -> None:
    with begun("--show", "2") as terminal:
        terminal.press("12121\x1b[A")
        terminal.wait_for("question 6")
        terminal.press("r1")
        terminal.wait_for("question 2")


@pytest.mark.heavy  # the quick one is in test_screen.py
def test_quitting_early_should_name_the_likeliest_colour() -> None:
    with begun() as terminal:
        terminal.press("1")
        terminal.wait_for("question 2")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert "The likeliest is" in terminal.text
        assert_put_back(terminal)


@pytest.mark.parametrize(
    ("keys", "sent", "status"),
    [("\x03", None, 130), pytest.param("", signal.SIGTERM, 143, marks=pytest.mark.heavy)],
)
def test_an_interrupted_game_should_put_the_terminal_back(keys: str, sent: int | None, status: int) -> None:
    with begun() as terminal:
        terminal.press(keys)
        if sent is not None:
            terminal.process.send_signal(sent)
        assert terminal.wait_for_end() == status
        assert "Traceback" not in terminal.text
        assert_put_back(terminal)


@pytest.mark.heavy
def test_a_resized_terminal_should_be_drawn_anew() -> None:
    with begun() as terminal:
        terminal.press("")
        terminal.resize(60, 30)
        assert "u undo" in terminal.wait_for("q quit")


@pytest.mark.heavy
def test_256_colours_should_be_enough_and_said() -> None:
    with begun(COLORTERM="") as terminal:
        terminal.press("1")
        terminal.wait_for("256 colours")
        assert "48;5;" in terminal.output
        assert "48;2;" not in terminal.output


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"NO_COLOR": "1"}, "NO_COLOR is set"),
        pytest.param({"TERM": "dumb", "COLORTERM": ""}, "256 colours", marks=pytest.mark.heavy),
    ],
)
def test_a_terminal_without_colour_should_get_a_sentence(environment: dict[str, Any], words: str) -> None:
    with Terminal(**environment) as terminal:
        terminal.wait_for(words, WARM_UP_SECONDS)
        assert terminal.wait_for_end() == 1
        assert "\x1b" not in terminal.output
