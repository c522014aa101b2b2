"""The files in `assets/` that the demo begins with. `python -m learn2search.demo snapshot` and `thumbnails` write them.

snapshot.npz: the searches and models of simulated visitors (`learn2search.site.learning.snapshot`).
thumbnail_colours.npz: 8 × 8 colours of every face, which a warm start uses, and a hash of those drawings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from learn2search import demo
from learn2search.files import read_npz, write_npz
from learn2search.typing import Arrays

ASSETS = Path(__file__).parent / "assets"
SNAPSHOT = ASSETS / "snapshot.npz"
THUMBNAIL_COLOURS = ASSETS / "thumbnail_colours.npz"
_FORMAT, _VERSION = "learn2search.thumbnail_colours", 1


def drawings() -> list[str]:
    """All faces of the collection as SVG."""
    return [demo.draw(face, f"face-{number:03}-") for number, face in enumerate(demo.faces())]


def digest(svgs: Sequence[str]) -> str:
    """A hash that changes when a drawing does."""
    return hashlib.sha256("".join(svgs).encode()).hexdigest()


def read_thumbnail_colours() -> list[str]:
    """The colours of each face as hexadecimal digits, as `Picture.thumbnail_colours` has them."""
    return [row.tobytes().hex() for row in _read()["colours"]]


def thumbnails_are_current() -> bool:
    """Are the thumbnail colours those of the faces as they are drawn now?"""
    return str(_read()["drawings"]) == digest(drawings())


def write_thumbnail_colours(svgs: Sequence[str], colours: Sequence[str], path: Path = THUMBNAIL_COLOURS) -> None:
    """Write the colours of these drawings."""
    rows = np.frombuffer(bytes.fromhex("".join(colours)), np.uint8).reshape(len(svgs), -1)
    write_npz(path, _FORMAT, _VERSION, {"colours": rows, "drawings": np.array(digest(svgs))}, compress=True)


def _read() -> Arrays:
    return read_npz(THUMBNAIL_COLOURS, _FORMAT, _VERSION, "a file of thumbnail colours", ("colours", "drawings"))
