"""The beard grows in stages: a shadow and a moustache, then a goatee, then the whole jaw, then beyond it."""

from __future__ import annotations

from learn2search.demo.colour import Colour
from learn2search.demo.head import jawline
from learn2search.demo.mouth import Mouth
from learn2search.demo.outline import Pen, between, meet, mirrored, smoothstep, symmetric
from learn2search.demo.palette import INK, FaceColours
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, group, lit, stroke


def beard(person: DrawnPerson, palette: FaceColours, mouth: Mouth) -> Element:
    amount = person.whiskers
    hair = palette.hair.mixed(INK, 0.14)
    colours = (hair, hair.scaled(0.87, 1.15))
    shadow = 0.26 * smoothstep(amount, 0.0, 0.2)
    solid = smoothstep(amount, 0.46, 0.68)
    details = (_strands(person, colours[1]),)
    full = lit("beard", _jaw(person, mouth), colours, (-8, -6), *details, rule="evenodd")
    goatee = lit("goatee", _goatee(person, mouth), colours, (-6, -4))
    moustache = lit("moustache", _moustache(person, mouth), colours, (-4, -3))
    return group(
        group(full, opacity=between(shadow, 1.0, solid)),
        group(goatee, opacity=smoothstep(amount, 0.22, 0.38)),
        group(moustache, opacity=smoothstep(amount, 0.02, 0.18)),
        shown=amount,
    )


def _jaw(person: DrawnPerson, mouth: Mouth) -> Pen:
    """Along the jaw, from ear to ear, with a hole for the lips."""
    width, chin = person.width, person.chin
    thick = 15 * smoothstep(person.whiskers, 0.55, 1.0)
    push = (
        (0.5, 2.0),
        (1 + 0.25 * thick, 0.0),
        (1 + 0.55 * thick, 0.0),
        (2 + 0.8 * thick, 0.8 * thick),
        (0, 1 + 1.35 * thick),
    )
    outer = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(jawline(person), push, strict=True)]
    cheek = [(0.94 * width, 0.04 * chin), (0.885 * width, 0.28 * chin), (0.76 * width, 0.47 * chin)]
    lip = [(mouth.half + 13, mouth.corner - 1), (mouth.half + 4, mouth.corner - 8), (0.5 * mouth.half, mouth.top - 8)]
    inner = [*cheek, *lip, (0, mouth.top - 5)]
    pen = Pen().spline([*outer, *mirrored(outer[-2::-1])]).spline([*mirrored(inner), *inner[-2::-1]]).close()
    hole = [(0, mouth.top + 2), (0.5 * mouth.half, mouth.top + 1), (mouth.half + 4, mouth.corner - 0.5)]
    return pen.loop(symmetric([*hole, (0.66 * mouth.half, mouth.bottom + 0.5), (0, mouth.bottom + 3)]), tension=0.9)


def _moustache(person: DrawnPerson, mouth: Mouth) -> Pen:
    """Two wings over the upper lip; they thicken, and reach down past the corners."""
    grown = smoothstep(person.whiskers, 0.04, 0.4)
    thick = 2 + 7.5 * grown
    upper = [(0, mouth.top - 0.55 * thick), (0.3 * mouth.half, mouth.top - 1 - thick)]
    side = (0.74 * mouth.half, between(mouth.top, mouth.corner, 0.6) - 0.9 * thick)
    tip = (mouth.half + 1 + 4 * grown, mouth.corner + 1 + 3 * grown)
    lower = [
        (0.6 * mouth.half, between(mouth.top, mouth.corner, 0.45) + 0.15 * thick),
        (0.24 * mouth.half, mouth.top + 2),
    ]
    return Pen().loop(symmetric([*upper, side, tip, *lower, (0, mouth.top + 1.5)]), tension=0.85)


def _goatee(person: DrawnPerson, mouth: Mouth) -> Pen:
    """A patch that grows from below the lip down to the chin."""
    grown = smoothstep(person.whiskers, 0.22, 0.5)
    chin, low = person.chin, person.chin + 2 + 5 * grown
    half = max(0.62 * mouth.half, 0.85 * person.chin_corner)
    shape = [
        (0.0, mouth.bottom + 3),
        (0.42 * mouth.half, mouth.bottom + 4),
        (half, between(mouth.bottom, chin, 0.62)),
        (0.86 * half, chin - 1 + 3 * grown),
        (0.0, low),
    ]
    root = (0.0, mouth.bottom + 3)
    return Pen().loop(symmetric([meet(root, point, between(0.25, 1.0, grown)) for point in shape]))


def _strands(person: DrawnPerson, colour: Colour) -> Element:
    pen = Pen()
    for x in (-46, -30, -14, 2, 18, 34, 48):
        start = (x * person.width / 86, 0.66 * person.chin + 24 - 0.2 * abs(x))
        pen.move(start).bend((start[0] - 0.02 * x, start[1] + 8), (start[0] - 0.12 * x, start[1] + 17))
    return stroke(pen, colour, 2.2, opacity=0.7 * smoothstep(person.whiskers, 0.5, 0.85))
