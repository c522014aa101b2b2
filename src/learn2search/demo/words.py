"""A face in words, for those who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from learn2search.demo.outline import between
from learn2search.demo.person import DrawnPerson, person

# Each word holds up to its number.
Scale = Sequence[tuple[float, str]]

AGE: Scale = ((-0.45, "A young face"), (0.35, "A face in its middle years"), (2.0, "An older face"))
SKIN: Scale = ((-0.6, "fair"), (-0.15, "light brown"), (0.35, "brown"), (2.0, "deep brown"))
LENGTH: Scale = ((-0.75, "cropped"), (-0.2, "short"), (0.25, "chin-length"), (2.0, "long"))
CURL: Scale = ((-0.55, "straight"), (0.0, "wavy"), (0.5, "curly"), (2.0, "tightly curled"))
COLOUR: Scale = (
    *((-0.65, "black"), (-0.3, "dark brown"), (-0.05, "brown"), (0.15, "auburn")),
    *((0.4, "copper"), (0.75, "golden"), (2.0, "platinum")),
)
BEARD: Scale = ((0.05, ""), (0.3, "a moustache"), (0.52, "a moustache and goatee"), (2.0, "a full beard"))
GLASSES: Scale = ((0.0, ""), (0.35, "thin round glasses"), (0.7, "glasses"), (2.0, "bold square glasses"))
MOOD: Scale = ((0.0, "serious"), (0.45, "a quiet smile"), (0.7, "smiling"), (2.0, "laughing"))


def describe(features_row: ArrayLike) -> str:
    """One sentence: "A young face, fair skin, long wavy auburn hair, thin round glasses, smiling."."""
    who = person(features_row)
    parts = [
        _word(AGE, who.age),
        f"{_word(SKIN, who.skin)} skin",
        _hair(who),
        _word(BEARD, who.whiskers),
        _word(GLASSES, who.frames),
        _word(MOOD, who.smile),
    ]
    return ", ".join(part for part in parts if part) + "."


def _word(scale: Scale, value: float) -> str:
    return next(word for limit, word in scale if value <= limit)


def _hair(who: DrawnPerson) -> str:
    if who.hair < -0.93:
        return "a shaved head"
    natural = between(who.hair_colour, -1.0, 0.58 * who.deep_skin)
    colour = _word(COLOUR, natural) if who.age < 0.45 else "grey" if who.hair_colour < 0.1 else "white"
    if who.hair < -0.6:  # too short to show its curls
        return f"{_word(LENGTH, who.hair)} {colour} hair"
    return f"{_word(LENGTH, who.hair)} {_word(CURL, who.hair_curl)} {colour} hair"
