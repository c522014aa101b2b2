"""Run the tutorials anew and keep their figures and what they print: `python -m docs.tutorials`, or only `... 01 04`.

Each runs in a fresh interpreter, in an empty folder. The data sets come from `LEARN2SEARCH_DATA`, or are downloaded.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "tutorials"
KEPT = ROOT / "docs" / "images" / "tutorials"
OUTPUT = "output.json"  # what each cell printed, in the order of the cells
FIGURE = re.compile(r"savefig\(\"([\w-]+\.svg)\"\)")
_CELL = re.compile(r"^# %%.*$", re.MULTILINE)
_MARK = "\x1e"  # printed where a cell begins, so that each line is known to be of its cell
_DRAWING = "svg.hashsalt: learn2search\nsvg.fonttype: none\nfont.family: sans-serif\n"  # the same figure, the same file


def tutorials() -> list[Path]:
    """The programs, in their order."""
    return sorted(FOLDER.glob("[0-9]*.py"))


def cells(program: Path) -> list[str]:
    """The kind of each cell, in its order: what stands after `# %%`."""
    return [line.removeprefix("# %%").strip() for line in _CELL.findall(program.read_text())]


def run(program: Path, folder: Path) -> list[str]:
    """Run a tutorial in this folder, where it leaves its figures; what each cell printed.

    Raises
    ------
    RuntimeError
        If it ends with an error; the message has its last lines.
    """
    marked = _CELL.sub(lambda _: f"print({_MARK!r}, flush=True)", program.read_text())  # line for line the same
    (folder / program.name).write_text(marked)
    (folder / "matplotlibrc").write_text(_DRAWING)
    environment = os.environ | {"MPLBACKEND": "Agg", "SOURCE_DATE_EPOCH": "0"}
    done = subprocess.run([sys.executable, program.name], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{program.name} ended with status {done.returncode}:\n{done.stderr[-2000:]}")
    return [printed.strip("\n") for printed in done.stdout.split(f"{_MARK}\n")[1:]]


def keep(program: Path, folder: Path, printed: list[str]) -> None:
    """Put what a run has left into the repository, in the place of what was there."""
    target = KEPT / program.stem
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in FIGURE.findall(program.read_text()):
        shutil.copyfile(folder / name, target / name)
    (target / OUTPUT).write_text(json.dumps(printed, indent=1, ensure_ascii=False) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.tutorials", description=__doc__)
    parser.add_argument("only", nargs="*", help="the numbers of some; by default all")
    options = parser.parse_args()
    chosen = [path for path in tutorials() if not options.only or path.name[:2] in options.only]
    for number, program in enumerate(chosen, start=1):
        print(f"{number} of {len(chosen)}: {program.name}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            keep(program, Path(folder), run(program, Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
