"""Templates, and what all pages share."""

import time
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from learn2search.site.catalogue.item_media import media_of
from learn2search.site.context import Site
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.show_counts import CHOICE_KEYS, SHOW_COUNTS
from learn2search.web import charts
from learn2search.web.media_files import media_url, static_url
from learn2search.web.security import EMBED, embedded_secret

_templates = Environment(
    loader=PackageLoader("learn2search.web"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _thousands(number: float) -> str:
    return f"{number:,.0f}"


def _duration(seconds: float) -> str:
    """A duration in words: 41 seconds, 3 minutes."""
    if seconds < 90:
        count = max(1, round(seconds))
        return f"{count} second{'s' if count != 1 else ''}"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{round(seconds / 3600)} hours"


def ago(now: float, then: float) -> str:
    """When something was, in words: 3 hours ago."""
    seconds = now - then
    if seconds < 90:
        return "just now"
    for size, name, most in ((60, "minute", 60), (3600, "hour", 24), (86_400, "day", 30)):
        count = round(seconds / size)
        if count < most:
            return f"{count} {name}{'s' if count != 1 else ''} ago"
    return time.strftime("%Y-%m-%d", time.gmtime(then))


def _in_words(number: int) -> str:
    words = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 12: "twelve"}
    return words.get(number, str(number))


def _layout(count: int) -> int:
    """The smallest number of items that has a layout and room for so many: near the end fewer may be left."""
    return next(allowed for allowed in SHOW_COUNTS if allowed >= count)


_templates.globals.update(
    ago=ago,
    charts=charts,
    choice_keys=CHOICE_KEYS,
    media_of=media_of,
    media_url=media_url,
    metadata_of=metadata_of,
    show_counts=SHOW_COUNTS,
    static_url=static_url,
)
_templates.filters.update(thousands=_thousands, duration=_duration, in_words=_in_words, layout=_layout)


def home_of(request: Request, search_id: str) -> str:
    """The address of a search: on the site, or inside the page of another site."""
    secret = embedded_secret(request)
    return f"/s/{search_id}" if secret is None else embedded_home(search_id, secret)


def embedded_home(search_id: str, secret: str) -> str:
    """The address of a search inside the page of another site. Who has it can answer."""
    return f"{EMBED}s/{search_id}/{secret}"


def render(
    request: Request,
    template: str,
    status: int = 200,
    headers: dict[str, str] | None = None,
    **values: Any,
) -> Response:
    """A page from a template."""
    embedded = embedded_secret(request) is not None
    text = _templates.get_template(template).render(
        request=request, path=request.url.path, embedded=embedded, home_of=partial(home_of, request), **values
    )
    return HTMLResponse(text, status, {"Cache-Control": "no-store"} | (headers or {}))


async def site_of(request: Request) -> Site:
    """A dependency of the routes: the site that this worker serves. Asynchronous, because it then needs no thread."""
    site: Site = request.app.state.site
    return site
