import numpy as np
import pytest

from learn2search.demo.colour import Colour, colour, colours, ramp
from learn2search.demo.palette import BACKDROP, CLOTH, EYES, HAIR, SKIN, palette
from learn2search.demo.person import person

STOPS = colours("#000000", "#ff0000", "#ffffff")


@pytest.mark.parametrize("text", ["#000000", "#ffffff", "#3a72a8", "#fadfcd"])
def test_a_colour_should_come_back_as_it_was(text: str) -> None:
    assert colour(text).hex == text


def test_a_colour_no_screen_can_show_should_become_the_nearest() -> None:
    assert Colour(1.2, 0.0, 0.0).hex == "#ffffff"


def test_the_middle_of_black_and_white_should_look_like_it() -> None:
    assert colour("#000000").mixed(colour("#ffffff"), 0.5) == pytest.approx((0.5, 0, 0), abs=1e-6)


def test_a_ramp_should_pass_its_stops_at_equal_distances() -> None:
    assert [ramp(STOPS, value).hex for value in (-1, 0, 1)] == ["#000000", "#ff0000", "#ffffff"]
    assert ramp(STOPS, 0.5) == pytest.approx(STOPS[1].mixed(STOPS[2], 0.5))
    assert ramp(STOPS, 7) == STOPS[2]


def test_shade_should_be_darker_and_keep_its_hue() -> None:
    skin = SKIN[3]
    shade = skin.scaled(0.8)
    assert shade.lightness == pytest.approx(0.8 * skin.lightness)
    assert np.arctan2(shade.b, shade.a) == pytest.approx(np.arctan2(skin.b, skin.a))


@pytest.mark.parametrize("stops", [SKIN, HAIR, EYES, CLOTH, BACKDROP])
def test_ramps_should_have_no_sudden_step(stops: tuple[Colour, ...]) -> None:
    steps = np.linalg.norm(np.diff(np.array(stops), axis=0), axis=1)
    assert steps.max() < 0.2


def test_brows_should_be_seen_on_every_skin() -> None:
    values = np.linspace(-1, 1, 9)
    for skin in values:
        for hair in values:
            row = np.zeros(18)
            row[[0, 5]] = skin, hair
            paints = palette(person(row))
            assert paints.skin.lightness - paints.brows.lightness > 0.1
