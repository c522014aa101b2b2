"""The first page: the collections, and how it works."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import RedirectResponse, Response

from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.visits import figures, searching
from learn2search.site.visits.figures import Summary
from learn2search.web.preferences import remember_language
from learn2search.web.rendering import render, site_of
from learn2search.web.security import has_visited, visitor_of
from learn2search.web.translation.language import LANGUAGES

router = APIRouter(include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]


@router.get("/")
def landing(request: Request, site: OurSite) -> Response:
    """The collections, or the only one."""
    return landing_of(request, site, figures.summaries(site))


def landing_of(request: Request, site: Site, summaries: list[Summary]) -> Response:
    """The page of these collections, with what this browser can go on with."""
    under_way = searching.under_way(site, visitor_of(request)[0]) if has_visited(request) else {}
    return render(request, "landing.html", summaries=summaries, under_way=under_way)


@router.get("/docs")
def documentation(request: Request) -> Response:
    """A page about the API, made from its OpenAPI description."""
    return render(request, "docs.html", api=request.app.openapi())


@router.post("/language")
def choose_language(
    request: Request, language: Annotated[str, Form()] = "", back: Annotated[str, Form()] = "/"
) -> Response:
    """The visitor's choice in the footer: the browser remembers it, and the same page comes again."""
    if language not in LANGUAGES:
        raise Invalid(
            "This site speaks %(languages)s, not “%(chosen)s”.", languages=", ".join(LANGUAGES), chosen=language
        )
    response = RedirectResponse(back if _is_of_this_site(back) else "/", 303)
    remember_language(request, response, LANGUAGES[language])
    return response


def _is_of_this_site(address: str) -> bool:
    """Is it a path? Two slashes, or a slash and a backslash, begin the name of another site."""
    return address[:1] == "/" and address[1:2] not in ("/", "\\") and address.isascii() and address.isprintable()
