"""When a trainer last looked for something to learn: written down by each trainer, on any machine, while it lives."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sqlalchemy.exc import SQLAlchemyError

from learn2search.site.context import Site
from learn2search.store import collections

BETWEEN = 10.0  # seconds between two notes
MISSED_AFTER = 60.0  # seconds without one, after which no trainer is at work: notes also wait for a locked database
_LOOK = "trainer look"
_PARTING = 5.0  # seconds that a note under way still has at the end


@contextmanager
def noting_looks(site: Site) -> Iterator[None]:
    """Note every few seconds that a trainer is at work, in a thread of its own: a fit may take hours."""
    stop = threading.Event()
    thread = threading.Thread(target=_run, args=(site, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_PARTING)


def _run(site: Site, stop: threading.Event) -> None:
    while not stop.is_set():
        with suppress(SQLAlchemyError):  # away or full: the trainer itself says so, and the note is rightly missed
            note_look(site)
        stop.wait(BETWEEN)


def note_look(site: Site) -> None:
    """A trainer is at work now."""
    with site.database.write() as db:
        collections.put_setting(db, _LOOK, repr(site.now()))


def last_look(site: Site) -> float | None:
    """When a trainer was last at work, in seconds since 1970; None if none ever was."""
    with site.database.read() as db:
        stored = collections.get_setting(db, _LOOK)
    return None if stored is None else float(stored)


def is_missed(site: Site, look: float | None) -> bool:
    """Has no trainer looked for a while? A note from the future is as old: a clock was set back."""
    return look is None or abs(site.now() - look) > MISSED_AFTER
