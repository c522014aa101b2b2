"""More requests at a time than a worker answers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from learn2search.web.overload import Overload


async def overloaded() -> list[tuple[int, dict[bytes, bytes]]]:
    """The answers to two pages at a time, of which one is allowed, and to what is always answered."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/":
            begun.set()
            await go_on.wait()
        await PlainTextResponse("done")(scope, receive, send)

    app = Overload(slow, most=1)

    async def get(path: str) -> tuple[int, dict[bytes, bytes]]:
        said: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b""}

        async def send(message: Message) -> None:
            said.append(message)

        await app({"type": "http", "method": "GET", "path": path, "headers": []}, receive, send)
        return said[0]["status"], dict(said[0]["headers"])

    first = asyncio.create_task(get("/"))
    await begun.wait()
    others = [await get(path) for path in ("/c/faces", "/static/site.css", "/healthz")]
    go_on.set()
    return [await first, *others, await get("/c/faces")]


def test_a_worker_with_too_much_to_do_should_ask_to_come_again() -> None:
    with ThreadPoolExecutor(1) as alone:  # the thread of the tests may have a loop of its own: that of the browser
        first, shed, *others = alone.submit(lambda: asyncio.run(overloaded())).result()
    assert shed[0] == 503
    assert int(shed[1][b"retry-after"]) > 0
    assert [status for status, _ in (first, *others)] == [200] * 4
