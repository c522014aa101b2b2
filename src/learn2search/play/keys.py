"""Single key presses without Enter, and a terminal that is always put back as it was."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

ESCAPE_SEQUENCE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O.)")  # arrows, function keys: not for this game

Wait = Callable[[float], str | None]  # waits so many seconds for a key; None when none was pressed


def keys_of(text: str) -> list[str]:
    """The single keys in what a terminal sent at once: fast typing arrives in one piece."""
    return list(ESCAPE_SEQUENCE.sub("", text))


if sys.platform == "win32":
    import msvcrt
    import time

    @contextmanager
    def keyboard() -> Iterator[Wait]:
        """The keyboard, for as long as the block lasts."""
        yield _wait

    def _wait(seconds: float) -> str | None:
        end = time.monotonic() + seconds
        while not msvcrt.kbhit():
            if time.monotonic() > end:
                return None
            time.sleep(0.01)
        return _read()

    def _read() -> str | None:
        key = msvcrt.getwch()
        if key == "\x03":
            raise KeyboardInterrupt
        if key in "\x00\xe0":  # a special key: its second half says which, and none is for this game
            msvcrt.getwch()
            return None
        return key

else:
    import os
    import select
    import termios
    import tty
    from collections import deque

    @contextmanager
    def keyboard() -> Iterator[Wait]:
        """The keyboard without line editing and echo, while the block lasts. Ctrl-C still interrupts."""
        stream = sys.stdin.fileno()
        before = termios.tcgetattr(stream)
        try:
            tty.setcbreak(stream, termios.TCSADRAIN)
            _forbid_suspending(stream)
            yield _waiting_for(stream)
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)

    def _waiting_for(stream: int) -> Wait:
        typed: deque[str] = deque()

        def wait(seconds: float) -> str | None:
            if not typed and select.select([stream], [], [], seconds)[0]:
                typed.extend(_read(stream))
            return typed.popleft() if typed else None

        return wait

    def _read(stream: int) -> list[str]:
        sent = os.read(stream, 64)
        if not sent:
            raise EOFError("the terminal was closed")
        return keys_of(sent.decode(errors="ignore"))

    def _forbid_suspending(stream: int) -> None:
        # Ctrl-Z would leave the shell with a hidden cursor and no echo.
        mode = termios.tcgetattr(stream)
        mode[6][termios.VSUSP] = os.fpathconf(stream, "PC_VDISABLE").to_bytes(1, "little")
        termios.tcsetattr(stream, termios.TCSADRAIN, mode)
