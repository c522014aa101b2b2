"""The owner's pages: numbers, items, searches, models, settings, exports."""

from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from learn2search.site.administration import dashboard, exports, owners
from learn2search.site.catalogue.options import checked, offered_strategies, options_of
from learn2search.site.catalogue.uploads import import_upload
from learn2search.site.context import Site
from learn2search.site.learning import publishing, trainer
from learn2search.site.visits import searching
from learn2search.store.collections import Collection
from learn2search.web.rendering import render, site_of
from learn2search.web.security import LARGEST_UPLOAD, OWNER_COOKIE, is_owner, must_be_owner, sign_in

router = APIRouter(include_in_schema=False)
inside = APIRouter(prefix="/owner", dependencies=[Depends(must_be_owner)])
OurSite = Annotated[Site, Depends(site_of)]
PAGE = 60
LATEST = 12


def the_collection(site: OurSite, slug: str) -> Collection:
    return site.collection(slug)


Ours = Annotated[Collection, Depends(the_collection)]


# --- coming in -------------------------------------------------------------------------------------


@router.get("/owner")
def door(request: Request, site: OurSite) -> Response:
    if not is_owner(request):
        return render(request, "owner/login.html", wrong=False)
    return render(request, "owner/collections.html", collections=owners.collections_of(site))


@router.post("/owner")
def enter(request: Request, site: OurSite, token: Annotated[str, Form()] = "") -> Response:
    request.app.state.limits.check(request, "tokens")
    if not site.is_owner(token.strip()):
        return render(request, "owner/login.html", status=401, wrong=True)
    response = RedirectResponse("/owner", 303)
    sign_in(request, response)
    return response


@inside.post("/leave")
def leave() -> Response:
    response = RedirectResponse("/", 303)
    response.delete_cookie(OWNER_COOKIE)
    return response


# --- looking ---------------------------------------------------------------------------------------


@inside.get("/{slug}")
def overview(request: Request, site: OurSite, collection: Ours) -> Response:
    return render(
        request,
        "owner/overview.html",
        figures=dashboard.overview(site, collection),
        collection=collection,
        options=options_of(collection),
        latest=owners.latest_searches(site, collection, LATEST),
        everything=owners.items_by_number(site, collection),
        now=site.now(),
        exports=exports.available_exports(),
    )


@inside.get("/{slug}/items")
def items(request: Request, site: OurSite, collection: Ours, words: str = "", start: int = 0) -> Response:
    start = max(0, start)
    total, found = owners.find_items(site, collection, words, start, PAGE)
    return render(
        request,
        "owner/items.html",
        collection=collection,
        found=found,
        total=total,
        words=words,
        start=start,
        page=PAGE,
    )


@inside.get("/{slug}/searches")
def all_searches(request: Request, site: OurSite, collection: Ours, start: int = 0, aside: bool = False) -> Response:
    start = max(0, start)
    latest = owners.latest_searches(site, collection, PAGE, start, quarantined=True if aside else None)
    everything = owners.items_by_number(site, collection)
    return render(
        request,
        "owner/searches.html",
        collection=collection,
        latest=latest,
        start=start,
        page=PAGE,
        aside=aside,
        everything=everything,
    )


@inside.get("/{slug}/searches/{search_id}")
def replay(request: Request, site: OurSite, collection: Ours, search_id: str) -> Response:
    now, steps = searching.state(site, search_id), owners.replay(site, search_id)
    shown = site.items(collection.id, {number for step in steps for number in step.shown})
    return render(request, "owner/replay.html", collection=collection, now=now, steps=steps, shown=shown)


@inside.get("/{slug}/settings")
def settings(request: Request, collection: Ours) -> Response:
    options, offered = options_of(collection), offered_strategies()
    return render(request, "owner/settings.html", collection=collection, options=options, offered=offered)


# --- changing --------------------------------------------------------------------------------------


def _back(slug: str, page: str = "") -> Response:
    return RedirectResponse(f"/owner/{slug}{page}", 303)


@inside.post("/{slug}/settings")
def change_settings(
    site: OurSite,
    collection: Ours,
    title: Annotated[str, Form()],
    noun: Annotated[str, Form()],
    nouns: Annotated[str, Form()],
    show: Annotated[str, Form()],
    strategies: Annotated[list[str], Form(default_factory=list)],
    note: Annotated[str, Form()] = "",
    listed: Annotated[str, Form()] = "",
    to_find: Annotated[str, Form()] = "",
) -> Response:
    values: dict[str, Any] = options_of(collection).model_dump()
    values |= {"noun": noun.strip(), "nouns": nouns.strip(), "note": note.strip()}
    values["show"] = int(show) if show.isdecimal() else show
    values |= {"strategies": strategies, "listed": bool(listed), "to_find": bool(to_find)}
    owners.change_collection(site, collection, title.strip() or collection.title, checked(values))
    return _back(collection.slug, "/settings")


@inside.post("/{slug}/items/{number}")
def change_item(
    site: OurSite,
    collection: Ours,
    number: int,
    title: Annotated[str, Form()],
    description: Annotated[str, Form()] = "",
    active: Annotated[str, Form()] = "",
) -> Response:
    words = {"title": title.strip()[:300], "description": description.replace("\r\n", "\n")[:4000]}
    owners.change_item(site, collection, number, **words, active=bool(active))
    return _back(collection.slug, "/items")


@inside.post("/{slug}/upload")
async def upload(
    request: Request, site: OurSite, collection: Ours, file: Annotated[list[UploadFile], File()]
) -> Response:
    """Add pictures, sounds or a ZIP file of them to the collection.

    It may take minutes, so it runs in threads of its own.
    """
    sent = [(one.filename or "upload", one.file) for one in file]
    work = partial(import_upload, site, sent, collection, LARGEST_UPLOAD)
    report = await to_thread.run_sync(work, limiter=request.app.state.uploads)
    return render(request, "owner/report.html", collection=collection, report=report)


@inside.post("/{slug}/retrain")
def retrain(site: OurSite, collection: Ours) -> Response:
    trainer.ask_for(site, collection)
    return _back(collection.slug)


@inside.post("/{slug}/rollback")
def rollback(site: OurSite, collection: Ours, version: Annotated[int, Form()]) -> Response:
    publishing.roll_back(site, collection, version)
    return _back(collection.slug)


@inside.post("/{slug}/searches/{search_id}/quarantine")
def quarantine(site: OurSite, collection: Ours, search_id: str, release: Annotated[str, Form()] = "") -> Response:
    owners.release(site, search_id) if release else owners.set_aside(site, search_id)
    return _back(collection.slug, f"/searches/{search_id}")


# --- taking away -----------------------------------------------------------------------------------


@inside.get("/{slug}/export/{name}")
def export(site: OurSite, collection: Ours, name: str) -> Response:
    """A file of `EXPORTS`."""
    parts, kind = exports.export(site, collection, name)
    headers = {"Content-Disposition": f'attachment; filename="{collection.slug}-{name}"'}
    return StreamingResponse(parts, media_type=kind, headers=headers)


router.include_router(inside)
