"""Python reads this when it starts with this folder in PYTHONPATH: a clock that goes wrong by the seconds in a file."""

import os
import time

_right, _looked, _offset = time.time, -1.0, 0.0


def _wrong() -> float:
    global _looked, _offset
    if time.monotonic() > _looked + 0.1:
        _looked = time.monotonic()
        try:
            with open(os.environ["CLOCK_OFFSET_FILE"]) as file:
                _offset = float(file.read() or 0.0)
        except (KeyError, OSError, ValueError):
            _offset = 0.0
    return _right() + _offset


time.time = _wrong
