"""The nose: one line for wings and tip, a shade along the bridge, a light on the tip."""

from __future__ import annotations

from learn2search.demo.outline import Pen, mirrored
from learn2search.demo.palette import FaceColours
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, ellipse, fill, group, stroke


def nose(person: DrawnPerson, palette: FaceColours) -> Element:
    size = person.nose - 0.12 * person.presentation + 0.12 * person.old
    half = 15.8 + 7.2 * size - 1.5 * person.young
    tip = 44.5 + 9.5 * size - 4 * person.young

    bridge = Pen().move((5, -4)).curve((6 + size, 0.35 * tip), (6.5 + 1.5 * size, 0.6 * tip), (0.92 * half, tip - 3))
    bridge.curve((0.6 * half, tip + 2), (4, tip + 3), (3, tip + 1)).close()
    wing = [(half, tip - 5.5), (half + 0.2, tip - 0.5), (0.68 * half, tip + 2.2), (0.36 * half, tip + 1.4)]
    wings = Pen().spline([*wing, (0, tip + 5.2), *mirrored(wing[::-1])])
    return group(
        fill(bridge, palette.skin_shade),
        stroke(wings, palette.skin_line, 2.9),
        ellipse((-2.5, tip - 5), (3.6 + 0.8 * size, 3.2), palette.skin.lighter(0.035), opacity=0.8),
    )
