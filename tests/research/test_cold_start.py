"""The study of first searches: the least number of questions, and what is asked."""

import numpy as np
import pytest

from research import cold_start


def test_the_first_search_should_cost_what_showing_all_items_in_pairs_costs() -> None:
    places = np.arange(200) // 2 + 1  # the question that shows an item, for all targets alike
    assert cold_start.least_questions(200, 0.8, 1)[0] == pytest.approx(places.mean())


def test_the_least_questions_should_fall_as_the_formula_for_few_bits_says() -> None:
    """n / 4 / (1 + c ln 2 S / 4), while the bits about an item are few and quickly used."""
    found = cold_start.least_questions(100_000, 0.8, 40)
    expected = 25_000 / (1 + 0.8 * np.log(2) * np.arange(40) / 4)
    assert found == pytest.approx(expected, rel=0.08)


def test_the_least_questions_should_never_be_below_what_finding_a_known_item_takes() -> None:
    late = cold_start.least_questions(200, 0.8, 3000)[-1]
    assert np.log2(200) - 3 < 0.8 * late < np.log2(200) + 2


@pytest.mark.parametrize("design", cold_start.DESIGNS)
def test_questions_should_be_pairs_of_different_items(design: str) -> None:
    generator = np.random.default_rng(0)
    shown = cold_start.pairs(design, 75, generator.permutation(cold_start.ITEMS), generator)
    assert shown.shape == (75, 2)
    assert len(np.unique(shown[:, 1])) == 75
    assert shown.min() >= 0
    assert shown.max() < cold_start.ITEMS
