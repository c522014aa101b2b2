"""GaussSearch against the paper: its update, its theorems, its lemma."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

import learn2search as l2s
from learn2search.search import gauss_search, matrices
from learn2search.search.gauss_search import Belief
from learn2search.streams import open_stream, stream_keys
from learn2search.typing import Array


def random_belief(generator: np.random.Generator, d: int) -> Belief:
    root = generator.normal(size=(d, d))
    return Belief(generator.normal(size=d), root @ root.T + 0.1 * np.eye(d))


def random_plane(generator: np.random.Generator, d: int) -> tuple[Array, float]:
    w = generator.normal(size=d)
    return w / np.linalg.norm(w), generator.normal()


def update_with_inverses(belief: Belief, w: Array, b: float, noise_var: float) -> Belief:
    """The paper's Update routine, to the letter."""
    spread = w @ belief.cov @ w
    s = math.sqrt(spread + noise_var)
    g = (belief.mean @ w + b) / s
    h = float(l2s.hazard(g))
    alpha, beta = h / s, -h * (h + g) / s**2
    tau = -beta / (1 + beta * spread)
    nu = (alpha - beta * (belief.mean @ w + b)) / (1 + beta * spread)
    precision = np.linalg.inv(belief.cov)
    cov = np.asarray(np.linalg.inv(precision + tau * np.outer(w, w)), np.float64)
    return Belief(cov @ (precision @ belief.mean + (nu - b * tau) * w), cov)


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_update_should_equal_the_papers_form_with_inverses(seed: int, d: int) -> None:
    generator = np.random.default_rng(seed)
    belief, (w, b) = random_belief(generator, d), random_plane(generator, d)
    ours, papers = gauss_search.update(belief, w, b, 0.7), update_with_inverses(belief, w, b, 0.7)
    np.testing.assert_allclose(ours.mean, papers.mean, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(ours.cov, papers.cov, rtol=1e-9, atol=1e-10)


@given(st.integers(0, 10**6))
def test_update_should_match_the_moments_of_the_true_posterior(seed: int) -> None:
    generator = np.random.default_rng(seed)
    mean, var, b, noise = generator.normal(), generator.gamma(2.0) + 0.1, generator.normal(), 0.8
    belief = gauss_search.update(Belief(np.array([mean]), np.array([[var]])), np.array([1.0]), b, noise**2)
    x = np.linspace(mean - 12 * math.sqrt(var), mean + 12 * math.sqrt(var), 20_001)
    weight = stats.norm.pdf(x, mean, math.sqrt(var)) * special.ndtr((x + b) / noise)
    weight /= weight.sum()
    assert math.isclose(belief.mean[0], weight @ x, rel_tol=1e-7, abs_tol=1e-7)
    assert math.isclose(belief.cov[0, 0], weight @ (x - weight @ x) ** 2, rel_tol=1e-7)


@given(st.integers(0, 10**6), st.integers(2, 6))
def test_update_should_turn_with_the_space(seed: int, d: int) -> None:
    generator = np.random.default_rng(seed)
    belief, (w, b) = random_belief(generator, d), random_plane(generator, d)
    turn = stats.ortho_group.rvs(d, random_state=generator)  # rotations and reflections
    turned = gauss_search.update(Belief(turn @ belief.mean, turn @ belief.cov @ turn.T), turn @ w, b, 0.5)
    plain = gauss_search.update(belief, w, b, 0.5)
    np.testing.assert_allclose(turned.mean, turn @ plain.mean, atol=1e-9)
    np.testing.assert_allclose(turned.cov, turn @ plain.cov @ turn.T, atol=1e-9)


@given(st.integers(0, 10**6))
def test_the_other_answer_should_be_the_negated_plane(seed: int) -> None:
    """P(i) p(x | i) + P(j) p(x | j) = p(x): the mean of the two updates is the belief before."""
    generator = np.random.default_rng(seed)
    belief, (w, b) = random_belief(generator, 3), random_plane(generator, 3)
    chance = special.ndtr((w @ belief.mean + b) / math.sqrt(w @ belief.cov @ w + 0.25))
    yes, no = gauss_search.update(belief, w, b, 0.25), gauss_search.update(belief, -w, -b, 0.25)
    np.testing.assert_allclose(chance * yes.mean + (1 - chance) * no.mean, belief.mean, atol=1e-9)


def test_covariance_should_stay_positive_definite_over_20000_updates() -> None:
    generator = np.random.default_rng(0)
    belief, target = random_belief(generator, 6), generator.normal(size=6)
    for _ in range(20_000):
        w, _ = random_plane(generator, 6)
        b = float(-w @ belief.mean + 0.1 * generator.normal())
        if w @ target + b + 0.5 * generator.normal() < 0:
            w, b = -w, -b
        belief = gauss_search.update(belief, w, b, 0.25)
        assert np.array_equal(belief.cov, belief.cov.T)
    assert np.linalg.eigvalsh(belief.cov)[0] > 0
    assert np.linalg.norm(belief.mean - target) < 0.1


def test_an_answer_that_was_all_but_impossible_should_leave_a_finite_belief() -> None:
    belief = Belief(np.array([100.0, 0.0]), np.eye(2) * 1e-4)
    after = gauss_search.update(belief, np.array([-1.0, 0.0]), 0.0, 1e-6)
    assert np.isfinite(after.mean).all()
    assert np.linalg.eigvalsh(after.cov)[0] > 0
    assert after.mean[0] < 100


def information_gain(w: Array, belief: Belief, noise: float) -> float:
    """I[x; y | h] of a hyperplane through μ, by quadrature over t ~ N(0, wᵀΣw)."""
    sd = math.sqrt(w @ belief.cov @ w)

    def entropy(t: float) -> float:
        p = special.ndtr(t / noise)
        return -(special.xlogy(p, p) + special.xlogy(1 - p, 1 - p)) / math.log(2) * stats.norm.pdf(t, scale=sd)

    return 1 - integrate.quad(entropy, -12 * sd, 12 * sd, points=[0], limit=200)[0]


@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.heavy) for seed in range(3, 10))])
def test_theorem_1_the_best_hyperplane_should_be_orthogonal_to_the_top_eigenvector(seed: int) -> None:
    generator = np.random.default_rng(seed)
    belief = random_belief(generator, 4)
    best = information_gain(matrices.exact_top_eigenvector(belief.cov), belief, 0.5)
    assert information_gain(matrices.top_eigenvector(belief.cov), belief, 0.5) > 0.9 * best
    others = [random_plane(generator, 4)[0] for _ in range(20)]
    assert all(information_gain(w, belief, 0.5) <= best + 1e-6 for w in others)
    by_variance = sorted(others, key=lambda w: w @ belief.cov @ w)
    gains = [information_gain(w, belief, 0.5) for w in by_variance]
    assert (np.diff(gains) > -1e-6).all()  # the gain grows with wᵀΣw


