"""The game: keys in, pages out, until the person has found the colour or had enough."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from types import FrameType
from typing import NoReturn

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.text import Text

from learn2search.play import screen
from learn2search.play.colors import Palette, thousand_colors
from learn2search.play.keys import Wait, keyboard
from learn2search.play.screen import CHOICE_KEYS, Size
from learn2search.play.session import Session, warm_up

SHIFTED_KEYS = "!@#$%^&*("  # Shift and a number on an American keyboard; other layouts press f first
IDEAS = (
    "the inside of a ripe fig",
    "the sea on a grey day",
    "old brick in the evening sun",
    "moss after rain",
    "the sky just after sunset",
    "your favourite pullover",
    "the door of the house you grew up in",
    "milk coffee",
    "the shade under a lilac tree",
    "a glass of beetroot juice",
)
FEW_COLOURS = "Only 256 colours here: neighbours may look the same."
LOOK_INTERVAL = 0.25  # seconds between two looks at the size of the terminal


class Mode(Enum):
    """Where the person is in the game."""

    WARMING_UP = "warming up"
    WELCOME = "welcome"
    ASKING = "asking"
    FINDING = "finding"  # f was pressed: the next number says which one it is
    FOUND = "found"
    OVER = "over"


class Game:
    """What the person sees, and what a key does about it. Knows nothing of terminals."""

    def __init__(self, palette: Palette, show: int, seed: int | None, hint: str = "") -> None:
        self._palette, self._show, self._hint = palette, show, hint
        self._random = np.random.default_rng(seed)
        self._idea = str(self._random.choice(IDEAS))
        self.session: Session | None = None
        self.mode = Mode.WARMING_UP

    def warm_up(self) -> None:
        """Get ready, so that no answer has to wait."""
        warm_up(self._palette.features, self._show)
        self.mode = Mode.WELCOME

    def press(self, key: str) -> None:
        """React to a key; a key without a meaning here does nothing."""
        key = key.lower()
        if key == "q" and self.mode is not Mode.FINDING:
            self.mode = Mode.OVER
        elif self.session is None:
            self._start()
        elif self.mode is Mode.FINDING:
            self._find(self.session, key, CHOICE_KEYS)
        elif key == "r":
            self._start()
        elif key == "u":
            self.session.undo()
            self.mode = Mode.ASKING
        elif self.mode is Mode.ASKING and not self.session.used_up:
            self._answer(self.session, key)

    def page(self, size: Size) -> list[Text]:
        """The lines of the current page."""
        if self.session is None:
            return screen.welcome_page(self._palette, self._show, self._idea, self.mode is Mode.WELCOME, size)
        if self.session.found is not None:
            return screen.found_page(self._palette, self.session, self.session.found, self._hint, size)
        if self.session.used_up:
            return screen.used_up_page(self._palette, self.session, size)
        return screen.question_page(self._palette, self.session, self.mode is Mode.FINDING, self._hint, size)

    def farewell(self) -> Text:
        """The line that stays in the terminal after the game."""
        return screen.farewell(self._palette, self.session)

    def _start(self) -> None:
        seed = int(self._random.integers(2**31))
        self.session = Session(self._palette.features, self._show, seed)
        self.mode = Mode.ASKING

    def _answer(self, session: Session, key: str) -> None:
        if key == "f":
            self.mode = Mode.FINDING
        elif key == "0":
            session.answer(None)
        elif key in SHIFTED_KEYS:
            self._find(session, key, SHIFTED_KEYS)
        elif key in CHOICE_KEYS[: len(session.shown)]:
            session.answer(session.shown[CHOICE_KEYS.index(key)])

    def _find(self, session: Session, key: str, keys: str) -> None:
        self.mode = Mode.ASKING
        if key in keys[: len(session.shown)]:
            session.find(session.shown[keys.index(key)])
            self.mode = Mode.FOUND


def play(console: Console, show: int, seed: int | None) -> None:
    """Play in this terminal until the person quits."""
    game = Game(thousand_colors(), show, seed, hint="" if console.color_system == "truecolor" else FEW_COLOURS)
    try:
        # A terminal that was closed has nobody left to ask: the same as quitting.
        with (
            suppress(EOFError),
            ended_by_signals(),
            keyboard() as wait,
            Live(console=console, screen=True, auto_refresh=False) as live,
        ):
            _loop(game, wait, live)
    finally:
        console.print(game.farewell(), soft_wrap=True)


def why_not(console: Console) -> str | None:
    """A sentence on why the game cannot be played in this terminal, or None."""
    if console.no_color:
        return "This game is about colours, and NO_COLOR is set: unset it to play."
    if console.is_dumb_terminal or console.color_system not in ("truecolor", "256"):
        return "This game needs a terminal that shows 256 colours or more, and this one does not (see TERM)."
    return None


def _loop(game: Game, wait: Wait, live: Live) -> None:
    _show(game, live)
    game.warm_up()
    while game.mode is not Mode.OVER:
        size = _show(game, live)
        key = wait(LOOK_INTERVAL)
        while key is None and size == live.console.size:
            key = wait(LOOK_INTERVAL)
        if key is not None:
            game.press(key)


def _show(game: Game, live: Live) -> tuple[int, int]:
    width, height = live.console.size
    size = Size(width, height)
    live.update(screen.framed(game.page(size), size), refresh=True)
    return width, height


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Turn a request to end into SystemExit, so that the terminal is put back on the way out."""
    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {name: signal.signal(getattr(signal, name), _end) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
