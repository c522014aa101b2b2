"""Simulated visitors over HTTP."""

import numpy as np
import pytest

from learn2search.cli.visitors import Visitors

FEATURES = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


def test_visitors_should_prefer_popular_items() -> None:
    draw = np.random.default_rng(0)
    alike, skewed = ([Visitors(FEATURES, 0.1, 0, skew)._target(draw) for _ in range(3000)] for skew in (0.0, 1.0))
    assert np.bincount(alike, minlength=30).min() > 60
    often = np.bincount(skewed, minlength=30)
    popularity = 1 / np.arange(1, 31)
    assert often / 3000 == pytest.approx(popularity / popularity.sum(), abs=0.03)
