"""Names and prose that any reader understands: words that were replaced by plain ones do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted([*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.py")])
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
INSTEAD = {  # a word that nobody else uses for it, and what it is
    "absorb": "online_step",
    "ascent": "optimize",
    "climb": "optimize",
    "knowledge": "what it is: an embedding, a model, a familiarity",
    "likeliest_scale": "fit_scale",
    "rehearsal": "warm_up",
    "rehearse": "warm_up",
    "told": "what it is: a message, an answer, metadata",
}
PROSE = re.compile(r"\b(absorb(s|ed|ing)?|climb(s|ed|ing)?|ascent|rehears(e|es|ed|al|als))\b", re.IGNORECASE)


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The line of each name that a program gives, and the name."""
    for node in ast.walk(tree):
        given = getattr(node, "id", None) or getattr(node, "name", None) or getattr(node, "arg", None)
        if isinstance(given, str) and hasattr(node, "lineno"):
            yield node.lineno, given


def dialect(name: str) -> list[str]:
    """The replaced words in a name: `_absorb_one` and `AbsorbOne` have one."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    return [word for word in INSTEAD if f"_{word}_" in f"_{parts}_"]


def test_names_are_plain() -> None:
    found = [f"{path.relative_to(ROOT)}: its name" for path in PROGRAMS if dialect(path.stem)]
    for path in PROGRAMS:
        given = names(ast.parse(path.read_text()))
        found += [f"{path.relative_to(ROOT)}:{line}: {name}" for line, name in given if dialect(name)]
    assert not found, f"{found}; say instead: {INSTEAD}"


def test_prose_is_plain() -> None:
    found = []
    for path in [*PROGRAMS, *PAGES]:
        lines = enumerate(path.read_text().splitlines(), start=1)
        found += [
            f"{path.relative_to(ROOT)}:{number}: {word[0]}" for number, line in lines for word in PROSE.finditer(line)
        ]
    assert not found, f"{found}; say instead: {INSTEAD}"


def test_the_words_are_found_in_names_of_each_form() -> None:
    assert dialect("_absorb_one") == dialect("AbsorbOne") == ["absorb"]
    assert dialect("rehearsals") == dialect("untold") == []
