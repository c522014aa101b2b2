"""What a browser says for its visitor: how many items at a time they chose, and how large the screen is."""

from fastapi import Request, Response

from learn2search.site.show_counts import SHOW_COUNTS
from learn2search.web.security import embedded_secret

_COOKIE, _SECONDS = "show", 180 * 86_400


def show_of(request: Request) -> int | None:
    """How many items at a time the visitor has chosen, None if nothing that the site offers."""
    chosen = request.cookies.get(_COOKIE, "")
    return next((count for count in SHOW_COUNTS if str(count) == chosen), None)


def remember_show(request: Request, response: Response, show: int) -> None:
    """Let the browser keep the visitor's choice for later searches. Pages inside those of other sites set no cookie."""
    if embedded_secret(request) is not None:
        return
    secure = request.url.scheme == "https"
    response.set_cookie(_COOKIE, str(show), max_age=_SECONDS, httponly=True, samesite="lax", secure=secure)


def has_small_screen(request: Request) -> bool:
    """Is this a telephone? Browsers on telephones, and hardly others, have "Mobi" in their names."""
    return "Mobi" in request.headers.get("user-agent", "")
