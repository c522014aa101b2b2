"""Features in, picture out: a face as an SVG drawing of 400 × 500."""

from __future__ import annotations

from numpy.typing import ArrayLike

from learn2search.demo import mouth as mouths
from learn2search.demo.beard import beard
from learn2search.demo.clothes import clothes
from learn2search.demo.eyes import brow, eye
from learn2search.demo.glasses import glasses
from learn2search.demo.hair import Hair
from learn2search.demo.head import ear, head
from learn2search.demo.nose import nose
from learn2search.demo.palette import palette
from learn2search.demo.person import person
from learn2search.demo.strands import back_hair, front_hair
from learn2search.demo.svg import Element, group, to_text

WIDTH, HEIGHT = 400, 500
PLACE = "translate(200 234) scale(1.28)"  # of the point between the eyes


def draw(features_row: ArrayLike, prefix: str) -> str:
    """The face with these 18 features, as a standalone SVG; `prefix` goes before every id in it."""
    return to_text(compose(features_row), prefix)


def compose(features_row: ArrayLike) -> Element:
    """The drawing as a tree: the same elements for every face, also those that cannot be seen on it."""
    who = person(features_row)
    colours = palette(who)
    hair = Hair(who)
    mouth = mouths.geometry(who)
    parts = [
        back_hair(hair, colours),
        clothes(who, colours),
        *(ear(who, colours, side, hair.sides) for side in (-1, 1)),
        head(who, colours),
        beard(who, colours, mouth),
        nose(who, colours),
        mouths.mouth(who, colours, mouth),
        *(eye(who, colours, side) for side in (-1, 1)),
        front_hair(hair, colours),
        *(brow(who, colours, side) for side in (-1, 1)),
        glasses(who),
    ]
    backdrop = Element("rect", {"width": WIDTH, "height": HEIGHT, "fill": colours.backdrop})
    canvas = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {WIDTH} {HEIGHT}"}
    return Element("svg", {**canvas, "width": WIDTH, "height": HEIGHT}, (backdrop, group(*parts, transform=PLACE)))
