"""An application that only reads a request and sends as many bytes as an answer has, in the server of the site."""

import multiprocessing
import signal
import socket
import sys
from pathlib import Path

import uvicorn
from starlette.types import Receive, Scope, Send

BODY = b"{" + b" " * 1400 + b"}"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body", False):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


def _serve(listening: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        http="learn2search.cli.patient_protocol:PatientProtocol",
    )
    uvicorn.Server(config).run([listening])


def serve(workers: int, ready: Path) -> None:
    """Serve until a signal; the port is written to `ready`."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=2048)
    ready.write_text(str(listening.getsockname()[1]))
    if workers == 1:
        _serve(listening)
        return
    started = [multiprocessing.get_context("spawn").Process(target=_serve, args=(listening,)) for _ in range(workers)]
    for process in started:
        process.start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # not without the workers
    try:
        for process in started:
            process.join()
    finally:
        for process in started:
            process.terminate()


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]))
