"""Delivering events: signed, at least once, again and again for two days where nobody takes them.

What is due is read from the database each time, so a restart loses nothing. An event counts as delivered when the
answer has a status from 200 to 299. Redirections are not followed.
"""

import hashlib
import hmac
import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import structlog

from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.notifications.addresses import checked_address, connection_to, parts_of
from learn2search.store import webhooks
from learn2search.store.webhooks import Delivery, Webhook

PAUSES = (10, 60, 300, 1800, 7200, 21_600, 43_200, 86_400)  # seconds after each attempt; then it is given up
_LEASE = 60.0  # seconds that one attempt has for itself
_PARTING = 5.0  # seconds that an attempt under way still has at the end
_AT_ONCE = 20
_LOOK = 1.0  # seconds between two looks
_KEPT = 30 * 86_400.0  # seconds that what was delivered is shown

log = structlog.get_logger()


@contextmanager
def delivering(site: Site) -> Iterator[None]:
    """Deliver what is due, in a thread of its own, as long as this lasts; what is then under way is sent again."""
    stop = threading.Event()
    thread = threading.Thread(target=_run, args=(site, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(_PARTING)


def _run(site: Site, stop: threading.Event) -> None:
    while not stop.wait(_LOOK):
        try:
            deliver_due(site, stop)
        except Exception as error:  # the database is away or the disk is full: what is due stays due
            log.error("webhooks", reason=str(error))
            stop.wait(30 * _LOOK)


def deliver_due(site: Site, stop: threading.Event | None = None) -> int:
    """Try everything that is due; how many were delivered."""
    with site.database.read() as db:
        waiting = webhooks.due(db, site.now(), _AT_ONCE)
    delivered = 0
    for one in waiting:
        if stop is not None and stop.is_set():
            break
        delivered += deliver(site, one).delivered_at is not None
    if waiting:
        with site.database.write() as db:
            webhooks.forget_deliveries(db, site.now() - _KEPT)
    return delivered


def deliver(site: Site, one: Delivery) -> Delivery:
    """Try one event now; what came of it. If somebody else is trying it, nothing is done."""
    claimed = replace(one, next_at=site.now() + _LEASE)
    with site.database.write() as db:
        to = webhooks.get_webhook(db, one.webhook_id)
        if to is None or one.next_at is None or not webhooks.claim(db, one, claimed.next_at or 0.0):
            return one
    tried = _after(site, replace(claimed, attempts=one.attempts + 1), *_send(site, to, one))
    with site.database.write() as db:
        webhooks.change_delivery(db, tried)
    return tried


def _after(site: Site, one: Delivery, took_it: bool, message: str) -> Delivery:
    now = site.now()
    if took_it:
        return replace(one, next_at=None, delivered_at=now, message=message)
    pause = PAUSES[one.attempts - 1] if one.attempts <= len(PAUSES) else None
    return replace(one, next_at=None if pause is None else now + pause, message=message)


def _send(site: Site, to: Webhook, one: Delivery) -> tuple[bool, str]:
    """Did the other side take it, and what did it say?"""
    try:
        parts = parts_of(to.url)
        connection = connection_to(parts, checked_address(parts, site.settings.webhook_private))
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", target, one.body.encode(), headers_of(to.secret, one, int(site.now())))
            answer = connection.getresponse()
            return 200 <= answer.status < 300, f"{answer.status} {answer.reason}"[:200]
        finally:
            connection.close()
    except Invalid as error:
        return False, str(error)
    except (OSError, http.client.HTTPException) as error:
        return False, f"no answer: {error}"[:200]


def headers_of(secret: str, one: Delivery, timestamp: int) -> dict[str, str]:
    """The headers of a delivery: what it is, and a signature over the time and the body."""
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "Learn2Search",
        "Learn2Search-Id": one.id,
        "Learn2Search-Event": one.kind,
        "Learn2Search-Timestamp": str(timestamp),
        "Learn2Search-Signature": f"v1={signature(secret, timestamp, one.body.encode())}",
    }


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """HMAC-SHA256 over `timestamp.body`, in hexadecimal digits."""
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
