"""For operators: does the site answer, and what has it done since it was started.

With several workers the counters are files in the folder PROMETHEUS_MULTIPROC_DIR, which all workers share.
"""

import math
import os
import shutil
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any

import prometheus_client
from anyio import move_on_after, to_thread
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CollectorRegistry, Counter, Gauge
from prometheus_client.multiprocess import MultiProcessCollector
from sqlalchemy.exc import SQLAlchemyError

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.learning.damaged_models import damaged_models
from learn2search.site.learning.failures import failing
from learn2search.site.learning.learning_state import learning_states
from learn2search.site.learning.trainer_looks import is_missed, last_look
from learn2search.site.learning.triplet_counts import triplet_count
from learn2search.store import collections, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import SearchStatus
from learn2search.web.opening import Opening
from learn2search.web.rendering import site_of
from learn2search.web.security import RETRY_AFTER, limited

router = APIRouter(include_in_schema=False)

ANSWERS = Counter("learn2search_answers", "Answers taken since the site was started", ["strategy"])
SEARCHES = Counter("learn2search_searches", "Searches begun since the site was started")
ITEMS = Gauge("learn2search_items", "Active items", ["collection"], multiprocess_mode="mostrecent")
TRIPLETS = Gauge(
    "learn2search_triplets", "Comparisons that a fit may use", ["collection"], multiprocess_mode="mostrecent"
)
STATUS = Gauge(
    "learn2search_search_status", "Searches by status", ["collection", "status"], multiprocess_mode="mostrecent"
)
FAILURES = Gauge(
    "learn2search_failed_fits", "Fits that failed in a row", ["collection"], multiprocess_mode="mostrecent"
)
MODEL_AGE = Gauge(
    "learn2search_model_age_seconds",
    "How long ago the model in use was made",
    ["collection"],
    multiprocess_mode="mostrecent",
)
FIT_AGE = Gauge(
    "learn2search_last_fit_age_seconds",
    "How long ago the last fit ended that did not fail",
    ["collection"],
    multiprocess_mode="mostrecent",
)
LOOK_AGE = Gauge(
    "learn2search_trainer_look_age_seconds",
    "How long ago a trainer last looked for something to learn; +Inf if none ever did",
    multiprocess_mode="mostrecent",
)
LEAST_SPACE = 20_000_000  # bytes
PATIENCE = 4.0  # seconds until a check of the health is given up
_MEDIA = "health of the media"
_WRITTEN, _WRITTEN_SECONDS = "health", 5.0  # a setting that is written to see whether that works, and how often at most


@router.get("/healthz")
async def healthz(request: Request, site: Annotated[Site, Depends(site_of)]) -> Response:
    """Whether the site works: ok, degraded or unavailable (503). It has threads of its own, to answer at any time."""
    with move_on_after(PATIENCE):
        return await to_thread.run_sync(_health, site, limiter=request.app.state.health, abandon_on_cancel=True)
    return _unhealthy(f"the database does not answer within {PATIENCE:.0f} s")


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """Shall this worker get visitors? Not before its database is open and its models are loaded."""
    opening: Opening = request.app.state.opening
    if opening.ready.is_set():
        return JSONResponse({"status": "ready"})
    return _unhealthy("the worker is getting ready: its database is not open yet, or its models are not loaded")


def _health(site: Site) -> Response:
    try:
        site.remember(_WRITTEN, _WRITTEN_SECONDS, partial(_write, site))
        trouble = _trouble(site)
    except (SQLAlchemyError, OSError) as error:
        return _unhealthy(f"the database takes no writes: {str(error).splitlines()[0]}")
    free = shutil.disk_usage(site.settings.home).free
    if free < LEAST_SPACE:
        trouble.append(f"{free / 1e6:.0f} MB of disk are left, and at least {LEAST_SPACE / 1e6:.0f} are needed")
    status = {"status": "degraded", "trouble": trouble} if trouble else {"status": "ok"}
    return JSONResponse(status | _learning(site))


def _unhealthy(trouble: str) -> Response:
    return JSONResponse({"status": "unavailable", "trouble": [trouble]}, 503, {"Retry-After": RETRY_AFTER})


def _write(site: Site) -> bool:
    """A real write: a full disk and a read-only database are found by nothing less."""
    with site.database.write() as db:
        collections.put_setting(db, _WRITTEN, str(site.now()))
    return True


def _trouble(site: Site) -> list[str]:
    trouble = [f"{_public_name(collection)} does not learn" for collection, _ in failing(site)]
    trouble += [f"{_public_name(one.collection)}: {one.message}" for one in damaged_models(site)]
    media = site.remember(_MEDIA, _WRITTEN_SECONDS, site.media.trouble)
    return trouble + [one for one in (_no_trainer(site), media) if one]


def _no_trainer(site: Site) -> str | None:
    """What to say where lessons wait for a fit and no trainer is at work."""
    waiting = [_public_name(one.collection) for one in learning_states(site) if one.is_due]
    look = last_look(site)
    if not waiting or not is_missed(site, look):
        return None
    since = "has ever looked" if look is None else f"has looked since {_moment(look)}"
    return f"no trainer {since}, and there is something to learn in {', '.join(waiting)}: run `learn2search trainer`"


def _learning(site: Site) -> dict[str, Any]:
    """When a trainer last looked, and each collection's last fit and the age of its model."""
    states = {
        _public_name(one.collection): {
            "last_fit": _moment(one.last_fit),
            "model_age_seconds": None if one.model_made is None else round(site.now() - one.model_made),
        }
        for one in learning_states(site)
    }
    return {"trainer_looked": _moment(last_look(site)), "collections": states}


def _moment(time: float | None) -> str | None:
    return None if time is None else f"{datetime.fromtimestamp(time, UTC):%Y-%m-%dT%H:%M:%SZ}"


@router.get("/metrics", dependencies=[Depends(limited("metrics"))])
def metrics(site: Annotated[Site, Depends(site_of)]) -> Response:
    """What the site has done, in Prometheus' format."""
    failures = {collection.id: failure.times for collection, failure in failing(site)}
    with site.database.read() as db:
        sizes, known = collections.sizes(db), collections.all_collections(db)
        by_status = {one.id: searches.count_by_status(db, one.id) for one in known}
    for one in known:
        name = _public_name(one)
        ITEMS.labels(name).set(sizes.get(one.id, 0))
        TRIPLETS.labels(name).set(triplet_count(site, one))
        for status in SearchStatus:
            STATUS.labels(name, status).set(by_status[one.id].get(status, 0))
        FAILURES.labels(name).set(failures.get(one.id, 0))
    _set_ages(site)
    return Response(prometheus_client.generate_latest(_registry()), media_type=prometheus_client.CONTENT_TYPE_LATEST)


def _set_ages(site: Site) -> None:
    now, look = site.now(), last_look(site)
    LOOK_AGE.set(math.inf if look is None else now - look)
    for one in learning_states(site):
        for gauge, time in ((MODEL_AGE, one.model_made), (FIT_AGE, one.last_fit)):
            if time is not None:
                gauge.labels(_public_name(one.collection)).set(now - time)


def _public_name(collection: Collection) -> str:
    """The address of an unlisted collection is for those who have it."""
    return collection.slug if options_of(collection).listed else f"unlisted {collection.id}"


def _registry() -> CollectorRegistry:
    """The counters of this worker, or, where workers share a folder, of all of them."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return prometheus_client.REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]
    return together
