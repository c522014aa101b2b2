"""Answers, which are nearly all that a busy site does, in one change of threads and without what other routes need.

A plain answer goes straight to the function of its route. Whatever is unusual about a request (the owner's, another
form, a value that is no number) takes the usual way through FastAPI, which says what is wrong with it.
"""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request, Response
from pydantic import ValidationError
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope, Send

from learn2search.site.context import Site
from learn2search.web import api, search_pages
from learn2search.web.security import claims_to_be_owner, count_request

THREADS = 4  # more of them mostly wait for the interpreter's lock
_PLACE = re.compile("(/api/v1/searches|/s)/([0-9a-f]{32})(/answers)?")
_NUMBERS, _WORDS = {"step", "choice", "found"}, {"none", "undo", "not-here"}
_MOST_DIGITS = 9
_TAKEN = "learn2search.quick"  # in the scope of a request: it has been looked at
Work = Callable[[], Response]


class _Usual(NamedTuple):
    """The route that takes such a request otherwise, for the access log."""

    path: str


_USUAL = {"/s": _Usual("/s/{search_id}"), "/api/v1/searches": _Usual("/api/v1/searches/{search_id}/answers")}


class QuickAnswers(BaseRoute):
    """The first of all routes: takes the plain answers, and leaves the others to the routes behind it."""

    def __init__(self, app: FastAPI) -> None:
        self._rest = app.router
        self._threads = ThreadPoolExecutor(THREADS, "answers")

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        is_answer = scope["type"] == "http" and scope["method"] == "POST" and _TAKEN not in scope
        found = _PLACE.fullmatch(scope["path"]) if is_answer else None
        if found is None or (found[1] == "/s") != (found[3] is None):
            return Match.NONE, {}
        return Match.FULL, {_TAKEN: found[2], "path_params": {"search_id": found[2]}, "route": _USUAL[found[1]]}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive)
        request = Request(scope, _once(body))
        work = None if body is None or claims_to_be_owner(request) else _work(request, scope[_TAKEN], body)
        if work is None:
            await self._rest(scope, _once(body), send)
            return
        count_request(request, "answers")
        response = await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)
        await response(scope, receive, send)

    def close(self) -> None:
        self._threads.shutdown()


async def _body(receive: Receive) -> bytes | None:
    """All of the body; None where the client has gone."""
    parts = []
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _once(body: bytes | None) -> Receive:
    """Gives what was received once more."""
    messages: list[Message] = [{"type": "http.disconnect"}]
    if body is not None:
        messages.append({"type": "http.request", "body": body, "more_body": False})

    async def receive() -> Message:
        return messages.pop() if len(messages) > 1 else messages[0]

    return receive


def _work(request: Request, search_id: str, body: bytes) -> Work | None:
    """What answers the request; None where it is not a plain answer."""
    site: Site = request.app.state.site
    kind = request.headers.get("content-type", "").partition(";")[0]
    if request.scope["path"].startswith("/s/"):
        given = _form(body) if kind == "application/x-www-form-urlencoded" else None
        return None if given is None else partial(_for_page, request, site, search_id, given)
    secret = request.headers.get("search-secret", "")
    if kind != "application/json" or len(secret) > api.LONGEST_SECRET:
        return None
    try:
        answer = api.AnswerIn.model_validate_json(body)
    except ValidationError:
        return None
    return partial(_for_program, request, site, search_id, secret, answer)


def _form(body: bytes) -> dict[str, int | str] | None:
    """The fields of an answer, None if there are others or one twice."""
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=4)
    except ValueError:
        return None
    found: dict[str, int | str] = {}
    for name, value in fields:
        is_number = name in _NUMBERS and value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS
        if name in found or not (is_number or (name in _WORDS and value == "1")):
            return None
        found[name.replace("-", "_")] = int(value) if is_number else value
    return found


def _for_page(request: Request, site: Site, search_id: str, given: dict[str, int | str]) -> Response:
    search_pages.only_who_began(request, site, search_id)
    return search_pages.answer(request, site, search_id, **given)  # type: ignore[arg-type]


def _for_program(request: Request, site: Site, search_id: str, secret: str, given: api.AnswerIn) -> Response:
    api.only_with_secret(request, site, search_id, secret)
    found = api.answer_search(site, search_id, given)
    return Response(found.model_dump_json(), media_type="application/json")
