"""`doctor`: look at everything that a site needs, and say what is wrong and what to do."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from learn2search.site.settings import Settings

_PACKAGES = ("numpy", "numba", "fastapi", "uvicorn", "sqlalchemy", "alembic", "pillow", "jinja2", "psycopg")
_LEAST_FREE = 500_000_000  # bytes


@dataclass(frozen=True)
class Finding:
    """What was looked at, its state in a few words, and whether that is good."""

    what: str
    state: str
    good: bool


def examine(settings: Settings) -> list[Finding]:
    """Everything that a site needs, each with its state."""
    checks: list[Callable[[Settings], list[Finding]]] = [_python, _packages, _home, _database, _port]
    return [finding for check in checks for finding in check(settings)]


def _python(_: Settings) -> list[Finding]:
    now = ".".join(map(str, sys.version_info[:3]))
    return [Finding("Python", now, sys.version_info >= (3, 11))]


def _packages(_: Settings) -> list[Finding]:
    missing = []
    for name in _PACKAGES:
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    state = f"missing: {', '.join(missing)}; pip install 'learn2search[web]'" if missing else "all there"
    return [Finding("Packages", state, not missing)]


def _home(settings: Settings) -> list[Finding]:
    place = settings.home
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return [Finding("State", f"{place} cannot be made: {error.strerror}. Set LEARN2SEARCH_HOME", False)]
    if not os.access(place, os.W_OK):
        return [Finding("State", f"{place} cannot be written to. Set LEARN2SEARCH_HOME", False)]
    free = shutil.disk_usage(place).free
    return [
        Finding("State", str(place), True),
        Finding("Free space", f"{free / 1e9:.1f} GB", free >= _LEAST_FREE),
    ]


def _database(settings: Settings) -> list[Finding]:
    from learn2search.site.catalogue.item_media import media_of
    from learn2search.site.context import Site
    from learn2search.site.learning.damaged_models import damaged_models
    from learn2search.store import collections, items, lessons, searches

    try:
        site = Site.open(settings)
    except Exception as error:
        return [Finding("Database", f"does not open: {str(error).splitlines()[0]}", False)]
    kind = "SQLite" if site.database.is_sqlite else "PostgreSQL"
    found = [Finding("Database", f"{kind}, schema {site.database.revision()}", True)]
    trouble = site.media.trouble()
    if settings.media_url is not None or trouble:
        found.append(Finding("Media", trouble or str(settings.media_url), not trouble))
    if trouble:
        site.close()
        return found
    with site.database.read() as db:
        for one in collections.all_collections(db):
            active = items.all_items(db, one.id, active_only=True)
            names = [name for item in active for name in media_of(item).files.values()]
            missing = len(set(names) - site.media.names(one.slug))
            count, aside = searches.count(db, one.id)
            triplets = lessons.count(db, one.id)
            state = f"{len(active):,} items, {count:,} searches ({aside:,} set aside), {triplets:,} triplets"
            found.append(Finding(f"Collection {one.slug}", state, True))
            if missing:
                found.append(Finding(f"Media of {one.slug}", f"{missing:,} files are missing: import again", False))
    for damaged in damaged_models(site):
        found.append(Finding(f"Model of {damaged.collection.slug}", damaged.message, False))
    site.close()
    return found


def _port(settings: Settings) -> list[Finding]:
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        taken = probe.connect_ex((settings.host, settings.port)) == 0
    state = "in use: the site is running, or use --port" if taken else "free"
    return [Finding(f"Port {settings.port}", state, True)]
