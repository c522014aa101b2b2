"""What other programs are told. An event is written in the transaction of what it tells of: neither is ever lost alone.

An event is written once for each webhook that wants it, with an id of its own: who gets it twice can tell.
"""

import json
import secrets
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection

from learn2search.store import webhooks
from learn2search.store.collections import Collection
from learn2search.store.enums import ModelOrigin
from learn2search.store.items import Item
from learn2search.store.models import ModelInfo
from learn2search.store.webhooks import Delivery, Webhook


class EventKind(StrEnum):
    """What can be told."""

    FOUND = "search.found"
    MODEL = "model.published"
    TEST = "test"


CHOSEN = (EventKind.FOUND, EventKind.MODEL)  # what an owner can ask for
_NEWS = (ModelOrigin.FIT, ModelOrigin.FEATURES, ModelOrigin.ROLLBACK)  # other models only follow the items


def note_found(
    db: Connection, collection: Collection, now: float, *, search: str, item: Item, questions: int, link: str
) -> None:
    """A search was found. `link` is the path of the page to share."""
    found = {"item": item.number, "key": item.key, "title": item.title}
    note(db, collection, EventKind.FOUND, now, {"search": search, "questions": questions, "link": link} | found)


def note_model(db: Connection, collection: Collection, now: float, info: ModelInfo) -> None:
    """A model came into use that says something new."""
    if info.origin in _NEWS:
        published = {"version": info.version, "origin": info.origin.value, "triplets": info.triplets}
        note(db, collection, EventKind.MODEL, now, published)


def note(db: Connection, collection: Collection, kind: EventKind, now: float, data: dict[str, Any]) -> None:
    """Write an event down for each webhook of the collection that wants it."""
    wanted = [one for one in webhooks.webhooks_of(db, collection.id) if kind.value in one.kinds]
    webhooks.add_deliveries(db, [event_for(one, collection, kind, now, data) for one in wanted])


def event_for(webhook: Webhook, collection: Collection, kind: EventKind, now: float, data: dict[str, Any]) -> Delivery:
    """An event for one webhook, due at once."""
    event_id = secrets.token_hex(16)
    event = {"id": event_id, "kind": kind.value, "created_at": now, "collection": collection.slug, "data": data}
    body = json.dumps(event, ensure_ascii=False)
    return Delivery(event_id, webhook.id, kind.value, body, now, next_at=now)
