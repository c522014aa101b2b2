"""The visitor's search. A click is a POST that names its step; the response is the next question.

The pages are forms and buttons. Without JavaScript a POST leads back to the page of the search; with it, the script
sends the same POST with the header X-Fragment and gets only the part of the page that changes.
"""

from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Forbidden, Invalid
from learn2search.site.studies import taking_part
from learn2search.site.visits import figures, searching, to_find
from learn2search.site.visits.search_state import SearchState
from learn2search.site.visits.to_find import Ticket
from learn2search.store.enums import AnswerKind
from learn2search.web.health import ANSWERS, SEARCHES
from learn2search.web.landing_page import landing_of
from learn2search.web.preferences import has_small_screen, remember_show, show_of
from learn2search.web.rendering import render, site_of
from learn2search.web.security import limited, remember_visitor, visitor_of
from learn2search.web.study_pages import address_of

router = APIRouter(include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]
Field = Annotated[str | None, Form()]
_MOST = 2**31 - 1  # what fits the database's numbers
Item = Annotated[int | None, Form(ge=0, le=_MOST)]


@router.post("/c/{slug}", dependencies=[Depends(limited("searches"))])
def start(
    request: Request,
    site: OurSite,
    slug: str,
    near: Annotated[list[int], Form(default_factory=list)],
    show: Annotated[int | None, Form()] = None,
) -> Response:
    """Begin a search, perhaps near some items."""
    response = _begin(request, site, slug, show_of(request) if show is None else show, near=near)
    if show is not None:
        remember_show(request, response, show)
    return response


def _begin(
    request: Request,
    site: Site,
    slug: str,
    show: int | None,
    *,
    ticket: Ticket | None = None,
    near: Sequence[int] = (),
) -> Response:
    visitor, cookie = visitor_of(request)
    small = has_small_screen(request)
    begun = searching.start(site, slug, visitor=visitor, show=show, small_screen=small, ticket=ticket, near=near)
    SEARCHES.inc()
    response = _go_to(begun)
    remember_visitor(request, response, cookie)
    return response


@router.post("/c/{slug}/find", dependencies=[Depends(limited("searches"))])
def draw_one(site: OurSite, slug: str) -> Response:
    """Something to look for, for a visitor who has nothing in mind."""
    collection = site.collection(slug)
    ticket = to_find.write(site, collection, to_find.draw(site, collection))
    return RedirectResponse(f"/c/{slug}/find/{ticket}", 303)


@router.get("/c/{slug}/find/{ticket}")
def show_one(request: Request, site: OurSite, slug: str, ticket: str) -> Response:
    """The item to remember, until the search for it has begun."""
    collection = site.collection(slug)
    drawn = to_find.read(site, collection, ticket)
    if to_find.has_begun(site, drawn):
        return RedirectResponse(f"/s/{drawn.search_id}", 303)
    item, seconds = to_find.item_of(site, collection, drawn)
    options = options_of(collection)
    return render(request, "remember.html", collection=collection, options=options, item=item, seconds=seconds)


@router.post("/c/{slug}/find/{ticket}", dependencies=[Depends(limited("searches"))])
def begin_to_find(request: Request, site: OurSite, slug: str, ticket: str) -> Response:
    """Begin the search for the item that was shown."""
    drawn = to_find.read(site, site.collection(slug), ticket)
    return _begin(request, site, slug, show_of(request), ticket=drawn)


@router.get("/c/{slug}")
def collection(request: Request, site: OurSite, slug: str) -> Response:
    """The page of one collection, to which others can link."""
    return landing_of(request, site, figures.summaries_of(site, slug))


def only_who_began(request: Request, site: OurSite, search_id: str) -> None:
    """A dependency: the link of a search, seen by others, is no way to answer or reopen it."""
    if not searching.is_of(site, search_id, visitor_of(request)[0]):
        raise Forbidden("This search was begun in another browser, and only there it goes on. Cookies must be allowed.")


ANSWER = [Depends(limited("answers")), Depends(only_who_began)]


@router.get("/r/{code}")
def result(request: Request, site: OurSite, code: str) -> Response:
    """What somebody found: the page to share. It can be looked at, and that is all."""
    now = searching.shared(site, code)
    return render(request, "result.html", now=now, target=now.found_item)


@router.get("/s/{search_id}")
def show(request: Request, site: OurSite, search_id: str, question: int | None = None) -> Response:
    """The open question, or the end. `question` is what the browser's history has: an earlier one can be seen again."""
    now = searching.state(site, search_id)
    if now.found_item is not None and not searching.is_of(site, search_id, visitor_of(request)[0]):
        return RedirectResponse(f"/r/{searching.share_code(search_id)}", 303)
    only_who_began(request, site, search_id)
    if question is not None and 0 < question <= len(now.answers) and not now.is_over:
        return _question(request, site, now, _template(request), earlier=question)
    if question is not None and question != now.number and not now.is_over:  # it was taken back
        return _go_to(now)
    return _page(request, site, now)


