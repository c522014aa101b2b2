"""HTTP with nothing but the standard library: JSON in, JSON out, patience where the site asks for it.

ClientError
├── NoConnection    the site does not answer, or it is no site
└── Refused         it answered, and says in a sentence why not
"""

from __future__ import annotations

import http.client
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_SECONDS = 60.0  # for an answer
_TRIES = 4
_LONGEST_PAUSE = 30.0
_ASK_AGAIN = (429, 503)  # where the site also says when


class ClientError(Exception):
    """What came in place of an answer. Its text is a sentence."""


class NoConnection(ClientError):
    """The site does not answer, or there is none at this address."""


class Refused(ClientError):
    """The site answered, and refused.

    Attributes
    ----------
    status
        The HTTP status: 401 and 403 are about tokens and secrets, 404 what is not there, 409 what has changed
        meanwhile, 413 and 429 too much, 422 what makes no sense, 503 not now.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Connection:
    """Requests to one site, over one connection for each thread.

    Parameters
    ----------
    wait
        What waits so many seconds where the site asks to come again later.
    """

    def __init__(self, address: str, headers: Mapping[str, str], wait: Callable[[float], None] = time.sleep) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise NoConnection(f"{address} is not the address of a site: http://127.0.0.1:8000, for instance")
        self._parts, self._headers, self._wait = parts, dict(headers), wait
        self._local = threading.local()
        self._open: list[http.client.HTTPConnection] = []

    def close(self) -> None:
        for connection in self._open:
            connection.close()

    def call(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Any:
        """What the site answers to JSON."""
        data = None if body is None else json.dumps(body).encode()
        return self.send(method, path, data, {"Content-Type": "application/json"} | dict(headers or {}))

    def send(self, method: str, path: str, data: bytes | None, headers: Mapping[str, str]) -> Any:
        """What the site answers to these bytes, after up to three more tries where it says when to come again."""
        for tries_left in reversed(range(_TRIES)):
            status, received, content = self._exchange(method, path, data, dict(headers))
            pause = _pause(received)
            if status not in _ASK_AGAIN or pause is None or not tries_left:
                break
            self._wait(pause)
        if status >= 400:
            raise Refused(_sentence(status, content), status)
        return _read(content, self._parts.netloc)

    def _exchange(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        """One request. A kept connection may have been closed meanwhile: then it is sent once more."""
        for first in (True, False):
            try:
                connection = self._connection()
                connection.request(method, f"{self._parts.path.rstrip('/')}{path}", data, self._headers | headers)
                answer = connection.getresponse()
                received = {name.lower(): value for name, value in answer.headers.items()}
                return answer.status, received, answer.read()
            except (http.client.HTTPException, OSError) as error:
                self._drop()
                again = first and isinstance(error, http.client.HTTPException | ConnectionError)
                if not again:
                    raise NoConnection(f"{self._parts.netloc} does not answer: {error}") from error
        raise AssertionError("unreachable")

    def _connection(self) -> http.client.HTTPConnection:
        if getattr(self._local, "connection", None) is None:
            kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
            self._local.connection = kind(self._parts.netloc, timeout=_SECONDS)
            self._open.append(self._local.connection)
        found: http.client.HTTPConnection = self._local.connection
        return found

    def _drop(self) -> None:
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._open.remove(connection)
        self._local.connection = None


def form_of_files(paths: list[Path]) -> tuple[bytes, str]:
    """Files as a browser's form sends them, and the type of that."""
    edge, parts = secrets.token_hex(16), []
    for path in paths:
        name = path.name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        parts.append(f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + path.read_bytes() + b"\r\n")
    return b"".join(parts) + f"--{edge}--\r\n".encode(), f"multipart/form-data; boundary={edge}"


def _pause(headers: Mapping[str, str]) -> float | None:
    """How many seconds to wait, at most half a minute, None where the site does not say."""
    said = headers.get("retry-after", "")
    return min(float(said), _LONGEST_PAUSE) if said.isascii() and said.isdecimal() else None


def _sentence(status: int, content: bytes) -> str:
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return f"The site refused with the status {status} and no reason: is something else at this address?"


def _read(content: bytes, place: str) -> Any:
    try:
        return json.loads(content) if content else None
    except ValueError as error:
        raise NoConnection(f"{place} answers, but not with JSON: is it the address of a Learn2Search site?") from error
