"""A program in a pseudo-terminal, with keys going in and pages coming out. Only where there are any: not on Windows."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from types import TracebackType

CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[=>]|\r")
WARM_UP_SECONDS = 120  # the first run on a machine compiles
GAME = [sys.executable, "-c", "from learn2search.cli.main import app; app()", "play", "colors"]


def _take_terminal() -> None:
    # Ctrl-C reaches only the program that the terminal belongs to.
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Terminal:
    """The game in a pseudo-terminal of a given size. Use as a context manager."""

    def __init__(
        self, *options: str, game: Sequence[str] = GAME, width: int = 80, height: int = 24, **environment: str
    ) -> None:
        self._ours, self._theirs = pty.openpty()
        self.resize(width, height)
        self.mode_before = termios.tcgetattr(self._theirs)
        self.output = ""
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        colours = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(
            [*game, *options],
            env=kept | colours | environment,
            preexec_fn=_take_terminal,
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    @property
    def mode(self) -> list[object]:
        return termios.tcgetattr(self._theirs)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def press(self, keys: str) -> None:
        self.output = ""
        os.write(self._ours, keys.encode())

    def wait_for(self, words: str, seconds: float = 20) -> str:
        """Everything that was printed since the last key press, once the words are in it."""
        end = time.monotonic() + seconds
        while words not in self.text:
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} did not appear in {seconds} s, but this did:\n{self.text[-3000:]}")
            self._read()
        while self._read():  # the rest of the page
            pass
        return self.text

    def wait_for_end(self, seconds: float = 20) -> int:
        """The exit status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self._read()
        while self._read():
            pass
        return self.process.wait(timeout=1)

    @property
    def text(self) -> str:
        return CONTROL.sub("", self.output)

    def _read(self) -> bool:
        """Take what was printed; False when nothing came for a while."""
        if not select.select([self._ours], [], [], 0.3)[0]:
            return False
        self.output += os.read(self._ours, 65536).decode(errors="replace")
        return True
