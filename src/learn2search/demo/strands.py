"""Hair as it is drawn: its shape in light and shade, with strands, or with the arcs of curls."""

from __future__ import annotations

from learn2search.demo.hair import SIDE_POINTS, Hair, scatter
from learn2search.demo.outline import Pen, Point, between, evenly, meet, smoothstep
from learn2search.demo.palette import FaceColours
from learn2search.demo.svg import Element, fill, group, lit, stroke

CURL_ROWS = ((0.26, 9), (0.55, 8), (0.82, 6))  # how deep between crown and hairline, how many arcs


def back_hair(hair: Hair, palette: FaceColours) -> Element:
    return fill(hair.back(), palette.hair_depth, opacity=hair.visible * hair.sides)


def front_hair(hair: Hair, palette: FaceColours) -> Element:
    details = [*_strands(hair, palette), *_side_strands(hair, palette), *_curls(hair, palette)]
    shape = lit("hair", hair.front(), (palette.hair, palette.hair_shade), (-9, -5), *details)
    return group(shape, opacity=hair.visible)


def _strands(hair: Hair, palette: FaceColours) -> list[Element]:
    """Lines that flow from the part to the hairline."""
    part = 0.52 * hair.person.width * hair.part * (1 - max(0.0, -hair.fringe))
    root = (part, -hair.person.crown - 0.62 * hair.top)
    visible = 0.62 * hair.body * (1 - hair.curl) ** 1.5
    lines = []
    for number, step in enumerate((1, 5, 8, 12, 15, 19, 22)):
        x, y = hair.hairline[step]
        handle = (between(part, x, 0.62) + 0.34 * (x - part), between(root[1], y, 0.22))
        line = Pen().move(root).bend(handle, (x + 0.04 * (x - part), y + 3))
        lines.append(stroke(line, palette.hair_shade if number % 2 else palette.hair_shine, 2.6, opacity=visible))
    return lines


def _side_strands(hair: Hair, palette: FaceColours) -> list[Element]:
    """Lines that follow long hair down."""
    visible = 0.6 * hair.long * (1 - hair.curl)
    lines = []
    for outer, inner in (hair.right, hair.left):
        for share, colour in ((0.3, palette.hair_shade), (0.58, palette.hair_shine), (0.82, palette.hair_shade)):
            points = [meet(far, near, share) for far, near in zip(outer, inner, strict=True)]
            lines.append(stroke(Pen().spline(points[1:-1]), colour, 2.6, opacity=visible))
    return lines


def _curls(hair: Hair, palette: FaceColours) -> list[Element]:
    """Arcs: lighter than dark hair, darker than light hair."""
    pen = Pen()
    for centre, radius in [*_crown_curls(hair), *_side_curls(hair)]:
        pen.arch(centre, radius)
    light_hair = smoothstep(palette.hair.lightness, 0.3, 0.42)
    visible = 0.85 * hair.curl * hair.body
    return [
        stroke(pen, palette.hair_shine, 2.4, opacity=visible * (1 - light_hair)),
        stroke(pen, palette.hair_shade, 2.4, opacity=visible * light_hair),
    ]


def _crown_curls(hair: Hair) -> list[tuple[Point, float]]:
    found = []
    for row, (depth, count) in enumerate(CURL_ROWS):
        tops, ends = evenly(hair.crown, count + 2), evenly(hair.hairline[::-1], count + 2)
        for at in range(1, count + 1):
            x, y = meet(tops[at], ends[at], depth)
            found.append(((x + 6 * (row % 2), y), 6 + 3 * scatter(at + 9 * row)))
    return found


def _side_curls(hair: Hair) -> list[tuple[Point, float]]:
    size = max(0.05, hair.sides)
    return [
        (meet(outer[at], inner[at], 0.3 if at % 2 else 0.68), (5 + 4 * scatter(at)) * size)
        for outer, inner in (hair.right, hair.left)
        for at in range(2, SIDE_POINTS - 1)
    ]
