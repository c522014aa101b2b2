"""The files of media in an object store (S3 and what speaks like it), for workers on several machines.

The store has the files. Each machine keeps copies of those that it was asked for in its own folder, so that a picture
crosses the network once, parts of videos can be sent as from any folder, and what was shown lately is shown on while
the store is away. A copy is used for ten minutes; then the store is asked whether the file still is there. So what is
deleted for good disappears from every machine within ten minutes.
"""

import os
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learn2search.files import PARTIAL, write_atomic
from learn2search.site.catalogue.media_folder import MediaFolder
from learn2search.site.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig

FRESH_SECONDS = 600.0  # for which a copy is used without a question
_PRUNE_SECONDS = 60.0  # between two looks at the size of the copies, at least
_AT_ONCE = 16  # files that are sent at the same time
_CLIENT: "ClientConfig" = {"timeout": "30s", "connect_timeout": "2s", "allow_http": True}
_RETRIES: "RetryConfig" = {"max_retries": 1}
_HASTY: "ClientConfig" = {"timeout": "2s", "connect_timeout": "1s", "allow_http": True}  # to see whether it answers
_FETCHED_AT_ONCE, _WAIT_SECONDS = 16, 2.0  # files for visitors, and how long one more waits for its turn
_REST_SECONDS = 5.0  # after a failure, in which the store is not asked for visitors
_AWAY = "The store of the pictures does not answer. Please try again in a moment."


class MediaBucket(MediaFolder):
    """The files of each collection under a prefix of a bucket, as `prefix/collection/name`.

    Parameters
    ----------
    url
        `s3://bucket/prefix`. Endpoint, region and keys are those of the environment: AWS_ENDPOINT_URL, AWS_REGION,
        AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and so on.
    root
        The folder for copies.
    most_bytes
        That the copies may have. Those of the last minutes stay whatever they have.
    """

    def __init__(self, url: str, root: Path, most_bytes: int) -> None:
        super().__init__(root)
        self._store, self._hasty_store = _opened(url, _CLIENT, _RETRIES), _opened(url, _HASTY, {"max_retries": 0})
        self._fetching = threading.BoundedSemaphore(_FETCHED_AT_ONCE)
        self._rest_until = 0.0
        self._most_bytes = most_bytes
        self._pruning = threading.Lock()
        self._pruned_at = 0.0

    def keep(self, slug: str, names: Iterable[str]) -> None:
        wanted = list(names)
        if len(wanted) == 1:
            self._send(slug, wanted[0])
            return
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(lambda name: self._send(slug, name), wanted))

    def _send(self, slug: str, name: str) -> None:
        import obstore

        with _away_is_unavailable():
            obstore.put(self._store, f"{slug}/{name}", self.root / slug / name)
        self._prune()

    def path(self, slug: str, name: str) -> Path | None:
        copy = self.root / slug / name
        try:
            if time.time() - copy.stat().st_mtime < FRESH_SECONDS:
                return copy
            return self._looked_after(copy, slug, name)
        except FileNotFoundError:
            return self._fetched(copy, slug, name)

    def _looked_after(self, copy: Path, slug: str, name: str) -> Path | None:
        """An old copy, if the store still has the file or does not answer."""
        import obstore

        try:
            with self._turn():
                obstore.head(self._store, f"{slug}/{name}")
        except FileNotFoundError:
            copy.unlink(missing_ok=True)
            return None
        except Unavailable:
            return copy
        os.utime(copy)
        return copy

    def _fetched(self, copy: Path, slug: str, name: str) -> Path | None:
        try:
            with self._turn():
                content = self.read(slug, name)
        except FileNotFoundError:
            return None
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(copy, content)
        self._prune()
        return copy

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One question for a visitor. A store that is away or hangs holds few threads, and none for long."""
        if time.monotonic() < self._rest_until or not self._fetching.acquire(timeout=_WAIT_SECONDS):
            raise Unavailable(_AWAY)
        try:
            with _away_is_unavailable():
                yield
        except Unavailable:
            self._rest_until = time.monotonic() + _REST_SECONDS
            raise
        finally:
            self._fetching.release()

    def read(self, slug: str, name: str) -> bytes:
        import obstore

        with _away_is_unavailable():
            return bytes(obstore.get(self._store, f"{slug}/{name}").bytes())

    def names(self, slug: str) -> set[str]:
        return {name for _, name in self._listed(f"{slug}/")}

    def delete(self, slug: str, names: Iterable[str]) -> None:
        import obstore

        gone = list(names)
        super().delete(slug, gone)
        if gone:
            with _away_is_unavailable():
                obstore.delete(self._store, [f"{slug}/{name}" for name in gone])

    def delete_all(self, slug: str) -> None:
        super().delete_all(slug)
        self.delete(slug, self.names(slug))

    def all_names(self) -> Iterator[tuple[str, str]]:
        yield from sorted(self._listed(None))

    def _listed(self, prefix: str | None, store: Any = None) -> Iterator[tuple[str, str]]:
        import obstore

        with _away_is_unavailable():
            for batch in obstore.list(store or self._store, prefix):
                for found in batch:
                    slug, _, name = found["path"].rpartition("/")
                    yield slug, name

    def trouble(self) -> str | None:
        try:
            next(self._listed(None, self._hasty_store), None)
        except Unavailable as error:
            cause = str(error.__cause__).splitlines()[0] if error.__cause__ else ""
            return f"the store of the media does not answer: {cause[:200]}"
        return None

    def _prune(self) -> None:
        """Delete the copies that were not asked for longest, if there are too many bytes of them."""
        now = time.time()
        with self._pruning:
            if now - self._pruned_at < _PRUNE_SECONDS:
                return
            self._pruned_at = now
        found = sorted(_copies(self.root))
        left = sum(size for _, size, _ in found) - self._most_bytes
        for used_at, size, path in found:
            if left <= 0 or now - used_at < FRESH_SECONDS + _PRUNE_SECONDS:
                break
            path.unlink(missing_ok=True)
            left -= size


def _copies(root: Path) -> Iterator[tuple[float, int, Path]]:
    """When each copy was last looked after, its bytes, its path."""
    for path in root.glob("*/*"):
        try:
            known = path.stat()
        except FileNotFoundError:
            continue
        if path.suffix != PARTIAL:
            yield known.st_mtime, known.st_size, path


@contextmanager
def _away_is_unavailable() -> Iterator[None]:
    """The store's errors as one that visitors can read; that a file is not there stays FileNotFoundError."""
    from obstore.exceptions import BaseError

    try:
        yield
    except BaseError as error:
        raise Unavailable(_AWAY) from error


def _opened(url: str, client: "ClientConfig", retries: "RetryConfig") -> Any:
    try:
        from obstore.exceptions import BaseError
        from obstore.store import from_url
    except ImportError as error:
        raise Invalid("LEARN2SEARCH_MEDIA_URL needs a package: pip install 'learn2search[s3]'") from error
    try:
        return from_url(url, client_options=client, retry_config=retries)
    except (BaseError, ValueError) as error:
        raise Invalid(f"LEARN2SEARCH_MEDIA_URL={url} cannot be used: {error}") from error
