"""Progress on standard error: a bar, or a line with a spinner.

`progress`: True or False; None shows it where standard error is a terminal.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

Thing = TypeVar("Thing")


class Show(Protocol):
    """Moves a bar to `done` of its steps, with a note at its end."""

    def __call__(self, done: int, note: str = "") -> None: ...


@contextmanager
def bar(
    label: str, total: int, progress: bool | None = None, *, done: int = 0, transient: bool = False
) -> Iterator[Show]:
    """A bar with the steps done and the time left. transient: it is gone at the end."""
    if not _is_wanted(progress):
        yield lambda done, note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    notes = TextColumn("{task.fields[note]}")
    with Progress(*columns, notes, console=Console(stderr=True), transient=transient) as shown:
        task = shown.add_task(label, total=total, completed=done, note="")
        yield lambda done, note="": shown.update(task, completed=done, note=note)


def track(things: Iterable[Thing], label: str, total: int, progress: bool | None = None) -> Iterator[Thing]:
    """The things, with a bar while they are worked on."""
    with bar(label, total, progress, transient=True) as show:
        for done, thing in enumerate(things, start=1):
            yield thing
            show(done)


@contextmanager
def spinner(label: str, progress: bool | None = None) -> Iterator[Callable[[str], None]]:
    """A line with a spinner for work of unknown length; what is yielded prints a line above it."""
    if not _is_wanted(progress):
        yield lambda text: None
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status(label):
        yield console.print


def _is_wanted(progress: bool | None) -> bool:
    return sys.stderr.isatty() if progress is None else progress
