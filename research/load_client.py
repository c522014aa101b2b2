"""Visitors of `research.load`: so many searches at once over connections that stay open, for so many seconds.

A closed loop: each search sends its next answer as soon as it has the next question. An answer that the site refuses
because there is too much to do (503) is sent again after the time that the site names, as its pages do.
"""

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

HOST = "127.0.0.1"
ANSWERS_A_SEARCH = 12
PATIENCE = 60.0  # seconds for one response


@dataclass
class Tally:
    """What came back: milliseconds of the answers that were served, how many were refused, what went wrong."""

    took: list[float] = field(default_factory=list)
    refused: int = 0
    failed: int = 0
    failures: set[str] = field(default_factory=set)


class Connection:
    """One HTTP connection that stays open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def post(self, path: str, body: object, headers: str = "") -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the response."""
        if self._writer is None or self._writer.is_closing():
            self._reader, self._writer = await asyncio.open_connection(HOST, self.port)
        assert self._reader is not None
        data = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {HOST}:{self.port}\r\nContent-Type: application/json\r\n{headers}"
        self._writer.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode() + data)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        said = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
        content = await self._reader.readexactly(int(said.get("content-length", "0")))
        if said.get("connection", "").lower() == "close":
            self.close()
        return int(lines[0].split()[1]), said, content

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._writer = None


async def _sent(connection: Connection, tally: Tally, end: float, path: str, body: object, headers: str = "") -> Any:
    """The content of the response, once the site has served the request; None when the time is over."""
    while time.perf_counter() < end:
        begin = time.perf_counter()
        try:
            status, said, content = await asyncio.wait_for(connection.post(path, body, headers), PATIENCE)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            connection.close()
            tally.failed += 1
            tally.failures.add(type(error).__name__)
            await asyncio.sleep(0.2)
            continue
        if status in (200, 201):
            if path.endswith("answers"):
                tally.took.append(1000 * (time.perf_counter() - begin))
            return json.loads(content)
        if status == 503:
            tally.refused += 1
            await asyncio.sleep(float(said.get("retry-after", "1")))
        else:
            tally.failed += 1
            tally.failures.add(f"{status} {content[:80].decode()}")
            await asyncio.sleep(0.2)
    return None


async def _visit(port: int, slug: str, seed: int, end: float, tally: Tally) -> None:
    """Search after search, always one of the items shown at random."""
    connection, draw = Connection(port), np.random.default_rng(seed)
    while time.perf_counter() < end:
        now = await _sent(connection, tally, end, f"/api/v1/collections/{slug}/searches", {"show": 4})
        secret = now and f"Search-Secret: {now['secret']}\r\n"
        for _ in range(ANSWERS_A_SEARCH):
            if now is None:
                break
            question = now["question"]
            item = question["shown"][int(draw.integers(len(question["shown"])))]["item"]
            given = {"step": question["step"], "kind": "choice", "item": item}
            now = await _sent(connection, tally, end, f"/api/v1/searches/{now['id']}/answers", given, secret)
    connection.close()


async def _ask_bare(port: int, end: float, tally: Tally) -> None:
    connection = Connection(port)
    while time.perf_counter() < end:
        await _sent(connection, tally, end, "/answers", {"step": 1, "kind": "choice", "item": 1})
    connection.close()


async def _all(make: Callable[[int, float, Tally], Any], at_once: int, seconds: float) -> tuple[Tally, float]:
    tally, begin = Tally(), time.perf_counter()
    await asyncio.gather(*(make(number, begin + seconds, tally) for number in range(at_once)))
    return tally, time.perf_counter() - begin


def load(port: int, slug: str | None, at_once: int, seconds: float, seed: int = 0) -> dict[str, Any]:
    """Answers a second, and how long an answer takes that is served. Without `slug`: of the bare endpoint."""
    import uvloop

    seeds = itertools.count(seed * 100_000)

    def make(_: int, end: float, tally: Tally) -> Any:
        return _ask_bare(port, end, tally) if slug is None else _visit(port, slug, next(seeds), end, tally)

    before = time.process_time()
    tally, took = uvloop.run(_all(make, at_once, seconds))
    client = 1000 * (time.process_time() - before)
    times = np.array(tally.took)
    return {
        "answers": len(tally.took),
        "answers_per_second": round(len(tally.took) / took, 1),
        "p50_ms": round(float(np.quantile(times, 0.5)), 1) if len(times) else None,
        "p99_ms": round(float(np.quantile(times, 0.99)), 1) if len(times) else None,
        "refused": tally.refused,
        "failed": tally.failed,
        **({"failures": sorted(tally.failures)} if tally.failures else {}),
        "client_ms": round(client / max(len(tally.took), 1), 3),
    }
