"""What an owner does with webhooks: add, try, look, remove."""

import secrets
from collections.abc import Sequence

from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound
from learn2search.site.notifications.addresses import checked_address, parts_of
from learn2search.site.notifications.delivering import deliver
from learn2search.site.notifications.events import CHOSEN, EventKind, event_for
from learn2search.store import webhooks
from learn2search.store.collections import Collection
from learn2search.store.webhooks import Delivery, Webhook

MOST = 10  # webhooks of a collection
_SHOWN = 20  # deliveries


def add_webhook(site: Site, collection: Collection, url: str, kinds: Sequence[str]) -> Webhook:
    """Tell this address of these kinds of events from now on.

    Raises
    ------
    Invalid
        If the address cannot be used or leads into a private network, or no known kind is chosen.
    Conflict
        If the collection has this address already, or ten others.
    """
    checked_address(parts_of(url), site.settings.webhook_private)
    wanted = [kind.value for kind in CHOSEN if kind.value in kinds]
    if not wanted or set(kinds) - set(wanted):
        raise Invalid(f"A webhook is told of {', '.join(CHOSEN)}: choose at least one of these.")
    made = Webhook(secrets.token_hex(16), collection.id, url.strip(), secrets.token_hex(32), wanted, site.now())
    with site.database.write() as db:
        known = webhooks.webhooks_of(db, collection.id)
        if made.url in [one.url for one in known]:
            raise Conflict("This address is there already: remove it first to choose other events.")
        if len(known) >= MOST:
            raise Conflict(f"A collection has at most {MOST} webhooks.")
        webhooks.add_webhook(db, made)
    return made


def webhooks_with_deliveries(site: Site, collection: Collection) -> list[tuple[Webhook, list[Delivery]]]:
    """The webhooks of a collection with the latest deliveries to each, newest first."""
    with site.database.read() as db:
        known = webhooks.webhooks_of(db, collection.id)
        return [(one, webhooks.latest_deliveries(db, one.id, _SHOWN)) for one in known]


def remove_webhook(site: Site, collection: Collection, webhook_id: str) -> None:
    """Tell it nothing any more, not even what is waiting."""
    one = _webhook(site, collection, webhook_id)
    with site.database.write() as db:
        webhooks.remove_webhook(db, one.id)


def send_test(site: Site, collection: Collection, webhook_id: str) -> Delivery:
    """Send an event of the kind `test` at once; what came of it. If nobody takes it, it is not tried again."""
    one = _webhook(site, collection, webhook_id)
    event = event_for(one, collection, EventKind.TEST, site.now(), {"message": "It works."})
    with site.database.write() as db:
        webhooks.add_deliveries(db, [event])
    tried = deliver(site, event)
    if tried.next_at is not None:
        tried = Delivery(**vars(tried) | {"next_at": None})
        with site.database.write() as db:
            webhooks.change_delivery(db, tried)
    return tried


def _webhook(site: Site, collection: Collection, webhook_id: str) -> Webhook:
    with site.database.read() as db:
        found = webhooks.get_webhook(db, webhook_id)
    if found is None or found.collection_id != collection.id:
        raise NotFound("There is no such webhook.")
    return found
