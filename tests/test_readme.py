"""What the first page shows runs as printed, each block alone in a fresh interpreter, and ends by finding something."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
LONGEST = 110  # lines


def test_the_first_page_should_be_short() -> None:
    assert len(TEXT.splitlines()) <= LONGEST
    assert TEXT.index("make demo") < 1200, "what to type is on the first screen"


def test_figures_should_be_those_of_the_pages_behind_them() -> None:
    """The first page repeats a few figures; when those pages are made anew, it has to follow."""
    behind = "".join((ROOT / "docs" / page).read_text() for page in ("benchmarks.md", "research/people.md"))
    table = TEXT[TEXT.index("## How well it works") : TEXT.index("## More")]
    figures = re.findall(r"\d+\.\d+ ± \d+\.\d+|(?<=\*\*)\d+\.\d+(?=\*\*)", table)
    assert len(figures) >= 16
    missing = [figure for figure in figures if figure not in behind]
    assert not missing, f"README.md has {missing}, which the pages behind it have not"


@pytest.mark.heavy
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.findall(r"l2s\.(\w+)", block)[0])
def test_a_block_should_run_alone_and_find_something(block: str, tmp_path: Path) -> None:
    if "fetch_" in block and "LEARN2SEARCH_DATA" not in os.environ:
        pytest.skip("needs its data: set LEARN2SEARCH_DATA to the folder that has it")
    strict = ["-W", "error", "-W", "ignore:os.fork:RuntimeWarning"]
    ran = subprocess.run([sys.executable, *strict, "-c", block], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "found" in ran.stdout or ran.stdout.count("'") >= 4, ran.stdout
