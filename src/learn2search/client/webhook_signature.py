"""Is an event of a webhook really from the site?"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from learn2search.client.connection import ClientError

_OLDEST = 300.0  # seconds


class NotFromTheSite(ClientError):
    """A request that only looks like an event of the site."""


def read_event(secret: str, headers: Mapping[str, str], body: bytes, now: float | None = None) -> dict[str, Any]:
    """The event in a request that a webhook got, if the site signed it in the last five minutes.

    Parameters
    ----------
    secret
        Of the webhook, as the owner's page shows it.
    headers, body
        Of the request; the body as it came, byte by byte.
    now
        Seconds since 1970; by default the present time.

    Returns
    -------
    dict
        `id`, `kind`, `created_at`, `collection`, `data`. The same `id` may come again: do it once.

    Raises
    ------
    NotFromTheSite
        If the signature is missing, wrong or old.

    Examples
    --------
    >>> from learn2search.client import read_event
    >>> read_event("secret", {}, b"{}")
    Traceback (most recent call last):
    learn2search.client.webhook_signature.NotFromTheSite: The request has no signature of a site.
    """
    given = {name.lower(): value for name, value in headers.items()}
    timestamp, signed = given.get("learn2search-timestamp", ""), given.get("learn2search-signature", "")
    if not (timestamp.isascii() and timestamp.isdecimal() and signed):
        raise NotFromTheSite("The request has no signature of a site.")
    wanted = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signed.encode(), f"v1={wanted}".encode()):
        raise NotFromTheSite("The signature is not the site's: is it the secret of this webhook, and the whole body?")
    if abs((time.time() if now is None else now) - int(timestamp)) > _OLDEST:
        raise NotFromTheSite("The signature is older than five minutes, or the clocks differ.")
    event: dict[str, Any] = json.loads(body)
    return event
