"""Screens cover all items, answers are all pairs of chosen and left, and what is needed is read off a curve."""

import numpy as np
import pytest

from research import teaching


def test_random_screens_should_show_all_items_equally_often() -> None:
    screens = teaching.even_screens(60, 100, np.random.default_rng(0))
    assert all(len(set(row)) == 9 for row in screens.tolist())
    assert np.ptp(np.bincount(screens.ravel(), minlength=60)) <= 1


def test_clicks_should_give_a_triplet_for_each_chosen_and_each_left() -> None:
    oracle = teaching.people(60, 0)
    rows = teaching.answered(oracle, teaching.even_screens(60, 5, np.random.default_rng(0)), 3)
    assert rows.shape == (5 * 3 * 5, 3)
    assert len(np.unique(rows[:15, 1])) == 3
    assert len(np.unique(rows[:15, 2])) == 5


def test_screens_needed_should_lie_where_the_curve_falls_below_the_aim() -> None:
    curve = [{"screens": 100, "mean": 40.0}, {"screens": 400, "mean": 10.0}]
    assert teaching.screens_needed(curve, 20.0) == pytest.approx(200.0)
    assert teaching.screens_needed(curve, 50.0) == 100.0
    assert np.isnan(teaching.screens_needed(curve, 5.0))
    assert teaching.needed_text(float("nan")) == "not reached"
