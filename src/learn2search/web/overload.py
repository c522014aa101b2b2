"""More requests at a time than can be answered: the rest is asked to come again, in place of waiting for long."""

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from learn2search.web.security import RETRY_AFTER

MOST = 100  # requests that a worker has begun and not answered
_ALWAYS = ("/static/", "/healthz", "/readyz")


class Overload:
    """Middleware: at most so many requests at a time. Static files and the check of the health are always answered."""

    def __init__(self, app: ASGIApp, most: int = MOST) -> None:
        self.app, self.most = app, most
        self._open = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_ALWAYS):
            await self.app(scope, receive, send)
            return
        if self._open >= self.most:
            busy = {"error": "There are too many visitors at the moment: please try again."}
            await JSONResponse(busy, 503, {"Retry-After": RETRY_AFTER})(scope, receive, send)
            return
        self._open += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._open -= 1
