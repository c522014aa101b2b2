"""The collection of faces as a folder: a picture for each face, and a table of them.

The pictures are SVG: about 20 KB of text each (5 KB compressed), sharp at any size, and drawn in milliseconds. Other
pictures that come to a site are decoded and encoded again, and SVG from outside is refused because it can carry
programs. These drawings need neither: they are our own text, without scripts, styles or references to other files.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

from learn2search.demo.face import draw
from learn2search.demo.similarity import COUNT, SEED, faces
from learn2search.demo.titles import titles
from learn2search.demo.words import describe
from learn2search.files import write_atomic
from learn2search.typing import Seed

TABLE = "collection.csv"
COLUMNS = ("file", "title", "description", "group")


def write_collection(folder: str | Path, count: int = COUNT, seed: Seed = SEED) -> Path:
    """Write `face-000.svg`, ... and `collection.csv` (file, title, description, group) into a folder.

    The folder is made if it is not there; files of the same names are replaced, others stay. Gives the path of the
    table, which is written last: where it is, the collection is whole.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / TABLE
    table.unlink(missing_ok=True)
    features = faces(count, seed)
    rows = []
    for number, (row, title) in enumerate(zip(features, titles(features), strict=True)):
        name = f"face-{number:03d}"
        write_atomic(folder / f"{name}.svg", draw(row, f"{name}-"))
        rows.append((f"{name}.svg", title, describe(row), "faces"))
    text = io.StringIO(newline="")
    csv.writer(text).writerows([COLUMNS, *rows])
    write_atomic(table, text.getvalue())
    return table
