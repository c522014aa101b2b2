"""Colours drawn as blocks of the terminal: swatches with round corners, chips, and a strip."""

from __future__ import annotations

from collections.abc import Sequence

from rich.style import Style
from rich.text import Text

from learn2search.play.theme import line

GAP = 2


def swatch_row(colours: Sequence[str], width: int, height: int) -> list[Text]:
    """Swatches of `width` x `height` cells next to each other, as lines."""
    swatches = [swatch(colour, width, height) for colour in colours]
    return [line(" " * GAP).join(parts) for parts in zip(*swatches, strict=True)]


def swatch(colour: str, width: int, height: int) -> list[Text]:
    """One colour with round corners: half blocks at the edges, full cells between."""
    edge, inside = Style(color=colour), Style(bgcolor=colour)
    top = line("▗" + "▄" * (width - 2) + "▖", edge)
    bottom = line("▝" + "▀" * (width - 2) + "▘", edge)
    return [top, *(line(" " * width, inside) for _ in range(height - 2)), bottom]


def captions(words: Sequence[Text], width: int) -> Text:
    """One caption centred under each swatch."""
    centred = []
    for word in words:
        left = max(0, (width - word.cell_len) // 2)
        centred.append(line(" " * left).append_text(word).append(" " * max(0, width - left - word.cell_len)))
    return line(" " * GAP).join(centred)


def strip(columns: Sequence[Sequence[str]]) -> list[Text]:
    """Columns of colours from top to bottom, an even number in each: two rows of colours make one line."""
    rows = list(zip(*columns, strict=True))
    return [_two_rows(upper, lower) for upper, lower in zip(rows[::2], rows[1::2], strict=True)]


def _two_rows(upper: Sequence[str], lower: Sequence[str]) -> Text:
    text = line()
    for above, below in zip(upper, lower, strict=True):
        text.append("▀", Style(color=above, bgcolor=below))
    return text


def chip(colour: str, width: int = 2) -> Text:
    """A small piece of colour inside a line of text."""
    return line(" " * width, Style(bgcolor=colour))
