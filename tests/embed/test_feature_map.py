"""A map of features that is learnt from answers: it finds what counts, does little harm, and places new items."""

import numpy as np
import pytest

import learn2search as l2s
from learn2search.embed.feature_map import components_of
from learn2search.typing import Array, Triplets

N, ASKED, F, D = 160, 130, 30, 6


def world(seed: int, useful: bool) -> tuple[Array, Array, float]:
    """People compare by 3 of 30 directions of the features and by something of each item's own, a fifth."""
    generator = np.random.default_rng(seed)
    features, directions = generator.normal(size=(N, F)), np.linalg.qr(generator.normal(size=(F, 3)))[0]
    seen = np.sqrt(0.8) * features @ directions + np.sqrt(0.2) * generator.normal(size=(N, 3))
    known = features if useful else generator.normal(size=(N, F))
    return known, seen, l2s.calibrate_noise(l2s.random_margins(seen, seed=seed), 0.1)


def answers(seen: Array, noise: float, count: int, n: int, seed: int) -> Triplets:
    return l2s.make_triplets(l2s.ProbitOracle(seen, noise, seed=seed), n, count, seed=seed + 1)


@pytest.mark.parametrize("density", [5, 20])
def test_useful_features_should_predict_better_than_none(density: int) -> None:
    features, seen, noise = world(0, useful=True)
    rows, test = (answers(seen, noise, count, ASKED, seed) for count, seed in ((density * ASKED, 1), (4000, 3)))
    alone = l2s.GaussEmbed(D, random_state=0).fit(rows, n_items=N)
    mapped = l2s.GaussEmbed(D, random_state=0).fit(rows, n_items=N, features=features)
    assert mapped.log_likelihood(test) > alone.log_likelihood(test) + 0.02  # measured: 0.09 and 0.04
    assert mapped.score(test) > alone.score(test)


@pytest.mark.parametrize("density", [5, 20])
def test_useless_features_should_do_little_harm(density: int) -> None:
    features, seen, noise = world(1, useful=False)
    rows, test = (answers(seen, noise, count, ASKED, seed) for count, seed in ((density * ASKED, 1), (4000, 3)))
    alone = l2s.GaussEmbed(D, random_state=0).fit(rows, n_items=N)
    mapped = l2s.GaussEmbed(D, random_state=0).fit(rows, n_items=N, features=features)
    assert mapped.log_likelihood(test) > max(alone.log_likelihood(test), np.log(0.5)) - 0.05  # measured: up to 0.035


def test_items_that_no_answer_names_should_be_placed() -> None:
    features, seen, noise = world(2, useful=True)
    model = l2s.GaussEmbed(D, random_state=0).fit(answers(seen, noise, 4000, ASKED, 1), n_items=N, features=features)
    test = answers(seen, noise, 20_000, N, 5)
    unasked = test[(test[:, 0] >= ASKED) & (test[:, 1:] < ASKED).all(axis=1)]
    assert model.score(unasked) > 0.75
    placed = model.feature_map_.place(features[ASKED:])
    np.testing.assert_allclose(placed.mean, model.embedding_[ASKED:], atol=1e-4)
    np.testing.assert_allclose(placed.var, model.variance_[ASKED:], rtol=1e-3)


def test_components_should_have_unit_variance_and_shares() -> None:
    generator = np.random.default_rng(0)
    features = generator.normal(size=(50, 4)) @ np.diag([5.0, 2.0, 1.0, 0.0]) + 100
    found = components_of(features)
    z = found.of(features)
    np.testing.assert_allclose(z.T @ z / 50, np.eye(3), atol=1e-9)
    spectrum = np.sort(np.linalg.eigvalsh(np.cov(features.T)))[::-1][:3]
    np.testing.assert_allclose(found.share, spectrum / spectrum.sum(), rtol=1e-9)


def test_the_same_seed_should_give_the_same_map() -> None:
    features, seen, noise = world(3, useful=True)
    rows = answers(seen, noise, 400, ASKED, 1)
    first, again = (l2s.GaussEmbed(3, random_state=4).fit(rows, n_items=N, features=features) for _ in range(2))
    np.testing.assert_array_equal(first.embedding_, again.embedding_)


@pytest.mark.parametrize(
    ("options", "given", "message"),
    [
        ({}, {"features": np.zeros((3, 2))}, r"shape \(4, f\)"),
        ({}, {"features": np.full((4, 2), np.nan)}, "finite"),
        ({}, {"features": np.ones((4, 2))}, "the same for all items"),
        ({"link": "ratio"}, {"features": np.eye(4)}, 'link="probit"'),
        ({}, {"features": np.eye(4), "prior_mean": np.zeros((4, 2))}, "leave init and prior_mean out"),
    ],
)
def test_features_that_cannot_be_used_should_be_refused(
    options: dict[str, str], given: dict[str, Array], message: str
) -> None:
    model = l2s.GaussEmbed(2).set_params(**options)
    with pytest.raises(ValueError, match=message):
        model.fit([[0, 1, 2], [1, 2, 3]], None, None, 4, **given)
    fitted = l2s.GaussEmbed(2, random_state=0).fit([[0, 1, 2], [1, 2, 3]], features=np.eye(4))
    with pytest.raises(ValueError, match=r"shape \(n, 4\)"):
        fitted.feature_map_.place([[1.0]])
