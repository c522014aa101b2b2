"""`reproduce`: run the paper's experiments, which are part of the repository and not of the installed package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import typer

import learn2search

# Its options are those of `research.reproduce`, --help included.
PASS_ON: dict[str, Any] = {
    "add_help_option": False,
    "context_settings": {"allow_extra_args": True, "ignore_unknown_options": True},
}
_NOT_HERE = """The experiments are not part of the installed package: they are in the repository, with their results.
Get its sources and run this command in their folder; there, `make reproduce` also sets up what the experiments need."""


def reproduce(context: typer.Context) -> None:
    """Run the paper's experiments, and put each of its claims beside what was measured."""
    root = find_repository()
    if root is None and "--help" in context.args:
        typer.echo(f"Usage: learn2search reproduce [OPTIONS]\n\n{reproduce.__doc__}\n\n{_NOT_HERE}")
        raise typer.Exit
    if root is None:
        raise SystemExit(_NOT_HERE)
    raise typer.Exit(_run([sys.executable, "-m", "research.reproduce", *context.args], root))


def find_repository() -> Path | None:
    """The repository that this package runs from, or the current folder; None if neither has the experiments."""
    for root in (Path(learn2search.__file__).parents[2], Path.cwd()):
        if (root / "research" / "reproduce.py").exists():
            return root
    return None


def _run(line: list[str], folder: Path) -> int:
    """Run a command; its exit status. Ctrl-C reaches both processes, and this one waits for the experiment to end."""
    with subprocess.Popen(line, cwd=folder) as process:  # nosec B603 # our own Python
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                continue