@pytest.mark.parametrize("start", [1e-3, 0.1, 1.0, 10.0, 1e3])
def test_lemma_the_variance_should_fall_as_one_over_m(start: float) -> None:
    """min(0.1, σ0²)/(m+1) <= σ²_m <= max(10, σ0²)/(m+1) for questions through the mean."""
    belief = Belief(np.zeros(1), np.array([[start]]))
    generator = np.random.default_rng(0)
    for m in range(3000):
        assert min(0.1, start) / (m + 1) <= belief.cov[0, 0] <= max(10, start) / (m + 1)
        side = 1.0 if 0.3 + generator.normal() > belief.mean[0] else -1.0
        belief = gauss_search.update(belief, np.array([side]), -side * belief.mean[0], 1.0)


def test_theorem_2_the_belief_should_concentrate_at_the_target() -> None:
    """In a dense space the sample and its mirror image are themselves the query."""
    generator, d, noise = np.random.default_rng(1), 3, 0.5
    target, belief = np.array([0.7, -0.4, 0.2]), Belief(np.zeros(3), np.eye(3))
    point = np.empty(d)
    key, traces, errors = stream_keys(0, 1)[0], [], []
    for m in range(20_000):
        gauss_search.sample(belief.mean, matrices.cholesky(belief.cov), open_stream(key, m), point)
        x_i = point.copy()
        gauss_search.mirror(belief.mean, matrices.top_eigenvector(belief.cov), point)
        pair = np.array([x_i, point])
        perceived = target + noise * generator.normal(size=d)
        chosen = int(np.argmin(((pair - perceived) ** 2).sum(axis=1)))
        belief = gauss_search.learn(belief, pair, np.empty((0, d)), np.array([0, 1]), chosen, noise)
        traces.append(np.trace(belief.cov))
        errors.append(np.linalg.norm(belief.mean - target))
    assert traces[-1] < d * 10 * noise**2 / (20_000 / d)  # the lemma's bound in each of d directions
    assert traces[-1] < traces[199] / 50
    assert errors[-1] < 4 * math.sqrt(traces[-1])


