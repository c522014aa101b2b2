"""GaussEmbed: its slopes against finite differences, and what it learns against the truth."""

import numpy as np
import pytest
from scipy import special

import learn2search as l2s
from learn2search.embed import gauss
from learn2search.streams import open_stream, stream_keys


@pytest.fixture(scope="module")
def world():
    """Features, triplets to learn from, held-out triplets; three separate random streams."""
    features = np.random.default_rng(0).normal(size=(120, 3)) * 2.0
    train = l2s.make_triplets(l2s.ProbitOracle(features, 1.0, seed=1), 120, 20_000, seed=2)
    held_out = l2s.make_triplets(l2s.ProbitOracle(features, 1.0, seed=3), 120, 4_000, seed=4)
    return features, train, held_out


def log_likelihood(nu, rho, rows, noise):
    """Σ log Φ(m) at x = ν + sd·ε, in float64 and by the array forms; noise `(m, 3, d)`."""
    x = nu[rows] + np.exp(rho)[rows] * noise
    return l2s.log_ndtr(l2s.margin(x[:, 1], x[:, 2], x[:, 0])).sum()


def test_slopes_should_equal_finite_differences():
    generator = np.random.default_rng(0)
    n, d, m = 8, 3, 12
    nu, rho = generator.normal(size=(n, d)), 0.3 * generator.normal(size=(n, d))
    rows = np.array([generator.choice(n, 3, replace=False) for _ in range(m)])
    key = stream_keys(5, 1)[0]
    pool = gauss._normal_pool(open_stream(key, 0), 3 * d)
    starts = [int(gauss.below(stream, gauss._POOL)) for stream in [open_stream(key, 1)] for _ in range(m)]
    noise = np.array([pool[start : start + 3 * d].reshape(d, 3).T for start in starts], float)
    d_nu, d_rho = np.zeros((2, n, d), np.float32)
    gauss.add_slopes(
        rows, np.arange(m), nu.astype(np.float32), rho.astype(np.float32), pool, open_stream(key, 1), d_nu, d_rho
    )
    for slopes, which in ((d_nu, 0), (d_rho, 1)):
        for item in range(n):
            for a in range(d):
                up, down = [nu.copy(), rho.copy()], [nu.copy(), rho.copy()]
                up[which][item, a] += 1e-5
                down[which][item, a] -= 1e-5
                slope = (log_likelihood(*up, rows, noise) - log_likelihood(*down, rows, noise)) / 2e-5
                assert slopes[item, a] == pytest.approx(slope, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("prior", ["empirical", "standard"])
def test_it_should_predict_nearly_as_well_as_the_truth(world, prior):
    features, train, held_out = world
    model = l2s.GaussEmbed(3, prior=prior, random_state=0).fit(train)
    anchor, near, far = features[held_out.T]
    truth = np.mean(l2s.margin(near, far, anchor) > 0)
    assert model.score(held_out) > truth - 0.03
    assert model.embedding_.shape == model.variance_.shape == (120, 3)


def test_probabilities_should_be_calibrated(world):
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


def test_an_untouched_start_should_know_nothing(world):
    """A shared random stream once made an untrained embedding score 0.90."""
    _, _, held_out = world
    model = l2s.GaussEmbed(3, epochs=1, learning_rate=1e-9, random_state=2).fit(held_out[:200], n_items=120)
    assert abs(model.score(held_out[200:]) - 0.5) < 4 * 0.5 / np.sqrt(len(held_out) - 200) + 0.03


def test_the_same_seed_should_give_the_same_embedding(world):
    _, train, _ = world
    first, second, other = (l2s.GaussEmbed(2, epochs=2, random_state=s).fit(train) for s in (3, 3, 4))
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    assert not np.array_equal(first.embedding_, other.embedding_)


def test_items_without_triplets_should_keep_the_prior(world):
    _, train, _ = world
    model = l2s.GaussEmbed(2, epochs=3, random_state=0).fit(train, n_items=125)
    np.testing.assert_array_equal(model.embedding_[120:], 0)
    np.testing.assert_allclose(model.variance_[120:], model.prior_variance_)
    assert model.variance_[:120].mean() < model.prior_variance_


def test_a_warm_start_should_go_on_from_where_it_was(world):
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


def test_streaming_the_last_tenth_should_be_as_good_as_fitting_it(world):
    _, train, held_out = world
    whole = l2s.GaussEmbed(3, random_state=0).fit(train).score(held_out)
    streamed = l2s.GaussEmbed(3, random_state=0).fit(train[:18_000]).partial_fit(train[18_000:]).score(held_out)
    assert streamed > whole - 0.015


def test_new_items_should_be_learnt_online(world):
    _, train, _ = world
    old = train[(train < 110).all(axis=1)]
    model = l2s.GaussEmbed(3, random_state=0).fit(old)
    assert model.n_items_ == 110
    new = train[(train >= 110).any(axis=1)]
    model.partial_fit(new[:-500])
    assert model.n_items_ == 120
    assert model.score(new[-500:]) > 0.75
    assert l2s.GaussEmbed(2).partial_fit(train[:10]).n_items_ == train[:10].max() + 1


def test_online_steps_should_match_moments_by_quadrature():
    """d = 1, only the anchor uncertain: the exact posterior is one integral."""
    nu, psi = np.array([[0.2], [1.0], [-0.5]]), np.array([[0.8], [1e-12], [1e-12]])
    x = np.linspace(-8, 8, 40_001)
    weight = np.exp(-((x - 0.2) ** 2) / 1.6) * special.ndtr(l2s.margin(nu[1], nu[2], x[:, None]))
    weight /= weight.sum()
    gauss.absorb(nu, psi, np.array([[0, 1, 2]]))
    assert nu[0, 0] == pytest.approx(weight @ x, abs=1e-5)
    assert psi[0, 0] == pytest.approx(weight @ (x - weight @ x) ** 2, abs=1e-5)


def test_a_search_on_the_learnt_embedding_should_be_far_better_than_random(world):
    features, train, _ = world
    space = l2s.GaussEmbed(3, random_state=0).fit(train).to_embedding()
    oracle = l2s.ProbitOracle(features, 1.0, seed=9)
    run = l2s.simulate("sampled", space, oracle, np.arange(120), noise=1.0, seed=1)
    assert run.mean < 20  # random: 30.5


def test_parameters_should_work_as_in_scikit_learn(world):
    model = l2s.GaussEmbed(4, prior="standard", random_state=1)
    assert l2s.GaussEmbed(**model.get_params()).get_params() == model.get_params()
    assert model.set_params(n_components=7).n_components == 7
    assert repr(model) == "GaussEmbed(n_components=7, prior='standard', random_state=1)"
    with pytest.raises(ValueError, match="GaussEmbed has no parameter 'colour', only n_components, prior"):
        model.set_params(colour=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number from 1, got 0"),
        ({"prior": "flat"}, 'prior must be "empirical" or "standard"'),
        ({"epochs": 0}, "epochs must be positive"),
        ({"learning_rate": -1.0}, "learning_rate must be positive"),
    ],
)
def test_bad_parameters_should_be_refused(world, options, message):
    with pytest.raises(ValueError, match=message):
        l2s.GaussEmbed(**options).fit(world[1][:50])


def test_using_it_before_fitting_should_be_refused(world):
    for use in (lambda m: m.score(world[1]), lambda m: m.transform(), lambda m: m.to_embedding()):
        with pytest.raises(ValueError, match="not fitted yet: call fit"):
            use(l2s.GaussEmbed())
    model = l2s.GaussEmbed(2, epochs=1).fit(world[1])
    with pytest.raises(ValueError, match="name item 500, but n_items is 120"):
        model.score([[0, 1, 500]])
