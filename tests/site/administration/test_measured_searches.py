"""Shares and medians with their intervals."""

import numpy as np
import pytest
from scipy import stats

from learn2search.site.administration.measured_searches import measured, median_of, share_of
from learn2search.store.collections import Collection
from learn2search.store.searches import SearchRow
from tests.store.rows import new_search


@pytest.mark.parametrize(("count", "total"), [(0, 7), (8, 10), (10, 10), (37, 400)])
def test_a_share_should_have_wilsons_interval(count: int, total: int) -> None:
    found = share_of(count, total)
    known = stats.binomtest(count, total).proportion_ci(0.95, method="wilson")
    assert [found.low, found.high] == pytest.approx([known.low, known.high], abs=1e-9)


def test_the_interval_of_a_median_should_hold_it_as_often_as_it_says() -> None:
    draw = np.random.default_rng(0)
    samples = draw.geometric(0.01, (400, 60))  # the true median is 69
    held = [found.low <= 69 <= found.high for found in (median_of(sample.tolist()) for sample in samples)]
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)


def ended(target: int | None, questions: int | None) -> SearchRow:
    """A search for item 3."""
    faces = Collection(1, "faces", "Faces", {}, 1, 0, 0.0)
    return new_search(faces, status="found", to_find=3, target=target, questions=questions)


def test_all_ends_should_be_counted_once() -> None:
    found = measured([ended(3, 4), ended(5, 9), ended(None, None)])
    assert found is not None
    assert found.found.count + found.wrong.count + found.given_up.count == found.total == 3
    assert found.questions is not None
    assert found.questions.median == 4, "of those that found it alone"
    assert measured([]) is None
