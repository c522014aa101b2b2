import io
import re
from functools import cache

import pytest
from rich.console import Console

from learn2search.play import game as game_module
from learn2search.play.colors import thousand_colors
from learn2search.play.funnel import Funnel
from learn2search.play.game import FEW_COLOURS, Game, Mode
from learn2search.play.keys import keys_of
from learn2search.play.screen import CHOICE_KEYS, Size, framed, keys_in_words

PALETTE = thousand_colors()
SIZES = [Size(60, 24), Size(80, 24), Size(120, 40), Size(200, 60)]
SMALL = [Size(40, 16), Size(30, 10)]


def played(keys: str, show: int = 4, hint: str = "") -> Game:
    game = Game(PALETTE, show, seed=5, hint=hint)
    game.warm_up()
    for key in keys:
        game.press(key)
    return game


seen = cache(played)  # for tests that only look


def printed(game: Game, size: Size) -> str:
    console = Console(
        width=size.width, height=size.height, file=io.StringIO(), record=True, force_terminal=True,
        color_system="truecolor", legacy_windows=False,
    )  # fmt: skip
    console.print(framed(game.page(size), size), end="")
    return console.export_text()


@pytest.mark.parametrize("size", SIZES + SMALL)
@pytest.mark.parametrize("keys", ["", " ", " 120", " 12f", " 12f3", " " + "1023" * 9, " " + "1023" * 9 + "f1"])
def test_every_page_should_fit_the_terminal(keys: str, size: Size) -> None:
    _check_fit(seen(keys, hint=FEW_COLOURS), size)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("show", [2, 6, 9, 12])
def test_every_number_of_colours_should_fit_the_terminal_with_its_keys(show: int, size: Size) -> None:
    game = seen(" 1", show=show)
    _check_fit(game, size)
    text = printed(game, size)
    assert keys_in_words(show) in text
    assert game.session is not None
    captions = [line for line in text.splitlines() if "#" in line or re.fullmatch(r"[\s1-9a-c]+", line)]
    keys = "".join(captions)
    assert [key for key in CHOICE_KEYS[:show] if not re.search(rf"(?<![#\w]){key}(?!\w)", keys)] == []


def _check_fit(game: Game, size: Size) -> None:
    lines = printed(game, size).splitlines()
    assert len(lines) <= size.height
    assert max(map(len, lines)) <= size.width


@pytest.mark.parametrize("size", SIZES)
def test_a_question_should_show_its_colours_keys_and_belief(size: Size) -> None:
    game = seen(" 1")
    text = printed(game, size)
    assert game.session is not None
    expected = [
        "question 2",
        "most like",
        "f this is it",
        "0 can't tell",
        "u undo",
        "r start again",
        "q quit",
    ]
    expected += [PALETTE.hexes[item] for item in game.session.shown]
    expected += [f"About {round(game.session.still_fit)} of 1,000 colours still fit"]
    assert [words for words in expected if words not in text] == []


@pytest.mark.parametrize("size", SIZES)
def test_the_end_should_name_the_colour_and_the_way(size: Size) -> None:
    game = seen(" 103f2")
    assert game.session is not None
    assert game.session.found is not None
    text = printed(game, size)
    expected = ["There it is!", PALETTE.hexes[game.session.found], "question 4", "Your way there"]
    assert [words for words in expected if words not in text] == []
    assert PALETTE.words(game.session.found).split()[-1] in text


def test_a_small_terminal_should_still_show_colours_and_keys() -> None:
    text = printed(played(" 1"), Size(40, 16))
    assert "q quit" in text
    assert "▄▄▄" in text


def test_pairs_should_be_shown_on_request() -> None:
    text = printed(played(" ", show=2), Size(80, 24))
    assert "1-2 most like it" in text
    assert "3  #" not in text


def test_few_colours_should_be_mentioned() -> None:
    assert FEW_COLOURS[:50] in printed(played(" ", hint=FEW_COLOURS), Size(60, 24))


