"""Patience and errors, against small servers that behave badly."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from learn2search.client import Client, NoConnection, Refused

Answer = tuple[int, dict[str, str], bytes]
LATER: Answer = (503, {"Retry-After": "7"}, b'{"error": "Not now."}')
FINE: Answer = (200, {}, b"[]")


@contextmanager
def answering(*answers: Answer) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn, the last one again and again; what was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, content = answers[min(len(asked), len(answers) - 1)]
            asked.append(self.path)
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(content))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_it_should_come_again_when_the_site_says_when() -> None:
    waited: list[float] = []
    with answering(LATER, (503, {"Retry-After": "900"}, b"{}"), FINE) as (address, asked):
        with Client(address, wait=waited.append) as site:
            assert site.collections() == []
        assert waited == [7.0, 30.0]
        assert asked == ["/api/v1/collections"] * 3


def test_it_should_give_up_in_the_end() -> None:
    waited: list[float] = []
    with answering(LATER) as (address, asked), Client(address, wait=waited.append) as site:
        with pytest.raises(Refused, match="Not now") as refused:
            site.collections()
        assert (refused.value.status, len(asked), len(waited)) == (503, 4, 3)


@pytest.mark.parametrize("answer", [(503, {}, b'{"error": "It has no items."}'), (404, {"Retry-After": "1"}, b"{}")])
def test_it_should_not_wait_for_what_will_not_change(answer: Answer) -> None:
    with answering(answer) as (address, asked), Client(address, wait=lambda _: pytest.fail("it waits")) as site:
        with pytest.raises(Refused):
            site.collections()
        assert len(asked) == 1


def test_something_else_at_the_address_should_be_said() -> None:
    with answering((200, {}, b"<html>"), (502, {}, b"<html>")) as (address, _), Client(address) as site:
        with pytest.raises(NoConnection, match="not with JSON"):
            site.collections()
        with pytest.raises(Refused, match="status 502 and no reason"):
            site.collections()


def test_nobody_at_the_address_should_be_said() -> None:
    with pytest.raises(NoConnection, match="not the address of a site"):
        Client("ftp://x")
    with Client("http://127.0.0.1:1") as site, pytest.raises(NoConnection, match=r"127.0.0.1:1 does not answer"):
        site.collections()


def test_a_site_may_live_below_another_address() -> None:
    with answering(FINE) as (address, asked):
        with Client(f"{address}/find/") as site:
            site.collections()
        assert asked == ["/find/api/v1/collections"]


def test_fields_of_later_versions_should_be_left_out() -> None:
    sent = [{"slug": "a", "title": "A", "items": 3, "colour": "red"}]
    with answering((200, {}, json.dumps(sent).encode())) as (address, _), Client(address) as site:
        assert site.collections()[0].items == 3
