"""Something to look for, for visitors who have nothing in mind: a random item, shown to them for a few seconds.

A ticket names the item and the search that will look for it, and is signed. The search begins when the visitor says so;
until then nothing is stored. A ticket begins one search, however often it is used.
"""

import hmac
import random
import re
import secrets
from typing import NamedTuple

from learn2search.site.catalogue.item_media import MediaKind, media_of
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import NotFound
from learn2search.store import searches
from learn2search.store.collections import Collection
from learn2search.store.enums import TrialKind
from learn2search.store.items import Item

SECONDS = {MediaKind.PICTURE: 5, MediaKind.TEXT: 10, MediaKind.SOUND: 15}  # to look, to read, to listen
_SIGNED = 32  # digits of a signature
_TICKET = re.compile(rf"([0-9a-f]{{32}})-([0-9]{{1,9}})-([0-9a-f]{{{_SIGNED}}})")


class Ticket(NamedTuple):
    """What to look for, and the id of the search that will.

    Attributes
    ----------
    trial
        What the search is for, in a study.
    strategy
        The one to search with, where a study decides it.
    quarantine
        Why the search teaches nothing, whatever comes of it.
    """

    search_id: str
    item: int
    trial: TrialKind | None = None
    strategy: str | None = None
    quarantine: str | None = None


def draw(site: Site, collection: Collection, chance: random.Random | None = None) -> Ticket:
    """A ticket for one of the items that can be found, each as probable as any other.

    Parameters
    ----------
    chance
        Chooses the item; by default the randomness of the operating system.

    Raises
    ------
    NotFound
        If the owner has turned this off.
    Unavailable
        If the collection has too few items.
    """
    if not options_of(collection).to_find:
        raise NotFound(
            "“%(collection)s” shows nothing to look for: think of something yourself.", collection=collection.title
        )
    active = sorted(site.models.covered(site.published_model_id(collection)))
    return Ticket(secrets.token_hex(16), (chance or random.SystemRandom()).choice(active))


def write(site: Site, collection: Collection, ticket: Ticket) -> str:
    """The ticket as a part of an address."""
    return f"{ticket.search_id}-{ticket.item}-{_signature(site, collection, ticket)}"


def read(site: Site, collection: Collection, text: str) -> Ticket:
    """What `write` wrote.

    Raises
    ------
    NotFound
        If this site has not written it.
    """
    parts = _TICKET.fullmatch(text)
    if parts is not None:
        ticket = Ticket(parts[1], int(parts[2]))
        if hmac.compare_digest(parts[3], _signature(site, collection, ticket)):
            return ticket
    raise NotFound("There is nothing to look for at this address: please ask for another one.")


def item_of(site: Site, collection: Collection, ticket: Ticket) -> tuple[Item, int]:
    """What to look for, and for how many seconds it is shown."""
    item = site.items(collection.id, [ticket.item])[ticket.item]
    return item, SECONDS[media_of(item).kind]


def has_begun(site: Site, ticket: Ticket) -> bool:
    """Has its search begun? From then on the item is not shown any more."""
    with site.database.read() as db:
        return searches.get(db, ticket.search_id) is not None


def _signature(site: Site, collection: Collection, ticket: Ticket) -> str:
    return site.sign(f"to find:{collection.id}:{ticket.search_id}:{ticket.item}")[:_SIGNED]
