"""`Site`: what a process of the site holds: its settings, the database, the caches, the secrets."""

import hashlib
import hmac
import math
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from learn2search.site.errors import NotFound
from learn2search.site.learning.model_cache import ModelCache
from learn2search.site.settings import Settings
from learn2search.site.visits.beliefs import BeliefCache
from learn2search.store import collections, items
from learn2search.store.collections import Collection
from learn2search.store.database import Database
from learn2search.store.items import Item

Made = TypeVar("Made")

TOKEN = "owner_token"  # its hash
_TOKEN_SECONDS = 2.0
_ITEMS_SECONDS = 10.0  # that an item may be old
_ITEMS_KEPT = 20_000
SECRET = "secret"  # signs the owner's cookie and salts visitors


class Site:
    """Everything that a worker needs to serve. Any number of them may share one database."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.time) -> None:
        self.settings = settings
        self.now = clock
        self.database = Database(settings.database)
        self.models = ModelCache(self.database)
        self.beliefs = BeliefCache(self.models)
        self._secret: bytes | None = None
        self._remembered: dict[object, tuple[float, Any]] = {}
        self._items: dict[tuple[int, int], Item] = {}
        self._items_since = -math.inf

    @classmethod
    def open(cls, settings: Settings, clock: Callable[[], float] = time.time) -> "Site":
        """The site with its database made or brought up to date."""
        settings.home.mkdir(parents=True, exist_ok=True)
        settings.media.mkdir(parents=True, exist_ok=True)
        site = cls(settings, clock)
        site.database.migrate()
        return site

    def close(self) -> None:
        self.database.close()

    def collection(self, slug: str) -> Collection:
        with self.database.read() as db:
            found = collections.by_slug(db, slug)
        if found is None:
            raise NotFound(f"There is no collection “{slug}” here.")
        return found

    def items(self, collection_id: int, numbers: Iterable[int]) -> dict[int, Item]:
        """Items by number, as they were a few seconds ago at most."""
        if time.monotonic() - self._items_since > _ITEMS_SECONDS or len(self._items) > _ITEMS_KEPT:
            self._items, self._items_since = {}, time.monotonic()
        known = self._items
        wanted = set(numbers)
        missing = [number for number in wanted if (collection_id, number) not in known]
        if missing:
            with self.database.read() as db:
                found = items.by_number(db, collection_id, missing)
            known.update({(collection_id, number): item for number, item in found.items()})
        return {number: known[collection_id, number] for number in wanted if (collection_id, number) in known}

    def generator(self) -> np.random.Generator:
        """Randomness for what is not a search: from the setting SEED, or fresh."""
        return np.random.default_rng(self.settings.seed)

    def remember(self, name: object, seconds: float, make: Callable[[], Made]) -> Made:
        """What was made for this name a moment ago, or is made now: for figures that may be a little old."""
        made_at, value = self._remembered.get(name, (-math.inf, None))
        if time.monotonic() - made_at > seconds:
            value = make()
            self._remembered[name] = (time.monotonic(), value)
        result: Made = value
        return result

    def forget(self) -> None:
        """Make all figures anew, and rebuild all beliefs."""
        self._remembered.clear()
        self._items = {}
        self.beliefs.forget()

    # --- the owner ---

    def new_token(self) -> str:
        """Make a new token for the owner; the old one no longer counts. Only its hash is kept."""
        token = secrets.token_urlsafe(24)
        with self.database.write() as db:
            collections.put_setting(db, TOKEN, _hash(token))
        self._remembered.pop(TOKEN, None)
        return token

    def first_token(self) -> str | None:
        """A token if there has never been one."""
        with self.database.read() as db:
            known = collections.get_setting(db, TOKEN)
        return None if known else self.new_token()

    def is_owner(self, token: str) -> bool:
        known = self._token_hash()
        return known is not None and hmac.compare_digest(known, _hash(token))

    def _token_hash(self) -> str | None:
        """As it was a moment ago: programs send the token with every request."""

        def read() -> str | None:
            with self.database.read() as db:
                return collections.get_setting(db, TOKEN)

        return self.remember(TOKEN, _TOKEN_SECONDS, read)

    def sign(self, text: str) -> str:
        """A signature that only this site can make. It changes with the owner's token."""
        known = self._token_hash() or ""
        return hmac.new(self.secret, f"{known}:{text}".encode(), hashlib.sha256).hexdigest()

    def visitor_hash(self, cookie: str) -> str:
        """What is stored of a visitor: a salted hash of a random cookie."""
        return hmac.new(self.secret, cookie.encode(), hashlib.sha256).hexdigest()[:32]

    @property
    def secret(self) -> bytes:
        if self._secret is None:
            with self.database.write() as db:
                known = collections.get_setting(db, SECRET)
                if known is None:
                    known = secrets.token_hex(32)
                    collections.put_setting(db, SECRET, known)
            self._secret = bytes.fromhex(known)
        return self._secret


def _hash(token: str) -> str:
    """A token has 192 random bits: one round is enough."""
    return hashlib.sha256(token.encode()).hexdigest()
