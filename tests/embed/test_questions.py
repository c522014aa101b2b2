"""Which question to ask next: information against Monte Carlo, batches that are spread, and fewer answers needed."""

from typing import Any

import numpy as np
import pytest
from scipy import special

import learn2search as l2s
from learn2search.comparison import margin
from learn2search.embed.questions import binary_entropy, grid_information, triplet_information
from learn2search.typing import Array

N = 12
PEOPLE = l2s.ProbitOracle(np.random.default_rng(0).normal(size=(N, 2)), noise=0.3, seed=1)
ROWS = l2s.make_triplets(PEOPLE, n_items=N, n_triplets=150)


def fitted(**options: Any) -> l2s.GaussEmbed:
    return l2s.GaussEmbed(2, epochs=20, random_state=0, **options).fit(ROWS, n_items=N)


def drawn_positions(model: l2s.GaussEmbed, count: int) -> Array:
    normal = np.random.default_rng(5).standard_normal((count, *model.embedding_.shape))
    return model.embedding_ + np.sqrt(model.variance_) * normal


@pytest.mark.parametrize("options", [{"lapse": 0.0}, {"lapse": 0.3}, {"link": "ratio", "kappa": 3.0, "lapse": 0.0}])
def test_information_should_agree_with_monte_carlo(options: dict[str, Any]) -> None:
    model = fitted(**options)
    asked = l2s.next_triplets(model, 60, by="random", seed=3)
    t, i, j = (drawn_positions(model, 4000)[:, column] for column in asked.T)
    if model.link == "ratio":
        near, far = ((t - i) ** 2).sum(axis=-1), ((t - j) ** 2).sum(axis=-1)
        p = special.expit(model.kappa * (np.log1p(far) - np.log1p(near)))
    else:
        p = special.ndtr(margin(i, j, t))
    p = (1 - model.lapse_) * p + model.lapse_ / 2
    exact = binary_entropy(p.mean(axis=0)) - binary_entropy(p).mean(axis=0)
    found = triplet_information(model, asked)
    assert np.abs(found - exact).mean() < 0.01
    assert np.abs(found - exact).max() < 0.06
    assert np.corrcoef(found, exact)[0, 1] > 0.9


def test_a_grid_of_two_should_be_a_triplet() -> None:
    model = fitted(lapse=0.0)
    asked = l2s.next_triplets(model, 200, by="random", seed=3)
    grid = grid_information(model, asked, np.random.default_rng(0))
    assert np.corrcoef(grid, triplet_information(model, asked))[0, 1] > 0.6  # few draws of the positions
    larger = grid_information(model, l2s.next_triplets(model, 30, "grid", shown=6), np.random.default_rng(0))
    assert larger.mean() > grid.mean()


@pytest.mark.parametrize("by", ["information", "uncertainty", "random"])
@pytest.mark.parametrize(("kind", "shown"), [("triplets", 2), ("grid", 4)])
def test_questions_should_be_different_and_of_different_items(kind: str, shown: int, by: str) -> None:
    model = fitted()
    asked = l2s.next_triplets(model, 20, kind, by=by, shown=shown, seed=1)
    assert asked.shape == (20, 1 + shown)
    assert all(len(set(row)) == 1 + shown for row in asked.tolist())
    assert len(np.unique(asked, axis=0)) == 20
    np.testing.assert_array_equal(asked, l2s.next_triplets(model, 20, kind, by=by, shown=shown, seed=1))


def test_the_first_question_should_be_the_most_valuable_and_a_batch_be_spread() -> None:
    model = fitted(lapse=0.0)
    model.variance_[3] *= 20  # one item that is hardly known
    pool = np.array([(a, b, c) for a in range(N) for b in range(N) for c in range(b) if len({a, b, c}) == 3])
    values = triplet_information(model, pool)
    batch = l2s.next_triplets(model, 24, by="information", candidates=pool)
    assert (batch[0] == pool[np.argmax(values)]).all()
    alone = pool[np.argsort(-values)[:24]]
    share = [np.mean((rows == 3).any(axis=1)) for rows in (batch, alone)]
    assert share[0] < share[1] == 1
    assert np.bincount(batch[:, 0], minlength=N).max() < np.bincount(alone[:, 0], minlength=N).max()


def test_guesses_should_not_be_asked_for_information() -> None:
    """A target halfway between two items that are well known: the answer is as open as can be, and tells nothing."""
    model = fitted(lapse=0.0)
    model.embedding_[:3], model.variance_[:3] = [(0.0, 0.5), (-2.0, 0.0), (2.0, 0.0)], 1e-4
    pool = np.vstack([(0, 1, 2), [row for row in ROWS if len({0, 1, 2} & set(row.tolist())) < 2]])
    assert l2s.next_triplets(model, 1, by="uncertainty", candidates=pool)[0].tolist() == [0, 1, 2]
    assert np.argmin(triplet_information(model, pool)) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "pairs"}, "kind is one of .* got 'pairs'"),
        ({"by": "luck"}, "by one of .* 'luck'"),
        ({"count": 0}, "expected count from 1"),
        ({"kind": "grid", "shown": 12}, "a question needs 13 different items, and the model knows 12"),
        ({"candidates": [(0, 1)]}, "rows of 3 items, anchor first"),
        ({"candidates": [(0, 1, 12)]}, r"items of 0..11, got 0 to 12"),
        ({"count": 2, "candidates": [(0, 1, 2)]}, "2 questions are wanted, but there are only 1"),
    ],
)
def test_what_cannot_be_asked_should_be_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.next_triplets(fitted(lapse=0.0), **options)


def test_models_that_do_not_know_how_sure_they_are_should_say_so() -> None:
    points = l2s.CKL(2, epochs=5, random_state=0).fit(ROWS)
    with pytest.raises(ValueError, match="CKL does not know how sure it is"):
        l2s.next_triplets(points, by="information")
    assert l2s.next_triplets(points, 4, by="uncertainty").shape == (4, 3)
    with pytest.raises(ValueError, match="compares pairs only"):
        l2s.next_triplets(fitted(link="ratio", lapse=0.0), kind="grid")
    with pytest.raises(ValueError, match="not fitted yet"):
        l2s.next_triplets(l2s.GaussEmbed(2))
