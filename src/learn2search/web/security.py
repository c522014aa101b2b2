"""Who may do what: security headers, no requests from other sites, the owner's token, limits on requests."""

import re
import secrets
from collections.abc import Collection
from urllib.parse import urlsplit

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from learn2search.site.context import Site
from learn2search.site.errors import Invalid, TooMany, Unauthorised
from learn2search.store.database import is_away
from learn2search.web.request_limits import RequestLimits, network_of

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_NO_FRAMES = "frame-ancestors 'none'"
EMBED, API = "/embed/", "/api/v1/"
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
RETRY_AFTER = "2"  # seconds, when the database is away or there is too much to do
_LONGEST_NUMBER = 15  # digits
EMBEDDED = "embedded_secret"  # in the state of a request
_PICTURES_AT = re.compile("/c/[^/]+/like")
_SAFE = {"GET", "HEAD", "OPTIONS"}


class Guard:
    """Middleware: adds the security headers, and refuses requests that other sites send or that are too large."""

    def __init__(self, app: ASGIApp, friends: Collection[str] = ()) -> None:
        """friends: the origins whose pages may show a search and use the API."""
        self.app, self.friends = app, friends
        self._in_frames = {"Content-Security-Policy": CSP.replace(_NO_FRAMES, _frames(friends))}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        added = HEADERS | (self._in_frames if scope["path"].startswith(EMBED) else {})
        if is_friendly(scope, self.friends):
            added |= _shared_with(Headers(scope=scope)["origin"])
            if scope["method"] == "OPTIONS":
                await Response(status_code=204, headers=added)(scope, receive, send)
                return
            scope = without_cookies(scope)

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            refusal = await _refusal(scope, self.friends)
        except SQLAlchemyError as error:
            if not is_away(error):
                raise
            away = {"error": "The site cannot reach its database at the moment: please try again."}
            refusal = JSONResponse(away, 503, {"Retry-After": RETRY_AFTER})
        except TooMany as error:
            refusal = JSONResponse({"error": str(error)}, error.status, {"Retry-After": "10"})
        await (refusal or self.app)(scope, receive, guarded)


def _frames(friends: Collection[str]) -> str:
    return f"frame-ancestors {' '.join(friends)}" if friends else _NO_FRAMES


def is_friendly(scope: Scope, friends: Collection[str]) -> bool:
    """Does the page of another site that is allowed to use the API?"""
    return scope["path"].startswith(API) and Headers(scope=scope).get("origin", "") in friends


def _shared_with(origin: str) -> dict[str, str]:
    """What lets the page of this origin read an answer of the API. Without cookies: they are not shared."""
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Allow-Methods": "GET, POST, PUT, PATCH, DELETE",
        "Access-Control-Allow-Headers": "Content-Type, Search-Secret, Authorization",
        "Access-Control-Expose-Headers": "Retry-After",
        "Access-Control-Max-Age": "600",
        "Vary": "Origin",
    }


def without_cookies(scope: Scope) -> Scope:
    """The request as if the browser had no cookies of this site: another site's page must not act as the owner."""
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name.lower() != b"cookie"]}


async def _refusal(scope: Scope, friends: Collection[str]) -> JSONResponse | None:
    headers = Headers(scope=scope)
    if scope["method"] not in _SAFE and _is_foreign(headers) and not is_friendly(scope, friends):
        return JSONResponse({"error": "Another site may not act for you here."}, 403)
    if "transfer-encoding" in headers:
        return JSONResponse({"error": "Please say how long the request is (Content-Length)."}, 411)
    length = headers.get("content-length", "0")
    if len(length) > _LONGEST_NUMBER:
        return JSONResponse({"error": "The length of the request is not believable."}, 413)
    if length.isdecimal() and int(length) <= LARGEST_FORM:
        return None
    most = LARGEST_UPLOAD if await _may_upload(scope) else LARGEST_PICTURE if _is_picture(scope) else LARGEST_FORM
    if not length.isdecimal() or int(length) > most:
        return JSONResponse({"error": f"At most {most / 1e6:.0f} MB are accepted."}, 413)
    return None


