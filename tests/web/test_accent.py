"""Shades of an accent colour."""

import re
from pathlib import Path

import numpy as np
import pytest

import learn2search.web
from learn2search.oklab import to_oklab
from learn2search.web.accent import DARK_SURFACE, LIGHT_SURFACE, Shades, accent_css, dark_shades, light_shades

RANDOM = [f"#{number:06x}" for number in np.random.default_rng(0).integers(0, 2**24, 25)]
COLOURS = ["#000000", "#ffffff", "#808080", "#777777", "#ff0000", "#00ff00", "#0000ff", "#8a1538", "#f4b73b", *RANDOM]


def ratio(one: str, other: str) -> float:
    """Contrast as WCAG 2 writes it, channel by channel."""

    def luminance(colour: str) -> float:
        channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", COLOURS)
def test_words_should_be_readable_on_every_accent_in_both_modes(colour: str) -> None:
    for shades, surface in ((light_shades(colour), LIGHT_SURFACE), (dark_shades(colour), DARK_SURFACE)):
        assert ratio(shades.fill, shades.ink) >= 4.5
        assert ratio(shades.line, surface) >= 4.5


def lab(colour: str) -> tuple[float, float, float]:
    rgb = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    lightness, a, b = to_oklab(rgb)
    return float(lightness), float(np.hypot(a, b)), float(np.degrees(np.arctan2(b, a)))


def test_a_colour_should_stay_as_it_is_where_words_can_be_read_on_it() -> None:
    assert light_shades("#f4b73b").fill == "#f4b73b"
    assert light_shades("#f4b73b").ink == "#261b2d"
    assert light_shades("#8a1538").ink == "#ffffff"
    changed = light_shades("#767676").fill
    assert changed != light_shades("#8a1538").fill
    assert abs(lab("#7d7d7d")[0] - lab(light_shades("#7d7d7d").fill)[0]) < 0.06, "the nearest shade, not another colour"


def test_dark_pages_should_have_a_lighter_shade_of_the_same_hue() -> None:
    for colour in ("#8a1538", "#1b4f9c", "#0b6b3a"):
        lightness, _, hue = lab(dark_shades(colour).fill)
        assert lightness >= 0.715
        assert abs(hue - lab(colour)[2]) < 4


def test_the_surfaces_should_be_those_of_the_pages() -> None:
    tokens = (Path(learn2search.web.__file__).parent / "static" / "tokens.css").read_text()
    assert re.findall(r"--surface: (#\w+);", tokens) == ["#fff", DARK_SURFACE]
    assert LIGHT_SURFACE == "#ffffff"


def test_the_stylesheet_should_name_the_shades() -> None:
    css = accent_css("#8a1538")
    assert isinstance(light_shades("#8a1538"), Shades)
    assert "--gold: #8a1538; --gold-ink: #ffffff;" in css
    assert css.count("--gold-soft:") == css.count("--gold-line:") == 2
