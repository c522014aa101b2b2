"""Progress is shown on standard error when it is asked for, or when a person looks at it."""

import subprocess
import sys

import pytest

from learn2search.progress import bar, spinner, track

Captured = pytest.CaptureFixture[str]


def test_a_bar_should_show_the_steps_and_the_note(capsys: Captured) -> None:
    with bar("fitting", 5, True, done=1) as show:
        show(3, "held-out log-likelihood -0.5")
    told = capsys.readouterr()
    assert "fitting" in told.err
    assert "3/5" in told.err
    assert "held-out log-likelihood -0.5" in told.err
    assert told.out == ""


@pytest.mark.parametrize("progress", [False, None])
def test_nothing_should_be_shown_unasked(capsys: Captured, progress: bool | None) -> None:
    with bar("fitting", 5, progress) as show, spinner("choosing", progress) as say:
        show(3, "a note")
        say("a line")
        assert list(track("abc", "reading", 3, progress)) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("progress", [None, True, False])
def test_a_terminal_should_get_a_bar_unless_it_is_not_wanted(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, progress: bool | None
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bar("fitting", 5, progress) as show:
        show(5)
    assert ("5/5" in capsys.readouterr().err) == (progress is not False)


def test_what_is_tracked_should_come_through_and_leave_no_bar(capsys: Captured) -> None:
    assert list(track(iter("abc"), "reading", 3, True)) == ["a", "b", "c"]
    assert "3/3" not in capsys.readouterr().err  # standard error is no terminal here: nothing is drawn on the way


def test_lines_should_be_printed_above_a_spinner(capsys: Captured) -> None:
    with spinner("choosing", True) as say:
        say("dimension 5: -0.5")
    assert "dimension 5: -0.5" in capsys.readouterr().err


def test_rich_should_be_loaded_only_to_show_something() -> None:
    program = "import sys; from learn2search.progress import bar\nwith bar('a', 1, False): print('rich' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "False\n"
    )