def test_warming_up_should_be_said() -> None:
    game = Game(PALETTE, 4, seed=0)
    assert "Warming up" in printed(game, Size(60, 24))
    game.warm_up()
    assert "Press any key" in printed(game, Size(60, 24))


@pytest.mark.parametrize("key", ["\x1b", "q", "u", "0"])
def test_a_key_after_f_that_is_no_number_should_go_back(key: str) -> None:
    game = played(" f")
    modes = [game.mode]
    game.press(key)
    assert [*modes, game.mode] == [Mode.FINDING, Mode.ASKING]
    assert game.session.number == 1


def test_shift_and_a_number_should_also_mean_this_is_it() -> None:
    game = played(" 1")
    assert game.session is not None
    third = game.session.shown[2]
    game.press("#")
    assert (game.mode, game.session.found) == (Mode.FOUND, third)


def test_the_twelfth_colour_should_have_a_key() -> None:
    game = played(" ", show=12)
    assert game.session is not None
    last = game.session.shown[11]
    game.press("c")
    assert game.session.steps[0].chosen == last
    tenth = game.session.shown[9]
    game.press("f")
    game.press("a")
    assert (game.mode, game.session.found) == (Mode.FOUND, tenth)


def test_numbers_without_a_colour_should_do_nothing() -> None:
    game = played(" 34#$x", show=2)
    assert game.session is not None
    assert (game.mode, game.session.number, game.session.found) == (Mode.ASKING, 1, None)


def test_start_again_should_ask_other_questions() -> None:
    game = played(" 1")
    before = game.session
    game.press("r")
    assert game.session is not before
    assert game.session is not None
    assert game.session.number == 1


def test_undo_at_the_end_should_go_back_to_the_question() -> None:
    game = played(" 1f2u")
    assert game.mode is Mode.ASKING
    assert game.session is not None
    assert game.session.number == 2


def test_the_farewell_should_leave_the_colour_in_the_terminal() -> None:
    game = played(" 1f2q")
    assert game.session is not None
    assert game.session.found is not None
    assert PALETTE.hexes[game.session.found] in game.farewell().plain
    assert "found at question 2" in game.farewell().plain
    assert "The likeliest is" in played(" 1q").farewell().plain
    assert played("q").farewell().plain == "Until next time."


def test_everything_shown_should_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    game = played(" ")
    assert game.session is not None
    monkeypatch.setattr(type(game.session), "used_up", True)
    assert "all 1,000 colours" in printed(game, Size(60, 24))
    game.press("1")
    assert game.session.number == 1


def test_funnel_should_be_symmetric_and_as_wide_as_asked() -> None:
    lines = Funnel(1000, [1000, 100, 10], ["#ff0000", None]).lines(40, half_rows=2)
    assert len(lines) == 6
    assert max(text.cell_len for text in lines) <= 40
    assert lines[0].plain == "██▇▆▅▃▂▁   "
    assert lines[4].plain == "  ▁▂▃▅▆▇   "
    assert lines[-1].plain.split() == [str(number) for number in range(1, 11)]


def test_a_long_funnel_should_show_its_latest_part() -> None:
    lines = Funnel(1000, [10.0] * 30, ["#ff0000"] * 29).lines(40)
    assert lines[-1].plain.split()[-1] == "30"


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"TERM": "dumb"}, "256 colours"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "NO_COLOR"),
        ({"TERM": "linux"}, "256 colours"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, None),
    ],
)
def test_a_terminal_without_colours_should_be_told_why(environment: dict[str, str], words: str | None) -> None:
    reason = game_module.why_not(Console(force_terminal=True, _environ=environment, file=io.StringIO()))
    assert reason is None if words is None else reason is not None and words in reason


def test_special_keys_should_be_left_out_and_fast_typing_taken_apart() -> None:
    assert keys_of("1\x1b[A2\x1bOP\x1b[15~0") == ["1", "2", "0"]
    assert keys_of("\x1b") == ["\x1b"]
