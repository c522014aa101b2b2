"""Where a search can begin near something: a gallery, words, or a picture of the visitor's own."""

from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.visits import hints
from learn2search.web.rendering import render, site_of
from learn2search.web.security import LARGEST_PICTURE, limited

router = APIRouter(include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]
_FIRST = 3  # items that a search begins near, of those most like a picture


class _InMemory(MultiPartParser):
    """Reads a form without any file on the disk, not even a temporary one. The guard has limited its length."""

    spool_max_size = LARGEST_PICTURE


@router.get("/c/{slug}/like")
def choose(
    request: Request,
    site: OurSite,
    slug: str,
    words: Annotated[str, Query(max_length=200)] = "",
    page: Annotated[int, Query(ge=0, le=100_000)] = 0,
) -> Response:
    """Items to begin with: some of them, or those with these words."""
    collection = site.collection(slug)
    if words.strip():
        found = hints.items_with_words(site, collection, words, page)
    else:
        found = hints.some_items(site, collection, page)
    return render(
        request,
        "like.html",
        collection=collection,
        options=options_of(collection),
        found=found,
        words=words,
        page=page,
        is_full=len(found) == hints.PAGE,
        takes_pictures=hints.takes_pictures(site, collection),
        first=[],
    )


@router.post("/c/{slug}/like", dependencies=[Depends(limited("searches"))])
async def choose_by_picture(request: Request, site: OurSite, slug: str) -> Response:
    """Items like a picture that the visitor sends. It is read in memory and not kept."""
    collection = await to_thread.run_sync(site.collection, slug)
    work = partial(hints.items_like, site, collection, await _sent(request))
    found = await to_thread.run_sync(work, limiter=request.app.state.uploads)
    return render(
        request,
        "like.html",
        collection=collection,
        options=options_of(collection),
        found=found,
        words="",
        page=0,
        is_full=False,
        takes_pictures=True,
        first=found[:_FIRST],
    )


async def _sent(request: Request) -> bytes:
    """The content of the file in the form."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise Invalid("A picture is expected here, in a form (multipart/form-data).")
    try:
        form = await _InMemory(request.headers, request.stream(), max_files=1, max_fields=1).parse()
    except MultiPartException as error:
        raise Invalid("The form cannot be read: %(reason)s.", reason=error.message) from error
    sent = form.get("picture")
    content = await sent.read() if isinstance(sent, UploadFile) else b""
    await form.close()
    return content
