"""`reproduce`: run the paper's experiments, which are part of the repository and not of the installed package."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

import learn2search

_NOT_HERE = """The experiments are not part of the installed package: they are in the repository, with their results.
Get its sources and run this command in their folder; there, `make reproduce` also sets up what the experiments need."""


def reproduce(
    full: Annotated[
        bool, typer.Option("--full/--quick", help="Sizes as in the paper, or small ones: minutes for everything.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="This experiment; may be repeated.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, metavar="N", help="Processes; by default one a core.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster, tcp://host:8786.")
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option("--repetitions", min=1, metavar="N", help="Instead of each experiment's own number.")
    ] = None,
    report: Annotated[
        bool, typer.Option("--report", help="Measure nothing: write the report from the results that are there.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the results that are there and measure anew.")] = False,
) -> None:
    """Run the paper's experiments, and put each of its claims beside what was measured.

    Without --full, small sizes: results and report are in experiments/results, and only show that everything runs.
    With --full, sizes as in the paper. What is in the result files is not measured again, so only what is missing is
    (Figure 2 repeats everything 100 times: days; --repetitions 3 is enough to see it). The report is
    docs/reproduction.md. Whatever is stopped by Ctrl-C goes on with the same command.

    \b
    figure1                questions and time per step against n, known features
    figure2                blind search on red wine and music
    figure3                the face search, with simulated people through the real site
    supplement_dimension   accuracy against the number of axes, Music artists and Food
    supplement_map         two principal components of the learnt faces
    theorem1, theorem2, lemma, scaling
    """
    script = find_script()
    if script is None:
        raise SystemExit(_NOT_HERE)
    line = [sys.executable, str(script), *(["--full"] if full else [] if report else ["--quick"])]
    line += [part for name in only or () for part in ("--only", name)]
    for option, value in (("--workers", workers), ("--scheduler", scheduler), ("--repetitions", repetitions)):
        line += [] if value is None else [option, str(value)]
    line += [option for option, given in (("--report", report), ("--fresh", fresh)) if given]
    raise typer.Exit(_run(line))


def find_script() -> Path | None:
    """Where the sources are that this package runs from, or else here; None for a package without its repository."""
    for root in (Path(learn2search.__file__).parents[2], Path.cwd()):
        script = root / "experiments" / "reproduce.py"
        if script.exists():
            return script
    return None


def _run(line: list[str]) -> int:
    """The exit status. Ctrl-C reaches both processes: the experiment says how it can go on, and ends."""
    with subprocess.Popen(line, env=os.environ) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue
