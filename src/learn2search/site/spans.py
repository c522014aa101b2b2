"""Parts of a request whose time is of interest: timed where `web/tracing.py` asks for it, else nothing is done."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from learn2search.store.database import Timed

_nothing: AbstractContextManager[None] = nullcontext()
_timed: list[Timed] = []  # none or one


def span(name: str) -> AbstractContextManager[Any]:
    """What is done inside is a part of the request with this name."""
    timed = next(iter(_timed), None)
    return _nothing if timed is None else timed(name)


def time_with(timed: Timed | None) -> None:
    """Time the parts of requests with this, or no longer."""
    _timed[:] = [] if timed is None else [timed]
