"""A small proxy: each request goes to the next of several sites; one that takes no connection is passed over."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECONDS = 60.0
_OF_ONE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


class RoundRobin(ThreadingHTTPServer):
    """A proxy on a port of its own; `ports` are those of the sites, and may be changed at any time."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, ports: list[int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ports = ports
        self.served_by: dict[int, int] = {}  # requests by port
        self._turn = 0
        self._lock = threading.Lock()

    def next_ports(self) -> list[int]:
        """All ports, the one whose turn it is first."""
        with self._lock:
            self._turn += 1
            at = self._turn % len(self.ports)
            return self.ports[at:] + self.ports[:at]

    def count(self, port: int) -> None:
        with self._lock:
            self.served_by[port] = self.served_by.get(port, 0) + 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: RoundRobin

    def do_GET(self) -> None:
        self._pass_on()

    def do_POST(self) -> None:
        self._pass_on()

    def log_message(self, *_: object) -> None:
        pass

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        for port in self.server.next_ports():
            site = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            try:
                site.connect()
            except OSError:  # nothing was sent, so the next one can have it
                continue
            try:
                headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                site.request(self.command, self.path, body, headers)
                answer = site.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException):
                self._send(502, [], b"")
                return
            finally:
                site.close()
            self.server.count(port)
            self._send(answer.status, answer.getheaders(), content)
            return
        self._send(503, [("Retry-After", "1")], b"")

    def _send(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in _OF_ONE_CONNECTION:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def round_robin(ports: list[int]) -> Iterator[RoundRobin]:
    proxy = RoundRobin(ports)
    thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