async def _may_upload(scope: Scope) -> bool:
    """Is this the owner's upload? It must be known here, since a form is read before its route can check the sender."""
    path: str = scope["path"]
    by_page = path.startswith("/owner/") and path.endswith("/upload")
    by_program = path.startswith(f"{API}collections/") and path.endswith(("/items", "/files", "/embedding", ".npz"))
    if not (by_page or by_program):
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


async def only_text_in_address(request: Request) -> None:
    """A dependency of all routes: nothing here has an address with a NUL character, which databases cannot store."""
    if "\0" in request.url.path or any("\0" in value for value in request.path_params.values()):
        raise HTTPException(404)
    if any("\0" in value for _, value in request.query_params.multi_items()):
        raise Invalid("A value is too large, or has characters that cannot be stored.")


# --- the owner -------------------------------------------------------------------------------------


def is_owner(request: Request) -> bool:
    """Does the request carry the owner's token (programs), or the cookie that signing in has set (browsers)?"""
    site: Site = request.app.state.site
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        if not site.is_owner(token):
            _count_wrong_token(request)
            return False
        return True
    expires, _, signature = request.cookies.get(OWNER_COOKIE, "").partition(".")
    if not (expires.isascii() and expires.isdecimal() and len(expires) <= _LONGEST_NUMBER):
        return False
    if int(expires) < site.now():
        return False
    return secrets.compare_digest(signature.encode(), site.sign(f"owner:{expires}").encode())


def _count_wrong_token(request: Request) -> None:
    """Once a request: who tries tokens is slowed down as on the page to sign in. The right one is never refused."""
    if not getattr(request.state, "token_counted", False):
        request.state.token_counted = True
        count_wrong_token(request)


def claims_to_be_owner(request: Request) -> bool:
    """Does it carry a token or a cookie of the owner, right or wrong?"""
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
    inside = embedded_secret(request)
    if inside is not None:
        return site.visitor_hash(inside), None
    known = request.cookies.get(VISITOR_COOKIE, "")
    cookie = known if len(known) == 32 else secrets.token_hex(16)
    return site.visitor_hash(cookie), None if cookie == known else cookie


def embedded_secret(request: Request) -> str | None:
    """What stands for the visitor's cookie in the page of another site; None on a page of its own."""
    found: str | None = getattr(request.state, EMBEDDED, None)
    return found


def new_secret() -> str:
    """What stands for a visitor's cookie where there is none: the secret of one search."""
    return secrets.token_hex(16)


def remember_visitor(request: Request, response: Response, cookie: str | None) -> None:
    if cookie is not None:
        secure = request.url.scheme == "https"
        response.set_cookie(VISITOR_COOKIE, cookie, max_age=180 * 86_400, httponly=True, samesite="lax", secure=secure)


def count_request(request: Request, what: str) -> None:
    """Count a request of one kind, and refuse it where there were too many: `TooMany`."""
    address = network_of(request.client.host if request.client else "unknown")
    visitor = request.cookies.get(VISITOR_COOKIE, "")
    if not visitor and request.url.path.startswith("/api/"):
        visitor = address
    limits: RequestLimits = request.app.state.limits
    limits.check(what, address, visitor)


def count_wrong_token(request: Request) -> None:
    """Count a wrong token, and refuse more where there were too many: `TooMany`. It waits for the database."""
    limits: RequestLimits = request.app.state.limits
    limits.check_token(network_of(request.client.host if request.client else "unknown"))


def may_try_token(request: Request) -> None:
    """Refuse whoever has tried too many wrong tokens: `TooMany`."""
    limits: RequestLimits = request.app.state.limits
    limits.check_tries(network_of(request.client.host if request.client else "unknown"))


def limited(what: str) -> "Limited":
    """A dependency that limits the requests of one kind from one address."""
    return Limited(what)


class Limited:
    def __init__(self, what: str) -> None:
        self.what = what

    async def __call__(self, request: Request) -> None:
        """Count the request. This runs in the event loop, because counting is quicker than changing the thread."""
        if not (claims_to_be_owner(request) and await run_in_threadpool(is_owner, request)):
            count_request(request, self.what)
