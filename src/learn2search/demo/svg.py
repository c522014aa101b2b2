"""A drawing as a tree of SVG elements, and its text.

Only presentation attributes are used, no styles, scripts or references to other files, so that a drawing may stand
inside a page with the strictest Content-Security-Policy. Parts of a drawing refer to each other by short names; the
text puts a prefix before each, so that many drawings can share a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from learn2search.demo.colour import Colour
from learn2search.demo.outline import Pen, Point, number

Value = str | float | Colour | Pen
INVISIBLE = 0.005
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Element:
    """An element; its attributes have _ where SVG has -. If `shown` is next to nothing, the text leaves it out."""

    name: str
    attributes: dict[str, Value] = field(default_factory=dict)
    children: tuple[Element, ...] = ()
    shown: float = 1.0

    def walk(self) -> Iterator[Element]:
        """The element and everything in it, in drawing order."""
        yield self
        for child in self.children:
            yield from child.walk()


def group(*children: Element, opacity: float = 1.0, shown: float = 1.0, **attributes: Value) -> Element:
    return Element("g", _faded(attributes, opacity), children, min(shown, opacity))


def fill(pen: Pen, colour: Colour, opacity: float = 1.0, **attributes: Value) -> Element:
    """A filled shape."""
    return Element("path", _faded({"d": pen, "fill": colour, **attributes}, opacity), shown=opacity)


def stroke(pen: Pen, colour: Colour, width: float, opacity: float = 1.0, **attributes: Value) -> Element:
    """A line with round ends."""
    line: dict[str, Value] = {"d": pen, "fill": "none", "stroke": colour, "stroke_width": width}
    rounded: dict[str, Value] = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return Element("path", _faded({**line, **rounded, **attributes}, opacity), shown=opacity)


def circle(centre: Point, radius: float, colour: Colour, opacity: float = 1.0) -> Element:
    place: dict[str, Value] = {"cx": centre[0], "cy": centre[1], "r": radius, "fill": colour}
    return Element("circle", _faded(place, opacity), shown=min(opacity, radius))


def ellipse(centre: Point, radii: Point, colour: Colour, opacity: float = 1.0) -> Element:
    place: dict[str, Value] = {"cx": centre[0], "cy": centre[1], "rx": radii[0], "ry": radii[1], "fill": colour}
    return Element("ellipse", _faded(place, opacity), shown=opacity)


def clipped(name: str, shape: Pen, *children: Element, opacity: float = 1.0) -> Element:
    """What of the children lies inside the shape."""
    clip = Element("clipPath", {"id": name}, (Element("path", {"d": shape}),))
    return group(clip, group(*children, clip_path=name), opacity=opacity)


def lit(
    name: str,
    shape: Pen,
    colours: tuple[Colour, Colour],
    shift: Point,
    *details: Element,
    rule: str = "nonzero",
) -> Element:
    """A shape under a light from the upper left: its shade, and on it the same shape in light, shifted towards it."""
    light, shade = colours
    outline = Element("path", {"id": name, "d": shape, "fill_rule": rule, "clip_rule": rule})
    clip = Element("clipPath", {"id": f"{name}-clip"}, (Element("use", {"href": name}),))
    towards = f"translate({number(shift[0])} {number(shift[1])})"
    bright = Element("use", {"href": name, "fill": light, "transform": towards})
    return group(
        Element("defs", {}, (outline, clip)),
        Element("use", {"href": name, "fill": shade}),
        group(bright, *details, clip_path=f"{name}-clip"),
    )


def to_text(element: Element, prefix: str) -> str:
    """The element as SVG text, every name in it with the prefix before it."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"a prefix is a letter, then letters, digits, - or _, as in 'face7-', got {prefix!r}")
    return _text(element, prefix)


def _text(element: Element, prefix: str) -> str:
    if element.shown < INVISIBLE:
        return ""
    written = "".join(
        f' {name.replace("_", "-")}="{_value(name, value, prefix)}"' for name, value in element.attributes.items()
    )
    inside = "".join(_text(child, prefix) for child in element.children)
    return f"<{element.name}{written}>{inside}</{element.name}>" if inside else f"<{element.name}{written}/>"


def _value(name: str, value: Value, prefix: str) -> str:
    if isinstance(value, Colour):
        return value.hex
    if isinstance(value, Pen):
        return value.data
    if not isinstance(value, str):
        return f"{value:.2f}" if name == "opacity" else number(value)
    if name == "id":
        return prefix + value
    if name == "href":
        return f"#{prefix}{value}"
    return f"url(#{prefix}{value})" if name == "clip_path" else value


def _faded(attributes: dict[str, Value], opacity: float) -> dict[str, Value]:
    return attributes if opacity == 1.0 else {**attributes, "opacity": opacity}
