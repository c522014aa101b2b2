"""From the 18 features to a person: traits, which mix several features, and the proportions of the head.

Lengths are in drawing units. The origin lies between the eyes, x points right, y down; the head is about 180 wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from numpy.typing import ArrayLike

from learn2search.demo.outline import clamp, smoothstep
from learn2search.demo.similarity import NAMES, checked_row


@dataclass(frozen=True)
class DrawnPerson:
    """The features as they came, by name."""

    skin: float
    presentation: float
    age: float
    head: float
    jaw: float
    hair_colour: float
    hair_length: float
    hair_curl: float
    hair_style: float
    brows: float
    eye_shape: float
    eye_colour: float
    nose: float
    lips: float
    mood: float
    beard: float
    glasses: float
    clothes: float

    # --- traits: 0 is absent, 1 is full, unless it says otherwise ----------------------------------------------

    @cached_property
    def feminine(self) -> float:
        return max(0.0, self.presentation)

    @cached_property
    def masculine(self) -> float:
        return max(0.0, -self.presentation)

    @cached_property
    def old(self) -> float:
        return smoothstep(self.age, -0.1, 1.0)

    @cached_property
    def young(self) -> float:
        return smoothstep(-self.age, -0.15, 1.0)

    @cached_property
    def deep_skin(self) -> float:
        return smoothstep(self.skin, -0.35, 0.85)

    @cached_property
    def smile(self) -> float:
        """From -0.3, serious, to 1, laughing: most people on portraits are friendly."""
        return 0.35 + 0.65 * self.mood

    @cached_property
    def hair(self) -> float:
        """The length of the hair from -1 to 1; long hair is more frequent among feminine faces."""
        return clamp(0.8 * self.hair_length + 0.34 * self.presentation + 0.02)

    @cached_property
    def whiskers(self) -> float:
        """Beard, for those masculine enough to have one: about a fifth of all faces."""
        return max(0.0, 0.75 * self.beard - 0.62 * self.presentation - 0.38) / 0.99

    @cached_property
    def frames(self) -> float:
        """Glasses: none for two thirds of the faces, then from thin wire to bold frames."""
        return max(0.0, (self.glasses - 0.26) / 0.74)

    # --- proportions -------------------------------------------------------------------------------------------

    @cached_property
    def width(self) -> float:
        """Half the width of the head."""
        return 86 + 10 * self.head - 1.5 * self.presentation + 2.5 * self.old

    @cached_property
    def crown(self) -> float:
        """From the eyes up to the top of the head."""
        return 106 - 2 * self.head

    @cached_property
    def chin(self) -> float:
        """From the eyes down to the chin."""
        return 118 - 10 * self.head - 3.5 * self.presentation - 9 * self.young - 3.5 * self.jaw

    @cached_property
    def jaw_corner(self) -> float:
        """Half the width of the jaw."""
        squareness = self.jaw - 0.28 * self.presentation
        return self.width * (0.735 + 0.13 * squareness + 0.03 * (self.old + self.young))

    @cached_property
    def chin_corner(self) -> float:
        """Half the width of the chin."""
        squareness = self.jaw - 0.28 * self.presentation
        return self.width * (0.31 + 0.165 * squareness)

    @cached_property
    def neck(self) -> float:
        """Half the width of the neck."""
        return 37 - 8.5 * self.presentation + 2 * self.head

    @cached_property
    def eye_distance(self) -> float:
        """From the middle line to the middle of an eye."""
        return 0.435 * self.width


def person(row: ArrayLike) -> DrawnPerson:
    """The person with these 18 features."""
    return DrawnPerson(**dict(zip(NAMES, checked_row(row).tolist(), strict=True)))
