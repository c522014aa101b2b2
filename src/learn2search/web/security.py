"""Who may do what: security headers, no requests from other sites, the owner's token, limits on requests."""

import re
import secrets
from urllib.parse import urlsplit

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from learn2search.site.context import Site
from learn2search.site.errors import TooMany, Unauthorised
from learn2search.site.settings import Settings

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST_FORM = 1_000_000  # bytes
LARGEST_PICTURE = 20_000_000  # that a visitor may send
LARGEST_UPLOAD = 500_000_000
OWNER_COOKIE, VISITOR_COOKIE = "owner", "visitor"
OWNER_SECONDS = 30 * 86_400
_PICTURES_AT = re.compile("/c/[^/]+/like")
_SAFE = {"GET", "HEAD", "OPTIONS"}


class Guard:
    """Middleware: adds the security headers, and refuses requests that other sites send or that are too large."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = await _refusal(scope)
        await (refusal or self.app)(scope, receive, guarded)


async def _refusal(scope: Scope) -> JSONResponse | None:
    headers = Headers(scope=scope)
    if scope["method"] not in _SAFE and _is_foreign(headers):
        return JSONResponse({"error": "Another site may not act for you here."}, 403)
    if "transfer-encoding" in headers:
        return JSONResponse({"error": "Please say how long the request is (Content-Length)."}, 411)
    length = headers.get("content-length", "0")
    if length.isdecimal() and int(length) <= LARGEST_FORM:
        return None
    most = LARGEST_UPLOAD if await _may_upload(scope) else LARGEST_PICTURE if _is_picture(scope) else LARGEST_FORM
    if not length.isdecimal() or int(length) > most:
        return JSONResponse({"error": f"At most {most / 1e6:.0f} MB are accepted."}, 413)
    return None


async def _may_upload(scope: Scope) -> bool:
    """Is this the owner's upload? It must be known here, since a form is read before its route can check the sender."""
    path: str = scope["path"]
    if not (path.startswith("/owner/") and path.endswith("/upload")):
        return False
    return await run_in_threadpool(is_owner, Request(scope))


def _is_picture(scope: Scope) -> bool:
    """May a visitor send a picture here?"""
    return scope["method"] == "POST" and _PICTURES_AT.fullmatch(scope["path"]) is not None


def _is_foreign(headers: Headers) -> bool:
    """Does another site send this? Browsers say where a request comes from; programs do not, and have no cookies."""
    origin = headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc != headers.get("host")
    return headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


# --- the owner -------------------------------------------------------------------------------------


def is_owner(request: Request) -> bool:
    """Does the request carry the owner's token (programs), or the cookie that signing in has set (browsers)?"""
    site: Site = request.app.state.site
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return site.is_owner(token)
    expires, _, signature = request.cookies.get(OWNER_COOKIE, "").partition(".")
    if not (expires.isascii() and expires.isdecimal()) or int(expires) < site.now():
        return False
    return secrets.compare_digest(signature.encode(), site.sign(f"owner:{expires}").encode())


def _claims_to_be_owner(request: Request) -> bool:
    return "authorization" in request.headers or OWNER_COOKIE in request.cookies


def must_be_owner(request: Request) -> None:
    """A dependency of the owner's routes: everybody else is refused."""
    if not is_owner(request):
        raise Unauthorised("This is for the owner: the token is missing or wrong.")


def sign_in(request: Request, response: Response) -> None:
    site: Site = request.app.state.site
    expires = str(int(site.now()) + OWNER_SECONDS)
    value = f"{expires}.{site.sign(f'owner:{expires}')}"
    secure = request.url.scheme == "https"
    response.set_cookie(
        OWNER_COOKIE, value, max_age=OWNER_SECONDS, httponly=True, samesite="strict", secure=secure, path="/"
    )


# --- visitors --------------------------------------------------------------------------------------


def has_visited(request: Request) -> bool:
    """Has this browser begun a search here?"""
    return VISITOR_COOKIE in request.cookies


def visitor_of(request: Request) -> tuple[str, str | None]:
    """The visitor's hash, and the cookie to set if there was none."""
    site: Site = request.app.state.site
    known = request.cookies.get(VISITOR_COOKIE, "")
    cookie = known if len(known) == 32 else secrets.token_hex(16)
    return site.visitor_hash(cookie), None if cookie == known else cookie


def remember_visitor(request: Request, response: Response, cookie: str | None) -> None:
    if cookie is not None:
        secure = request.url.scheme == "https"
        response.set_cookie(VISITOR_COOKIE, cookie, max_age=180 * 86_400, httponly=True, samesite="lax", secure=secure)


class RateLimits:
    """How many requests an address may send, counted in memory and never stored. The owner is not limited."""

    def __init__(self, settings: Settings) -> None:
        self._window = MovingWindowRateLimiter(MemoryStorage())
        self._limits = {
            "answers": RateLimitItemPerMinute(settings.answers_per_minute),
            "searches": RateLimitItemPerMinute(settings.searches_per_minute),
            "tokens": RateLimitItemPerMinute(10),
        }

    def check(self, request: Request, what: str) -> None:
        address = request.client.host if request.client else "unknown"
        if not self._window.hit(self._limits[what], what, address):
            raise TooMany("That was very fast. Please wait a moment and try again.")


def limited(what: str) -> "Limited":
    """A dependency that limits the requests of one kind from one address."""
    return Limited(what)


class Limited:
    def __init__(self, what: str) -> None:
        self.what = what

    async def __call__(self, request: Request) -> None:
        """Count the request. This runs in the event loop, because counting is quicker than changing the thread."""
        if not (_claims_to_be_owner(request) and await run_in_threadpool(is_owner, request)):
            request.app.state.limits.check(request, self.what)
