"""Where fits of many items begin: against dense linear algebra, and whether the positions tell what people answer."""

import numpy as np
import pytest
from scipy import linalg

import learn2search as l2s
from learn2search import accelerated
from learn2search.typing import Array, Array32, Triplets

N, D = 400, 3


def world(count: int, popularity: Array | None = None, noise: float = 0.4, seed: int = 0) -> tuple[Array, Triplets]:
    """Features, and a person's answers about random items; popularity: of the items."""
    generator = np.random.default_rng(seed)
    features, weights = generator.normal(size=(N, D)), np.ones(N) if popularity is None else popularity
    drawn = generator.choice(N, size=(2 * count, 3), p=weights / weights.sum())
    different = (drawn[:, 0] != drawn[:, 1]) & (drawn[:, 0] != drawn[:, 2]) & (drawn[:, 1] != drawn[:, 2])
    rows = drawn[different][:count]
    margins = l2s.margin(features[rows[:, 1]], features[rows[:, 2]], features[rows[:, 0]])
    turned = margins + noise * generator.normal(size=len(rows)) < 0
    rows[turned] = rows[turned][:, [0, 2, 1]]
    return features, rows


def share_right(positions: Array | Array32, rows: Triplets) -> float:
    x = np.asarray(positions, np.float64)
    return float(np.mean(l2s.margin(x[rows[:, 1]], x[rows[:, 2]], x[rows[:, 0]]) > 0))


def dense(rows: Triplets) -> Array:
    """A without the direction of popularity."""
    s, counts = np.zeros((N, N)), np.bincount(rows.ravel(), minlength=N) + np.bincount(rows[:, 0], minlength=N)
    for one, other, sign in ((0, 1, 1.0), (0, 2, -1.0)):
        np.add.at(s, (rows[:, one], rows[:, other]), sign)
        np.add.at(s, (rows[:, other], rows[:, one]), sign)
    root = np.sqrt(counts)
    away = np.eye(N) - np.outer(root, root) / counts.sum()
    return np.asarray(away @ (s / np.outer(root, root)) @ away)


def test_it_should_span_the_leading_eigenvectors() -> None:
    _, rows = world(20_000)
    start = accelerated.spectral_start(rows, N, D)
    counts = np.bincount(rows.ravel(), minlength=N) + np.bincount(rows[:, 0], minlength=N)
    vectors = np.linalg.eigh(dense(rows))[1][:, -D:]
    angles = linalg.subspace_angles(np.sqrt(counts)[:, None] * start, vectors)
    assert angles.max() < 0.02


@pytest.mark.parametrize("popularity", [np.ones(N), 1.0 / np.arange(1, N + 1) ** 0.7], ids=["even", "few are popular"])
def test_it_should_tell_what_people_answer(popularity: Array) -> None:
    _, rows = world(40_000, popularity)
    unseen = world(10_000, seed=0)[1][-5_000:]  # the same features: of other answers
    assert share_right(accelerated.spectral_start(rows, N, D), unseen) > 0.75


def test_axes_that_answers_do_not_tell_should_begin_at_random() -> None:
    rows = np.array([np.random.default_rng(seed).permutation(N)[:3] for seed in range(8_000)])  # a coin's answers
    start = accelerated.spectral_start(rows, N, D)
    assert start.std() == pytest.approx(0.1, rel=0.1)
    _, rows = world(40_000)
    assert np.sort(accelerated.spectral_start(rows, N, D + 1).std(axis=0))[:2] == pytest.approx([0.1, 1.6], rel=0.4)


def test_few_epochs_should_do_from_there() -> None:
    _, rows = world(40_000)
    unseen = world(10_000, seed=0)[1][-5_000:]
    random = 0.1 * np.random.default_rng(1).normal(size=(N, D))
    log_sd = np.full((N, D), np.log(0.5))
    shares = [
        share_right(accelerated.optimize(rows, at, log_sd, epochs=2, batch_size=4000, learning_rate=0.2).nu, unseen)
        for at in (random, accelerated.spectral_start(rows, N, D))
    ]
    assert shares[1] > shares[0] + 0.05


def test_one_seed_should_give_one_start() -> None:
    _, rows = world(2_000)
    first, again, other = (accelerated.spectral_start(rows, N, D, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_more_parts_than_one_should_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _, rows = world(20_000)
    whole = accelerated.spectral_start(rows, N, D)
    monkeypatch.setattr("learn2search.embed._jax.spectral._MOST_AT_ONCE", 3_001)
    np.testing.assert_allclose(accelerated.spectral_start(rows, N, D), whole, atol=0.02)


def test_bad_input_should_be_named() -> None:
    with pytest.raises(ValueError, match="but there are 3 items"):
        accelerated.spectral_start(np.array([[0, 1, 3]]), 3, 1)
    with pytest.raises(ValueError, match="n_components must be a whole number from 1"):
        accelerated.spectral_start(np.array([[0, 1, 2]]), 3, 0)
