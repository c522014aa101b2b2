"""A search inside the page of another site: the same pages under other addresses, without cookies.

`/embed/s/{id}/{secret}/...` is the page `/s/{id}/...` for whoever has the secret, which stands for the visitor's
cookie: browsers withhold cookies from a frame of another site. Only the sites of `LEARN2SEARCH_EMBED_ORIGINS` may show
these pages (`Guard`); without such sites there are none.
"""

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from learn2search.site.context import Site
from learn2search.site.errors import NotFound, Unavailable
from learn2search.site.visits import figures
from learn2search.web.rendering import embedded_home, render, site_of
from learn2search.web.security import EMBED, EMBEDDED, new_secret

router = APIRouter(include_in_schema=False)

_SCRIPT = Path(__file__).parent / "static" / "learn2search.js"
_SEARCH = re.compile(r"/embed/s/([0-9a-f]{32})/([0-9a-f]{32})(/[a-z-]+)?")
_BEGIN = re.compile(r"/embed/([a-z0-9][a-z0-9-]{0,63})")
_HERE = re.compile(r"/s/([0-9a-f]{32})(.*)")
_LEADS = ("location", "x-go-to")  # headers with the address of a search
_HOUR, _FOREVER = "public, max-age=3600", "public, max-age=31536000, immutable"


class Embedded:
    """Middleware: leads addresses under `/embed/` to the pages that they stand for, and their answers back."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = _inside(scope) if scope["type"] == "http" and scope["path"].startswith(EMBED) else None
        if found is None:
            await self.app(scope, receive, send)
            return
        path, secret = found

        async def led_back(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in _LEADS:
                    here = _HERE.fullmatch(headers.get(name, ""))
                    if here is not None:
                        headers[name] = embedded_home(here[1], secret) + here[2]
            await send(message)

        state = {**scope.get("state", {}), EMBEDDED: secret}
        await self.app({**scope, "path": path, "raw_path": path.encode(), "state": state}, receive, led_back)


def _inside(scope: Scope) -> tuple[str, str] | None:
    """The page that an address under `/embed/` stands for, and the secret of its search."""
    if not scope["app"].state.site.settings.embed_origins:
        return None
    search, begin = _SEARCH.fullmatch(scope["path"]), _BEGIN.fullmatch(scope["path"])
    if search is not None:
        return f"/s/{search[1]}{search[3] or ''}", search[2]
    if begin is None:
        return None
    return (f"/c/{begin[1]}" if scope["method"] == "POST" else scope["path"]), new_secret()


@router.get("/embed/{slug}")
def first_page(request: Request, site: Annotated[Site, Depends(site_of)], slug: str) -> Response:
    """Where an embedded search begins: by a click, so that looking at the page around it begins none."""
    if not site.settings.embed_origins:
        raise NotFound("No other site may show these searches: LEARN2SEARCH_EMBED_ORIGINS names those that may.")
    found = figures.summaries_of(site, slug)
    if not found:
        raise Unavailable("There is nothing to search here yet.")
    return render(request, "embedded.html", summary=found[0])


@router.get("/learn2search.js")
def newest_script() -> Response:
    """The script for other sites' pages, at an address that stays."""
    return _script(_HOUR)


@router.get("/learn2search-{version}.js")
def script_of_version(version: str) -> Response:
    """The same, for caches: another script has another version."""
    if version != script_version():
        raise NotFound("There is no such version of the script: /learn2search.js is the newest.")
    return _script(_FOREVER)


@lru_cache
def script_version() -> str:
    return hashlib.sha256(_SCRIPT.read_bytes()).hexdigest()[:8]


def _script(cache: str) -> Response:
    headers = {"Cache-Control": cache, "ETag": f'"{script_version()}"', "Cross-Origin-Resource-Policy": "cross-origin"}
    return Response(_SCRIPT.read_bytes(), media_type="text/javascript", headers=headers)
