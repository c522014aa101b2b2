"""Neck, shoulders and a pullover; with age it gets a collar, first in its own colour, then a white one."""

from __future__ import annotations

from learn2search.demo.outline import Pen, Point, between, meet, mirrored, smoothstep
from learn2search.demo.palette import WHITE, FaceColours
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, circle, clipped, ellipse, fill, group, lit, stroke

HEM = 300.0  # below the lower edge of the picture


def clothes(person: DrawnPerson, palette: FaceColours) -> Element:
    colours = (palette.cloth, palette.cloth.scaled(0.92, 1.06))
    return group(
        *_neck(person, palette),
        lit("cloth", _shirt(person), colours, (-16, -3)),
        *_collar(person, palette),
    )


def _base(person: DrawnPerson) -> float:
    """Where the neck meets the shoulders."""
    return person.chin + 36


def _neck(person: DrawnPerson, palette: FaceColours) -> list[Element]:
    """Neck and chest, with the shadow of the chin."""
    half, chin, base = person.neck, person.chin, _base(person)
    neck = Pen().move((-half, 60)).curve((-half, chin + 22), (-half - 3, base - 8), (-half - 20, base + 6))
    neck.bend((0, base + 86), (half + 20, base + 6))
    neck.curve((half + 3, base - 8), (half, chin + 22), (half, 60)).close()
    shadow = ellipse((4, chin - 6), (1.45 * half, 36), palette.skin_line)
    return [fill(neck, palette.skin), clipped("neck", neck, shadow)]


def _neckline(person: DrawnPerson) -> list[Point]:
    """From the right to the left shoulder; feminine necklines are deeper."""
    half, base = person.neck + 17, _base(person)
    depth = 26 + 16 * person.presentation
    right = [(half, base - 1), (0.78 * half, base + 0.52 * depth), (0.42 * half, base + 0.88 * depth)]
    return [*right, (0, base + depth), *mirrored(right[::-1])]


def _shirt(person: DrawnPerson) -> Pen:
    base, shoulder, neckline = _base(person), 128 - 18 * person.presentation, _neckline(person)
    half = neckline[0][0]
    slope = [(half + 34, base + 10), (shoulder - 12, base + 27), (shoulder + 14, base + 56)]
    right = [neckline[0], *slope, (shoulder + 30, HEM)]
    return Pen().spline(right).spline(mirrored(right[::-1])).spline(neckline[::-1]).close()


def _collar(person: DrawnPerson, palette: FaceColours) -> list[Element]:
    """A knitted band round the neckline, from which a collar unfolds that later turns white."""
    unfolded = smoothstep(person.age, -0.5, 0.0)
    white = smoothstep(person.age, 0.0, 0.45)
    band = palette.cloth.scaled(0.87, 1.05)
    neckline = _neckline(person)
    bottom = neckline[3][1]
    button = WHITE.mixed(palette.cloth, 0.25)
    return [
        stroke(Pen().spline(neckline), band, 9 * (1 - white), opacity=1 - white),
        stroke(Pen().move((0, bottom)).line((0, HEM)), band, 2.2, opacity=unfolded),
        circle((0, bottom + 15), 2.3, button, opacity=unfolded),
        *(_flap(person, palette, side, unfolded, white) for side in (-1, 1)),
    ]


def _flap(person: DrawnPerson, palette: FaceColours, side: int, unfolded: float, white: float) -> Element:
    """One side of the collar: flat it lies along the neckline, unfolded it has a point."""
    edge = _neckline(person)[:4]
    (half, base), (_, bottom) = edge[0], edge[3]
    flat = [*edge, edge[2], edge[1]]
    throat = [(0.72 * half, between(base, bottom, 0.4)), (0.36 * half, between(base, bottom, 0.75)), (1, bottom - 1)]
    open_ = [(half - 8, base - 11), *throat, (27, bottom + 19), (half + 9, base + 5)]
    places = [meet(start, end, unfolded) for start, end in zip(flat, open_, strict=True)]
    *inside, point, shoulder = [(side * x, y) for x, y in places]

    band = palette.cloth.scaled(0.87, 1.05)
    linen = palette.cloth.mixed(WHITE, 0.84 if side < 0 else 0.74)
    hem = band.scaled(0.9).mixed(palette.cloth.mixed(WHITE, 0.5), white)
    return fill(
        Pen().spline(inside).line(point).line(shoulder).close(),
        band.mixed(linen, white),
        opacity=smoothstep(unfolded, 0.0, 0.25),
        stroke=hem,
        stroke_width=1.5 * unfolded,
        stroke_linejoin="round",
    )
