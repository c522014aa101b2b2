"""What all pages of the owner share: the collection of the address, and the way back with a word of what was done."""

from typing import Annotated
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from fastapi.responses import RedirectResponse, Response

from learn2search.site.context import Site
from learn2search.store.collections import Collection
from learn2search.web.rendering import site_of
from learn2search.web.security import must_be_owner

OurSite = Annotated[Site, Depends(site_of)]


def owner_router() -> APIRouter:
    """Routes below /owner, for the owner alone."""
    return APIRouter(prefix="/owner", dependencies=[Depends(must_be_owner)], include_in_schema=False)


def the_collection(site: OurSite, slug: str) -> Collection:
    return site.collection(slug)


Ours = Annotated[Collection, Depends(the_collection)]


def back(slug: str, page: str = "", did: str | None = None, n: int | None = None, query: str = "") -> Response:
    """To a page of the collection, with the filters of the query string that it had before."""
    kept = [(name, value) for name, value in parse_qsl(query) if name not in ("did", "n")]
    said = [] if did is None else [("did", did)]
    said += [] if n is None else [("n", str(n))]
    tail = urlencode(kept + said)
    return RedirectResponse(f"/owner/{slug}{page}" + (f"?{tail}" if tail else ""), 303)
