"""The two colours of the product and their jobs, on light and on dark terminals alike.

Plum is for choosing and for data, gold for finding. Everything else takes the terminal's own colours.
"""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

PLUM = "#a07fae"  # 3.4:1 on white, and 5:1 on near black
GOLD = Style(color="#35220a", bgcolor="#f4b73b", bold=True)  # carries its own background, so it reads on both


def line(text: str = "", style: str | Style = "") -> Text:
    """One line of a page, to append to. Pages are laid out by columns, so nothing may wrap."""
    return Text(no_wrap=True, overflow="crop", end="").append(text, style)


def keycap(key: str, meaning: str) -> Text:
    """A key and what it does."""
    return line().append(key, "bold").append(f" {meaning}", "dim")


def spread(width: int, left: Text, right: Text) -> Text:
    """One line with text at both edges."""
    gap = max(1, width - left.cell_len - right.cell_len)
    return line().append_text(left).append(" " * gap).append_text(right)
