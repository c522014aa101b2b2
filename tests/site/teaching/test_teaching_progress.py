"""What teaching is worth in searches, and the estimate that falls."""

import numpy as np
import pytest

from learn2search import growth_curve
from learn2search.site.context import Site
from learn2search.site.teaching.next_screen import Screen
from learn2search.site.teaching.teaching_progress import bits_of, searches_so_far, searches_worth, teaching_progress
from learn2search.store.collections import Collection
from learn2search.store.screens import ScreenRow
from tests.site.teaching.test_taught_screens import SHOWN, teach


def test_the_searches_should_hold_as_many_bits_as_the_screens() -> None:
    curve = growth_curve(300, 4)
    for before, bits in ((0.0, 500.0), (50.0, 4000.0), (2000.0, 300.0)):
        after = searches_worth(curve, before, bits)
        places = np.linspace(before, after, 20_001)
        held = np.trapezoid([2 * curve.at(place) for place in places], places)  # log2(4) bits a question
        assert held == pytest.approx(bits, rel=0.01)


def test_a_click_should_hold_what_it_decides() -> None:
    row = ScreenRow("a", 1, "v", 0, SHOWN, (1,), 900, 0.0)
    three = ScreenRow("b", 1, "v", 0, SHOWN, (1, 2, 3), 900, 0.0)
    assert bits_of([row]) == pytest.approx(3.0)
    assert bits_of([row, three]) == pytest.approx(3.0 + 3 * np.log2(6))


def test_the_estimate_should_fall_with_screens(site: Site, collection: Collection) -> None:
    def progress() -> tuple[int, int, float, float]:
        site.forget()
        now = teaching_progress(site, site.collection("colours"), "v")
        assert now.first is not None
        assert now.now is not None
        return now.yours, now.all.screens, now.first, now.now

    assert progress()[:2] == (0, 0)
    assert progress()[2] == progress()[3]
    for anchor in range(9, 30):
        teach(site, Screen(anchor, SHOWN), 3)
        teach(site, Screen(anchor, SHOWN), 3, visitor="another")
    yours, all_of_them, first, now = progress()
    assert (yours, all_of_them) == (21, 42)
    assert now < first
    assert 0 < searches_so_far(site, site.collection("colours")) < 42
