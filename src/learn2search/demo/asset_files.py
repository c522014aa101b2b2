"""The files in `assets/` that the demo begins with. `python -m learn2search.demo snapshot` and `thumbnails` write them.

snapshot.npz: the searches and models of simulated visitors (`learn2search.site.learning.snapshot`).
thumbnails.npz: 8 × 8 colours and gradient histograms of every face, which a warm start uses, and a hash of those
drawings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from learn2search import demo
from learn2search.files import read_npz, write_npz
from learn2search.typing import Arrays

ASSETS = Path(__file__).parent / "assets"
SNAPSHOT = ASSETS / "snapshot.npz"
THUMBNAILS = ASSETS / "thumbnails.npz"
_FORMAT, _VERSION = "learn2search.thumbnails", 1


def drawings() -> list[str]:
    """All faces of the collection as SVG."""
    return [demo.draw(face, f"face-{number:03}-") for number, face in enumerate(demo.faces())]


def digest(svgs: Sequence[str]) -> str:
    """A hash that changes when a drawing does."""
    return hashlib.sha256("".join(svgs).encode()).hexdigest()


def read_thumbnails() -> list[tuple[str, str]]:
    """The colours and gradients of each face as hexadecimal digits, as `Picture` has them."""
    found = _read()
    return [
        (colours.tobytes().hex(), gradients.tobytes().hex())
        for colours, gradients in zip(found["colours"], found["gradients"], strict=True)
    ]


def thumbnails_are_current() -> bool:
    """Are the thumbnails those of the faces as they are drawn now?"""
    return str(_read()["drawings"]) == digest(drawings())


def write_thumbnails(
    svgs: Sequence[str], colours: Sequence[str], gradients: Sequence[str], path: Path = THUMBNAILS
) -> None:
    """Write the colours and gradients of these drawings."""
    rows = {"colours": _bytes(colours), "gradients": _bytes(gradients), "drawings": np.array(digest(svgs))}
    write_npz(path, _FORMAT, _VERSION, rows, compress=True)


def _bytes(digits: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer(bytes.fromhex("".join(digits)), np.uint8).reshape(len(digits), -1)


def _read() -> Arrays:
    return read_npz(THUMBNAILS, _FORMAT, _VERSION, "a file of thumbnails", ("colours", "gradients", "drawings"))
