"""The first page: the collections, and how it works."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from learn2search.site.context import Site
from learn2search.site.visits import figures, searching
from learn2search.site.visits.figures import Summary
from learn2search.web.rendering import render, site_of
from learn2search.web.security import has_visited, visitor_of

router = APIRouter(include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]


@router.get("/")
def landing(request: Request, site: OurSite) -> Response:
    return landing_of(request, site, figures.summaries(site))


def landing_of(request: Request, site: Site, summaries: list[Summary]) -> Response:
    """The page of these collections, with what this browser can go on with."""
    under_way = searching.under_way(site, visitor_of(request)[0]) if has_visited(request) else {}
    return render(request, "landing.html", summaries=summaries, under_way=under_way)


@router.get("/docs")
def documentation(request: Request) -> Response:
    """A page about the API, made from its OpenAPI description."""
    return render(request, "docs.html", api=request.app.openapi())
