"""A server that speaks as S3 does, as a process of its own, for the tests."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

START_SECONDS = 120
BUCKET = "pictures"
URL = f"s3://{BUCKET}/site"


class S3Server:
    """Its address, what programs need in their environment to use it, and ways to stop it and start it again."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        keys = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests", "AWS_REGION": "us-east-1"}
        return keys | {"AWS_ENDPOINT_URL": self.address}

    def start(self) -> None:
        """Start it, with an empty bucket: it keeps everything in memory."""
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(urllib.request.Request(f"{self.address}/{BUCKET}", method="PUT"), timeout=10)
                return
            except OSError:
                assert self.process.poll() is None, "the S3 server has ended"
                assert time.monotonic() < end, "the S3 server does not answer"
                time.sleep(0.1)

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@contextmanager
def s3_running() -> Iterator[S3Server]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        server = S3Server(probe.getsockname()[1])
    try:
        server.start()
        yield server
    finally:
        server.stop()
