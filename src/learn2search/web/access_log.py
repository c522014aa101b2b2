"""The access log: a line of JSON for each request, without addresses of visitors and without what they typed."""

import time
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NOTE = "learn2search.access"  # in the scope: what the route is, found further in, where the scope is another one


class AccessLog:
    """Middleware, the outermost: writes the line when a request is answered, whatever answered it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._log = structlog.wrap_logger(
            structlog.PrintLogger(),
            processors=[structlog.processors.TimeStamper("iso", key="time"), structlog.processors.JSONRenderer()],
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = time.perf_counter()
        note: dict[str, Any] = {"method": scope["method"], "route": None, "status": None}

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                note["status"] = message["status"]
            await send(message)

        try:
            await self.app({**scope, _NOTE: note}, receive, watched)
        except Exception:
            note["status"] = note["status"] or 500  # its page is sent further out
            raise
        finally:
            self._log.info("request", **note, milliseconds=round(1000 * (time.perf_counter() - begun), 1))


class NoteRoute:
    """Middleware, the innermost: tells the access log which route took the request, and for which search."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        finally:
            if _NOTE in scope:
                scope[_NOTE].update(route_of(scope))


def route_of(scope: Scope) -> dict[str, str]:
    """The route as it is declared, `/s/{search_id}`, not the address that was asked for; nothing without one."""
    if "route" not in scope:
        is_mounted = "app_root_path" in scope
        folder = scope["root_path"].removeprefix(scope["app_root_path"]) if is_mounted else ""
        return {"route": f"{folder}/{{path}}"} if is_mounted else {}
    search_id = scope["path_params"].get("search_id")
    return {"route": scope["route"].path} | ({} if search_id is None else {"search_id": search_id})
