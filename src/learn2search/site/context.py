"""`Site`: what one process of the site works with: settings, database, caches, the owner's token."""

import hashlib
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

from cachetools import TLRUCache

from learn2search.site.catalogue.media_bucket import MediaBucket
from learn2search.site.catalogue.media_folder import MediaFolder
from learn2search.site.errors import NotFound, Unavailable
from learn2search.site.learning.model_cache import EmbeddingAt, ModelCache
from learn2search.site.settings import Settings
from learn2search.site.spans import span
from learn2search.site.visits.beliefs import BeliefCache
from learn2search.store import collections, items
from learn2search.store.collections import Collection
from learn2search.store.database import WAIT_SECONDS, Database
from learn2search.store.items import Item

Made = TypeVar("Made")

TOKEN = "owner_token"  # nosec B105 # the name of the setting that holds its hash
SESSIONS = "owner_sessions"  # changed when the owner signs out
_TOKEN_SECONDS = 2.0
_ITEMS_SECONDS = 10.0  # that an item may be old
_ITEMS_KEPT = 20_000
_REMEMBERED_KEPT = 10_000  # figures
SECRET = "secret"  # nosec B105 # the name of the setting that signs the owner's cookie and salts visitors


class Site:
    """Everything that a worker needs to serve. Any number of workers may share one database.

    Parameters
    ----------
    clock
        Gives the time in seconds since 1970.
    wait_seconds
        How long to wait for a lock or a connection of the database.
    """

    def __init__(
        self, settings: Settings, clock: Callable[[], float] = time.time, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self.settings = settings
        self.now = clock
        self.database = Database(settings.database, wait_seconds, span)
        self.media = _media_of(settings)
        self.models = ModelCache(self.database, settings.models)
        self.beliefs = BeliefCache(self.models)
        self._secret: bytes | None = None
        self._lock = threading.Lock()  # of what is remembered
        self._remembered: TLRUCache[object, _Remembered] = TLRUCache(_REMEMBERED_KEPT, _forgotten_at)
        # A plain dictionary, because a click reads fifty of them: until when it is used, and the item.
        self._items: dict[tuple[int, int], tuple[float, Item]] = {}

    @classmethod
    def open(cls, settings: Settings, clock: Callable[[], float] = time.time) -> "Site":
        """A site whose folders exist and whose database is made or brought up to date."""
        site = cls(settings, clock)
        site.prepare()
        return site

    def prepare(self) -> None:
        """Make the folders, and make the database or bring it up to date."""
        self.settings.home.mkdir(parents=True, exist_ok=True)
        self.settings.media.mkdir(parents=True, exist_ok=True)
        self.database.migrate()

    def close(self) -> None:
        self.database.close()

    def collection(self, slug: str) -> Collection:
        """The collection with this address.

        Raises
        ------
        NotFound
            If there is none.
        """
        with self.database.read() as db:
            found = collections.by_slug(db, slug)
        if found is None:
            raise NotFound("There is no collection “%(slug)s” here.", slug=slug)
        return found

    def published_model_id(self, collection: Collection) -> int:
        """The model that new searches of the collection use.

        Raises
        ------
        Unavailable
            If the collection has too few items to be searched.
        """
        if collection.model_id is None:
            raise Unavailable("“%(title)s” has no items yet.", title=collection.title)
        return collection.model_id

    def newest_embedding(self, collection: Collection) -> EmbeddingAt:
        """The positions that a search which begins now would use; `Unavailable` with too few items."""
        model_id = self.published_model_id(collection)
        return self.models.embedding_at(model_id, self.models.newest(model_id, collection.lessons))

    def items(self, collection_id: int, numbers: Iterable[int]) -> dict[int, Item]:
        """Items by number, as they were a few seconds ago at most."""
        wanted, now, found = set(numbers), time.monotonic(), {}
        for number in wanted:
            known = self._items.get((collection_id, number))
            if known is not None and known[0] > now:
                found[number] = known[1]
        if len(found) < len(wanted):
            with self.database.read() as db:
                read = items.by_number(db, collection_id, [number for number in wanted if number not in found])
            if len(self._items) > _ITEMS_KEPT:
                self._items.clear()
            self._items.update({(collection_id, number): (now + _ITEMS_SECONDS, item) for number, item in read.items()})
            found |= read
        return found

    def remember(self, name: object, seconds: float, make: Callable[[], Made]) -> Made:
        """What `make` gave for this name at most so many seconds ago, else what it gives now."""
        with self._lock:
            known = self._remembered.get(name)
        if known is None:
            known = _Remembered(make(), seconds)
            with self._lock:
                self._remembered[name] = known
        made: Made = known.made
        return made

    def drop(self, name: object) -> None:
        """Make it anew when it is next asked for."""
        with self._lock:
            self._remembered.pop(name, None)

    def forget(self) -> None:
        """Empty the caches: after a change, nothing old is shown."""
        with self._lock:
            self._remembered.clear()
            self._items.clear()
            self._secret = None
        self.beliefs.forget()

    # --- the owner ---

    def new_token(self) -> str:
        """Make a new token for the owner; the old one no longer counts. Only its hash is kept."""
        token = secrets.token_urlsafe(24)
        with self.database.write() as db:
            collections.put_setting(db, TOKEN, _hash(token))
        with self._lock:
            self._remembered.pop(TOKEN, None)
        return token

    def first_token(self) -> str | None:
        """A new token if there has never been one, else None."""
        with self.database.read() as db:
            known = collections.get_setting(db, TOKEN)
        return None if known else self.new_token()

    def is_owner(self, token: str) -> bool:
        """Is this the owner's token?"""
        known = self._token_hash()
        return known is not None and hmac.compare_digest(known, _hash(token))

    def _token_hash(self) -> str | None:
        """The hash of the token, at most two seconds old: programs send the token with every request."""

        def read() -> str | None:
            with self.database.read() as db:
                return collections.get_setting(db, TOKEN)

        return self.remember(TOKEN, _TOKEN_SECONDS, read)

    def sign(self, text: str) -> str:
        """A signature that only this site can make. It changes with the owner's token, and when all are signed out."""
        known = f"{self._token_hash() or ''}{self._sessions()}"
        return hmac.new(self.secret, f"{known}:{text}".encode(), hashlib.sha256).hexdigest()

    def _sessions(self) -> str:
        """What all signatures share until the owner signs out, at most two seconds old; empty before the first time."""

        def read() -> str:
            with self.database.read() as db:
                return collections.get_setting(db, SESSIONS) or ""

        return self.remember(SESSIONS, _TOKEN_SECONDS, read)

    def end_sessions(self) -> None:
        """Sign the owner out everywhere: no signature made before counts any longer."""
        with self.database.write() as db:
            collections.put_setting(db, SESSIONS, f":{secrets.token_hex(8)}")
        with self._lock:
            self._remembered.pop(SESSIONS, None)

    def visitor_hash(self, cookie: str) -> str:
        """What is stored of a visitor: a salted hash of a random cookie."""
        return hmac.new(self.secret, cookie.encode(), hashlib.sha256).hexdigest()[:32]

    @property
    def secret(self) -> bytes:
        found = self._secret
        if found is None:
            with self.database.write() as db:
                known = collections.get_setting(db, SECRET)
                if known is None:
                    known = secrets.token_hex(32)
                    collections.put_setting(db, SECRET, known)
            self._secret = found = bytes.fromhex(known)
        return found


def _media_of(settings: Settings) -> MediaFolder:
    if settings.media_url is None:
        return MediaFolder(settings.media)
    return MediaBucket(settings.media_url, settings.media, settings.media_cache_mb * 1_000_000)


class _Remembered(NamedTuple):
    """What was made, and for how many seconds it may be used."""

    made: Any
    seconds: float


def _forgotten_at(_: object, remembered: _Remembered, now: float) -> float:
    return now + remembered.seconds


def _hash(token: str) -> str:
    """A hash of a token. One round is enough, because a token has 192 random bits."""
    return hashlib.sha256(token.encode()).hexdigest()
