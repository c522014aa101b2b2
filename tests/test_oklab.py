import numpy as np
import pytest

from learn2search.oklab import contrast, in_gamut, luminance, to_oklab, to_rgb

# From the definition in decimal arithmetic of 50 digits, to six places.
KNOWN = {
    "white": ((1, 1, 1), (1.0, 0.0, 0.0)),
    "black": ((0, 0, 0), (0.0, 0.0, 0.0)),
    "red": ((1, 0, 0), (0.627955, 0.224863, 0.125846)),
    "green": ((0, 1, 0), (0.866440, -0.233888, 0.179498)),
    "blue": ((0, 0, 1), (0.452014, -0.032457, -0.311528)),
    "yellow": ((1, 1, 0), (0.967983, -0.071369, 0.198570)),
    "mid grey": ((0.5, 0.5, 0.5), (0.598181, 0.0, 0.0)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_colours_should_have_their_known_coordinates(name: str) -> None:
    rgb, lab = KNOWN[name]
    np.testing.assert_allclose(to_oklab(np.array(rgb, float)), lab, atol=2e-6)


def test_the_way_there_and_back_should_change_nothing() -> None:
    rgb = np.random.default_rng(0).random((2000, 3))
    np.testing.assert_allclose(to_rgb(to_oklab(rgb)), rgb, atol=1e-9)


def test_gamut_should_hold_what_a_screen_shows_and_nothing_stronger() -> None:
    red = to_oklab(np.array([0.99, 0.01, 0.01]))
    assert in_gamut(red)
    assert not in_gamut(red * [1, 1.2, 1.2])


def test_contrast_should_be_that_of_the_guidelines() -> None:
    black, white, grey = np.zeros(3), np.ones(3), np.full(3, 0x76 / 255)
    assert contrast(black, white) == contrast(white, black) == pytest.approx(21)
    assert contrast(grey, white) == pytest.approx(4.54, abs=0.005)  # the known darkest grey below which white fails
    assert luminance(np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])) == pytest.approx([0.2126, 0.7152, 0.0722])
