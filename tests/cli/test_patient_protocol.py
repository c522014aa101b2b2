"""Requests that come slowly, over real sockets."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from learn2search.cli import patient_protocol
from learn2search.cli.patient_protocol import LONGEST_HEADER, PatientProtocol


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await PlainTextResponse("done")(scope, receive, send)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[uvicorn.Server, int]]:
    monkeypatch.setattr(patient_protocol, "HEADER_SECONDS", 0.2)
    monkeypatch.setattr(patient_protocol, "BODY_SECONDS", 0.2)
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    config = uvicorn.Config(answer, http=PatientProtocol, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
    thread.start()
    while not server.started:
        pass
    yield server, taken.getsockname()[1]
    server.should_exit = True
    thread.join(30)
    taken.close()


@pytest.fixture
def port(server: tuple[uvicorn.Server, int]) -> int:
    return server[1]


def said(port: int, *parts: bytes) -> bytes:
    """What the server says to these parts, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for part in parts:
            connection.sendall(part)
        found = b""
        while more := connection.recv(65536):
            found += more
        return found


def test_half_a_request_should_be_closed(port: int) -> None:
    assert said(port) == b""
    assert said(port, b"GET / HTTP/1.1\r\nHost: here\r\n") == b""
    assert b"done" not in said(port, b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nhalf")


def test_a_whole_request_should_be_answered_and_half_a_second_one_closed(port: int) -> None:
    whole = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
    assert said(port, whole, b"GET / HT").count(b"done") == 1


def test_a_huge_header_should_be_refused(port: int) -> None:
    huge = b"GET / HTTP/1.1\r\nHost: here\r\nX-Long: " + b"x" * 2 * LONGEST_HEADER
    assert b"400" in said(port, huge).split(b"\r\n")[0]


def test_many_headers_should_be_refused_as_one_huge_one(port: int) -> None:
    many = b"GET / HTTP/1.1\r\nHost: here\r\n" + b"X: 0123456789\r\n" * (LONGEST_HEADER // 8) + b"\r\n"
    assert b"400" in said(port, many).split(b"\r\n")[0]


def test_empty_lines_should_not_hold_a_connection(port: int) -> None:
    whole = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
    assert said(port, whole, b"\r\n").count(b"done") == 1


def test_a_worker_that_ends_should_answer_what_is_on_its_way(
    server: tuple[uvicorn.Server, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_protocol, "LAST_SECONDS", 20.0)
    monkeypatch.setattr(patient_protocol, "HEADER_SECONDS", 60.0)
    running, port = server
    whole = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(whole)
        while not connection.recv(65536).endswith(b"done"):
            pass
        running.should_exit = True
        while running.servers and running.servers[0].is_serving():
            time.sleep(0.01)
        connection.sendall(whole)  # by a client that does not know
        found = b""
        while more := connection.recv(65536):
            found += more
    assert b"connection: close" in found.lower()
    assert found.endswith(b"done")


def test_an_idle_connection_should_be_closed_when_the_worker_ends(server: tuple[uvicorn.Server, int]) -> None:
    running, port = server
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        while not connection.recv(65536).endswith(b"done"):
            pass
        running.should_exit = True
        assert connection.recv(65536) == b""
