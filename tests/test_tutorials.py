"""The tutorials run as programs, each in a fresh interpreter, and draw and print what the documentation shows."""

import json
import os
import re
from pathlib import Path

import pytest

from docs.tutorials.__main__ import FIGURE, KEPT, OUTPUT, cells, run, tutorials

PROGRAMS = pytest.mark.parametrize("program", tutorials(), ids=lambda path: path.stem)
LONGEST = 140  # characters of a line of text


@PROGRAMS
def test_a_tutorial_should_be_a_program_in_percent_format(program: Path) -> None:
    text = program.read_text()
    compile(text, str(program), "exec")
    assert text.startswith("# %% [markdown]\n# # "), "it begins with its title"
    assert set(cells(program)) == {"", "[markdown]"}
    for kind, cell in zip(cells(program), re.split(r"^# %%.*\n", text, flags=re.MULTILINE)[1:], strict=True):
        if kind:
            assert all(line.startswith("#") for line in cell.strip().splitlines()), "text stands behind #"
    assert len([line for line in text.splitlines() if "savefig" in line]) == len(FIGURE.findall(text)) > 0


@PROGRAMS
def test_its_figures_should_be_those_that_are_kept(program: Path) -> None:
    kept = {path.name for path in (KEPT / program.stem).iterdir()}
    assert kept == {*FIGURE.findall(program.read_text()), OUTPUT}, "`python -m docs.tutorials` makes them anew"
    printed = json.loads((KEPT / program.stem / OUTPUT).read_text())
    assert len(printed) == len(cells(program))
    assert not any(text for text, kind in zip(printed, cells(program), strict=True) if kind)


@pytest.mark.heavy
@PROGRAMS
def test_a_tutorial_should_run(program: Path, tmp_path: Path) -> None:
    """The figures that it draws are all there, and it prints in each cell something where something is shown."""
    try:
        printed = run(program, tmp_path)
    except RuntimeError as error:
        if "DataUnavailable" in str(error) and "LEARN2SEARCH_DATA" not in os.environ:
            pytest.skip(f"{program.stem} needs its data: set LEARN2SEARCH_DATA to the folder that has it")
        raise
    assert {path.name for path in tmp_path.glob("*.svg")} == set(FIGURE.findall(program.read_text()))
    kept = json.loads((KEPT / program.stem / OUTPUT).read_text())
    assert [bool(text) for text in printed] == [bool(text) for text in kept]
