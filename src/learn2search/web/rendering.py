"""Templates, and what all pages share."""

import time
from contextlib import suppress
from functools import cache, partial
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from learn2search.site.administration.appearance import Appearance, appearance_of
from learn2search.site.catalogue.item_media import media_of
from learn2search.site.context import Site
from learn2search.site.learning.metadata import metadata_of
from learn2search.site.show_counts import CHOICE_KEYS, SHOW_COUNTS
from learn2search.web import charts
from learn2search.web.media_files import media_url, static_url
from learn2search.web.notices import notice_of
from learn2search.web.preferences import language_of
from learn2search.web.security import EMBED, embedded_secret
from learn2search.web.translation.language import ENGLISH, LANGUAGES, Language
from learn2search.web.wording import default_sentence, sentence

ENGLISH_ONLY = ("owner/", "docs.html")  # templates: the owner's pages, and the one for programmers


def _date(then: float) -> str:
    """A day, as one says it: 12 March 2026."""
    day = time.gmtime(then)
    return f"{day.tm_mday} {time.strftime('%B %Y', day)}"


def _moment(then: float) -> str:
    """A day and a time, short enough for a table: 12 Mar 2026, 14:05 (UTC)."""
    moment = time.gmtime(then)
    return f"{moment.tm_mday} {time.strftime('%b %Y, %H:%M', moment)}"


def _length(seconds: float) -> str:
    """How long a sound is: 0:07, 3:20."""
    whole = max(1, round(seconds))
    return f"{whole // 60}:{whole % 60:02}"


def _layout(count: int) -> int:
    """The smallest number of items that has a layout and room for so many: near the end fewer may be left."""
    return next(allowed for allowed in SHOW_COUNTS if allowed >= count)


@cache
def templates_in(language: Language) -> Environment:
    """The templates in a language. `_` and `{% trans %}` look their message up in its catalogue."""
    made = Environment(
        loader=PackageLoader("learn2search.web"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    install: Any = made
    install.install_gettext_callables(language.gettext, language.ngettext, newstyle=True)
    made.globals.update(
        ago=language.ago,
        charts=charts,
        choice_keys=CHOICE_KEYS,
        language=language,
        languages=tuple(LANGUAGES.values()),
        default_sentence=default_sentence,
        media_of=media_of,
        media_url=media_url,
        metadata_of=metadata_of,
        notice_of=notice_of,
        sentence=partial(sentence, language),
        show_counts=SHOW_COUNTS,
        static_url=static_url,
    )
    made.filters.update(
        date=_date,
        moment=_moment,
        thousands=language.number,
        duration=language.duration,
        in_words=language.in_words,
        word=language.word,
        layout=_layout,
        sound_length=_length,
    )
    return made


def _is_translated(request: Request, template: str) -> bool:
    """Does this page speak the visitor's language? Errors on the owner's pages are in English, as those pages are."""
    return not template.startswith(ENGLISH_ONLY) and not f"{request.url.path}/".startswith("/owner/")


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
    """A page from a template, in the visitor's language if it is for visitors."""
    translated = _is_translated(request, template)
    language = language_of(request) if translated else ENGLISH
    page = templates_in(language).get_template(template)
    text = page.render(
        request=request,
        path=request.url.path,
        translated=translated,
        appearance=_appearance(request),
        embedded=embedded_secret(request) is not None,
        home_of=partial(home_of, request),
        **values,
    )
    said = {"Cache-Control": "no-store", "Content-Language": language.code}
    said |= {"Vary": "Accept-Language, Cookie"} if translated else {}
    return HTMLResponse(text, status, said | (headers or {}))


def _appearance(request: Request) -> Appearance:
    """What the owner chose. An error page is made also when the database does not answer, with what was known last."""
    state = request.app.state
    if not getattr(request.state, "database_away", False):
        with suppress(Exception):
            state.appearance = appearance_of(state.site)
    known: Appearance = getattr(state, "appearance", Appearance())
    return known


async def site_of(request: Request) -> Site:
    """A dependency of the routes: the site that this worker serves. Asynchronous, because it then needs no thread."""
    site: Site = request.app.state.site
    return site
