"""The funnel: how the number of items that still fit shrinks, question by question.

Its height is log2 of the items that still fit over log2 n. The clicked colours lie on its middle line.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.style import Style
from rich.text import Text

from learn2search.play.theme import PLUM, line

EIGHTHS = " ▁▂▃▄▅▆▇█"
ON_PLUM = Style(bgcolor=PLUM)
UNDECIDED = "··"
HERE = Style(reverse=True)  # the terminal's own ink: the strongest contrast there is


@dataclass(frozen=True)
class Funnel:
    """`fits[i]` items still fitted at question i + 1; `clicked[i]` is its answer, None for "can't tell"."""

    n_items: int
    fits: Sequence[float]
    clicked: Sequence[str | None]

    def lines(self, width: int, half_rows: int = 1) -> list[Text]:
        """The funnel in 2 * half_rows + 2 lines; when it is longer than `width`, its latest part."""
        cell = 6 if width >= 90 else 4
        cells = width // cell
        start = max(0, len(self.fits) - cells)
        heights = self._heights(start, cell)
        above = [_upper_row(heights, half_rows, row) for row in reversed(range(half_rows))]
        below = [_lower_row(heights, half_rows, row) for row in range(half_rows)]
        return [*above, self._middle(start, cells, cell), *below, self._numbers(start, cells, cell)]

    def _heights(self, start: int, cell: int) -> list[float]:
        """The height in [0, 1] of every column up to the middle of the current question."""
        at_question = [math.log2(max(fit, 1)) / math.log2(self.n_items) for fit in self.fits[start:]]
        centres = cell * np.arange(len(at_question)) + (cell - 1) / 2
        columns = np.arange(math.ceil(centres[-1]) + 1)
        return [float(height) for height in np.interp(columns, centres, at_question)]

    def _middle(self, start: int, cells: int, cell: int) -> Text:
        """The clicked colours, a mark for the current question, dots for those to come."""
        text = line()
        for colour in self.clicked[start:]:
            text.append(" ", ON_PLUM)
            text.append(UNDECIDED.center(cell - 2) if colour is None else " " * (cell - 2), _chip_style(colour))
            text.append(" ", ON_PLUM)
        text.append(" " * (cell // 2 - 1), ON_PLUM)
        text.append("  ", HERE).append(" " * (cell // 2 - 1))
        return text.append("·".center(cell) * (cells - len(self.fits) + start), "dim")

    def _numbers(self, start: int, cells: int, cell: int) -> Text:
        current = len(self.fits)
        text = line()
        for number in range(start + 1, start + cells + 1):
            text.append(f"{number:^{cell}}", "bold" if number == current else "dim")
        return text


def _chip_style(colour: str | None) -> Style:
    return Style(color="#ffffff", bgcolor=PLUM) if colour is None else Style(bgcolor=colour)


def _upper_row(heights: Sequence[float], half_rows: int, row: int) -> Text:
    glyphs = "".join(EIGHTHS[_filled(height, half_rows, row)] for height in heights)
    return line(glyphs, Style(color=PLUM))


def _lower_row(heights: Sequence[float], half_rows: int, row: int) -> Text:
    # There are no upper eighth blocks, so the lower ones are drawn in reverse.
    text = line()
    for height in heights:
        filled = _filled(height, half_rows, row)
        if filled:
            text.append(EIGHTHS[8 - filled], Style(color=PLUM, reverse=True))
        else:
            text.append(" ")
    return text


def _filled(height: float, half_rows: int, row: int) -> int:
    """How many eighths of this row, counted from the middle, the funnel fills."""
    return min(8, max(0, round(8 * height * half_rows) - 8 * row))