@given(st.integers(0, 10**6), st.integers(1, 40))
def test_the_exact_eigenvector_should_reach_the_largest_eigenvalue(seed: int, d: int) -> None:
    cov = random_belief(np.random.default_rng(seed), d).cov
    w = matrices.exact_top_eigenvector(cov)
    assert math.isclose(np.linalg.norm(w), 1, rel_tol=1e-9)
    assert math.isclose(w @ cov @ w, np.linalg.eigvalsh(cov)[-1], rel_tol=1e-9)


def test_the_power_method_should_nearly_reach_the_largest_eigenvalue() -> None:
    """It stops early where eigenvalues nearly tie, and then any mixture will do; rarely it is some percent below."""
    losses = []
    for seed in range(600):
        generator = np.random.default_rng(seed)
        cov = random_belief(generator, int(generator.integers(1, 50))).cov
        w = matrices.top_eigenvector(cov)
        assert math.isclose(np.linalg.norm(w), 1, rel_tol=1e-9)
        losses.append(1 - w @ cov @ w / np.linalg.eigvalsh(cov)[-1])
    assert np.mean(losses) < 1e-3
    assert np.quantile(losses, 0.99) < 5e-3
    assert max(losses) < 0.15


@given(st.integers(0, 10**6), st.integers(1, 8))
def test_the_mirror_image_should_lie_across_the_best_hyperplane(seed: int, d: int) -> None:
    generator = np.random.default_rng(seed)
    belief, (w, _) = random_belief(generator, d), random_plane(generator, d)
    point = generator.normal(size=d)
    image = point.copy()
    gauss_search.mirror(belief.mean, w, image)
    plane_w, plane_b = l2s.hyperplane(point, image)
    assert abs(plane_w @ belief.mean + plane_b) < 1e-9  # the bisector passes through μ
    np.testing.assert_allclose(np.abs(plane_w @ w), 1, atol=1e-9)
    gauss_search.mirror(belief.mean, w, image)
    np.testing.assert_allclose(image, point, atol=1e-9)


def test_samples_should_have_the_beliefs_moments() -> None:
    belief = random_belief(np.random.default_rng(0), 3)
    root, point = matrices.cholesky(belief.cov), np.empty(3)
    np.testing.assert_allclose(root.T @ root, belief.cov, atol=1e-12)
    stream, samples = open_stream(stream_keys(5, 1)[0], 0), []
    for _ in range(20_000):
        gauss_search.sample(belief.mean, root, stream, point)
        samples.append(point.copy())
    error = np.sqrt(np.diag(belief.cov) / 20_000)
    assert (np.abs(np.mean(samples, axis=0) - belief.mean) < 4 * error).all()
    np.testing.assert_allclose(
        np.cov(np.transpose(samples)), belief.cov, atol=5 * np.trace(belief.cov) / math.sqrt(20_000)
    )


def test_the_root_should_stay_one_of_the_covariance() -> None:
    """RᵀR = Σ after hundreds of answers, though R is never decomposed anew; also when hardly any noise flattens Σ."""
    generator = np.random.default_rng(0)
    for d, noise in ((1, 0.1), (4, 0.3), (30, 0.3), (6, 1e-4)):
        features = generator.normal(size=(2000, d)) * generator.uniform(0.1, 10, d)
        search = l2s.GaussSearch(l2s.Embedding(features), noise=noise, reuse=True, seed=1)
        target = features[5]
        for _ in range(300):
            query = search.ask()
            search.tell(query[int(np.argmin(((features[list(query)] - target) ** 2).sum(axis=1)))])
        mean, cov, root = search.belief
        scale = np.sqrt(np.outer(np.diag(cov), np.diag(cov)))
        assert np.isfinite(mean).all()
        np.testing.assert_allclose(root.T @ root / scale, cov / scale, atol=1e-6)


