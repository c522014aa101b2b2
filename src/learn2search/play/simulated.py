"""A search played by a simulated person and printed line by line, for where nobody can press a key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

import learn2search as l2s
from learn2search.play.colors import Palette, thousand_colors
from learn2search.play.session import NOISE, Session, warm_up
from learn2search.play.swatches import chip
from learn2search.play.theme import line

MOST_QUESTIONS = 60


def play_simulated(console: Console, show: int, seed: int | None) -> None:
    """Print one whole search for a random colour."""
    palette = thousand_colors()
    random = np.random.default_rng(seed)
    target, person_seed, search_seed = (int(number) for number in random.integers([len(palette), 2**31, 2**31]))
    person = l2s.ProbitOracle(palette.features, noise=NOISE, seed=person_seed)
    _say(console, _introduction(palette, target, console))
    with Console(stderr=True).status("Warming up. Only the first time takes a while ..."):
        warm_up(palette.features, show)
    session = Session(palette.features, show, search_seed)
    while target not in session.shown and session.number < MOST_QUESTIONS and not session.used_up:
        chosen = person.choose(session.shown, target=target)
        question = _question(palette, session, chosen, console)
        session.answer(chosen)
        _say(console, [question.append(f"  {round(session.still_fit):,} fit", "dim")])
    _say(console, _ending(palette, session, target, console))


def _introduction(palette: Palette, target: int, console: Console) -> list[Text]:
    in_mind = line(" ").join([line("In mind:"), *filter(len, [_chip(palette, target, console)]), line()])
    return [
        line("A simulated person looks for a colour among 1,000."),
        line("(No keyboard here: run it in a terminal to play yourself.)"),
        line(),
        in_mind.append(f"{palette.hexes[target]}, {palette.words(target)}"),
        line(),
    ]


def _question(palette: Palette, session: Session, chosen: int | None, console: Console) -> Text:
    text = line(f"{session.number:>2}  ")
    for item in session.shown:
        text.append_text(_colour(palette, item, console, marked=item == chosen))
    return text.append("  can't tell") if chosen is None else text


def _ending(palette: Palette, session: Session, target: int, console: Console) -> list[Text]:
    if target not in session.shown:
        return [line(), line(f"Gave up after {session.number - 1} questions.")]
    text = _question(palette, session, target, console).append("  this is it", "bold")
    return [
        text,
        line(),
        line(f"Found at question {session.number}: {palette.hexes[target]}, {palette.words(target)}."),
    ]


def _colour(palette: Palette, item: int, console: Console, marked: bool) -> Text:
    """A chip where there is colour, and the hex value; the chosen one between brackets."""
    left, right = "[]" if marked else "  "
    return _chip(palette, item, console).append(f"{left}{palette.hexes[item]}{right}", "bold" if marked else "")


def _chip(palette: Palette, item: int, console: Console) -> Text:
    has_colour = console.color_system is not None and not console.no_color
    return chip(palette.hexes[item]) if has_colour else line()


def _say(console: Console, lines: Sequence[Text]) -> None:
    for text in lines:
        console.print(text, soft_wrap=True, highlight=False, end="\n")
