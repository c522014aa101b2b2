"""HTTP for clients that take their time: a request that comes too slowly is closed, so that it holds no connection."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0  # for the head of a request, all of it
BODY_SECONDS = 30.0  # between two parts of a body
LONGEST_HEADER = 32_768  # bytes
MOST_CONNECTIONS = 1000  # of one worker; more are answered with 503 at once
KEEP_ALIVE_SECONDS = 10


class PatientProtocol(H11Protocol):
    """uvicorn's HTTP, which waits for ever for the rest of a request, with a limit on that."""

    _waiting: asyncio.TimerHandle | None = None
    _for_head = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Begin to wait for the rest of the head, or anew for the next part of the body."""
        state: Any = self.conn.their_state
        if state is h11.IDLE:
            if not self._for_head:  # each part of it does not begin the time anew
                self._unwatch()
                self._for_head = True
                self._waiting = self.loop.call_later(HEADER_SECONDS, self._close)
            return
        self._unwatch()
        if state is h11.SEND_BODY:
            self._waiting = self.loop.call_later(BODY_SECONDS, self._close)

    def _unwatch(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting, self._for_head = None, False

    def _close(self) -> None:
        self._waiting, self._for_head = None, False
        if self.conn.their_state is h11.SEND_BODY and self.flow.read_paused:  # it is we who do not read
            self._watch()
        elif not self.transport.is_closing():
            self.transport.close()