def test_a_prior_may_be_stored_by_columns() -> None:
    prior = Belief(np.zeros(2), np.asfortranarray(np.eye(2)))
    search = l2s.GaussSearch(l2s.Embedding(np.random.default_rng(0).normal(size=(9, 2))), prior=prior, seed=0)
    search.tell(search.ask()[0])


def test_uncertain_items_should_move_the_belief_less() -> None:
    mean = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]])
    var = np.full((3, 2), 0.5)
    var[:, 0] = [0.2, 0.3, 1.0]
    exact, uncertain = l2s.Embedding(mean), l2s.Embedding(mean, var)
    prior = Belief(np.zeros(2), np.eye(2))
    query = np.array([0, 1])
    plain = gauss_search.learn(prior, exact.mean, np.empty((0, 2)), query, 0, 0.4)
    careful = gauss_search.learn(prior, uncertain.mean, uncertain.var, query, 0, 0.4)
    by_hand = gauss_search.update(prior, np.array([-1.0, 0.0]), 0.5, 0.4**2 + 0.2 + 0.3)  # σ² + wᵀΨ_i w + wᵀΨ_j w
    np.testing.assert_allclose(careful.mean, by_hand.mean)
    np.testing.assert_allclose(careful.cov, by_hand.cov)
    assert careful.cov[0, 0] > plain.cov[0, 0]


def test_a_click_on_one_of_four_should_be_three_comparisons() -> None:
    features = np.random.default_rng(0).normal(size=(4, 2))
    belief = prior = Belief(np.zeros(2), np.eye(2))
    for other in (0, 1, 3):
        w, b = l2s.hyperplane(features[2], features[other])
        belief = gauss_search.update(belief, w, float(b), 0.09)
    ours = gauss_search.learn(prior, features, np.empty((0, 2)), np.arange(4), 2, 0.3)
    np.testing.assert_allclose(ours.mean, belief.mean)
    np.testing.assert_allclose(ours.cov, belief.cov)


def test_a_query_should_be_the_items_nearest_to_the_mirrored_samples() -> None:
    features = np.random.default_rng(0).random((200, 3))
    search = l2s.GaussSearch(l2s.Embedding(features), noise=0.1, seed=3)
    for step in range(10):
        query = search.ask(4)
        point, free = np.empty(3), np.ones(200, bool)
        free[list(search.used)] = False
        stream = open_stream(search._key, step)
        w = matrices.top_eigenvector(search.belief.cov)
        for slot, item in enumerate(query):
            if slot % 2 == 0:
                gauss_search.sample(search.belief.mean, search.belief.root, stream, point)
            else:
                gauss_search.mirror(search.belief.mean, w, point)
            distances = np.where(free, ((features - point) ** 2).sum(axis=1), np.inf)
            assert item == np.argmin(distances)
            free[item] = False
        search.tell(query[0])


def test_relabelling_should_leave_a_search_unchanged() -> None:
    features = np.random.default_rng(0).random((300, 4))
    order = np.random.default_rng(1).permutation(300)
    plain = l2s.GaussSearch(l2s.Embedding(features), noise=0.1, seed=3)
    moved = l2s.GaussSearch(l2s.Embedding(features[order]), noise=0.1, seed=3)
    for _ in range(20):
        query = plain.ask()
        assert tuple(order[list(moved.ask())]) == query
        plain.tell(query[0])
        moved.tell(moved.ask()[0])


def test_turning_the_space_should_leave_the_cost_unchanged() -> None:
    features = np.random.default_rng(0).random((300, 3))
    turn = stats.ortho_group.rvs(3, random_state=2)
    runs = []
    for x in (features, features @ turn.T):
        oracle = l2s.ProbitOracle(x, 0.1, seed=5)
        runs.append(l2s.simulate("gauss", l2s.Embedding(x), oracle, np.arange(300).repeat(4), seed=6))
    assert abs(runs[0].mean - runs[1].mean) < 4 * math.hypot(runs[0].standard_error, runs[1].standard_error)


