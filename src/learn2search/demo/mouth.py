"""The mouth: two lips that part when the face laughs."""

from __future__ import annotations

from dataclasses import dataclass

from learn2search.demo.colour import Colour, colour
from learn2search.demo.outline import Pen, Point, between, mirrored, smoothstep
from learn2search.demo.palette import FaceColours
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, clipped, fill, group, stroke

LIP = colour("#b0413f")
LIPSTICK = colour("#b3304a")
THROAT = colour("#6b2328")
TEETH = colour("#fffaf3")


@dataclass(frozen=True)
class Mouth:
    """Half its width, and heights: the corners, the edges of both lips, and where they part."""

    half: float
    corner: float
    top: float
    upper: float
    lower: float
    bottom: float

    @property
    def gap(self) -> float:
        return self.lower - self.upper

    def edge(self, *points: Point) -> list[Point]:
        """A line from the left to the right corner; its right half goes through points (share of half, height)."""
        right = [(share * self.half, y) for share, y in points]
        left = mirrored([point for point in right[::-1] if point[0] > 0])
        return [(-self.half, self.corner), *left, *right, (self.half, self.corner)]

    def towards(self, height: float, share: float) -> float:
        return between(self.corner, height, share)


def geometry(person: DrawnPerson) -> Mouth:
    smile, full = person.smile, person.lips + 0.18 * person.presentation - 0.15 * person.old
    middle = between(44, person.chin, 0.45) + 1.5 + 2.2 * person.nose
    lift = 6.5 * smile + 1.2
    upper = middle + 1 + 0.18 * lift
    lower = upper + 10.5 * smoothstep(smile, 0.2, 1.0)
    return Mouth(
        half=26 + 6.5 * max(0.0, smile) + 3.8 * person.lips - max(0.0, -smile),
        corner=middle - lift,
        top=upper - 6.7 - 4.2 * full,
        upper=upper,
        lower=lower,
        bottom=lower + 9.3 + 5.8 * full,
    )


def mouth(person: DrawnPerson, palette: FaceColours, form: Mouth) -> Element:
    lips = palette.skin.mixed(LIP, 0.36).mixed(LIPSTICK, 0.16 + 0.38 * person.feminine)
    upper_edge = form.edge(
        (0, form.upper), (0.36, form.towards(form.upper, 0.97)), (0.7, form.towards(form.upper, 0.7))
    )
    lower_edge = form.edge(
        (0, form.lower), (0.4, form.towards(form.lower, 0.96)), (0.76, form.towards(form.lower, 0.62))
    )
    inside = Pen().spline(upper_edge).spline(lower_edge[::-1]).close()
    return group(
        _opening(form, inside),
        fill(_upper_lip(form, upper_edge), lips.lighter(-0.06)),
        fill(_lower_lip(form, lower_edge), lips),
        _shine(form, lips),
        stroke(Pen().spline(upper_edge), lips.lighter(-0.22), 2.1, opacity=1 - smoothstep(form.gap, 0.0, 4.0)),
        *_dimples(person, palette, form),
    )


def _upper_lip(form: Mouth, edge: list[Point]) -> Pen:
    """With a bow in its middle."""
    slope = form.towards(form.top, 0.62)
    bow = form.edge((0, form.top + 1.3), (0.14, form.top - 0.6), (0.3, form.top + 0.2), (0.62, slope))
    return Pen().spline(bow).spline(edge[::-1]).close()


def _lower_lip(form: Mouth, edge: list[Point]) -> Pen:
    thick = form.bottom - form.lower
    belly = form.edge(
        (0, form.bottom), (0.34, form.bottom - 0.08 * thick), (0.72, form.towards(form.lower, 0.75) + 0.62 * thick)
    )
    return Pen().spline(edge).spline(belly[::-1]).close()


def _shine(form: Mouth, lips: Colour) -> Element:
    y = between(form.lower, form.bottom, 0.45)
    gleam = Pen().move((-0.3 * form.half, y - 0.5)).bend((-0.1 * form.half, y + 1.2), (0.1 * form.half, y))
    return stroke(gleam, lips.lighter(0.08), 2.4, opacity=0.7)


def _opening(form: Mouth, inside: Pen) -> Element:
    """Teeth in the dark between the lips."""
    edge = form.edge((0, form.upper + 0.66 * form.gap), (0.5, form.towards(form.upper + 0.6 * form.gap, 0.95)))
    lifted = [(x, y - form.gap - 12) for x, y in edge]
    teeth = Pen().spline(edge).spline(lifted[::-1]).close()
    visible = smoothstep(form.gap, 0.0, 1.0)
    return group(fill(inside, THROAT), clipped("mouth", inside, fill(teeth, TEETH)), opacity=visible)


def _dimples(person: DrawnPerson, palette: FaceColours, form: Mouth) -> list[Element]:
    """Small folds at the corners and a shadow under the lower lip."""
    corners = Pen()
    for side in (-1, 1):
        corners.move((side * form.half, form.corner)).line((side * (form.half + 2.6), form.corner - 1.8))
    below = form.bottom + 7
    shadow = Pen().move((-9, below)).bend((0, below + 2.5), (9, below))
    return [
        stroke(corners, palette.skin_line, 2, opacity=0.35 + 0.5 * max(0.0, person.smile)),
        stroke(shadow, palette.skin_line, 2, opacity=0.45),
    ]
