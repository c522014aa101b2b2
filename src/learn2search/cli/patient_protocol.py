"""HTTP for clients that take their time: a request that comes too slowly is closed, so that it holds no connection."""

from __future__ import annotations

import asyncio
from enum import Enum

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEADER_SECONDS = 10.0  # for the head of a request, all of it
BODY_SECONDS = 30.0  # between two parts of a body
LONGEST_HEADER = 32_768  # bytes
MOST_CONNECTIONS = 1000  # of one worker; more are answered with 503 at once
KEEP_ALIVE_SECONDS = 10
LAST_SECONDS = 1.0  # that a connection stays open when its worker ends: a request may be on its way


class _Waits(Enum):
    """What a connection waits for."""

    HEAD = "the rest of a head"
    BODY = "the rest of a body"
    NOTHING = "nothing: the request is whole"


class PatientProtocol(HttpToolsProtocol):
    """uvicorn's HTTP, which waits for ever for the rest of a request, with limits on its time and its head's size."""

    _waits = _Waits.HEAD
    _timer: asyncio.TimerHandle | None = None
    _for_head = False
    _head = 0  # bytes of the head so far
    _whole = 0  # requests that have come as a whole
    _ends = False  # whether this worker takes no more requests than those on their way

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        before = self._whole
        super().data_received(data)
        if self._waits is _Waits.NOTHING and self._whole == before:  # empty lines before a head
            self._waits = _Waits.HEAD
        if self._waits is _Waits.HEAD:
            self._head += len(data)
            if self._head > LONGEST_HEADER and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")
        self._watch()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._waits = _Waits.HEAD

    def shutdown(self) -> None:
        """Answer what has come or is on its way, and close the connection behind it.

        A request that meets a closed connection is lost for its sender, who cannot know whether it was carried out.
        """
        self._ends = True
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(LAST_SECONDS, self._close_if_idle)
        else:
            super().shutdown()

    def _close_if_idle(self) -> None:
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > LONGEST_HEADER:
            raise ValueError("the head of the request is too long")  # httptools makes a bad request of it
        super().on_headers_complete()
        if self._ends:
            self.cycle.keep_alive = False
        self._waits, self._head = _Waits.BODY, 0

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._waits = _Waits.NOTHING
        self._whole += 1

    def connection_lost(self, exc: Exception | None) -> None:
        self._unwatch()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Begin to wait for the rest of the head, or anew for the next part of the body."""
        if self._waits is _Waits.HEAD:
            if not self._for_head:  # each part of it does not begin the time anew
                self._unwatch()
                self._for_head = True
                self._timer = self.loop.call_later(HEADER_SECONDS, self._close)
            return
        self._unwatch()
        if self._waits is _Waits.BODY:
            self._timer = self.loop.call_later(BODY_SECONDS, self._close)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._for_head = None, False

    def _close(self) -> None:
        self._timer, self._for_head = None, False
        if self._waits is _Waits.BODY and self.flow.read_paused:  # it is we who do not read
            self._watch()
        elif not self.transport.is_closing():
            self.transport.close()