def test_the_default_prior_should_have_the_items_moments() -> None:
    generator = np.random.default_rng(0)
    features, var = generator.random((100_000, 3)), generator.random((100_000, 3)) + 0.1
    belief = Belief.of(l2s.Embedding(features), scale=2.0)
    np.testing.assert_allclose(belief.mean, features.mean(axis=0))
    np.testing.assert_allclose(belief.cov, 2 * np.cov(features, rowvar=False, bias=True), rtol=1e-6, atol=1e-9)
    uncertain = Belief.of(l2s.Embedding(features, var))
    np.testing.assert_allclose(np.diag(uncertain.cov), features.var(axis=0) + var.mean(axis=0), rtol=1e-6)


def test_probability_should_be_the_density_at_the_items() -> None:
    features = np.random.default_rng(0).random((50, 3))
    search = l2s.GaussSearch(l2s.Embedding(features), noise=0.1, stop="mode", seed=3)
    search.ask()
    search.tell(search.ask()[0])
    density = stats.multivariate_normal(search.belief.mean, search.belief.cov).pdf(features)
    np.testing.assert_allclose(search.probability(), density / density.sum(), rtol=1e-8)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (Belief(np.zeros(2), np.eye(3)), r"Belief\(mean \(3,\), cov \(3, 3\)\), got \(2,\) and \(3, 3\)"),
        (Belief(np.zeros(3), -np.eye(3)), "positive definite"),
        (Belief(np.zeros(3), np.arange(9.0).reshape(3, 3)), "symmetric"),
        (Belief(np.full(3, np.nan), np.eye(3)), "finite"),
        (Belief(np.zeros(3), 1e160 * np.eye(3)), "must lie within 1e60"),
        (np.ones(3), r"must be 5 weights, one an item, got shape \(3,\)"),
    ],
)
def test_bad_priors_should_be_refused(prior: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.GaussSearch(l2s.Embedding(np.random.default_rng(0).random((5, 3))), prior=prior)


def test_a_feature_that_never_varies_should_not_break_the_search() -> None:
    features = np.column_stack([np.random.default_rng(0).random(50), np.full(50, 7.0)])
    run = l2s.simulate("gauss", l2s.Embedding(features), l2s.ProbitOracle(features, 0.05, seed=1), np.arange(50))
    assert run.found.all()


def test_a_hopeless_belief_should_not_hang_the_search() -> None:
    """Answers that contradict each other at almost no noise; items may come again, so it could go on for ever."""
    features = np.random.default_rng(0).random((300, 6))
    search, oracle = (
        l2s.GaussSearch(l2s.Embedding(features), 1e-7, reuse=True, seed=0),
        l2s.ProbitOracle(features, 0.2, seed=1),
    )
    for _ in range(300):
        search.tell(oracle.choose(search.ask(), 5))
    assert np.isfinite(search.belief.mean).all()
    far = Belief(np.full(6, 1e39), np.eye(6))
    assert len(set(l2s.GaussSearch(l2s.Embedding(features), 0.1, prior=far, seed=0).ask())) == 2
    wide = Belief(np.zeros(6), 1e50 * np.eye(6))
    assert len(set(l2s.GaussSearch(l2s.Embedding(features), 0.1, prior=wide, seed=0).ask())) == 2


def test_columns_of_different_scale_should_keep_their_variances() -> None:
    features = np.random.default_rng(0).random((500, 2)) * [1e6, 1.0]
    np.testing.assert_allclose(np.diag(Belief.of(l2s.Embedding(features)).cov), features.var(axis=0), rtol=1e-6)


def test_changing_a_belief_should_not_change_the_prior_of_other_searches() -> None:
    space = l2s.Embedding(np.random.default_rng(0).random((20, 2)))
    l2s.GaussSearch(space, 0.1).belief.mean[:] = 99
    assert l2s.GaussSearch(space, 0.1).belief.mean.max() < 1
