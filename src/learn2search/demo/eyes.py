"""Eyes with lids, lashes and the lines around them; brows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from learn2search.demo.colour import Colour, colour
from learn2search.demo.outline import Pen, Point, between, smoothstep
from learn2search.demo.palette import WHITE, FaceColours
from learn2search.demo.person import DrawnPerson
from learn2search.demo.svg import Element, circle, clipped, fill, group, stroke

PUPIL = colour("#17110f")
EYEBALL = colour("#fdfaf6")
LASHES = colour("#2a1b19")
LID_SHADOW = colour("#3a2a28")

# How high a lid stands over the line between the corners, from the inner to the outer corner.
UPPER_LID = (0.0, 0.74, 1.0, 0.82, 0.0)
LOWER_LID = (0.0, 0.66, 0.98, 0.86, 0.0)


@dataclass(frozen=True)
class Eye:
    """The geometry of an eye on one side (1 right, -1 left)."""

    side: int
    middle: float
    half: float
    upper: float
    lower: float
    tilt: float  # how much the outer corner is raised

    def at(self, along: float, lift: float = 0.0) -> Point:
        """A point `along` the line from the inner (0) to the outer corner (1), lifted above it."""
        x = self.middle - self.half + 2 * self.half * along
        y = between(1.5 + 0.6 * self.tilt, -1.0 - self.tilt, along)
        return self.side * x, y - lift

    def lid(self, profile: Sequence[float], height: float) -> list[Point]:
        return [self.at(step / (len(profile) - 1), height * lift) for step, lift in enumerate(profile)]

    @property
    def upper_lid(self) -> list[Point]:
        return self.lid(UPPER_LID, self.upper)

    @property
    def lower_lid(self) -> list[Point]:
        return self.lid(LOWER_LID, -self.lower)

    @property
    def opening(self) -> Pen:
        return Pen().spline(self.upper_lid).spline(self.lower_lid[::-1]).close()


def geometry(person: DrawnPerson, side: int) -> Eye:
    shape, smile = person.eye_shape, person.smile
    upper = 12.6 + 4.6 * shape + 2 * person.young - person.old + 0.7 * person.presentation
    return Eye(
        side=side,
        middle=person.eye_distance,
        half=19.6 + 2.4 * shape + 1.4 * person.young,
        upper=upper - 1.2 * max(0.0, -smile),
        lower=7.4 + 3.0 * shape - 1.5 * max(0.0, smile),
        tilt=-4.2 * shape,
    )


def eye(person: DrawnPerson, palette: FaceColours, side: int) -> Element:
    form = geometry(person, side)
    lashes = LASHES.mixed(palette.skin_line, 0.2 * smoothstep(person.masculine, 0.0, 0.5))
    return group(
        fill(form.opening, EYEBALL.mixed(palette.skin, 0.06)),
        clipped("eye-right" if side > 0 else "eye-left", form.opening, *_iris(person, palette, form)),
        *_lids(person, palette, form, lashes),
        *_wrinkles(person, palette, form),
    )


def _iris(person: DrawnPerson, palette: FaceColours, form: Eye) -> list[Element]:
    """Iris with a dark rim and a glow below, pupil, the shadow of the lid, and the light of a window."""
    radius = 11.4 + 2 * person.eye_shape + 0.8 * person.young
    x, y = form.at(0.5, 0.18 * form.upper - 0.6)
    return [
        circle((x, y), radius, palette.iris.scaled(0.78)),
        circle((x, y + 0.8), radius - 1.6, palette.iris),
        circle((x, y + 0.42 * radius), 0.5 * radius, palette.iris.lighter(0.09), opacity=0.6),
        circle((x, y), 0.48 * radius, PUPIL),
        stroke(Pen().spline(form.upper_lid), LID_SHADOW, 6, opacity=0.18),
        circle((x + 3.4, y - 3.6), 2.8, WHITE),
        circle((x - 3.6, y + 3.8), 1.2, WHITE, opacity=0.7),
    ]


def _lids(person: DrawnPerson, palette: FaceColours, form: Eye, lashes: Colour) -> list[Element]:
    """The lash line with its wing, and the crease above, which the narrowest eyes do not have."""
    wing = smoothstep(person.presentation, -0.1, 0.9)
    (x, y), side = form.at(1.0), form.side
    flick = Pen().move((x - side, y)).bend((x + side * 2.5 * wing, y - wing), (x + side * 5.5 * wing, y - 4.2 * wing))
    height = 1.22 * form.upper + 1.5
    crease = [form.at(0.08, 0.62 * form.upper), form.at(0.36, height), form.at(0.7, height), form.at(1.03, 5)]
    visible = 0.75 * smoothstep(person.eye_shape, -1.0, -0.3)
    return [
        stroke(Pen().spline(form.upper_lid), lashes, 2.4 + 1.2 * person.feminine),
        stroke(flick, lashes, 1.4 + 1.6 * wing, opacity=smoothstep(wing, 0.0, 0.2)),
        stroke(Pen().spline(crease), palette.skin_line, 1.7, opacity=visible),
    ]


def _wrinkles(person: DrawnPerson, palette: FaceColours, form: Eye) -> list[Element]:
    """A bag below the eye and crow's feet beside it."""
    bag = [form.at(0.12, -form.lower - 6), form.at(0.45, -form.lower - 9.5), form.at(0.82, -form.lower - 6)]
    (x, y), side = form.at(1.0), form.side
    reach = side * 9 * between(0.5, 1.0, person.old)
    feet = Pen()
    for drop in (-1.0, 6.0):
        feet.move((x + side * 6, y + drop)).line((x + side * 6 + reach, y + 1.5 * drop))
    visible = 0.95 * person.old
    return [
        stroke(Pen().spline(bag), palette.skin_fold, 2.4, opacity=visible),
        stroke(feet, palette.skin_fold, 2.2, opacity=visible),
    ]


def brow(person: DrawnPerson, palette: FaceColours, side: int) -> Element:
    """A blade, thick at the nose and pointed at the temple; a smile lifts it, seriousness lowers its inner end."""
    masculine, smile = -person.presentation, person.smile
    half = 23.5 + masculine + 0.8 * person.brows
    thick = 6.6 + 4.4 * person.brows + masculine
    slope = -4.2 * smile - person.eye_shape
    arch = 4.8 - 2.2 * masculine
    height = -31.5 - 3.2 * person.eye_shape + masculine + 1.2 * person.brows - 2.4 * smile

    def at(along: float, rise: float, width: float) -> Point:
        x = between(person.eye_distance - half, person.eye_distance + half + 2, along)
        return side * x, height + slope * (1 - 2 * along) - rise * arch + width * thick

    upper = [at(0.0, 0.0, -0.25), at(0.35, 0.75, -0.5), at(0.68, 1.0, -0.42), at(1.0, 0.0, 0.2)]
    lower = [at(0.66, 1.0, 0.4), at(0.33, 0.75, 0.5), at(0.02, 0.0, 0.6)]
    blade = Pen().loop([*upper, *lower], tension=0.9)
    return fill(blade, palette.brows, stroke=palette.brows, stroke_width=1.2, stroke_linejoin="round")
