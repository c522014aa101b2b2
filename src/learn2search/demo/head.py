"""Head, ears, cheeks and the lines of age."""

from __future__ import annotations

import math

from learn2search.demo.colour import colours
from learn2search.demo.outline import Pen, Point, between, smoothstep, symmetric
from learn2search.demo.palette import BLUSH, FaceColours
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, circle, ellipse, fill, group, lit, stroke

GOLD = colours("#f3d27a", "#e0b957")  # earrings, in light and in shade
ROUNDNESS = 2.3  # the skull is a superellipse: 2 would be an ellipse, more is squarer
FRECKLES = ((31, 26), (38, 32), (46, 27), (54, 34), (42, 40), (31, 37))


def skull(person: DrawnPerson, degrees: float, outwards: float = 0.0, roundness: float = ROUNDNESS) -> Point:
    """A point of the skull at an angle (0 at the right ear, 90 at the top), pushed outwards."""
    across, up = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x = math.copysign(abs(across) ** (2 / roundness), across) * 0.985 * person.width
    y = -(abs(up) ** (2 / roundness)) * person.crown
    return x + across * outwards, y - up * outwards


def jawline(person: DrawnPerson) -> list[Point]:
    """From beside the right eye down to the chin."""
    width, chin, corner = person.width, person.chin, person.jaw_corner
    return [
        (0.985 * width, 0.04 * chin),
        (between(0.955 * width, corner, 0.22), 0.4 * chin),
        (corner, 0.72 * chin),
        (person.chin_corner, 0.965 * chin),
        (0.0, chin + 1),
    ]


def outline(person: DrawnPerson) -> Pen:
    half = [skull(person, degrees) for degrees in (90, 62, 38, 17)]
    return Pen().loop(symmetric([*half, *jawline(person)]))


def head(person: DrawnPerson, palette: FaceColours) -> Element:
    return group(
        lit("head", outline(person), (palette.skin, palette.skin_shade), (-11, -5)),
        *_cheeks(person, palette),
        *_freckles(person, palette),
        *_folds(person, palette),
    )


def ear(person: DrawnPerson, palette: FaceColours, side: int, covered: float) -> Element:
    """An ear on one side (1 right, -1 left); as hair covers it, it slides behind the head."""
    x, y, size = 0.985 * person.width + 5 - 16 * covered, 16.0, 11.5 + 1.5 * person.old

    def at(dx: float, dy: float) -> Point:
        return side * (x + dx), y + dy

    shell = Pen().move(at(-9, -20)).curve(at(4, -30), at(size + 5, -16), at(size - 1, 4))
    shell.curve(at(size - 3, 20), at(2, 28), at(-9, 22)).close()
    inside = Pen().move(at(0, -12)).curve(at(8, -16), at(8, -2), at(2, 6))
    jewel = 4.2 * smoothstep(person.presentation, 0.15, 0.8)
    return group(
        fill(shell, palette.skin_shade if side > 0 else palette.skin),
        stroke(inside, palette.skin_line, 2.2),
        circle(at(3, 29), jewel, GOLD[side > 0]),
    )


def _cheeks(person: DrawnPerson, palette: FaceColours) -> list[Element]:
    """Two soft discs of blush a side."""
    blush = palette.skin.mixed(BLUSH, 0.55)
    strength = 0.17 + 0.11 * person.young + 0.06 * person.feminine - 0.05 * person.old
    centres = [(side * 0.6 * person.width, 37.0) for side in (-1, 1)]
    sizes = ((19.0, 13.5), (13.0, 9.0))
    return [ellipse(centre, size, blush, 0.6 * strength) for centre in centres for size in sizes]


def _freckles(person: DrawnPerson, palette: FaceColours) -> list[Element]:
    visible = 0.75 * person.young * smoothstep(-person.skin, -0.5, 0.6)
    places = [(side * x * person.width / 86 + 2 * side, y) for side in (-1, 1) for x, y in FRECKLES]
    return [group(*(circle((x, float(y)), 1.8, palette.skin_line) for x, y in places), opacity=visible)]


def _folds(person: DrawnPerson, palette: FaceColours) -> list[Element]:
    """Lines on the forehead and from the nose to the corners of the mouth."""
    forehead = [(-52.0, 30.0), (-66.0, 36.0)]
    top = 44 + 4 * person.nose
    lines = [Pen().move((-half, y)).bend((0, y - 5), (half, y)) for y, half in forehead]
    for side in (-1, 1):
        end = (side * (34 + 4 * max(0.0, person.smile)), top + 33)
        lines.append(Pen().move((side * 19, top)).curve((side * 30, top + 6), (side * 37, top + 16), end))
    return [stroke(line, palette.skin_fold, 2.6, opacity=0.9 * person.old) for line in lines]
