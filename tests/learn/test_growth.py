"""The growth of a collection: what is simulated, what is interpolated, and when it has learnt."""

import json
import math
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.learn.growth import GROWN

ROWS = json.loads((files("learn2search.learn") / "growth.json").read_text())["rows"]


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["items"] >= 100], ids=lambda row: f"{row['items']}-{row['shown']}"
)
def test_a_simulated_size_should_be_given_as_it_was_measured(row: dict[str, Any]) -> None:
    curve = l2s.growth_curve(row["items"], row["shown"])
    assert np.allclose(np.array(curve.searches) / row["items"], row["at"], rtol=0.02)
    assert np.allclose(curve.questions, row["questions"], rtol=0.02)
    assert curve.best == pytest.approx(row["best"])
    assert not curve.extrapolated


def test_between_two_sizes_a_curve_should_lie_between_theirs() -> None:
    small, middle, large = (l2s.growth_curve(n) for n in (100, 200, 300))
    assert all(a < b < c for a, b, c in zip(small.questions, middle.questions, large.questions, strict=True))
    assert small.best < middle.best < large.best
    assert l2s.growth_curve(200, 6).questions[-1] < middle.questions[-1], "more pictures spare questions"


@pytest.mark.parametrize("k", [2, 4, 6, 9, 12])
@pytest.mark.parametrize("n_items", [20, 100, 500, 2000, 100_000])
def test_every_curve_should_fall_to_its_best(n_items: int, k: int) -> None:
    curve = l2s.growth_curve(n_items, k)
    assert curve.extrapolated == (not 30 <= n_items <= max(row["items"] for row in ROWS))
    assert np.isfinite(curve.questions).all()
    assert min(curve.questions) >= curve.best >= 1
    if curve.enough is not None and curve.enough <= curve.searches[-1]:
        assert curve.at(curve.enough) <= GROWN * curve.best * 1.001


def test_enough_should_be_where_the_curve_crosses() -> None:
    curve = l2s.GrowthCurve(100, 4, (10.0, 100.0, 1000.0), (20.0, 8.0, 4.0), best=4.0)
    share = math.log(8 / 5) / math.log(8 / 4)  # log questions fall linearly from 8 at 100 to 4 at 1000
    assert curve.enough == pytest.approx(10 ** (2 + share))
    assert l2s.GrowthCurve(100, 4, (1.0, 10.0), (20.0, 8.0), best=4.0).enough is None
    falls = l2s.GrowthCurve(100, 4, (100.0, 200.0, 400.0), (12.0, 8.0, 6.0), best=4.0)  # 4 + 800 / searches
    assert falls.enough == pytest.approx(800.0), "the questions above the best halve with twice the searches"
    assert l2s.GrowthCurve(100, 4, (100.0, 200.0, 400.0), (12.0, 11.9, 11.8), best=4.0).enough is None
    assert l2s.GrowthCurve(100, 4, (1.0, 10.0), (4.5, 4.2), best=4.0).enough == 1.0
    risen = l2s.GrowthCurve(100, 4, (1.0, 10.0, 100.0), (20.0, 4.0, 6.0), best=4.0)
    assert risen.enough < 10, "what was reached is not lost by scatter"


def test_a_simulation_should_learn_and_repeat_itself() -> None:
    first, again = (l2s.simulate_growth(40, 4, per_item=2, seed=3) for _ in range(2))
    assert first == again
    assert first.questions[-1] < 0.8 * max(first.questions)
    assert first.best < first.questions[-1]


@pytest.mark.parametrize(("n_items", "k", "message"), [(5, 4, "20 or more items"), (100, 13, "2 to 12")])
def test_what_cannot_be_should_be_said(n_items: int, k: int, message: str) -> None:
    for make in (l2s.growth_curve, l2s.simulate_growth):
        with pytest.raises(ValueError, match=message):
            make(n_items, k)
