"""The first page: the collections, and how it works."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from learn2search.site.context import Site
from learn2search.site.visits import figures
from learn2search.web.rendering import render, site_of

router = APIRouter(include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]


@router.get("/")
def landing(request: Request, site: OurSite) -> Response:
    return render(request, "landing.html", summaries=figures.summaries(site))


@router.get("/docs")
def documentation(request: Request) -> Response:
    """A page about the API, made from its OpenAPI description."""
    return render(request, "docs.html", api=request.app.openapi())
