"""The answers of those who teach: each screen becomes a lesson, weighed and doubted as a search is.

What is asked is a signed ticket in the form of the page. Nothing is stored before the answer, which counts once.
"""

import hmac
import re
import secrets
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from learn2search.learn import policy
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound
from learn2search.site.learning.finished_searches import learnt_of
from learn2search.site.learning.model_cache import covered_rows, to_rows
from learn2search.site.learning.recipes import recipe_of
from learn2search.site.learning.triplet_counts import count_anew
from learn2search.site.teaching.next_screen import Screen
from learn2search.store import collections, screens
from learn2search.store.collections import Collection
from learn2search.store.screens import ScreenRow, triplets_by_click
from learn2search.typing import Integers, Triplets

_SIGNED = 32  # digits of a signature
_TICKET = re.compile(rf"(([0-9a-f]{{32}})-([0-9]{{1,16}})-([0-9]{{1,9}}(?:\.[0-9]{{1,9}})+))-([0-9a-f]{{{_SIGNED}}})")
_RECENT = 5  # screens of a visitor, by whose times the newest is doubted
_LONGEST = 24 * 3600 * 1000  # milliseconds that an answer may take


class AskedScreen(NamedTuple):
    """A screen that was asked: its id, and when, in milliseconds since 1970."""

    screen_id: str
    asked_at: int
    screen: Screen


def ask(site: Site, collection: Collection, screen: Screen) -> str:
    """The ticket of a screen that is shown now, for the form."""
    numbers = ".".join(map(str, (screen.anchor, *screen.shown)))
    words = f"{secrets.token_hex(16)}-{int(1000 * site.now())}-{numbers}"
    return f"{words}-{_signature(site, collection, words)}"


def read(site: Site, collection: Collection, text: str) -> AskedScreen:
    """What `ask` wrote.

    Raises
    ------
    Invalid
        If this site has not asked it.
    """
    parts = _TICKET.fullmatch(text)
    if parts is None or not hmac.compare_digest(parts[5], _signature(site, collection, parts[1])):
        raise Invalid("This screen was not asked here: please load the page again.")
    anchor, *shown = map(int, parts[4].split("."))
    return AskedScreen(parts[2], int(parts[3]), Screen(anchor, tuple(shown)))


def _signature(site: Site, collection: Collection, words: str) -> str:
    return site.sign(f"teach:{collection.id}:{words}")[:_SIGNED]


def answer(
    site: Site, collection: Collection, ticket: AskedScreen, chosen: list[int], visitor: str, *, by_owner: bool
) -> bool:
    """Learn which of those shown are most like the anchor; none of them is an answer, too, which teaches nothing.

    Parameters
    ----------
    by_owner
        Then it counts in full, whatever it looks like.

    Returns
    -------
    bool
        False when the screen has been answered already.

    Raises
    ------
    Invalid
        If an item was chosen that was not shown.
    """
    (anchor, shown), took = ticket.screen, int(1000 * site.now()) - ticket.asked_at
    unknown = next((item for item in chosen if item not in shown), None)
    if unknown is not None:
        raise Invalid("Item %(item)s was not shown here.", item=unknown)
    picked = tuple(item for item in shown if item in chosen)  # each once, in their order on the screen
    row = ScreenRow(
        id=ticket.screen_id,
        collection_id=collection.id,
        visitor=visitor,
        anchor=anchor,
        shown=shown,
        chosen=picked,
        milliseconds=min(max(took, 0), _LONGEST),
        answered_at=site.now(),
        trusted=by_owner,
    )
    return _record(site, collection, _weighed(site, collection, _doubted(site, row)))


def _doubted(site: Site, row: ScreenRow) -> ScreenRow:
    """With the reason why it teaches nothing at all: this visitor does not look."""
    if row.trusted or row.visitor is None:
        return row
    with site.database.read() as db:
        before = screens.latest(db, row.collection_id, row.visitor, _RECENT - 1)
    return replace(row, quarantine=policy.doubt([row.milliseconds, *(one.milliseconds for one in before)]))


def _weighed(site: Site, collection: Collection, row: ScreenRow) -> ScreenRow:
    """With what it counts, by what is known before it."""
    triplets, places = _flat(row)
    row = replace(row, triplets=len(triplets))
    if row.trusted or row.quarantine is not None or len(triplets) == 0:
        return row
    known = site.newest_embedding(collection)
    inside = covered_rows(triplets, known.items)
    weight, evidence = policy.weigh_new(
        recipe_of(collection), learnt_of(known), to_rows(triplets, known.items), places[inside]
    )
    return replace(row, first_weight=weight, weight=weight, evidence=evidence)


def _flat(row: ScreenRow) -> tuple[Triplets, Integers]:
    """All triplets, and the place on the screen of the near item of each."""
    clicks = triplets_by_click(row.anchor, row.shown, row.chosen)
    triplets = np.concatenate([np.empty((0, 3), np.int64), *(part for _, part in clicks)])
    return triplets, np.array([row.shown.index(near) for near in triplets[:, 1].tolist()], np.int64)


def _record(site: Site, collection: Collection, row: ScreenRow) -> bool:
    with site.database.write() as db:
        if not screens.add(db, row):
            return False
        if row.triplets and row.quarantine is None:
            screens.change(db, row.id, lesson=collections.next_lesson(db, collection.id))
    return True


def undo(site: Site, collection: Collection, visitor: str) -> str | None:
    """Take the visitor's last answer back: later fits leave it out. The id of its screen, None without any."""
    with site.database.write() as db:
        last = next(iter(screens.latest(db, collection.id, visitor, 1)), None)
        if last is None:
            return None
        screens.change(db, last.id, withdrawn=True)
    count_anew(site, collection.id)
    return last.id


def taken_back(site: Site, collection: Collection, screen_id: str, visitor: str) -> Screen:
    """The screen whose answer the visitor took back, to be answered again.

    Raises
    ------
    NotFound
        If there is none, or it is not theirs.
    """
    with site.database.read() as db:
        row = screens.get(db, screen_id)
    if row is None or (row.collection_id, row.visitor) != (collection.id, visitor) or not row.withdrawn:
        raise NotFound("There is no such screen to answer again.")
    return Screen(row.anchor, row.shown)
