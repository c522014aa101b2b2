"""Each kind of features counts alike, and what comes later changes nothing."""

import numpy as np
import pytest

from learn2search.site.catalogue.features.feature_blocks import Block, join, principal_components

RNG = np.random.default_rng(0)
SMALL, LARGE = RNG.normal(size=(20, 3)), 100 + 50 * RNG.normal(size=(15, 7))


def test_each_block_should_have_a_total_variance_of_one_and_missing_items_its_mean() -> None:
    items = np.arange(5, 20)
    features = join([Block(np.arange(20), SMALL), Block(items, LARGE)], 20, 20)
    assert features.shape == (20, 10)
    assert features[:, :3].var(axis=0).sum() == pytest.approx(1)
    assert features[5:, 3:].var(axis=0).sum() == pytest.approx(1)
    assert not features[:5, 3:].any()
    np.testing.assert_allclose(features[5:].mean(axis=0)[3:], 0, atol=1e-12)


def test_later_items_should_not_move_the_first() -> None:
    first = join([Block(np.arange(12), SMALL[:12])], 12, 12)
    np.testing.assert_allclose(join([Block(np.arange(20), SMALL)], 20, 12)[:12], first)


def test_blocks_that_say_nothing_should_be_left_out() -> None:
    plain = Block(np.arange(20), np.ones((20, 4)))
    late = Block(np.array([19]), np.ones((1, 4)))
    empty = Block(np.arange(20), np.zeros((20, 0)))
    assert join([plain, late, empty], 20, 10).shape == (20, 0)
    assert join([], 20, 10).shape == (20, 0)


def test_principal_components_should_keep_distances_where_axes_suffice() -> None:
    found = principal_components(SMALL, np.ones(20, bool), 5)
    assert (found**2).mean() == pytest.approx(1)
    ratio = np.linalg.norm(found[1:] - found[0], axis=1) / np.linalg.norm(SMALL[1:] - SMALL[0], axis=1)
    np.testing.assert_allclose(ratio, ratio[0])
    wide = RNG.normal(size=(6, 9))  # more columns than rows
    found = principal_components(wide, np.ones(6, bool), 5)
    np.testing.assert_allclose(pairwise(found), pairwise(wide) * 5 / spread(wide))
    assert not principal_components(np.zeros((4, 0)), np.ones(4, bool), 2).any()


def pairwise(rows: np.ndarray) -> np.ndarray:
    """Squared distances."""
    return np.asarray(((rows[:, None] - rows[None]) ** 2).sum(axis=-1))


def spread(rows: np.ndarray) -> float:
    """The sum of the variances of the columns."""
    return float(rows.var(axis=0).sum())
