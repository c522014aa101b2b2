"""TSTE and CKL: their probabilities by the formulas of their papers, and what they learn."""

import numpy as np
import pytest

import learn2search as l2s
from learn2search.typing import Array, Triplets

World = tuple[Array, Triplets, Triplets]  # features, triplets to learn from, held-out triplets
Estimator = type[l2s.TSTE] | type[l2s.CKL]


@pytest.fixture(scope="module")
def world() -> World:
    features = np.random.default_rng(0).normal(size=(100, 3)) * 2.0
    train = l2s.make_triplets(l2s.ProbitOracle(features, 0.7, seed=1), 100, 12_000, seed=2)
    held_out = l2s.make_triplets(l2s.ProbitOracle(features, 0.7, seed=3), 100, 4_000, seed=4)
    return features, train, held_out


def squares(model: l2s.TSTE | l2s.CKL, rows: Triplets) -> tuple[Array, Array]:
    anchor, near, far = model.embedding_[rows.T]
    return ((anchor - near) ** 2).sum(axis=1), ((anchor - far) ** 2).sum(axis=1)


def test_tste_should_have_the_student_kernels_probabilities(world: World) -> None:
    for model, alpha in ((l2s.TSTE(3, epochs=3, random_state=0), 2.0), (l2s.TSTE(3, alpha=5.0, epochs=3), 5.0)):
        near, far = squares(model.fit(world[1]), world[2])
        kernel = [(1 + square / alpha) ** (-(alpha + 1) / 2) for square in (near, far)]
        assert model.predict_proba(world[2]) == pytest.approx(kernel[0] / (kernel[0] + kernel[1]), rel=1e-9)


def test_ckl_should_have_the_crowd_kernels_probabilities(world: World) -> None:
    model = l2s.CKL(3, mu=0.2, epochs=3, random_state=0).fit(world[1])
    near, far = squares(model, world[2])
    assert model.predict_proba(world[2]) == pytest.approx((0.2 + far) / (0.4 + near + far), rel=1e-9)


@pytest.mark.parametrize("kind", [l2s.TSTE, l2s.CKL])
def test_they_should_predict_nearly_as_well_as_the_truth(world: World, kind: Estimator) -> None:
    features, train, held_out = world
    anchor, near, far = features[held_out.T]
    model = kind(3, random_state=0).fit(train)
    assert model.score(held_out) > np.mean(l2s.margin(near, far, anchor) > 0) - 0.04
    assert model.to_embedding().var is None
    np.testing.assert_array_equal(model.embedding_, kind(3, random_state=0).fit(train).embedding_)


@pytest.mark.parametrize("kind", [l2s.TSTE, l2s.CKL])
def test_a_start_should_be_taken_up_and_unseen_items_stay_in_the_middle(world: World, kind: Estimator) -> None:
    _, train, _ = world
    first = kind(3, random_state=0).fit(train)
    again = kind(3, epochs=1, learning_rate=1e-6, random_state=1).fit(train, init=first.to_embedding())
    np.testing.assert_allclose(again.embedding_, first.embedding_, atol=1e-3)
    more = kind(3, epochs=2, random_state=1).fit(train, n_items=102)
    np.testing.assert_allclose(more.embedding_[100:], np.tile(more.embedding_[:100].mean(axis=0), (2, 1)))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (l2s.TSTE(0), "n_components must be a whole number from 1"),
        (l2s.TSTE(2, alpha=0), "alpha must be positive"),
        (l2s.CKL(2, mu=-1), "mu must be positive"),
        (l2s.CKL(2, epochs=0), "epochs must be positive"),
        (l2s.CKL().set_params(n_components="auto"), "n_components must be a whole number from 1, got 'auto'"),
    ],
)
def test_bad_parameters_should_be_refused(world: World, model: l2s.TSTE | l2s.CKL, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit(world[1][:50])
