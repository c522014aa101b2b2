import numpy as np
import pytest

from learn2search.oklab import to_oklab
from learn2search.play.color_words import describe
from learn2search.play.colors import Palette, thousand_colors


@pytest.fixture(scope="module")
def palette() -> Palette:
    return thousand_colors()


def lab_of(colour: str) -> np.ndarray:
    return to_oklab(np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255)


def test_there_should_be_a_thousand_different_colours(palette: Palette) -> None:
    assert len(palette) == len(set(palette.hexes)) == len(palette.features) == 1000


def test_features_should_be_those_of_the_hex_values(palette: Palette) -> None:
    np.testing.assert_allclose(palette.features, [lab_of(colour) for colour in palette.hexes], atol=1e-12)


def test_no_two_colours_should_be_close_and_no_gap_wide(palette: Palette) -> None:
    apart = np.linalg.norm(palette.features[:, None] - palette.features[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 0.028
    every_colour = to_oklab(np.random.default_rng(0).random((2000, 3)))
    visible = every_colour[every_colour[:, 0] > 0.2]
    to_nearest = np.linalg.norm(visible[:, None] - palette.features[None], axis=2).min(axis=1)
    assert to_nearest.max() < 0.04


def test_black_and_white_should_be_among_them(palette: Palette) -> None:
    assert {"#000000", "#ffffff"} <= set(palette.hexes)


def test_colours_should_be_the_same_every_time(palette: Palette) -> None:
    assert thousand_colors().hexes == palette.hexes


@pytest.mark.parametrize(
    ("colour", "words"),
    [
        ("#000000", "black"),
        ("#ffffff", "white"),
        ("#808080", "a grey"),
        ("#ff0000", "a vivid red"),
        ("#ffff00", "a very light, vivid yellow"),
        ("#0000ff", "a vivid blue"),
        ("#8b4513", "a brown"),
        ("#ffa500", "a light, vivid orange"),
        ("#ffc0cb", "a light pink"),
        ("#808000", "an olive green"),
        ("#8fc1bd", "a light, muted blue green"),
        ("#000080", "a very dark blue"),
    ],
)
def test_words_should_be_those_a_person_would_use(colour: str, words: str) -> None:
    assert describe(lab_of(colour)) == words


def test_every_colour_should_have_a_short_description(palette: Palette) -> None:
    words = [palette.words(item) for item in range(len(palette))]
    assert all(word.startswith(("a ", "an ")) or word in ("black", "white") for word in words)
    assert max(map(len, words)) <= 36
    assert len(set(words)) > 100