@router.post("/s/{search_id}", dependencies=ANSWER)
def answer(
    request: Request,
    site: OurSite,
    search_id: str,
    step: Annotated[int, Form(ge=0, le=_MOST)] = 0,
    choice: Item = None,
    found: Item = None,
    none: Field = None,
    undo: Field = None,
    not_here: Annotated[str | None, Form(alias="not-here")] = None,
    question: Annotated[int | None, Form(ge=1, le=_MOST)] = None,
) -> Response:
    """One click: most like it, this is it, can't tell, undo, or it is not here. `question`: of an earlier question."""
    pressed = {
        AnswerKind.CHOICE: choice,
        AnswerKind.FOUND: found,
        AnswerKind.NONE: none,
        AnswerKind.UNDO: undo,
        AnswerKind.NOT_HERE: not_here,
    }
    kind = next((kind for kind, value in pressed.items() if value is not None), None)
    if kind is None:
        raise Invalid("Nothing was chosen.")
    item = choice if kind is AnswerKind.CHOICE else found if kind is AnswerKind.FOUND else None
    if question is None:
        now = searching.answer(site, search_id, step, kind, item)
    else:
        now = searching.answer_again(site, search_id, question, step, kind, item)
    if not now.stale:
        ANSWERS.labels(now.row.strategy).inc()
    return _go_on(request, site, now)


def _go_on(request: Request, site: Site, now: SearchState) -> Response:
    """To the page of the search; for the script, only the part of the page that changes."""
    if "x-fragment" not in request.headers:
        return _go_to(now)
    if now.question is None or now.exhausted:
        return Response(status_code=204, headers={"X-Go-To": f"/s/{now.row.id}"})
    return _question(request, site, now, "_question.html")


@router.post("/s/{search_id}/not-it", dependencies=ANSWER)
def not_it(site: OurSite, search_id: str) -> Response:
    """Undo the end: the last question is open again."""
    return _go_to(searching.correct(site, search_id))


@router.post("/s/{search_id}/again", dependencies=[Depends(limited("searches")), Depends(only_who_began)])
def again(request: Request, site: OurSite, search_id: str) -> Response:
    """Leave this search and begin another in the same collection."""
    old = searching.state(site, search_id)
    if old.row.trial is not None:
        raise Conflict("A search of a study cannot be started again.")
    searching.leave(site, search_id)
    return _begin(request, site, old.collection.slug, show_of(request))


@router.post("/s/{search_id}/show", dependencies=ANSWER)
def change_show(request: Request, site: OurSite, search_id: str, show: Annotated[int, Form()]) -> Response:
    """Another number of items at a time: the question changes at once, and the browser remembers the number."""
    now = searching.change_show(site, search_id, show)
    response = _go_on(request, site, now)
    remember_show(request, response, show)
    return response


@router.get("/s/{search_id}/gallery", dependencies=[Depends(only_who_began)])
def gallery(request: Request, site: OurSite, search_id: str, count: int = searching.GALLERY) -> Response:
    """For a visitor who gives up: the items that fit the answers best, or those that were shown."""
    now, found = searching.gallery(site, search_id, min(max(count, 1), 100))
    if now.question is None:
        return _go_to(now)
    return render(request, "gallery.html", now=now, gallery=found, count=count)


def _page(request: Request, site: Site, now: SearchState) -> Response:
    if now.question is None:
        return _back_to_study(site, now) or _end(request, site, now)
    if now.exhausted:
        return gallery(request, site, now.row.id)
    return _question(request, site, now, _template(request))


def _template(request: Request) -> str:
    return "_question.html" if "x-fragment" in request.headers else "search.html"


def _question(request: Request, site: Site, now: SearchState, template: str, earlier: int | None = None) -> Response:
    """The open question, or an earlier one that has its answer."""
    band = figures.band(site, now.collection, now.row.show)
    stale = now.stale or request.query_params.get("old") == "1"
    question = now.question if earlier is None else now.answers[earlier - 1]
    asked = earlier or now.number
    return render(request, template, now=now, question=question, earlier=earlier, asked=asked, band=band, stale=stale)


def _back_to_study(site: Site, now: SearchState) -> Response | None:
    """To the next trial, if this search was one."""
    trial = None if now.row.trial is None else taking_part.trial_of(site, now.row.id)
    return None if trial is None else RedirectResponse(address_of(trial.study_id, trial.code), 303)


def _end(request: Request, site: Site, now: SearchState) -> Response:
    was_given = now.item_to_find is not None
    if was_given and now.found_item != now.item_to_find:
        return render(request, "missed.html", now=now, target=now.item_to_find)
    if now.found_item is None:
        return render(request, "not_here.html", now=now)
    spread = figures.distribution(site, now.collection, now.row.show, now.number, to_find=was_given)
    code = searching.share_code(now.row.id)
    return render(request, "end.html", now=now, spread=spread, target=now.found_item, code=code)


def _go_to(now: SearchState) -> Response:
    """To the page of the search. Each question has an address of its own, for the browser's history."""
    words = {} if now.is_over else {"question": now.number} | ({"old": 1} if now.stale else {})
    return RedirectResponse(f"/s/{now.row.id}{'?' if words else ''}{urlencode(words)}", 303)
