"""Collections that could not be fitted: why, and when it is tried again. One that fails does not stop the others."""

from pydantic import BaseModel, ConfigDict

from learn2search.site.context import Site
from learn2search.store import collections
from learn2search.store.collections import Collection

_FIRST_PAUSE, _LONGEST_PAUSE = 60.0, 6 * 3600.0  # seconds until the next try: doubled after each failure


class Failure(BaseModel):
    """Why the last fit of a collection failed; times: in a row. Times in seconds since 1970."""

    model_config = ConfigDict(frozen=True)

    reason: str
    times: int
    since: float
    last: float
    again: float


def failure_of(site: Site, collection: Collection) -> Failure | None:
    """What is wrong with the learning of a collection, or None."""
    with site.database.read() as db:
        stored = collections.get_setting(db, _name(collection))
    return Failure.model_validate_json(stored) if stored else None


def failing(site: Site) -> list[tuple[Collection, Failure]]:
    """All collections that do not learn."""
    with site.database.read() as db:
        known = collections.all_collections(db)
    found = [(collection, failure_of(site, collection)) for collection in known]
    return [(collection, failure) for collection, failure in found if failure is not None]


def note_failure(site: Site, collection: Collection, error: Exception) -> Failure:
    """Remember why a fit failed, and when to try again: later after each failure in a row."""
    before, now = failure_of(site, collection), site.now()
    times = 1 if before is None else before.times + 1
    failure = Failure(
        reason=f"{type(error).__name__}: {error}"[:1000],
        times=times,
        since=now if before is None else before.since,
        last=now,
        again=now + min(_FIRST_PAUSE * 2.0 ** min(times - 1, 30), _LONGEST_PAUSE),
    )
    _put(site, collection, failure.model_dump_json())
    return failure


def forget_failure(site: Site, collection: Collection) -> None:
    """It has been fitted."""
    if failure_of(site, collection) is not None:
        _put(site, collection, "")


def _put(site: Site, collection: Collection, text: str) -> None:
    with site.database.write() as db:
        collections.put_setting(db, _name(collection), text)


def _name(collection: Collection) -> str:
    return f"failure:{collection.id}"
