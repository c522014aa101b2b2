"""What a browser says for its visitor: how many items at a time they chose, their language, and the screen."""

from fastapi import Request, Response

from learn2search.site.show_counts import SHOW_COUNTS
from learn2search.web.security import embedded_secret
from learn2search.web.translation.language import LANGUAGES, Language, preferred

_SHOW, _LANGUAGE, _SECONDS = "show", "language", 180 * 86_400


def show_of(request: Request) -> int | None:
    """How many items at a time the visitor has chosen, None if nothing that the site offers."""
    chosen = request.cookies.get(_SHOW, "")
    return next((count for count in SHOW_COUNTS if str(count) == chosen), None)


def remember_show(request: Request, response: Response, show: int) -> None:
    """Let the browser keep the visitor's choice for later searches."""
    _remember(request, response, _SHOW, str(show))


def language_of(request: Request) -> Language:
    """The language that the visitor has chosen, else the one that their browser prefers."""
    chosen = LANGUAGES.get(request.cookies.get(_LANGUAGE, ""))
    return chosen or preferred(request.headers.get("accept-language", ""))


def remember_language(request: Request, response: Response, language: Language) -> None:
    """Let the browser keep the visitor's language."""
    _remember(request, response, _LANGUAGE, language.code)


def _remember(request: Request, response: Response, name: str, value: str) -> None:
    """Pages inside those of other sites set no cookie."""
    if embedded_secret(request) is not None:
        return
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=_SECONDS, httponly=True, samesite="lax", secure=secure)


def has_small_screen(request: Request) -> bool:
    """Is this a telephone? Browsers on telephones, and hardly others, have "Mobi" in their names."""
    return "Mobi" in request.headers.get("user-agent", "")
