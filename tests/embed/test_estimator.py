"""What all estimators share with scikit-learn's: fit_transform, n_items, seeds, scores."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, cross_val_score

import learn2search as l2s
from learn2search.embed.estimator import TripletEmbedding

FEATURES = np.random.default_rng(0).normal(size=(12, 2))
ROWS = l2s.make_triplets(l2s.ProbitOracle(FEATURES, noise=0.2, seed=1), n_items=12, n_triplets=300)


@pytest.mark.parametrize("kind", [l2s.GaussEmbed, l2s.TSTE, l2s.CKL])
def test_fit_transform_should_be_fit_and_transform(kind: type[TripletEmbedding]) -> None:
    options = {"n_components": 2, "epochs": 5, "random_state": 0, "n_items": 15}
    positions = kind(**options).fit_transform(ROWS)
    np.testing.assert_array_equal(positions, kind(**options).fit(ROWS).embedding_)
    assert positions.shape == (15, 2)  # items that no triplet names too
    assert kind(**options).fit(ROWS, n_items=13).n_items_ == 13  # what fit is told counts


def test_a_random_state_should_be_a_seed() -> None:
    def fitted(seed: int) -> np.ndarray:
        return l2s.CKL(2, epochs=5, random_state=np.random.RandomState(seed)).fit_transform(ROWS)

    np.testing.assert_array_equal(fitted(1), fitted(1))
    assert (fitted(1) != fitted(2)).any()


def test_scikit_learn_should_score_by_log_likelihood_with_groups() -> None:
    """Folds that lack the last item need n_items."""
    groups = ROWS.max(axis=1)  # one fold has all triplets of the last item
    model = l2s.CKL(2, epochs=20, random_state=0, n_items=12)
    scores = cross_val_score(model, ROWS, groups=groups, cv=GroupKFold(3), scoring=l2s.metrics.neg_log_loss)
    expected = [
        model.fit(ROWS[train]).log_likelihood(ROWS[test]) for train, test in GroupKFold(3).split(ROWS, groups=groups)
    ]
    np.testing.assert_allclose(scores, expected)


def test_scikit_learn_should_split_triplets_with_their_names() -> None:
    data = l2s.TripletData(ROWS, 12, np.arange(300) // 3, tuple("abcdefghijkl"), np.arange(300) % 7)
    model = l2s.CKL(2, epochs=5, random_state=0)
    options = {"groups": data.groups, "cv": GroupKFold(3)}
    np.testing.assert_array_equal(cross_val_score(model, data, **options), cross_val_score(model, ROWS, **options))
