"""Places and clicks without a search: against optimisers, refits and Monte Carlo."""

import numpy as np
from scipy import optimize

import learn2search as l2s
from learn2search.click import take_positive
from learn2search.learn.cavity import (
    Evidence,
    Places,
    curvatures,
    evidence_of,
    item_without,
    judge_clicks,
    target_without,
)
from learn2search.typing import Array, Integers

N, D, PRIOR = 8, 2, 2.0


def known(var: float) -> tuple[Places, Evidence]:
    """Random items, and triplets of six searches about them."""
    generator = np.random.default_rng(0)
    mean = generator.normal(size=(N, D))
    rows = np.array([generator.permutation(N)[:3] for _ in range(60)])
    weights = generator.uniform(0.2, 1.0, 60)
    places = Places(mean, np.full((N, D), var), np.zeros((N, D)), np.full(D, 1 / PRIOR))
    return places, evidence_of(rows, np.repeat(np.arange(6), 10), weights, N)


def log_posterior(x: Array, item: int, places: Places, seen: Evidence, rows: Integers) -> float:
    """Of one item's place, the others exact."""
    mean = places.mean.copy()
    mean[item] = x
    t, i, j = mean[seen.rows[rows].T]
    return float(seen.weights[rows] @ l2s.log_ndtr(l2s.margin(i, j, t)) - 0.5 * places.precision @ x**2)


def best_place(item: int, places: Places, seen: Evidence, rows: Integers) -> Array:
    start = places.mean[item] if item else np.zeros(D)
    return optimize.minimize(lambda x: -log_posterior(x, item, places, seen, rows), start, method="BFGS", tol=1e-9).x


def test_a_target_should_be_where_the_other_searches_say() -> None:
    places, seen = known(0.0)
    seen.rows[:] = np.where(seen.rows == 0, 7, seen.rows)  # item 0 is a target alone: then Newton's steps are exact
    seen.rows[:, 0] = np.where(np.arange(60) % 2, 0, seen.rows[:, 0])
    seen = evidence_of(seen.rows, seen.search, seen.weights, N)
    place, cov = target_without(places, seen, 0, 3, places.mean.copy(), places.var.copy())
    rows = np.flatnonzero((seen.search != 3) & (seen.rows == 0).any(axis=1))
    expected = best_place(0, places, seen, rows)
    np.testing.assert_allclose(place, expected, atol=1e-3)
    step = 1e-3
    corners = [[(a * step * np.eye(D)[i] + b * step * np.eye(D)[j], a * b) for a in (1, -1) for b in (1, -1)]
               for i in range(D) for j in range(D)]  # fmt: skip
    bends = [
        -sum(sign * log_posterior(expected + by, 0, places, seen, rows) for by, sign in four) / (4 * step**2)
        for four in corners
    ]
    np.testing.assert_allclose(np.linalg.inv(cov), np.reshape(bends, (D, D)), rtol=0.01)


def test_an_item_should_move_to_where_it_is_without_the_search() -> None:
    """One step of Newton's goes most of the way that a refit goes (but for items that sit where a margin jumps)."""
    moved, missed = [], []
    for item in range(1, N):
        places, seen = known(0.0)
        rows = np.flatnonzero((seen.rows == item).any(axis=1))
        places.mean[item] = best_place(item, places, seen, rows)  # now the slope of all its triplets is 0
        for search in (1, 2, 3, 4):
            own = rows[(seen.search[rows] == search) & (seen.rows[rows, 0] != item)]
            mean, var = np.empty(D), np.empty(D)
            item_without(places, seen, curvatures(places, seen), item, 10 * search, 10 * search + 10, mean, var)
            refitted = best_place(item, places, seen, np.setdiff1d(rows, own))
            moved.append(np.linalg.norm(refitted - places.mean[item]))
            missed.append(np.linalg.norm(mean - refitted))
    far = np.array(moved) > 0.03
    assert far.sum() >= 20
    assert np.median(np.array(missed)[far] / np.array(moved)[far]) < 0.5


def test_what_margins_tell_should_agree_with_monte_carlo() -> None:
    generator = np.random.default_rng(3)
    root = generator.normal(size=(4, 4))
    mean, cov = np.array([0.3, -0.2, 1.0, -1.0]), root @ root.T + np.eye(4)
    drawn = generator.multivariate_normal(mean, cov, 400_000)
    kept = drawn[(drawn[:, :2] > 0).all(axis=1)]
    found = (mean.copy(), cov.copy())
    probability = take_positive(*found, 2)
    assert abs(probability - len(kept) / len(drawn)) < 0.01
    np.testing.assert_allclose(found[0][2:], kept[:, 2:].mean(axis=0), atol=0.05)
    expected = np.cov(kept[:, 2:].T)
    np.testing.assert_allclose(found[1][2:, 2:][np.triu_indices(2)], expected[np.triu_indices(2)], rtol=0.05)


def test_the_first_screen_should_be_judged_like_any_click() -> None:
    generator = np.random.default_rng(4)
    for size in (2, 4, 12):
        mean, var = generator.normal(size=(size + 1, 3)), generator.uniform(0, 0.5, (size + 1, 3))
        result = np.zeros((1, size))
        shown = (mean[None, :size].copy(), var[None, :size].copy())
        judge_clicks(*shown, np.array([size]), mean[size].copy(), np.diag(var[size]), result)
        expected = l2s.click_probabilities(l2s.Embedding(mean, var), np.arange(size), np.array(size))
        np.testing.assert_allclose(result[0], expected, atol=1e-9)


def test_all_screens_together_should_be_as_probable_as_for_people_who_draw_their_target() -> None:
    generator = np.random.default_rng(5)
    clicks, size, cov = 3, 3, np.array([[1.0, 0.7], [0.7, 1.5]])
    x = generator.normal(size=(clicks, size, 2))
    place = np.array([0.5, -0.5])
    targets = generator.multivariate_normal(place, cov, 20_000)
    result = np.zeros((clicks, size))
    judge_clicks(x, np.zeros_like(x), np.full(clicks, size), place.copy(), cov.copy(), result)
    each = np.ones(len(targets))
    for items in x:  # the product of the exact probabilities for each target, and then their mean
        perceived = targets[:, None] + generator.normal(size=(len(targets), 60, 2))
        distances = ((perceived[:, :, None] - items) ** 2).sum(axis=-1)
        each *= (distances.argmin(axis=-1) == 0).mean(axis=1)
    assert abs(result[:, 0].prod() / each.mean() - 1) < 0.12  # what is left is taken to be normal after each click
