"""Simulated visitors of a running site, over HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from learn2search import ProbitOracle
from learn2search.site.errors import SiteError
from learn2search.store.enums import AnswerKind, SearchStatus
from learn2search.typing import Array

_SECONDS = 60


class NoAnswer(SiteError):
    """What a running site said instead of an answer."""


class Client:
    """The JSON API of a site, over one connection for each thread."""

    def __init__(self, address: str, token: str | None) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise NoAnswer(f"{address} is not the address of a site: http://127.0.0.1:8000, for instance")
        self._parts, self._local = parts, threading.local()
        self._open: list[http.client.HTTPConnection] = []
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._open:
            connection.close()

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        for attempt in (1, 2):
            try:
                connection = self._connection()
                connection.request(method, f"/api/v1{path}", data, self._headers)
                answer = connection.getresponse()
                content = json.loads(answer.read())
                break
            except (http.client.HTTPException, ConnectionError) as error:  # a kept connection may have been closed
                self._local.connection = None
                if attempt == 2:
                    raise NoAnswer(f"the site does not answer: {error}") from error
            except OSError as error:
                raise NoAnswer(f"the site does not answer: {error}") from error
        if answer.status >= 400:
            raise NoAnswer(f"{method} {path}: {answer.status}, {content.get('error')}")
        return content

    def _connection(self) -> http.client.HTTPConnection:
        if getattr(self._local, "connection", None) is None:
            kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
            self._local.connection = kind(self._parts.netloc, timeout=_SECONDS)
            self._open.append(self._local.connection)
        found: http.client.HTTPConnection = self._local.connection
        return found


@dataclass(frozen=True)
class Visitors:
    """Simulated people.

    Attributes
    ----------
    features
        What they perceive, `(n, d)`, row i for item i.
    noise
        How noisily they perceive it, in units of the features.
    skew
        Item i is looked for in proportion to 1/(i + 1)^skew; with 0 all items are equally popular.
    """

    features: Array
    noise: float
    seed: int
    skew: float = 0.0

    def search(self, client: Client, slug: str, number: int, show: int | None) -> int:
        """Search for an item drawn by popularity; how many questions it took, 0 when it was not found."""
        draw = np.random.default_rng([self.seed, number])
        target = self._target(draw)
        person = ProbitOracle(self.features, self.noise, seed=draw)
        options: dict[str, Any] = {"simulated": True} | ({} if show is None else {"show": show})
        now = client.call("POST", f"/collections/{slug}/searches", options)
        while now["status"] == SearchStatus.OPEN:
            question = now["question"]
            answer = {"step": question["step"]} | self._answer(person, question, target)
            now = client.call("POST", f"/searches/{now['id']}/answers", answer)
        return int(now["number"]) if now["status"] == SearchStatus.FOUND else 0

    def _target(self, draw: np.random.Generator) -> int:
        if not self.skew:
            return int(draw.integers(len(self.features)))
        popularity = np.arange(1, len(self.features) + 1) ** -self.skew
        return int(draw.choice(len(self.features), p=popularity / popularity.sum()))

    def _answer(self, person: ProbitOracle, question: dict[str, Any], target: int) -> dict[str, Any]:
        shown = [item["item"] for item in question["shown"]]
        if target in shown or not shown:  # when everything was shown, the gallery has it
            return {"kind": AnswerKind.FOUND, "item": target}
        chosen = person.choose(shown, target)
        return {"kind": AnswerKind.NONE} if chosen is None else {"kind": AnswerKind.CHOICE, "item": chosen}


def visit(
    client: Client, slug: str, visitors: Visitors, searches: int, at_once: int, show: int | None
) -> Iterator[int]:
    """Search so many times, with `at_once` visitors at a time; the questions that each search took, in order."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(lambda number: visitors.search(client, slug, number, show), range(searches))
