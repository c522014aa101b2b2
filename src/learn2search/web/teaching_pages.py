"""Teaching a collection: one item, others beside it, "which are most like it?". For the owner, or with a secret link.

The page is a form of checkboxes. Each answer is a POST that leads to the next screen.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.teaching import access, taught_screens
from learn2search.site.teaching.next_screen import next_screen
from learn2search.site.teaching.teaching_progress import teaching_progress
from learn2search.store.collections import Collection
from learn2search.web.owner_frame import Ours, OurSite, back
from learn2search.web.rendering import render
from learn2search.web.security import limited, must_be_owner, remember_visitor, visitor_of

router = APIRouter(include_in_schema=False)
OWNER = [Depends(must_be_owner)]
Chosen = Annotated[list[int], Form(default_factory=list)]
Ticket = Annotated[str, Form(max_length=400)]
Pressed = Annotated[str | None, Form()]


@router.get("/t/{secret}")
def by_link(request: Request, site: OurSite, secret: str, again: str | None = None) -> Response:
    """The next screen, for everybody who has the link."""
    return _page(request, site, access.collection_of_link(site, secret), f"/t/{secret}", again)


@router.post("/t/{secret}", dependencies=[Depends(limited("answers"))])
def answer_by_link(
    request: Request,
    site: OurSite,
    secret: str,
    chosen: Chosen,
    ticket: Ticket = "",
    none: Pressed = None,
    undo: Pressed = None,
) -> Response:
    """An answer of somebody who has the link."""
    collection = access.collection_of_link(site, secret)
    return _answer(request, site, collection, f"/t/{secret}", ticket, chosen, none, undo, by_owner=False)


@router.get("/owner/{slug}/teach", dependencies=OWNER)
def by_owner(request: Request, site: OurSite, collection: Ours, again: str | None = None) -> Response:
    """The next screen, for the owner."""
    access.check_owner_teaches(collection)
    return _page(request, site, collection, f"/owner/{collection.slug}/teach", again)


@router.post("/owner/{slug}/teach", dependencies=OWNER)
def answer_by_owner(
    request: Request,
    site: OurSite,
    collection: Ours,
    chosen: Chosen,
    ticket: Ticket = "",
    none: Pressed = None,
    undo: Pressed = None,
) -> Response:
    """An answer of the owner."""
    access.check_owner_teaches(collection)
    home = f"/owner/{collection.slug}/teach"
    return _answer(request, site, collection, home, ticket, chosen, none, undo, by_owner=True)


@router.post("/owner/{slug}/teaching", dependencies=OWNER)
def change_access(
    site: OurSite, collection: Ours, teaching: Annotated[str, Form()], shown: Annotated[int, Form()] = 8
) -> Response:
    """Who may teach."""
    access.change_access(site, collection, teaching, shown)
    return back(collection.slug, "/settings", "saved")


def _page(request: Request, site: Site, collection: Collection, home: str, again: str | None) -> Response:
    """A screen. again: the one whose answer was taken back."""
    visitor, cookie = visitor_of(request)
    if again is None:
        screen = next_screen(site, collection)
    else:
        screen = taught_screens.taken_back(site, collection, again, visitor)
    response = render(
        request,
        "teach.html",
        collection=collection,
        options=options_of(collection),
        home=home,
        screen=screen,
        items=site.items(collection.id, (screen.anchor, *screen.shown)),
        ticket=taught_screens.ask(site, collection, screen),
        progress=teaching_progress(site, collection, visitor),
    )
    remember_visitor(request, response, cookie)
    return response


def _answer(
    request: Request,
    site: Site,
    collection: Collection,
    home: str,
    ticket: str,
    chosen: list[int],
    none: str | None,
    undo: str | None,
    *,
    by_owner: bool,
) -> Response:
    visitor, cookie = visitor_of(request)
    again = None
    if undo is not None:
        again = taught_screens.undo(site, collection, visitor)
    elif none is None and not chosen:
        raise Invalid("Nothing was chosen: tick those that are most alike, or press “None of these”.")
    else:
        asked = taught_screens.read(site, collection, ticket)
        picked = [] if none is not None else chosen
        taught_screens.answer(site, collection, asked, picked, visitor, by_owner=by_owner)
    response = RedirectResponse(home if again is None else f"{home}?again={again}", 303)
    remember_visitor(request, response, cookie)
    return response
