"""Programs in percent format as pages.

A tutorial is `docs/tutorials/NN_name.py`: cells of text under `# %% [markdown]`, each line after `# `, and cells of
code under `# %%`. Where the program says `plt.savefig("name.svg")` the page shows a picture that is committed,
`docs/images/tutorials/NN_name/name.svg`, and below each cell what it printed: `python -m docs.tutorials` makes both
anew. Building the site runs nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, repeat
from pathlib import Path

from docs.website.links import ROOT

FOLDER = ROOT / "docs" / "tutorials"
PICTURES = ROOT / "docs" / "images" / "tutorials"

_CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)
_FIGURE = re.compile(r"savefig\(\s*[\"']([\w./-]+)[\"']")


def tutorials() -> list[Path]:
    """The programs, in their order."""
    return sorted(FOLDER.glob("[0-9]*.py"))


def as_page(program: Path) -> str:
    """The program as a page in Markdown, with links as in its folder."""
    _, *parts = _CELL.split(program.read_text())
    cells = zip(parts[::2], parts[1::2], strict=True)
    shown = [
        part
        for (kind, text), printed in zip(cells, _printed(program), strict=False)
        for part in _cell(program, kind, text, printed)
        if part
    ]
    return "\n\n".join(shown) + f"\n\nThis page is a program: [`{program.name}`]({program.name}).\n"


def _printed(program: Path) -> Iterable[str]:
    """What each cell printed when the tutorials were last run, in the order of the cells."""
    kept = PICTURES / program.stem / "output.json"
    return chain(json.loads(kept.read_text()) if kept.exists() else [], repeat(""))


def _cell(program: Path, kind: str, text: str, printed: str) -> Iterator[str]:
    if "[markdown]" in kind:
        yield "\n".join(line.removeprefix("#").removeprefix(" ") for line in text.strip().splitlines())
        return
    code = text.strip("\n")
    if code.strip():
        yield f"```python\n{code}\n```"
    if printed:
        yield f"```text\n{printed}\n```"
    for name in _FIGURE.findall(code):
        figure = next(iter(sorted((PICTURES / program.stem).glob(f"{Path(name).stem}.*"))), None)
        if figure:
            yield f"![{Path(name).stem.replace('_', ' ')}](../images/tutorials/{program.stem}/{figure.name})"
