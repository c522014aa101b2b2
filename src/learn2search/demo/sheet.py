"""Sheets to look at: many faces on one HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files
from string import Template

import numpy as np

from learn2search.demo.face import draw
from learn2search.demo.similarity import COUNT, FEATURES, SEED, faces
from learn2search.demo.titles import titles
from learn2search.typing import Array, Seed

STEPS = 7
AVERAGE = {"skin": -0.3, "hair_length": 0.2, "hair_style": -0.4, "clothes": 0.2}


def contact_sheet(shown: int = 40, seed: Seed = SEED, columns: int = 8) -> str:
    """The first faces of the collection, with their names."""
    features = faces(COUNT, seed)[:shown]
    return _page("Faces", columns, zip(features, titles(features), strict=True))


def walk_sheet() -> str:
    """Each feature in seven steps from -1 to 1, the others held still."""
    cells = []
    for column, feature in enumerate(FEATURES):
        for step, value in enumerate(np.linspace(-1, 1, STEPS)):
            row = _average(feature.name)
            row[column] = value
            cells.append((row, {0: f"{feature.name}: {feature.low}", STEPS - 1: feature.high}.get(step, "")))
    return _page("Features", 2 * STEPS, cells)


def _average(feature: str) -> Array:
    """An everyday face on which the feature can be seen: shorter hair for the jaw, a masculine face for a beard."""
    special = {"beard": {"presentation": -0.9}, "jaw": {"hair_length": -0.5}, "head": {"hair_length": -0.5}}
    values = {**AVERAGE, **special.get(feature, {})}
    return np.array([values.get(each.name, 0.0) for each in FEATURES])


def _page(title: str, columns: int, cells: Iterable[tuple[Array, str]]) -> str:
    figures = [
        f"<figure>{draw(row, f'face{number}-')}<figcaption>{escape(caption)}</figcaption></figure>"
        for number, (row, caption) in enumerate(cells)
    ]
    template = Template(files("learn2search.demo").joinpath("sheet.html").read_text(encoding="utf-8"))
    return template.substitute(title=title, columns=columns, figures="\n".join(figures))
