"""The application: routes, static files, errors."""

import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog
from anyio import CapacityLimiter
from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from sqlalchemy.exc import DataError, SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles

from learn2search import __version__, warm_up
from learn2search.site.context import Site
from learn2search.site.errors import SiteError, TooMany
from learn2search.site.settings import Settings
from learn2search.store.database import is_away
from learn2search.web import (
    api,
    appearance_pages,
    embedded_pages,
    health,
    hint_pages,
    landing_page,
    media_files,
    owner_api,
    owner_pages,
    search_pages,
    sentence_pages,
    study_pages,
    teaching_pages,
    webhook_pages,
)
from learn2search.web.access_log import AccessLog, NoteRoute
from learn2search.web.embedded_pages import Embedded
from learn2search.web.head_requests import HeadAsGet
from learn2search.web.opening import open_or_retry
from learn2search.web.overload import Overload
from learn2search.web.quick_answers import QuickAnswers
from learn2search.web.rendering import render
from learn2search.web.request_limits import RequestLimits
from learn2search.web.security import HEADERS, RETRY_AFTER, Guard, only_text_in_address
from learn2search.web.tracing import Traced, Tracing, open_tracing

STATIC = Path(__file__).parent / "static"
THREADS = 4  # that answer in one worker: more of them mostly wait for the interpreter's lock, and wait unfairly
UPLOADS = 2  # at a time
HEALTH_CHECKS = 2
MEDIA_FILES = 32  # looked up at a time; where they are in an object store, most of them wait for it
WAIT_SECONDS = 5.0  # for the database, then visitors are asked to try again

log = structlog.get_logger()


def create_app(settings: Settings | None = None, *, warm: bool = False, tracing: Tracing | None = None) -> FastAPI:
    """The site as an ASGI application.

    Parameters
    ----------
    settings
        By default those of the environment.
    warm
        Load the compiled code before the first visitor comes.
    tracing
        Where spans go; by default as the environment says.
    """
    settings = settings or Settings()
    tracing = tracing or open_tracing()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if warm:
            warm_up(["search"])
        current_default_thread_limiter().total_tokens = THREADS
        app.state.uploads = CapacityLimiter(UPLOADS)
        app.state.health = CapacityLimiter(HEALTH_CHECKS)
        app.state.media = CapacityLimiter(MEDIA_FILES)
        app.state.site = Site(settings, wait_seconds=WAIT_SECONDS)
        app.state.limits = RequestLimits(app.state.site)
        app.state.opening = open_or_retry(app.state.site)
        yield
        app.state.opening.ended.set()
        app.state.limits.close()
        quick.close()
        app.state.site.close()
        if tracing is not None:
            tracing.close()

    app = FastAPI(
        title="Learn2Search",
        version=__version__,
        description="Find a thing you can recognise but not describe, by program.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        dependencies=[Depends(only_text_in_address)],
    )
    for part in (
        landing_page,
        study_pages,  # before the searches, with which it shares /s/
        search_pages,
        hint_pages,
        embedded_pages,
        sentence_pages,
        appearance_pages,
        owner_pages,
        webhook_pages,
        teaching_pages,
        media_files,
        health,
        api,
        owner_api,
    ):
        app.include_router(part.router)
    quick = QuickAnswers(app)
    app.router.routes.insert(0, quick)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    _add_middleware(app, settings, tracing)
    _handle_errors(app)
    return app


def _add_middleware(app: FastAPI, settings: Settings, tracing: Tracing | None) -> None:
    """From the innermost to the outermost."""
    if tracing is not None:
        app.add_middleware(Traced, tracing=tracing)
    if settings.access_log:
        app.add_middleware(NoteRoute)
    app.add_middleware(Embedded)
    app.add_middleware(Overload)
    app.add_middleware(Guard, friends=settings.embed_origins)
    app.add_middleware(HeadAsGet)
    if settings.access_log:
        app.add_middleware(AccessLog)


def _handle_errors(app: FastAPI) -> None:
    app.exception_handler(SiteError)(_site_error)
    app.exception_handler(HTTPException)(_http_error)
    app.exception_handler(RequestValidationError)(_validation_error)
    app.exception_handler(SQLAlchemyError)(_database_error)
    app.exception_handler(DataError)(_impossible_value)
    app.exception_handler(OverflowError)(_impossible_value)
    app.exception_handler(OSError)(_disk_error)
    app.exception_handler(Exception)(_unexpected)


def from_environment() -> FastAPI:
    """The application with the settings of the environment, for servers that import it by name."""
    return create_app(Settings(), warm=True)


def _site_error(request: Request, error: SiteError) -> Response:
    headers = {"Retry-After": "10"} if isinstance(error, TooMany) else {}
    return _message(request, error.status, error, headers)


def _http_error(request: Request, error: HTTPException) -> Response:
    known = {
        404: SiteError("There is no such page."),
        405: SiteError("This address does not take that kind of request."),
    }
    what = known.get(error.status_code) or SiteError("%(problem)s", problem=error.detail)
    return _message(request, error.status_code, what, dict(error.headers or {}))


def _disk_error(request: Request, error: OSError) -> Response:
    """A full disk is told in a line; the site goes on when there is space again."""
    if error.errno != errno.ENOSPC:
        raise error
    log.error("disk full", path=request.url.path)
    full = SiteError(
        "The site can keep nothing at the moment, its disk is full. What you see here is safe: please try again later."
    )
    return _message(request, 503, full, {"Retry-After": "60"})


def _database_error(request: Request, error: SQLAlchemyError) -> Response:
    """A database that is away or locked is told in a line; the site goes on when it is there again."""
    if not is_away(error):
        raise error
    log.error("database away", path=request.url.path, reason=str(error).splitlines()[0])
    request.state.database_away = True
    away = SiteError(
        "The site cannot reach its database at the moment. What you did here is safe: please try again in a moment."
    )
    return _message(request, 503, away, {"Retry-After": RETRY_AFTER})


def _impossible_value(request: Request, error: Exception) -> Response:
    """A number too large for any column, or a character that no text may have."""
    return _message(request, 422, SiteError("A value is too large, or has characters that cannot be stored."), {})


def _unexpected(request: Request, error: Exception) -> Response:
    """The log has the rest."""
    what = SiteError("Something went wrong here. It is in the log of the site; please try again.")
    return _message(request, 500, what, HEADERS)  # this is sent past the guard


def _validation_error(request: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "request"
    return _message(request, 422, SiteError("%(place)s: %(problem)s", place=place, problem=first["msg"]), {})


def _message(request: Request, status: int, error: SiteError, headers: dict[str, str]) -> Response:
    """An error message as JSON for programs, in English, and as a page for people, in their language."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": str(error)}, status, headers)
    return render(request, "error.html", status=status, headers=headers, code=status, error=error)
