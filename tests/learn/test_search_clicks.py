"""The clicks of finished searches as arrays."""

import numpy as np
import pytest

from learn2search.learn.search_clicks import clicks_from_triplets, clicks_of
from learn2search.triplets import click_weights, from_search

SEARCHES: list[tuple[int, list[tuple[tuple[int, ...], int | None]]]] = [
    (9, [((4, 2, 7), 2), ((5, 6), None), ((1, 3), 3)]),
    (8, []),
    (7, [((7, 2, 0, 1), 0), ((3, 4, 5, 6), 6)]),  # the target was shown and overlooked
]


def test_clicks_should_give_the_triplets_of_their_searches() -> None:
    clicks = clicks_of(SEARCHES)
    rows, search = clicks.triplets()
    expected = [from_search(target, steps) for target, steps in SEARCHES]
    np.testing.assert_array_equal(rows, np.concatenate(expected))
    np.testing.assert_array_equal(search, np.repeat([0, 1, 2], [len(part) for part in expected]))
    np.testing.assert_allclose(clicks.triplet_weights(), click_weights(rows))
    assert clicks.places.tolist() == [1, 1, 2, 3]
    assert clicks.sizes.tolist() == [3, 2, 3, 4]


def test_triplets_should_be_grouped_into_clicks_again() -> None:
    given = clicks_of(SEARCHES)
    rows, search = given.triplets()
    places = np.repeat(given.places, given.sizes - 1)
    again = clicks_from_triplets(rows, search + 5, places)
    assert again.targets.tolist() == [9, 7]  # a search without a click is not seen
    for name in ("shown", "places", "sizes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(given, name))
    assert clicks_from_triplets(rows, search).places.tolist() == [-1] * 4


def test_a_click_on_what_was_not_shown_should_be_an_error() -> None:
    with pytest.raises(ValueError, match="item 5 was not shown"):
        clicks_of([(9, [((4, 2), 5)])])
