"""The owner's pages about searches: the list with its filters, and one search step by step."""

from typing import Annotated, Any

from fastapi import Form, Request
from fastapi.responses import Response

from learn2search.site.administration import owners
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.visits import searching
from learn2search.store.enums import SearchOrigin, SearchStatus
from learn2search.store.searches import SearchFilter
from learn2search.web.owner_frame import Ours, OurSite, back, owner_router
from learn2search.web.rendering import render

router = owner_router()
PAGE = 60


@router.get("/{slug}/searches")
def all_searches(
    request: Request,
    site: OurSite,
    collection: Ours,
    start: int = 0,
    aside: bool = False,
    status: str = "",
    origin: str = "",
    strategy: str = "",
) -> Response:
    """The latest first. A filter that names nothing known is no filter."""
    start = max(0, start)
    wanted = SearchFilter(
        quarantined=True if aside else None,
        status=SearchStatus(status) if status in list(SearchStatus) else None,
        origin=SearchOrigin(origin) if origin in list(SearchOrigin) else None,
        strategy=strategy[:64] or None,
    )
    return render(
        request,
        "owner/searches.html",
        collection=collection,
        latest=owners.latest_searches(site, collection, PAGE, start, wanted),
        start=start,
        page=PAGE,
        aside=aside,
        wanted=wanted,
        strategies=owners.strategies_used(site, collection),
        everything=owners.items_by_number(site, collection),
        now=site.now(),
    )


@router.get("/{slug}/searches/{search_id}")
def replay(request: Request, site: OurSite, collection: Ours, search_id: str) -> Response:
    """One search, step by step."""
    now, steps = searching.state(site, search_id), owners.replay(site, search_id)
    shown = site.items(collection.id, {number for step in steps for number in step.shown})
    model = site.models.model(now.row.model_id).info
    learnt = max(metadata_of(model).lessons, now.row.lessons)
    values: dict[str, Any] = {"now": now, "steps": steps, "shown": shown, "model": model, "learnt": learnt}
    return render(request, "owner/replay.html", collection=collection, **values)


@router.post("/{slug}/searches/{search_id}/quarantine")
def quarantine(site: OurSite, collection: Ours, search_id: str, release: Annotated[str, Form()] = "") -> Response:
    """Set a search aside, or trust it."""
    owners.release(site, search_id) if release else owners.set_aside(site, search_id)
    return back(collection.slug, f"/searches/{search_id}", "released" if release else "aside")
