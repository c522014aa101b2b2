"""Metrics by brute force."""

import numpy as np
import pytest

import learn2search as l2s
from learn2search import metrics


def test_accuracy_should_count_satisfied_triplets_and_half_of_ties() -> None:
    positions = np.array([[0.0], [1.0], [2.0], [-1.0]])
    assert metrics.accuracy(positions, [[0, 1, 2], [0, 2, 1], [0, 1, 3], [1, 0, 3]]) == pytest.approx(2.5 / 4)
    with pytest.raises(ValueError, match="name item 4, but n_items is 4"):
        metrics.accuracy(positions, [[0, 1, 4]])


def test_log_likelihood_should_be_the_mean_logarithm() -> None:
    assert metrics.log_likelihood([0.5, 0.25]) == pytest.approx((np.log(0.5) + np.log(0.25)) / 2)
    for bad in ([0.5, 1.2], [], [[0.5]], [np.nan]):
        with pytest.raises(ValueError, match="expected probabilities between 0 and 1"):
            metrics.log_likelihood(bad)


def test_calibration_should_be_right_for_a_calibrated_model_and_wrong_for_a_boaster() -> None:
    generator = np.random.default_rng(0)
    truth = generator.random(200_000)  # P(the first answer)
    given = np.where(generator.random(200_000) < truth, truth, 1 - truth)  # of what happened
    curve = metrics.calibration_curve(given, n_bins=5)
    error = np.sqrt(curve.predicted * (1 - curve.predicted) / curve.counts)
    assert (np.abs(curve.observed - curve.predicted) < 4 * error).all()
    assert curve.counts.sum() == 200_000
    assert curve.predicted == pytest.approx([0.55, 0.65, 0.75, 0.85, 0.95], abs=0.01)
    boast = metrics.calibration_curve(np.where(given > 0.5, 0.99, 0.01))
    assert boast.error == pytest.approx(0.24, abs=0.01)


def test_lookup_should_read_off_what_was_seen() -> None:
    train = [[0, 1, 2], [0, 1, 3], [0, 3, 2]]
    assert metrics.lookup_score(train, [[0, 1, 2], [0, 3, 2]]) == 1.0
    assert metrics.lookup_score(train, [[0, 2, 1]]) == 0.0
    assert metrics.lookup_score(train, [[4, 1, 2], [1, 0, 2]]) == 0.5  # never seen: a coin
    assert metrics.lookup_score(train, [[0, 1, 1_000_000], [0, 1_000_000, 1]]) == 0.5  # needs no table of all pairs


def test_lookup_should_count_as_a_table_of_all_pairs_does() -> None:
    rows = np.random.default_rng(0).integers(0, 12, (400, 3))
    train, test = rows[:300], rows[300:]
    wins, losses = np.zeros((12, 12)), np.zeros((12, 12))
    np.add.at(wins, (train[:, 0], train[:, 1]), 1)
    np.add.at(losses, (train[:, 0], train[:, 2]), 1)
    share = (wins + 1) / (wins + losses + 2)
    near, far = (share[test[:, 0], test[:, column]] for column in (1, 2))
    assert metrics.lookup_score(train, test) == pytest.approx(np.mean((near > far) + 0.5 * (near == far)))


def test_lookup_should_beat_chance_only_where_screens_are_cut() -> None:
    generator = np.random.default_rng(0)  # answers are pure chance: nothing to learn about the items
    parts = [
        [(t, c, o) for o in others]
        for t, c, *others in (generator.choice(200, 6, replace=False).tolist() for _ in range(800))
    ]
    rows, groups = np.concatenate(parts), np.repeat(np.arange(800), 4)
    scores = {}
    for by, labels in (("rows", None), ("screens", groups)):
        folds = l2s.triplets.folds(len(rows), 5, 0, labels)
        scores[by] = np.mean([metrics.lookup_score(rows[train], rows[test]) for train, test in folds])
    assert scores["rows"] > 0.9
    assert scores["screens"] == pytest.approx(0.5, abs=0.03)


def test_procrustes_should_undo_what_triplets_cannot_see() -> None:
    generator = np.random.default_rng(0)
    reference = generator.normal(size=(50, 3))
    turn = np.linalg.qr(generator.normal(size=(3, 3)))[0]
    laid, error = metrics.procrustes(reference, 4.0 * reference @ turn + [1.0, 2.0, 3.0])
    assert laid == pytest.approx(reference, abs=1e-9)
    assert error == pytest.approx(0, abs=1e-12)
    unrelated = metrics.procrustes(reference, generator.normal(size=(50, 2)))
    assert unrelated.positions.shape == (50, 3)
    assert 0.5 < unrelated.error <= 1
    with pytest.raises(ValueError, match="a row an item"):
        metrics.procrustes(reference, reference[:9])


def test_procrustes_should_find_the_learnt_embedding_close_to_the_truth() -> None:
    features = np.random.default_rng(0).normal(size=(100, 2)) * 2.0
    rows = l2s.make_triplets(l2s.ProbitOracle(features, 0.5, seed=1), 100, 10_000, seed=2)
    assert metrics.procrustes(features, l2s.GaussEmbed(2, random_state=0).fit(rows).embedding_).error < 0.02
