"""tune and the choice of the dimension, on data whose truth is known."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.embed import tune
from learn2search.embed.dimension import better_dimension
from learn2search.typing import Array, Groups, Integers, Triplets


@pytest.fixture(scope="module")
def screens() -> tuple[Triplets, Groups]:
    """60 items, 3 axes; screens of 4 items, one chosen: 3 triplets that give each other away."""
    features = np.random.default_rng(0).normal(size=(60, 3)) * 2.0
    oracle, generator = l2s.ProbitOracle(features, 1.0, seed=1), np.random.default_rng(2)
    parts = []
    for _ in range(900):
        target, *query = generator.choice(60, 5, replace=False).tolist()
        parts.append(l2s.triplets.from_choice(target, query, oracle.choose(query, target)))
    return np.concatenate(parts), np.repeat(np.arange(900), 3)


@pytest.fixture
def small_ladders(monkeypatch: pytest.MonkeyPatch) -> None:
    ladders = {
        "probit": {"n_components": (2, 3)},
        "ratio": {"kappa": (2.5, 5.0), "n_components": (3,), "temper": (1.0,), "prior": (2.0,)},
    }
    monkeypatch.setattr(tune, "LADDERS", ladders)
    start = {"probit": {"n_components": 0}, "ratio": {"kappa": 0, "n_components": 0, "temper": 0, "prior": 0}}
    monkeypatch.setattr(tune, "_START", start)


@pytest.mark.usefixtures("small_ladders")
def test_it_should_choose_the_candidate_with_the_best_held_out_likelihood(screens: tuple[Triplets, Groups]) -> None:
    rows, groups = screens
    model = l2s.tune(rows, groups=groups, n_splits=2, random_state=0)
    best = model.trials_[0]
    assert {name: model.get_params()[name] for name in best.parameters} == best.parameters
    assert [trial.log_likelihood for trial in model.trials_] == sorted(
        (t.log_likelihood for t in model.trials_), reverse=True
    )
    assert len(model.trials_) == 4
    assert model.score(rows) > 0.75
    again = l2s.tune(rows, groups=groups, n_splits=2, threads=1, random_state=0)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)


@pytest.mark.usefixtures("small_ladders")
def test_candidates_should_be_judged_on_whole_groups(
    screens: tuple[Triplets, Groups], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, groups = screens
    seen: list[tuple[Integers, Integers]] = []

    def held_out_score(self: object, values: dict[str, Any], train: Integers, held_out: Integers) -> float:
        seen.append((train, held_out))
        return -1.0

    monkeypatch.setattr(tune._Judge, "_held_out", held_out_score)
    l2s.tune(rows, groups=groups, n_splits=2, threads=1)
    assert all(not set(groups[train]) & set(groups[held_out]) for train, held_out in seen)
    seen.clear()
    l2s.tune(rows, n_splits=1, threads=1)  # none given: near-far components of each anchor
    inferred = l2s.triplets.infer_groups(rows)
    assert all(not set(inferred[train]) & set(inferred[held_out]) for train, held_out in seen)
    seen.clear()
    l2s.tune(rows, groups="rows", n_splits=1, threads=1)
    assert any(set(groups[train]) & set(groups[held_out]) for train, held_out in seen)


@pytest.mark.usefixtures("small_ladders")
def test_progress_should_name_each_candidate(
    screens: tuple[Triplets, Groups], capsys: pytest.CaptureFixture[str]
) -> None:
    l2s.tune(screens[0][:300], groups=screens[1][:300], n_splits=1, verbose=True)
    assert "link=probit, n_components=2" in capsys.readouterr().err


def test_a_climb_should_end_on_the_best_rung_of_a_hill() -> None:
    """Without fits: the likelihood is a known hill over the ladders."""

    def judge(link: str, rungs: Mapping[str, int]) -> tune.Trial:
        height = -abs(rungs["kappa"] - 7) - abs(rungs["n_components"] - 1) - abs(rungs["temper"] - 3) - rungs["prior"]
        return tune.Trial(dict(rungs), float(height))

    assert tune._search_ladders("ratio", judge).parameters == {"kappa": 7, "n_components": 1, "temper": 3, "prior": 0}


def test_bad_arguments_should_be_refused(screens: tuple[Triplets, Groups]) -> None:
    with pytest.raises(ValueError, match="groups must be a label for each triplet, None or \"rows\", got 'screens'"):
        l2s.tune(screens[0], groups="screens")
    with pytest.raises(ValueError, match="n_splits must be at least 1"):
        l2s.tune(screens[0], n_splits=0)


# --- dimension -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "expected", "tried"),
    [
        (10, 5, {2, 3, 5, 10, 20}),  # fewer, past a number that is no better
        (2, 5, {2, 3, 5, 10}),  # more, as long as it gets better
        (5, 5, {2, 3, 5, 10}),
        (7, 5, {2, 3, 5, 7, 10}),  # any number can be the present one
        (40, 40, {2, 3, 5, 10, 20, 40}),
    ],
)
def test_another_number_of_axes_should_be_better_beyond_doubt(start: int, expected: int, tried: set[int]) -> None:
    means, noise = {2: 0.0, 3: 0.1, 5: 0.5, 7: 0.2, 10: 0.1, 20: 0.0, 40: 0.6}, np.random.default_rng(0)
    for spread, chosen in ((0.01, expected), (100.0, start)):
        asked: list[tuple[int, int]] = []

        def score(d: int, part: int, spread: float = spread, asked: list[tuple[int, int]] = asked) -> Array:
            asked.append((d, part))
            around = spread * noise.normal(size=100)
            return np.asarray(means[d] + around - around.mean())  # the means are as above

        assert better_dimension(start, (2, 3, 5, 10, 20, 40), score) == chosen
        assert len(asked) == len(set(asked))  # nothing is fitted twice
        assert spread > 1 or {d for d, _ in asked} == tried


def test_axes_that_the_first_part_decides_should_cost_no_more() -> None:
    asked: list[tuple[int, int]] = []

    def score(d: int, part: int) -> Array:
        asked.append((d, part))
        return means[d] + 0.1 * np.array([1.0, -1.0, 0.0, 0.0, 0.0]) * d

    means = {5: -10.0, 10: 0.0, 20: -10.0}
    assert better_dimension(10, (5, 10, 20), score) == 10
    assert sorted(asked) == [(5, 0), (10, 0), (20, 0)]  # both are clearly worse
    asked, means = [], {5: 10.0, 10: 0.0, 20: 0.0}
    assert better_dimension(10, (5, 10, 20), score) == 5
    assert sorted(asked) == [(5, 0), (10, 0), (10, 1), (10, 2), (20, 0), (20, 1), (20, 2)]  # 20 stays in doubt


def test_energy_dimension_should_count_the_axes_that_hold_the_share() -> None:
    axes = np.diag([10.0, 3.0, 1.0, 0.1])
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    positions = np.vstack([axes, -axes]) @ turn + 5.0  # energies 200, 18, 2, 0.02
    assert [l2s.energy_dimension(positions, share) for share in (0.9, 0.98, 0.9998, 1.0)] == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="share must lie between 0 and 1"):
        l2s.energy_dimension(positions, 1.5)


@pytest.mark.parametrize("method", ["ard", pytest.param("likelihood", marks=pytest.mark.heavy)])
def test_both_rules_should_find_the_true_dimension(method: str) -> None:
    features = np.random.default_rng(0).normal(size=(80, 3)) * 2.0
    rows = l2s.make_triplets(l2s.ProbitOracle(features, 0.7, seed=1), 80, 10_000, seed=2)
    assert l2s.choose_dimension(rows, method, groups=np.arange(10_000), random_state=0) == 3


def test_the_papers_rule_should_give_a_dimension(screens: tuple[Triplets, Groups]) -> None:
    assert 1 <= l2s.choose_dimension(screens[0], "energy") <= 59
    with pytest.raises(ValueError, match='method must be "ard", "energy" or "likelihood"'):
        l2s.choose_dimension(screens[0], "guess")


def test_the_curve_should_fall_below_the_true_dimension_and_choose_it() -> None:
    features = np.random.default_rng(0).normal(size=(40, 3)) * 2.0
    rows = l2s.make_triplets(l2s.ProbitOracle(features, 0.7, seed=1), 40, 4000, seed=2)
    curve = l2s.dimension_curve(rows, (1, 2, 3, 6), groups=np.arange(4000), n_folds=3, n_items=40)
    assert curve.log_likelihood.shape == curve.accuracy.shape == (4, 3)
    assert (np.diff(curve.means[:3]) > 2 * curve.errors[:2]).all()
    assert curve.chosen == 3


def test_the_choice_should_compare_fold_by_fold() -> None:
    """Hard folds are hard for all: their spread says nothing of the difference."""
    hard = np.array([-0.1, -0.9, -0.5, -0.7])
    curve = l2s.DimensionCurve(np.array([2, 5, 10]), np.array([hard - 0.02, hard, hard + 0.001]), np.ones((3, 4)))
    assert (curve.best, curve.chosen) == (10, 10)
    noisy = curve.log_likelihood + np.array([[0.0] * 4, [0.01, -0.01, 0.01, -0.008], [0.0] * 4])
    assert l2s.DimensionCurve(curve.dimensions, noisy, curve.accuracy).chosen == 5
    assert curve.errors[0] == pytest.approx(hard.std(ddof=1) / 2)
    with pytest.raises(ValueError, match="at least one number of axes below the 3 items"):
        l2s.dimension_curve([(0, 1, 2)], ())
