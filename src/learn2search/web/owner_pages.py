"""The owner's pages: coming in, the collections, one collection's numbers and settings, exports.

Pages about items, searches and whole collections are in modules of their own.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response, StreamingResponse

from learn2search.learn.growth import GROWN
from learn2search.site.administration import dashboard, exports, owners
from learn2search.site.administration.learning_progress import FEWEST_ITEMS, learning_progress
from learn2search.site.administration.strategy_comparison import ENOUGH_VISITORS
from learn2search.site.catalogue.options import checked, offered_strategies, options_of
from learn2search.site.learning import publishing, trainer
from learn2search.site.show_counts import SHOW_COUNTS
from learn2search.site.teaching.teaching_progress import screens_taught
from learn2search.web import owner_collections, owner_items, owner_searches, owner_studies
from learn2search.web.owner_frame import Ours, OurSite, back, owner_router
from learn2search.web.rendering import render
from learn2search.web.security import OWNER_COOKIE, count_wrong_token, is_owner, may_try_token, sign_in

router = APIRouter(include_in_schema=False)
inside = owner_router()
LATEST = 12


# --- coming in -------------------------------------------------------------------------------------


@router.get("/owner")
def door(request: Request, site: OurSite) -> Response:
    """The owner's collections; a form to sign in for everybody else."""
    if not is_owner(request):
        return render(request, "owner/login.html", wrong=False)
    known = [(one, options_of(one), size) for one, size in owners.collections_of(site)]
    return render(request, "owner/collections.html", collections=known)


@router.post("/owner")
def enter(request: Request, site: OurSite, token: Annotated[str, Form()] = "") -> Response:  # nosec B107 # none
    """Sign in with the owner's token."""
    may_try_token(request)
    if not site.is_owner(token.strip()):
        count_wrong_token(request)
        return render(request, "owner/login.html", status=401, wrong=True)
    response = RedirectResponse("/owner", 303)
    sign_in(request, response)
    return response


@inside.post("/leave")
def leave(site: OurSite) -> Response:
    """Sign out, in all browsers: the cookie counts no longer, also not for whoever has copied it."""
    site.end_sessions()
    response = RedirectResponse("/", 303)
    response.delete_cookie(OWNER_COOKIE)
    return response


# --- looking ---------------------------------------------------------------------------------------


@inside.get("/{slug}")
def overview(request: Request, site: OurSite, collection: Ours) -> Response:
    """The dashboard of the collection."""
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
        enough_visitors=ENOUGH_VISITORS,
    )


@inside.get("/-/plan")
def plan(request: Request, items: int = 500, pictures: int = 4, searches: int = 0) -> Response:
    """How many searches a collection of so many items needs, by simulated ones."""
    items, pictures = min(max(items, FEWEST_ITEMS), 100_000), pictures if pictures in SHOW_COUNTS else 4
    progress = learning_progress(items, pictures, max(0, searches))
    return render(request, "owner/plan.html", progress=progress, items=items, pictures=pictures, grown=GROWN)


@inside.get("/{slug}/settings")
def settings(request: Request, site: OurSite, collection: Ours) -> Response:
    """The settings of the collection."""
    return render(
        request,
        "owner/settings.html",
        collection=collection,
        options=options_of(collection),
        offered=offered_strategies(),
        taught=screens_taught(site, collection),
    )


# --- changing --------------------------------------------------------------------------------------


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
    """Keep the settings of the collection."""
    values: dict[str, Any] = options_of(collection).model_dump()
    values |= {"noun": noun.strip(), "nouns": nouns.strip(), "note": note.strip()}
    values["show"] = int(show) if show.isdecimal() and len(show) < 4 else show
    values |= {"strategies": strategies, "listed": bool(listed), "to_find": bool(to_find)}
    owners.change_collection(site, collection, title.strip() or collection.title, checked(values))
    return back(collection.slug, "/settings", "saved")


@inside.post("/{slug}/retrain")
def retrain(site: OurSite, collection: Ours) -> Response:
    """Fit anew now."""
    trainer.ask_for(site, collection)
    return back(collection.slug, did="retrain")


@inside.post("/{slug}/rollback")
def rollback(site: OurSite, collection: Ours, version: Annotated[int, Form()]) -> Response:
    """Take an earlier model into use again."""
    publishing.roll_back(site, collection, version)
    return back(collection.slug, did="rolled-back")


# --- taking away -----------------------------------------------------------------------------------


@inside.get("/{slug}/export/{name}")
def export(site: OurSite, collection: Ours, name: str) -> Response:
    """A file of `EXPORTS`."""
    parts, kind = exports.export(site, collection, name)
    headers = {"Content-Disposition": f'attachment; filename="{collection.slug}-{name}"'}
    return StreamingResponse(parts, media_type=kind, headers=headers)


for part in (owner_collections.router, owner_items.router, owner_searches.router, owner_studies.router, inside):
    router.include_router(part)
