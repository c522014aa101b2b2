"""The colours of a person."""

from __future__ import annotations

from dataclasses import dataclass

from learn2search.demo.colour import Colour, colour, colours, ramp
from learn2search.demo.outline import between, smoothstep
from learn2search.demo.person import DrawnPerson

SKIN = colours("#fadfcd", "#f5ceb1", "#e9b793", "#d8a07a", "#bf8560", "#9e694a", "#7b4d36", "#5b3829")
HAIR = colours(
    "#1d1719", "#2e211e", "#4a2f23", "#6d4128", "#8f4a24", "#b5612b", "#c98f45", "#dcb76c", "#ecd9a8"
)  # black, browns, auburn, copper, gold, platinum
GREY = colours("#8d8b8c", "#dedbd8")  # what dark and light hair fade to
EYES = colours("#33200f", "#5b381b", "#8f6226", "#76903a", "#2f8f7c", "#3d8fc9", "#93bcd6")
CLOTH = colours("#e0a53a", "#dd7a4a", "#c4525c", "#8d4a7c", "#5a559c", "#3a72a8", "#2f8a8c", "#4f8a5a")
BACKDROP = colours("#cfdcdd", "#d3dade", "#dad9dd", "#e3dadb", "#eaddd6", "#ecdfcf", "#e8e0cf", "#dfe0d2")

WHITE = colour("#ffffff")
INK = colour("#241a18")
BLUSH = colour("#e0524a")
TERRACOTTA = colour("#c8663f")


@dataclass(frozen=True)
class FaceColours:
    """The colours that several parts of a face share."""

    skin: Colour
    skin_shade: Colour
    skin_line: Colour  # folds, nostrils, the shadow under the chin
    skin_fold: Colour  # the softer lines of age
    hair: Colour
    hair_shade: Colour
    hair_depth: Colour  # behind the neck
    hair_shine: Colour
    brows: Colour
    iris: Colour
    cloth: Colour
    backdrop: Colour


def palette(person: DrawnPerson) -> FaceColours:
    skin = ramp(SKIN, person.skin)
    hair = _hair(person)
    line = skin.scaled(0.8, 1.28).mixed(TERRACOTTA, 0.42 * smoothstep(-person.skin, -0.5, 0.8))
    shine = between(0.07, 0.045, smoothstep(hair.lightness, 0.7, 0.9))
    return FaceColours(
        skin=skin,
        skin_shade=skin.scaled(0.915, 1.18),
        skin_line=line,
        skin_fold=skin.mixed(line, 0.62),
        hair=hair,
        hair_shade=hair.scaled(0.87, 1.15),
        hair_depth=hair.scaled(0.74, 1.25),
        hair_shine=hair.lighter(shine),
        brows=_brows(hair, skin),
        iris=ramp(EYES, _towards_dark(person.eye_colour, 0.6 * person.deep_skin)),
        cloth=ramp(CLOTH, person.clothes),
        backdrop=ramp(BACKDROP, person.clothes),
    )


def _towards_dark(value: float, share: float) -> float:
    """A position on a ramp, moved by a share of the way to its dark end at -1."""
    return between(value, -1.0, share)


def _hair(person: DrawnPerson) -> Colour:
    """Natural colour first, then grey with age."""
    natural = ramp(HAIR, _towards_dark(person.hair_colour, 0.58 * person.deep_skin))
    grey = GREY[0].mixed(GREY[1], smoothstep(person.hair_colour, -1.0, 0.6))
    share = 0.94 * smoothstep(person.age, 0.15, 1.0)
    return natural.scaled(1.0, 1 - 0.4 * share).mixed(grey, share)


def _brows(hair: Colour, skin: Colour) -> Colour:
    """The hair, darkened, and always dark enough to be seen on the skin."""
    brows = hair.mixed(INK, 0.4).mixed(skin, 0.05)
    darkest = max(0.45, (skin.lightness - 0.16) / brows.lightness)
    return brows.scaled(min(1.0, darkest))
