"""Glasses: from thin round wire to a bold square frame."""

from __future__ import annotations

from learn2search.demo.colour import colours
from learn2search.demo.outline import Pen, between, smoothstep
from learn2search.demo.palette import WHITE
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, Value, group, stroke

WIRE = colours("#a8803f", "#d9b878")  # on fair and on deep skin, where a dark frame would not be seen
FRAME = colours("#221d24", "#b98a4a")


def glasses(person: DrawnPerson) -> Element:
    bold = person.frames
    deep = smoothstep(person.skin, -0.15, 0.45)
    colour = WIRE[0].mixed(WIRE[1], deep).mixed(FRAME[0].mixed(FRAME[1], deep), smoothstep(bold, 0.15, 0.6))
    thick = 1.9 + 4.2 * bold
    half_width, half_height = 30.5 + 2 * bold, 24.5 + bold
    corner = between(half_height + 4, 11, smoothstep(bold, 0.25, 0.95))
    middle = person.eye_distance + 1.5
    bridge = middle - half_width
    parts = [stroke(Pen().move((-bridge, -5)).bend((0, -12), (bridge, -5)), colour, thick)]
    for side in (-1, 1):
        arm = Pen().move((side * (middle + half_width), -6)).line((side * (person.width + 5), -9))
        lens: dict[str, Value] = {"x": side * middle - half_width, "y": 2 - half_height, "rx": corner}
        size: dict[str, Value] = {"width": 2 * half_width, "height": 2 * half_height}
        paint: dict[str, Value] = {"fill": WHITE, "fill_opacity": "0.13", "stroke": colour, "stroke_width": thick}
        parts += [stroke(arm, colour, thick), Element("rect", {**lens, **size, **paint})]
    return group(*parts, opacity=smoothstep(bold, 0.0, 0.2))
