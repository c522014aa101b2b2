"""GaussEmbed: what it learns against the truth, its parameters, its dimension, its files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import learn2search as l2s
from learn2search.typing import Array, Triplets

World = tuple[Array, Triplets, Triplets]  # features, triplets to learn from, held-out triplets
Estimator = Any  # a class: GaussEmbed, TSTE or CKL


@pytest.fixture(scope="module")
def world() -> World:
    """Features, triplets to learn from, held-out triplets; three separate random streams."""
    features = np.random.default_rng(0).normal(size=(120, 3)) * 2.0
    train = l2s.make_triplets(l2s.ProbitOracle(features, 1.0, seed=1), 120, 20_000, seed=2)
    held_out = l2s.make_triplets(l2s.ProbitOracle(features, 1.0, seed=3), 120, 4_000, seed=4)
    return features, train, held_out


@pytest.mark.parametrize("prior", ["empirical", "standard", "ard", 4.0])
def test_it_should_predict_nearly_as_well_as_the_truth(world: World, prior: str | float) -> None:
    features, train, held_out = world
    model = l2s.GaussEmbed(3, prior=prior, random_state=0).fit(train)
    anchor, near, far = features[held_out.T]
    truth = np.mean(l2s.margin(near, far, anchor) > 0)
    assert model.score(held_out) > truth - 0.03
    assert model.embedding_.shape == model.variance_.shape == (120, 3)


def test_probabilities_should_be_calibrated(world: World) -> None:
    _, train, held_out = world
    model = l2s.GaussEmbed(3, random_state=0).fit(train)
    rows = l2s.triplets.as_triplets(*l2s.triplets.to_answers(held_out, 7))
    chance = model.predict_proba(np.concatenate([rows, rows[:, [0, 2, 1]]]))
    assert chance[: len(rows)] + chance[len(rows) :] == pytest.approx(1)
    first, answers = chance[: len(rows)], np.ones(len(rows))
    flip = np.random.default_rng(0).random(len(rows)) < 0.5
    predicted, outcome = np.where(flip, 1 - first, first), np.where(flip, 0, answers)
    for low in np.arange(0, 1, 0.2):
        bin_ = (predicted >= low) & (predicted < low + 0.2)
        assert abs(outcome[bin_].mean() - predicted[bin_].mean()) < 0.06


def test_an_untouched_start_should_know_nothing(world: World) -> None:
    """A shared random stream once made an untrained embedding score 0.90."""
    _, _, held_out = world
    model = l2s.GaussEmbed(3, epochs=1, learning_rate=1e-9, random_state=2).fit(held_out[:200], n_items=120)
    assert abs(model.score(held_out[200:]) - 0.5) < 4 * 0.5 / np.sqrt(len(held_out) - 200) + 0.03


def test_the_same_seed_should_give_the_same_embedding(world: World) -> None:
    _, train, _ = world
    first, second, other = (l2s.GaussEmbed(2, epochs=2, random_state=s).fit(train) for s in (3, 3, 4))
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    assert not np.array_equal(first.embedding_, other.embedding_)


def test_items_without_triplets_should_keep_the_prior(world: World) -> None:
    _, train, _ = world
    model = l2s.GaussEmbed(2, epochs=3, random_state=0).fit(train, n_items=125)
    np.testing.assert_array_equal(model.embedding_[120:], 0)
    np.testing.assert_allclose(model.variance_[120:], np.tile(model.prior_variance_, (5, 1)))
    assert model.variance_[:120].mean() < model.prior_variance_.mean()


def test_a_warm_start_should_go_on_from_where_it_was(world: World) -> None:
    _, train, held_out = world
    first = l2s.GaussEmbed(3, random_state=0).fit(train)
    short = l2s.GaussEmbed(3, epochs=2, learning_rate=0.01, random_state=1)
    assert short.fit(train, init=first.to_embedding()).score(held_out) > first.score(held_out) - 0.01
    with pytest.raises(ValueError, match=r"init must have shape \(120, 3\).* got \(5, 3\)"):
        short.fit(train, init=np.random.default_rng(0).random((5, 3)))
    broken = first.embedding_.copy()
    broken[3] = np.nan
    with pytest.raises(ValueError, match="must be finite"):
        short.fit(train, init=broken)


def test_streaming_the_last_tenth_should_be_as_good_as_fitting_it(world: World) -> None:
    _, train, held_out = world
    whole = l2s.GaussEmbed(3, random_state=0).fit(train).score(held_out)
    streamed = l2s.GaussEmbed(3, random_state=0).fit(train[:18_000]).partial_fit(train[18_000:]).score(held_out)
    assert streamed > whole - 0.015


def test_new_items_should_be_learnt_online(world: World) -> None:
    _, train, _ = world
    old = train[(train < 110).all(axis=1)]
    model = l2s.GaussEmbed(3, random_state=0).fit(old)
    assert model.n_items_ == 110
    new = train[(train >= 110).any(axis=1)]
    model.partial_fit(new[:-500])
    assert model.n_items_ == 120
    assert model.score(new[-500:]) > 0.75
    assert l2s.GaussEmbed(2).partial_fit(train[:10]).n_items_ == train[:10].max() + 1


def test_a_search_on_the_learnt_embedding_should_be_far_better_than_random(world: World) -> None:
    features, train, _ = world
    space = l2s.GaussEmbed(3, random_state=0).fit(train).to_embedding()
    oracle = l2s.ProbitOracle(features, 1.0, seed=9)
    run = l2s.simulate("sampled", space, oracle, np.arange(120), noise=1.0, seed=1)
    assert run.mean < 20  # random: 30.5


def test_parameters_should_work_as_in_scikit_learn(world: World) -> None:
    model = l2s.GaussEmbed(4, prior="standard", random_state=1)
    assert l2s.GaussEmbed(**model.get_params()).get_params() == model.get_params()
    assert model.set_params(n_components=7).n_components == 7
    assert repr(model) == "GaussEmbed(n_components=7, prior='standard', random_state=1)"
    with pytest.raises(ValueError, match="GaussEmbed has no parameter 'colour', only n_components, link"):
        model.set_params(colour=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1, got 0"),
        ({"n_components": 2.5}, "n_components must be a whole number from 1, got 2.5"),
        ({"n_components": "many"}, "n_components must be a whole number from 1, got 'many'"),
        ({"prior": "flat"}, 'prior must be "empirical", "standard", "ard" or a positive variance'),
        ({"prior": -1.0}, 'prior must be "empirical", "standard", "ard" or a positive variance'),
        ({"link": "logit"}, 'link must be "probit" or "ratio", got \'logit\''),
        ({"temper": 0}, "temper must be positive"),
        ({"n_samples": 0}, "n_samples must be positive"),
        ({"validation_fraction": 1.0}, "validation_fraction must lie between 0 and 1"),
        ({"epochs": 0}, "epochs must be positive"),
        ({"learning_rate": -1.0}, "learning_rate must be positive"),
    ],
)
def test_bad_parameters_should_be_refused(world: World, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.GaussEmbed(**options).fit(world[1][:50])


def test_using_it_before_fitting_should_be_refused(world: World) -> None:
    new = l2s.GaussEmbed()
    for use in (lambda: new.score(world[1]), new.transform, new.to_embedding):
        with pytest.raises(ValueError, match="not fitted yet: call fit"):
            use()
    model = l2s.GaussEmbed(2, epochs=1).fit(world[1])
    with pytest.raises(ValueError, match="name item 500, but n_items is 120"):
        model.score([[0, 1, 500]])


# --- beyond the paper ------------------------------------------------------------------------------


def test_the_ratio_link_should_learn_too(world: World) -> None:
    features, train, held_out = world
    model = l2s.GaussEmbed(3, link="ratio", kappa=5.0, random_state=0).fit(train)
    anchor, near, far = features[held_out.T]
    assert model.score(held_out) > np.mean(l2s.margin(near, far, anchor) > 0) - 0.03
    streamed = l2s.GaussEmbed(3, link="ratio", kappa=5.0, random_state=0).fit(train[:18_000])
    assert streamed.partial_fit(train[18_000:]).score(held_out) > model.score(held_out) - 0.015


def test_more_samples_should_give_another_estimate_of_the_same(world: World) -> None:
    _, train, held_out = world
    one, four = (l2s.GaussEmbed(3, n_samples=k, random_state=0).fit(train) for k in (1, 4))
    assert not np.array_equal(one.embedding_, four.embedding_)
    assert four.score(held_out) == pytest.approx(one.score(held_out), abs=0.01)


def test_tempering_should_narrow_the_widths(world: World) -> None:
    _, train, _ = world
    whole, tempered = (l2s.GaussEmbed(3, temper=t, prior=4.0, random_state=0).fit(train[:2000]) for t in (1.0, 0.1))
    assert tempered.variance_.mean() < 0.5 * whole.variance_.mean()


def test_a_prior_mean_should_hold_where_there_are_no_triplets(world: World) -> None:
    features, train, held_out = world
    few, guess = train[:600], features + np.random.default_rng(5).normal(size=features.shape)
    informed = l2s.GaussEmbed(3, prior=1.0, random_state=0)
    informed.fit(few, n_items=121, prior_mean=np.vstack([guess, [[7, 8, 9]]]))
    blind = l2s.GaussEmbed(3, random_state=0).fit(few, n_items=121)
    assert informed.score(held_out) > blind.score(held_out) + 0.1
    np.testing.assert_array_equal(informed.embedding_[120], [7, 8, 9])
    with pytest.raises(ValueError, match=r"prior_mean must be finite numbers of shape \(120, 3\), got shape \(4, 3\)"):
        blind.fit(few, n_items=120, prior_mean=guess[:4])


def test_automatic_dimension_should_find_the_true_one(world: World) -> None:
    _, train, held_out = world
    model = l2s.GaussEmbed("auto", random_state=0).fit(train)
    assert model.embedding_.shape == (120, 3)
    given = l2s.GaussEmbed(3, random_state=0).fit(train).score(held_out)
    assert model.score(held_out) == pytest.approx(given, abs=0.01)
    with pytest.raises(ValueError, match='give n_components, not "auto"'):
        l2s.GaussEmbed("auto").fit(train, init=model.embedding_)
    with pytest.raises(ValueError, match='"auto" needs triplets'):
        l2s.GaussEmbed("auto").partial_fit(train)


@pytest.mark.heavy
def test_automatic_dimension_should_find_eleven_of_thirty() -> None:
    features = np.random.default_rng(0).normal(size=(1600, 11))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=5), 0.1)
    train = l2s.make_triplets(l2s.ProbitOracle(features, noise, seed=1), 1600, 200_000, seed=2)
    assert l2s.GaussEmbed("auto", random_state=0).fit(train).embedding_.shape == (1600, 11)


# --- scikit-learn, files, bad input ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [l2s.GaussEmbed, l2s.TSTE, l2s.CKL])
def test_estimators_should_pass_through_scikit_learns_clone(world: World, kind: Estimator) -> None:
    model = kind(4, learning_rate=0.07, random_state=3)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert copy is not model
    assert not hasattr(clone(model.set_params(epochs=1).fit(world[1])), "embedding_")


@pytest.mark.parametrize("kind", [l2s.GaussEmbed, l2s.TSTE, l2s.CKL])
def test_a_saved_estimator_should_come_back_the_same(world: World, kind: Estimator, tmp_path: Path) -> None:
    model = kind(2, epochs=2, random_state=3).fit(world[1])
    model.save(tmp_path / "model.npz")
    back = kind.load(tmp_path / "model.npz")
    assert back.get_params() == model.get_params()
    np.testing.assert_array_equal(back.predict_proba(world[2]), model.predict_proba(world[2]))
    assert back.n_items_ == 120
    assert back.epochs_ == 2
    assert type(back.epochs_) is int


@pytest.mark.parametrize("kind", [l2s.GaussEmbed, l2s.TSTE, l2s.CKL])
def test_parameters_that_are_numbers_of_numpy_should_be_saved(world: World, kind: Estimator, tmp_path: Path) -> None:
    model = kind(np.int64(3), epochs=np.int32(2), learning_rate=np.float32(0.05), random_state=3).fit(world[1])
    model.save(tmp_path / "model.npz")
    assert kind.load(tmp_path / "model.npz").get_params() == model.get_params()


@pytest.mark.parametrize("seed", [5, np.random.SeedSequence(5)])
def test_the_same_seed_should_give_the_same_embedding_again(world: World, seed: int | np.random.SeedSequence) -> None:
    model = l2s.GaussEmbed(2, epochs=2, random_state=seed)
    np.testing.assert_array_equal(model.fit(world[1]).embedding_.copy(), model.fit(world[1]).embedding_)


def test_scikit_learns_tools_should_take_the_estimators(world: World) -> None:
    search = GridSearchCV(l2s.TSTE(epochs=2, random_state=0), {"n_components": [2, 3]}, cv=3).fit(world[1])
    assert search.best_params_["n_components"] in (2, 3)
    assert cross_val_score(l2s.GaussEmbed(2, epochs=2), world[1], cv=3).shape == (3,)


def test_files_of_another_kind_version_or_damaged_should_be_refused(world: World, tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    l2s.TSTE(2, epochs=1).fit(world[1]).save(path)
    with pytest.raises(ValueError, match="is not a saved GaussEmbed: it holds"):
        l2s.GaussEmbed.load(path)
    with np.load(path) as file:
        content = dict(file)
    np.savez(path, **content | {"version": np.array(9)})
    with pytest.raises(ValueError, match="a saved TSTE of version 9, this release reads version 3"):
        l2s.TSTE.load(path)
    np.savez(path, **{name: array for name, array in content.items() if name != "embedding_"})
    with pytest.raises(ValueError, match="a saved TSTE without embedding_: it is damaged"):
        l2s.TSTE.load(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="or is damaged"):
        l2s.TSTE.load(path)
    with pytest.raises(FileNotFoundError):
        l2s.TSTE.load(tmp_path / "nothing.npz")


@pytest.mark.parametrize("kind", [l2s.GaussEmbed, l2s.TSTE, l2s.CKL])
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1]], r"must have shape \(m, 3\)"),
        (np.empty((0, 3), int), "there are no triplets"),
        ([[0, 1, 2.5]], "whole numbers, row 0"),
        ([[0, 1, -2]], "numbered from 0"),
        ([[0, 1, 9]], "name item 9, but n_items is 5"),
        ([[1, 1, 2], [3, 0, 3]], "all 2 triplets name the same item twice"),
    ],
)
def test_bad_triplets_should_be_refused(kind: Estimator, rows: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(2).fit(rows, n_items=5)


def test_contradictory_and_undecided_answers_should_be_allowed(world: World) -> None:
    both = np.vstack([world[1][:200], world[1][:200, [0, 2, 1]]])
    assert l2s.GaussEmbed(2, epochs=2).fit(both).embedding_.shape[1] == 2
    X, y = world[1][:300], np.where(np.arange(300) < 200, 1, 0)
    model = l2s.GaussEmbed(2, epochs=2, validation_fraction=0.2, random_state=0).fit(X, y, groups=np.arange(300) // 3)
    assert np.isfinite(model.embedding_).all()
    with pytest.raises(ValueError, match="all answers are undecided"):
        l2s.GaussEmbed(2).fit(X, np.zeros(300, int))
    with pytest.raises(ValueError, match=r"groups must name a group for each triplet, shape \(300,\), got \(4,\)"):
        l2s.GaussEmbed(2).fit(X, groups=[1, 2, 3, 4])


# --- devices ---------------------------------------------------------------------------------------


def test_jax_should_fit_as_well_as_the_compiled_code(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path that GPUs take, here on JAX's CPU device; also early stopping and the prior of unseen items."""
    jax = pytest.importorskip("jax")
    monkeypatch.setattr("learn2search.embed.gauss_embed.choose_devices", lambda device: jax.devices("cpu"))
    _, train, held_out = world
    model = l2s.GaussEmbed(3, device="gpu", validation_fraction=0.1, patience=20, random_state=0)
    model.fit(train, n_items=121, groups=np.arange(len(train)))
    monkeypatch.undo()
    assert model.score(held_out) > l2s.GaussEmbed(3, random_state=0).fit(train).score(held_out) - 0.015
    np.testing.assert_array_equal(model.embedding_[120], 0)
    np.testing.assert_allclose(model.variance_[120], model.prior_variance_)


