"""The pages of the game, as lines of text: state in, lines out, nothing is printed here."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Group
from rich.style import Style
from rich.text import Text

from learn2search.play.colors import Palette
from learn2search.play.funnel import Funnel
from learn2search.play.session import AnsweredQuestion, Session
from learn2search.play.swatches import GAP, captions, chip, strip, swatch, swatch_row
from learn2search.play.theme import GOLD, keycap, line, spread
from learn2search.site.show_counts import CHOICE_KEYS as KEYS_OF_THE_SITE

WIDEST = 110  # beyond this the eye travels too far between swatches
CHOICE_KEYS = KEYS_OF_THE_SITE.lower()
NARROWEST = 10  # columns of a swatch: where all in one row would be narrower, there are more rows
CHIP = 6  # columns of a chosen colour at the end, shared by those that were passed over
TYPICAL_QUESTIONS = {2: 12, 4: 7, 6: 5, 9: 5, 12: 4}  # medians of 120 simulated searches or more, rounded up
LOGO = strip([["#8d8492", "#b5adb9"], ["#b5adb9", "#f4b73b"]])[0]  # four pictures, and one of them is it


class Size(NamedTuple):
    """Columns and rows."""

    width: int
    height: int

    @property
    def inner(self) -> int:
        """The columns that a page uses: as many as two or four swatches fill without a rest."""
        room = max(22, min(self.width - 4, WIDEST))
        return room - (room - GAP) % 4


def framed(lines: Sequence[Text], size: Size) -> Group:
    """A page in the middle of the terminal, a little above the centre when there is room."""
    left = " " * ((size.width - size.inner) // 2)
    above = max(0, (size.height - len(lines)) // 3)
    placed = [line(left).append_text(text) for text in lines]
    page = [line("")] * above + placed
    return Group(*(_ended(text) for text in page[: size.height]))


def welcome_page(palette: Palette, show: int, idea: str, ready: bool, size: Size) -> list[Text]:
    """What this is about, while the search warms up."""
    explanation = (
        f"Any colour: {idea}, say. Keep it in mind. You see {_number_word(show)} colours at a time; "
        "press the key of the one that is most like yours. After a few questions, there it is."
    )
    wait = line("Warming up. Only the first time takes a while ...", "dim")
    begin = line().append(" Press any key ", GOLD).append("   ").append_text(keycap("q", "quit"))
    return [
        header("", size.inner),
        line(),
        line("Think of a colour.", "bold"),
        line(),
        *_wrapped(explanation, size.inner),
        line(),
        *_rainbow(palette, _even_items(len(palette)), size.inner, rows=max(1, min(5, size.height - 14))),
        line(),
        line(f"{len(palette):,} colours, spread evenly over all that a screen can show", "dim"),
        line(),
        begin if ready else wait,
    ]


def question_page(palette: Palette, session: Session, finding: bool, hint: str, size: Size) -> list[Text]:
    """A question: the swatches, the keys, and what still fits."""
    top = [header(f"question {session.number}", size.inner), line(), *_title(finding, size.inner), line()]
    bottom = [line(), *_question_keys(session, finding, size.inner), line()]
    bottom += _belief(palette, session, size.inner, roomy=size.height - len(top) - len(bottom))
    bottom += _hint(hint, size.inner)
    return [
        *top,
        *_swatches(palette, session.shown, size.inner, size.height - len(top) - len(bottom)),
        *bottom,
    ]


def found_page(palette: Palette, session: Session, found: int, hint: str, size: Size) -> list[Text]:
    """The end: the found colour large, and the way there."""
    end = [line(), *_end_keys(size.inner), *_hint(hint, size.inner)]
    facts = _facts(palette, session, found, size.inner)
    room = size.height - 3 - len(end)
    way = _way(palette, session, found, size.inner, room - max(len(facts), 5))
    large = _large(palette.hexes[found], facts, size.inner, room - len(way))
    return [header("found", size.inner), line(), *large, *way, *end]


def used_up_page(palette: Palette, session: Session, size: Size) -> list[Text]:
    """Every colour was shown, and none of them was it."""
    item = session.likeliest()
    sorry = f"You have seen all {len(palette):,} colours. This one fits your answers best:"
    best = line().append_text(chip(palette.hexes[item], 6)).append(f"  {palette.hexes[item]}, {palette.words(item)}")
    keys = _flowed([keycap("u", "undo"), keycap("r", "start again"), keycap("q", "quit")], size.inner)
    return [header("the end", size.inner), line(), *_wrapped(sorry, size.inner), line(), best, line(), *keys]


def farewell(palette: Palette, session: Session | None) -> Text:
    """What stays in the terminal after the game: the colour, so that it can be copied."""
    if session is None:
        return line("Until next time.")
    if session.found is not None:
        return _named(palette, session.found, f", found at question {session.number}.")
    if not session.steps:
        return line("Until next time.")
    before = line(f"Stopped at question {session.number}: {fit_sentence(session)}. The likeliest is ")
    return before.append_text(_named(palette, session.likeliest(), "."))


def fit_sentence(session: Session) -> str:
    """How many items still fit, in words: "about 33 of 1,000 colours still fit"."""
    count = round(session.still_fit)
    if count >= session.n_items:
        return f"all {session.n_items:,} colours still fit"
    if count <= 1:
        return f"one of {session.n_items:,} colours stands out"
    return f"about {count:,} of {session.n_items:,} colours still fit"


def header(right: str, width: int) -> Text:
    """The first line of every page."""
    brand = line().append_text(LOGO).append("  learn2search", "bold").append("  colours", "dim")
    return spread(width, brand, line(right, "bold"))


def _title(finding: bool, width: int) -> list[Text]:
    if finding:
        lead = line().append(" This is it! ", GOLD).append("  Which one?", "bold")
        return [lead, *_wrapped("Press its number, or any other key to go back.", width, "dim")]
    return [
        *_wrapped("Which is most like the colour you have in mind?", width, "bold"),
        *_wrapped("When it is there, press f and then its number.", width, "dim"),
    ]


def _swatches(palette: Palette, items: Sequence[int], width: int, room: int) -> list[Text]:
    rows = next((rows for rows in (1, 2) if _width_of_one(width, len(items), rows) >= NARROWEST), 3)
    rows = 1 if len(items) <= 4 else rows
    each, columns = _width_of_one(width, len(items), rows), math.ceil(len(items) / rows)
    height = max(3, min(room // rows - 1, each // 2 + 1, 15))
    hexes = [palette.hexes[item] for item in items]
    labels = [_label(key, colour, each) for key, colour in zip(CHOICE_KEYS, hexes, strict=False)]
    lines: list[Text] = []
    for start in range(0, len(items), columns):
        part = slice(start, start + columns)
        lines += [*swatch_row(hexes[part], each, height), captions(labels[part], each)]
    return lines


def _width_of_one(width: int, count: int, rows: int) -> int:
    columns = math.ceil(count / rows)
    return (width - GAP * (columns - 1)) // columns


def _label(key: str, colour: str, width: int) -> Text:
    label = line().append(key, "bold")
    return label.append(f"  {colour}", "dim") if width >= 12 else label


def _question_keys(session: Session, finding: bool, width: int) -> list[Text]:
    """The keys in one line, or those of the answer above the others."""
    numbers = keys_in_words(session.show)
    if finding:
        return _flowed([keycap(numbers, "this is it"), keycap("Esc", "go back")], width)
    answers = [keycap(numbers, "most like it"), keycap("f", "this is it"), keycap("0", "can't tell")]
    others = [keycap("u", "undo"), keycap("r", "start again"), keycap("q", "quit")]
    in_one = _flowed([*answers, *others], width)
    return in_one if len(in_one) == 1 else [*_flowed(answers, width), *_flowed(others, width)]


def _end_keys(width: int) -> list[Text]:
    return _flowed([keycap("r", "find another"), keycap("u", "that was not it"), keycap("q", "quit")], width)


def _belief(palette: Palette, session: Session, width: int, roomy: int) -> list[Text]:
    """What still fits: a sentence, colours from the belief, and the funnel where there is room for it."""
    sentence = fit_sentence(session)
    lines = [line(sentence[0].upper() + sentence[1:])]
    lines += _rainbow(palette, session.likely, width, rows=2 if roomy >= 24 else 1)
    if roomy >= 14:
        lines += [line()]
    if roomy >= 12:
        lines += _funnel(palette, session).lines(width, half_rows=2 if roomy >= 20 else 1)
    return lines


def _funnel(palette: Palette, session: Session) -> Funnel:
    fits = [step.fitted for step in session.steps] + [session.still_fit]
    clicked = [None if step.chosen is None else palette.hexes[step.chosen] for step in session.steps]
    return Funnel(session.n_items, fits, clicked)


def _rainbow(palette: Palette, pick: Callable[[int], list[int]], width: int, rows: int) -> list[Text]:
    """Picked colours in the order of the rainbow, in every column the lightest at the top."""
    depth = 2 * rows
    items = pick(width * depth)
    columns = [items[start : start + depth] for start in range(0, len(items), depth)]
    lightest_first = [sorted(column, key=palette.lightness, reverse=True) for column in columns]
    return strip([[palette.hexes[item] for item in column] for column in lightest_first])


def _even_items(n_items: int) -> Callable[[int], list[int]]:
    return lambda count: [index * n_items // count for index in range(count)]


def _facts(palette: Palette, session: Session, found: int, width: int) -> list[Text]:
    number, typical = session.number, TYPICAL_QUESTIONS[session.show]
    questions = "the first question" if number == 1 else f"question {number}"
    return [
        line().append(" There it is! ", GOLD),
        line(),
        line(palette.hexes[found], "bold"),
        *_wrapped(palette.words(found), max(20, width // 2 - 4)),
        line(),
        line().append("Found at ", "dim").append(questions, "bold"),
        line(f"simulated people: {typical}", "dim"),
    ]


def _large(colour: str, facts: list[Text], width: int, room: int) -> list[Text]:
    """The colour with its facts beside it."""
    block = swatch(colour, width // 2, max(len(facts), min(room, width // 4, 14)))
    above = (len(block) - len(facts)) // 2
    beside = [line()] * above + facts + [line()] * (len(block) - above - len(facts))
    return [
        line().append_text(left).append("    ").append_text(right) for left, right in zip(block, beside, strict=True)
    ]


def _way(palette: Palette, session: Session, found: int, width: int, room: int) -> list[Text]:
    """Large: what was clicked. Small, below it: what was passed over. The last one is the find."""
    steps = [*session.steps, AnsweredQuestion(session.shown, found, session.still_fit)]
    per_row = max(1, width // (CHIP + 1))
    starts = range(0, len(steps), per_row)
    rows = [_way_row(palette, steps[start : start + per_row], start + 1) for start in starts]
    fitting = rows[-max(1, (room - 2) // 4) :] if room >= 6 else []
    title = line().append("Your way there", "bold").append("   small: what you passed over", "dim")
    return [line(), title, *(text for row in fitting for text in row)] if fitting else []


def _way_row(palette: Palette, steps: Sequence[AnsweredQuestion], first: int) -> list[Text]:
    chosen, passed, numbers = line(), line(), line()
    for number, step in enumerate(steps, first):
        chosen.append_text(_chosen_chip(palette, step)).append(" ")
        passed.append_text(_passed_chips(palette, step)).append(" ")
        numbers.append(f"{number:^{CHIP}} ", "dim")
    return [line(), chosen, passed, numbers]


def _chosen_chip(palette: Palette, step: AnsweredQuestion) -> Text:
    return line("?".center(CHIP), "dim") if step.chosen is None else chip(palette.hexes[step.chosen], CHIP)


def _passed_chips(palette: Palette, step: AnsweredQuestion) -> Text:
    others = [item for item in step.shown if item != step.chosen]
    text = line()
    for index in range(CHIP):
        text.append("▄", Style(color=palette.hexes[others[index * len(others) // CHIP]]))
    return text


def _named(palette: Palette, item: int, ending: str) -> Text:
    return (
        line().append_text(chip(palette.hexes[item])).append(f" {palette.hexes[item]}, {palette.words(item)}{ending}")
    )


def _hint(hint: str, width: int) -> list[Text]:
    return [line(hint[:width], "dim")] if hint else []


def _flowed(pieces: Sequence[Text], width: int) -> list[Text]:
    """The pieces in as few lines as they need."""
    lines = [line()]
    for piece in pieces:
        if lines[-1].cell_len and lines[-1].cell_len + 3 + piece.cell_len > width:
            lines.append(line())
        if lines[-1].cell_len:
            lines[-1].append("   ")
        lines[-1].append_text(piece)
    return lines


def _wrapped(text: str, width: int, style: str = "") -> list[Text]:
    return [line(part, style) for part in textwrap.wrap(text, min(width, 76))]


def _number_word(count: int) -> str:
    return {2: "two", 4: "four", 6: "six", 9: "nine", 12: "twelve"}.get(count, str(count))


def keys_in_words(show: int) -> str:
    """The keys of so many items: 1-4, or 1-9 a-c."""
    digits = f"1-{min(show, 9)}"
    return digits if show <= 9 else f"{digits} a-{CHOICE_KEYS[show - 1]}"


def _ended(text: Text) -> Text:
    ended = text.copy()
    ended.end = "\n"
    return ended
