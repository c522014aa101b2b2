"""Statements about webhooks, and about what is to be delivered to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from learn2search.store.tables import delivery, webhook


@dataclass(frozen=True)
class Webhook:
    """An address that wants to be told of some kinds of events of a collection; `secret` signs what it gets."""

    id: str
    collection_id: int
    url: str
    secret: str
    kinds: list[str]
    created_at: float


@dataclass(frozen=True)
class Delivery:
    """Something to tell.

    Attributes
    ----------
    next_at
        When it is to be tried next; None once it was delivered or given up.
    message
        What came of the last attempt.
    """

    id: str
    webhook_id: str
    kind: str
    body: str
    created_at: float
    attempts: int = 0
    next_at: float | None = None
    delivered_at: float | None = None
    message: str = ""


def add_webhook(db: Connection, one: Webhook) -> None:
    db.execute(insert(webhook).values(**vars(one)))


def webhooks_of(db: Connection, collection_id: int) -> list[Webhook]:
    query = select(webhook).where(webhook.c.collection_id == collection_id).order_by(webhook.c.created_at, webhook.c.id)
    return [Webhook(**row) for row in db.execute(query).mappings()]


def get_webhook(db: Connection, webhook_id: str) -> Webhook | None:
    row = db.execute(select(webhook).where(webhook.c.id == webhook_id)).mappings().first()
    return None if row is None else Webhook(**row)


def remove_webhook(db: Connection, webhook_id: str) -> None:
    """Delete a webhook, with all that was to be delivered to it."""
    db.execute(delete(delivery).where(delivery.c.webhook_id == webhook_id))
    db.execute(delete(webhook).where(webhook.c.id == webhook_id))


def add_deliveries(db: Connection, rows: Sequence[Delivery]) -> None:
    if rows:
        db.execute(insert(delivery), [vars(row) for row in rows])


def due(db: Connection, now: float, limit: int) -> list[Delivery]:
    """What is to be tried now, the longest waiting first."""
    query = select(delivery).where(delivery.c.next_at <= now).order_by(delivery.c.next_at).limit(limit)
    return [Delivery(**row) for row in db.execute(query).mappings()]


def get_delivery(db: Connection, delivery_id: str) -> Delivery | None:
    row = db.execute(select(delivery).where(delivery.c.id == delivery_id)).mappings().first()
    return None if row is None else Delivery(**row)


def latest_deliveries(db: Connection, webhook_id: str, limit: int) -> list[Delivery]:
    """The newest first."""
    query = select(delivery).where(delivery.c.webhook_id == webhook_id)
    rows = db.execute(query.order_by(delivery.c.created_at.desc(), delivery.c.id).limit(limit)).mappings()
    return [Delivery(**row) for row in rows]


def claim(db: Connection, one: Delivery, until: float) -> bool:
    """Keep others from trying the same until then; False if somebody else came first."""
    same = (delivery.c.id == one.id, delivery.c.next_at == one.next_at)
    return db.execute(update(delivery).where(*same).values(next_at=until)).rowcount == 1


def change_delivery(db: Connection, one: Delivery) -> None:
    db.execute(update(delivery).where(delivery.c.id == one.id).values(**vars(one)))


def forget_deliveries(db: Connection, before: float) -> None:
    """Delete what was delivered or given up and began before then."""
    db.execute(delete(delivery).where(delivery.c.next_at.is_(None), delivery.c.created_at < before))