def test_an_unknown_device_should_be_refused(world: World) -> None:
    with pytest.raises(ValueError, match='device must be "auto", "cpu" or "gpu", got \'tpu\''):
        l2s.GaussEmbed(2, device="tpu").fit(world[1])


def test_wrong_answers_should_do_no_harm_when_they_count_for_nothing() -> None:
    features = np.random.default_rng(0).normal(size=(30, 2)) * 3
    rows = l2s.make_triplets(l2s.ProbitOracle(features, 1.0, seed=1), 30, 2000, seed=2)
    lies = rows[:1000, [0, 2, 1]]
    both, weights = np.concatenate([rows, lies]), np.repeat([1.0, 0.0], [2000, 1000])
    ignored = l2s.GaussEmbed(2, random_state=0).fit(both, n_items=30, sample_weight=weights)
    without = l2s.GaussEmbed(2, random_state=0).fit(rows, n_items=30)
    np.testing.assert_array_equal(ignored.embedding_, without.embedding_)
    assert l2s.GaussEmbed(2, random_state=0).fit(both).score(rows) < without.score(rows)


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_weights_that_cannot_be_used_should_be_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="sample_weight must be 2 numbers, one a triplet, 0 or more"):
        l2s.GaussEmbed(2).fit([[0, 1, 2], [1, 2, 3]], sample_weight=weights)
