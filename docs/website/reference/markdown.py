"""Pages and tables in Markdown."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Page(NamedTuple):
    """A page that is made from the code. place: from the root of the site."""

    place: str
    title: str
    body: str

    @property
    def text(self) -> str:
        return f"# {self.title}\n\n{self.body}\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell may have no line breaks."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def one_line(text: str | None) -> str:
    """The first paragraph, in one line."""
    return " ".join((text or "").strip().split("\n\n")[0].split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
