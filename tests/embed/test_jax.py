"""The objective in JAX: against an independent form and finite differences, what it learns, and where it runs."""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import special

import learn2search
from learn2search.comparison import Link
from learn2search.embed import _jax
from learn2search.embed._jax import batches, elbo, optimizer
from learn2search.embed._numba import kernels
from learn2search.embed._numba.kernels import _POOL
from learn2search.streams import below, open_stream, stream_keys
from learn2search.typing import Array, Array32, Triplets

World = tuple[Array, Triplets, Triplets]  # features, triplets to learn from, held-out triplets
Problem = tuple[Array, Array, Triplets, Array, dict[str, Array]]  # nu, log_sd, rows, noise, prior

SOURCES = Path(learn2search.__file__).parents[1]
LINKS = [("probit", 1.0), ("ratio", 2.5)]


def some_triplets(n: int, count: int, seed: int = 0) -> Triplets:
    generator = np.random.default_rng(seed)
    rows = np.array([generator.choice(n, 3, replace=False) for _ in range(count)])
    rows[:3] = [1, 0, 2], [1, 2, 0], [1, 0, 2]  # an answer, its contradiction, and the answer again
    return rows


def answered(features: Array, rows: Triplets, noise: float = 1.0, seed: int = 0) -> Triplets:
    """The rows in the order in which a person of the probit model answers them."""
    anchor, near, far = features[rows.T]
    u = near - far
    margin = np.sum(u * (anchor - (near + far) / 2), axis=1) / np.linalg.norm(u, axis=1)
    chosen = margin > noise * np.random.default_rng(seed).normal(size=len(rows))
    return np.where(chosen[:, None], rows, rows[:, [0, 2, 1]])


def share_satisfied(places: Array | Array32, rows: Triplets) -> float:
    anchor, near, far = places[rows.T]
    return np.mean(np.sum((anchor - near) ** 2, axis=1) < np.sum((anchor - far) ** 2, axis=1))


def plain_objective(
    nu: Array,
    log_sd: Array,
    rows: Triplets,
    noise: Array,
    link: str,
    kappa: float,
    temper: float,
    mean: Array,
    variance: Array,
) -> float:
    """The ELBO at one sample, triplet by triplet and item by item."""
    total = 0.0
    for row, epsilon in zip(rows, noise, strict=True):
        anchor, near, far = nu[row] + np.exp(log_sd[row]) * epsilon
        if link == "probit":
            w = (near - far) / np.linalg.norm(near - far)
            total += special.log_ndtr(w @ anchor + (far @ far - near @ near) / (2 * np.linalg.norm(near - far)))
        else:
            ratio = (1 + np.sum((anchor - far) ** 2)) / (1 + np.sum((anchor - near) ** 2))
            total += np.log(ratio**kappa / (1 + ratio**kappa))
    for nu_i, sd_i, mean_i in zip(nu, np.exp(log_sd), mean, strict=True):
        sd_prior = np.sqrt(variance)
        kl = np.log(sd_prior / sd_i) + (sd_i**2 + (nu_i - mean_i) ** 2) / (2 * variance) - 0.5
        total -= temper * kl.sum()
    return total


@pytest.fixture
def problem() -> Problem:
    """Few items in float64: nu, log_sd, rows, noise, and the prior of items and dimensions."""
    generator = np.random.default_rng(1)
    n, d, m = 7, 3, 15
    prior = {"prior_mean": generator.normal(size=(n, d)), "prior_variance": generator.uniform(0.5, 2, d)}
    nu, log_sd = generator.normal(size=(n, d)), 0.3 * generator.normal(size=(n, d))
    return nu, log_sd, some_triplets(n, m), generator.normal(size=(m, 3, d)), prior


@pytest.fixture(scope="module")
def world() -> World:
    """Features, triplets to learn from, held-out triplets."""
    features = 2 * np.random.default_rng(0).normal(size=(60, 3))
    train = answered(features, some_triplets(60, 6_000, seed=1), seed=2)
    return features, train, answered(features, some_triplets(60, 4_000, seed=3), seed=4)


def optimize(world: World, **options: Any) -> optimizer.Fitted:
    given = {"epochs": 20, "batch_size": 150, "learning_rate": 0.1, "seed": 1} | options
    start = 0.1 * np.random.default_rng(5).normal(size=(60, 3))
    return _jax.optimize(world[1], start, np.zeros((60, 3)), **given)


# --- the objective -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("link", "kappa"), LINKS)
def test_the_objective_should_equal_its_plain_form(problem: Problem, link: str, kappa: float) -> None:
    nu, log_sd, rows, noise, prior = problem
    expected = plain_objective(nu, log_sd, rows, noise, link, kappa, 0.7, *prior.values())
    with jax.enable_x64(True):
        objective = jax.jit(partial(_jax.objective, link=link, kappa=kappa))
        found = objective(nu, log_sd, rows, noise, temper=0.7, **prior)
        part = jax.jit(partial(_jax.log_likelihood, link=link, kappa=kappa))(nu, log_sd, rows, noise)
    assert found == pytest.approx(expected, rel=1e-12)
    nothing = plain_objective(nu, log_sd, rows, noise, link, kappa, 0.0, *prior.values())
    assert part == pytest.approx(nothing, rel=1e-12)


@pytest.mark.parametrize(("link", "kappa"), LINKS)
def test_slopes_of_the_objective_should_equal_finite_differences(problem: Problem, link: str, kappa: float) -> None:
    nu, log_sd, rows, noise, prior = problem
    with jax.enable_x64(True):
        objective = partial(_jax.objective, link=link, kappa=kappa, temper=0.7, **prior)
        slopes = jax.jit(jax.grad(objective, argnums=(0, 1)))(nu, log_sd, rows, noise)
    for which, index in ((which, index) for which in range(2) for index in np.ndindex(nu.shape)):
        ends = []
        for shift in (1e-6, -1e-6):
            moved = [nu.copy(), log_sd.copy()]
            moved[which][index] += shift
            ends.append(plain_objective(moved[0], moved[1], rows, noise, link, kappa, 0.7, *prior.values()))
        assert slopes[which][index] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-6)


def test_slopes_of_the_probit_link_should_be_those_of_the_design(problem: Problem) -> None:
    """∂m/∂x_anchor = w, ∂m/∂x_near = g - w/2, ∂m/∂x_far = -g - w/2 with g = (c - m w)/r, times h = φ(m)/Φ(m)."""
    nu, log_sd, rows, noise, _ = problem
    expected = np.zeros((2, *nu.shape))
    for row, epsilon in zip(rows, noise, strict=True):
        sd = np.exp(log_sd[row])
        anchor, near, far = nu[row] + sd * epsilon
        r, c = np.linalg.norm(near - far), anchor - (near + far) / 2
        w = (near - far) / r
        m = w @ c
        g, h = (c - m * w) / r, np.sqrt(2 / np.pi) / special.erfcx(-m / np.sqrt(2))
        for role, slope in enumerate((w, g - w / 2, -g - w / 2)):
            expected[:, row[role]] += h * slope, h * slope * sd[role] * epsilon[role]
    with jax.enable_x64(True):
        found = jax.jit(jax.grad(_jax.log_likelihood, argnums=(0, 1)))(nu, log_sd, rows, noise)
    assert np.asarray(found) == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_log_ndtr_and_its_slope_should_hold_in_the_tails() -> None:
    g = np.concatenate([np.linspace(-30, 5, 1001), [0.0, -10.0, -1e2, -1e3, -1e4]]).astype(np.float32)
    wide = g.astype(float)
    value, slope = jax.jit(jax.vmap(jax.value_and_grad(elbo.log_ndtr)))(g)
    assert np.asarray(value) == pytest.approx(special.log_ndtr(wide), rel=3e-6)
    assert np.asarray(slope) == pytest.approx(np.sqrt(2 / np.pi) / special.erfcx(-wide / np.sqrt(2)), rel=3e-6)


def test_two_items_at_the_same_place_should_be_a_coin_flip_without_slope() -> None:
    nu, nowhere = np.zeros((3, 2), np.float32), np.full((3, 2), -np.inf, np.float32)
    likelihood = jax.jit(jax.value_and_grad(_jax.log_likelihood, argnums=(0, 1)))
    value, slopes = likelihood(nu, nowhere, np.array([[0, 1, 2]]), np.zeros((1, 3, 2), np.float32))
    assert value == pytest.approx(np.log(0.5))
    assert not np.any(slopes)


@pytest.mark.parametrize(("link", "kappa"), LINKS)
def test_compiled_slopes_should_equal_automatic_ones(link: str, kappa: float) -> None:
    generator = np.random.default_rng(3)
    n, d, m, key = 50, 20, 400, stream_keys(5, 1)[0]
    nu, log_sd = (scale * generator.normal(size=(n, d)).astype(np.float32) for scale in (1.0, 0.3))
    rows, pool, stream = some_triplets(n, m), kernels.normal_pool(key, d), open_stream(key, 1)
    noise = np.array([pool[at : at + 3 * d].reshape(3, d) for at in (below(stream, _POOL) for _ in range(m))])
    found = np.zeros((2, n, d), np.float32)
    kernels.add_slopes(
        *(rows, np.ones(m, np.float32), np.arange(m), nu, np.exp(log_sd), pool, open_stream(key, 1)),
        *(Link(link == "ratio", kappa), 1, *found),
    )
    found[1] *= np.exp(log_sd)  # compiled, the factor sd comes with the step
    with jax.enable_x64(True):
        likelihood = partial(_jax.log_likelihood, link=link, kappa=kappa)
        slopes = jax.jit(jax.grad(likelihood, argnums=(0, 1)))
        expected = np.asarray(slopes(nu.astype(float), log_sd.astype(float), rows, noise))
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


# --- batches -----------------------------------------------------------------------------------------


def steps_of_epochs(
    rows: Triplets, batch_size: int, keys: Sequence[int]
) -> tuple[list[list[Triplets]], batches.Layout]:
    """The triplets of each step of each epoch, and the layout."""
    layout = batches.lay_out(len(rows), batch_size, 1)
    columns = batches.in_columns(jnp.asarray(rows), layout, 1)

    @jax.jit
    @partial(jax.vmap, in_axes=(None, None, 0))
    @partial(jax.vmap, in_axes=(None, 0, None))
    @partial(jax.vmap, in_axes=(0, None, None))
    def take(part: jax.Array, step: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        return batches.take(columns, layout, jnp.uint32(0), part, step, key)

    parts, steps = np.arange(layout.parts, dtype=np.uint32), np.arange(layout.steps, dtype=np.uint32)
    found, real, _ = map(np.asarray, take(parts, steps, np.asarray(keys, np.uint32)))
    return [[found[key, step][real[key, step]] for step in steps] for key in range(len(keys))], layout


@pytest.mark.parametrize(("count", "batch_size", "most"), [(1000, 100, 1 << 22), (1003, 100, 7), (5, 9, 2)])
def test_an_epoch_should_take_every_triplet_once_in_equal_steps_of_sorted_anchors(
    monkeypatch: pytest.MonkeyPatch, count: int, batch_size: int, most: int
) -> None:
    monkeypatch.setattr(batches, "_MOST_AT_ONCE", most)
    rows = some_triplets(40, count)
    (steps,), layout = steps_of_epochs(rows, batch_size, keys=[3])
    assert sorted(map(tuple, np.concatenate(steps))) == sorted(map(tuple, rows))
    assert layout.width <= most
    sizes = [len(step) for step in steps]
    assert max(sizes) <= batch_size
    assert max(sizes) - min(sizes) <= 2
    assert all((np.diff(step[:, 0]) >= 0).all() for step in steps)


def test_each_triplet_should_meet_each_step_and_each_other_triplet_as_after_a_shuffle() -> None:
    rows = np.stack([np.arange(60), np.full(60, 60), np.full(60, 61)], axis=1)  # the anchor is the row's number
    epochs, _ = steps_of_epochs(rows, 12, keys=range(1000))
    where = np.empty((len(epochs), 60), int)
    for epoch, steps in enumerate(epochs):
        for step, taken in enumerate(steps):
            where[epoch, taken[:, 0]] = step
    assert np.allclose((where[:, :, None] == np.arange(5)).mean(axis=0), 0.2, atol=0.06)
    together = (where[:, :, None] == where[:, None, :]).mean(axis=0)
    other_column = np.arange(60)[:, None] // 5 != np.arange(60) // 5
    assert np.allclose(together[other_column], 0.2, atol=0.06)
    assert together[other_column].mean() == pytest.approx(0.2, abs=0.002)


def test_noise_should_be_normal_and_other_for_each_key() -> None:
    pool = jnp.asarray(batches.normal_pool(np.random.default_rng(0), 9))
    columns = jnp.arange(20_000, dtype=jnp.uint32)
    first, second = (np.stack(batches.draw(pool, columns, jnp.uint32(key), 3)) for key in range(2))
    assert first.shape == (3, 20_000, 3)
    assert np.allclose(first.mean(axis=1), 0, atol=0.03)
    assert np.allclose(np.cov(first.transpose(0, 2, 1).reshape(9, -1)), np.eye(9), atol=0.05)
    assert np.mean(np.abs(first) > 1.96) == pytest.approx(0.05, abs=0.003)
    assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.01


def test_slopes_of_a_step_should_be_those_of_the_likelihood_at_its_noise(world: World) -> None:
    """As the optimizer adds them up, against automatic differentiation of the whole."""
    rows, n, d, n_samples = world[1][:500], 60, 3, 2
    table = np.random.default_rng(2).normal(size=(n, 2 * d)).astype(np.float32)
    layout = batches.lay_out(len(rows), 130, 1)
    pool = jnp.asarray(batches.normal_pool(np.random.default_rng(0), 3 * d))
    columns, key, step = batches.in_columns(jnp.asarray(rows), layout, 1), jnp.uint32(77), jnp.uint32(2)
    plan = optimizer.Plan(None, False, False, "", n, layout, n_samples, "probit")
    given = optimizer.Given(None, None, columns, pool)
    one_device = partial(optimizer._batch_slopes, plan, given=given, kappa=1.0, key=key, step=step)
    slopes = jax.jit(jax.vmap(one_device, axis_name="devices"))
    taken, real, column = batches.take(columns, layout, jnp.uint32(0), 0, step, key)
    likelihood = jax.jit(jax.grad(_jax.log_likelihood, argnums=(0, 1)))
    expected = np.zeros_like(table)
    for sample in range(n_samples):
        noise = jnp.stack(batches.draw(pool, column, batches.hashed(step * n_samples + sample, ~key), d), axis=1)
        expected += np.concatenate(likelihood(table[:, :d], table[:, d:], taken[real], noise[real]), axis=1) / n_samples
    assert slopes(table[None])[0] == pytest.approx(expected, rel=1e-5, abs=1e-5)


# --- optimising --------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"prior": 4.0}, {"prior": "standard"}])
def test_it_should_predict_nearly_as_well_as_the_truth(world: World, options: dict[str, Any]) -> None:
    features, _, held_out = world
    fitted = optimize(world, **options)
    assert share_satisfied(fitted.nu, held_out) > share_satisfied(features, held_out) - 0.03
    assert fitted.nu.shape == fitted.log_sd.shape == (60, 3)
    assert fitted.nu.dtype == fitted.log_sd.dtype == np.float32
    assert fitted.prior_variance.shape == (3,)
    assert fitted.epochs == 20


def test_the_ratio_link_should_learn_too(world: World) -> None:
    features, _, held_out = world
    fitted = optimize(world, link="ratio", kappa=5.0, temper=1 / 3, prior=2 / 3, learning_rate=0.05)
    assert share_satisfied(fitted.nu, held_out) > share_satisfied(features, held_out) - 0.04


def test_an_untouched_start_should_know_nothing(world: World) -> None:
    fitted = optimize(world, epochs=1, learning_rate=1e-9)
    assert abs(share_satisfied(fitted.nu, world[2]) - 0.5) < 0.1


def test_priors_should_be_what_they_say(world: World) -> None:
    seen = []

    def remember(epoch: int, nu: jax.Array, log_sd: jax.Array) -> None:
        seen.append((np.asarray(nu), np.asarray(log_sd)))

    for prior, axis in (("empirical", None), ("ard", 0)):
        seen.clear()
        fitted = optimize(world, prior=prior, epochs=3, after_epoch=remember)
        nu, log_sd = seen[1]  # the last epoch's variance comes from the places before it
        expected = np.mean(nu**2 + np.exp(2 * log_sd), axis=axis)
        assert fitted.prior_variance == pytest.approx(np.broadcast_to(expected, 3), rel=1e-4)
        assert np.array_equal(seen[2][0], fitted.nu)
    assert optimize(world, prior="empirical", epochs=1).prior_variance == pytest.approx(np.ones(3))
    assert optimize(world, prior=4.0, epochs=1).prior_variance == pytest.approx(np.full(3, 4.0))


def test_the_empirical_prior_should_follow_the_items_that_triplets_name(world: World) -> None:
    far_away = np.full((5, 3), 100.0)
    start = np.concatenate([0.1 * np.random.default_rng(5).normal(size=(60, 3)), far_away])
    options: dict[str, Any] = {"epochs": 3, "batch_size": 150, "learning_rate": 0.1, "seed": 1}
    with_others = _jax.optimize(world[1], start, np.zeros((65, 3)), **options)
    assert with_others.prior_variance == pytest.approx(optimize(world, epochs=3).prior_variance, rel=1e-4)


def test_items_in_no_triplet_should_go_to_their_prior() -> None:
    rows, means = np.array([[0, 1, 2]]), np.arange(10.0).reshape(5, 2)
    fitted = _jax.optimize(
        rows, means + 1, np.zeros((5, 2)), prior=0.25, prior_mean=means, epochs=800, batch_size=1, learning_rate=0.05
    )
    assert fitted.nu[3:] == pytest.approx(means[3:], abs=0.05)
    assert np.exp(fitted.log_sd[3:]) == pytest.approx(np.full((2, 2), 0.5), abs=0.03)


def test_the_same_seed_should_give_the_same_result(world: World) -> None:
    first, again, other = (optimize(world, epochs=2, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.nu, again.nu)
    assert np.array_equal(first.log_sd, again.log_sd)
    assert not np.allclose(first.nu, other.nu)


def test_after_epoch_should_stop_the_climb(world: World) -> None:
    epochs: list[int] = []

    def stop_in_the_third(epoch: int, nu: jax.Array, log_sd: jax.Array) -> bool:
        epochs.append(epoch)
        return epoch == 2

    fitted = optimize(world, after_epoch=stop_in_the_third)
    assert epochs == [0, 1, 2]
    assert fitted.epochs == 3


ON_FOUR_DEVICES = """
import sys
from functools import partial
import jax, numpy as np
from learn2search.embed import _jax
from learn2search.embed._jax import batches

assert len(jax.devices()) == 4
given = np.load(sys.argv[1])
start, options = given["start"], {"epochs": 3, "batch_size": 150, "learning_rate": 0.1, "seed": 1}
optimize = partial(_jax.optimize, given["rows"], start, 0 * start, **options)
other = {"prior_mean": given["means"], "link": "ratio", "kappa": 3.0, "temper": 0.5}
for case, all_items in (({"prior": "ard"}, ("replicated", "sharded")), (other, ("sharded",))):
    one = optimize(**case)
    for items in all_items:
        batches._MOST_AT_ONCE = 25  # as if a device could take no more triplets at once
        for found, expected in zip(optimize(devices=jax.devices(), items=items, **case), one):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
        batches._MOST_AT_ONCE = 1 << 22
print("equal")
"""

WITHOUT_NUMBA = """
import importlib.metadata, sys
sys.modules["numba"] = None
def not_installed(name): raise importlib.metadata.PackageNotFoundError(name)
importlib.metadata.version = importlib.metadata.distribution = not_installed

import numpy as np
from learn2search import accelerated
assert callable(accelerated.log_likelihood)
options = {"epochs": 1, "batch_size": 1, "learning_rate": 0.1}
assert accelerated.optimize(np.array([[0, 1, 2]]), np.eye(3), np.zeros((3, 3)), **options).epochs == 1
"""

WITHOUT_JAX = """
import sys
sys.modules["jax"] = None
from learn2search import accelerated
assert accelerated.choose_devices("auto") is None
for use in (lambda: accelerated.choose_devices("gpu"), lambda: accelerated.optimize):
    try:
        use()
    except (ImportError, RuntimeError) as error:
        assert 'pip install "learn2search[jax]"' in str(error), error
    else:
        raise AssertionError("no error")
"""


def run_python(program: str, *arguments: str, devices: int = 1) -> str:
    command = [sys.executable, "-W", "error", "-c", program, *arguments]
    flags = f"--xla_force_host_platform_device_count={devices} --xla_backend_optimization_level=0"  # compiles faster
    environment = os.environ | {"PYTHONPATH": str(SOURCES), "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.heavy
def test_four_devices_should_give_the_result_of_one(world: World, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    given: dict[str, Any] = {
        "rows": world[1][:1003],
        "start": generator.normal(size=(61, 3)),
        "means": generator.normal(size=(61, 3)),
    }
    np.savez(tmp_path / "given.npz", **given)
    assert run_python(ON_FOUR_DEVICES, str(tmp_path / "given.npz"), devices=4) == "equal\n"


def test_it_should_run_without_numba_and_without_being_installed() -> None:
    run_python(WITHOUT_NUMBA)


def test_without_jax_it_should_say_how_to_install_it() -> None:
    run_python(WITHOUT_JAX)


# --- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": np.zeros((4, 2), int)}, "rows must be triplets of shape"),
        ({"rows": np.zeros((0, 3), int)}, "rows must be triplets of shape"),
        ({"rows": np.zeros((4, 3))}, "got float64 of shape"),
        ({"rows": np.array([[0, 1, 3]])}, "rows name the items 0 to 3, but there are 3 items"),
        ({"rows": np.array([[0, 1, -1]])}, "rows name the items -1 to 1"),
        ({"log_sd": np.zeros((3, 1))}, "must have the same shape"),
        ({"nu": np.full((3, 2), np.nan)}, "must be finite"),
        ({"link": "logit"}, "link must be 'probit' or 'ratio', got 'logit'"),
        ({"items": "split"}, "items must be 'replicated' or 'sharded'"),
        ({"prior": "flat"}, "prior must be 'empirical' or 'standard' or 'ard', got 'flat'"),
        ({"prior": -1.0}, "a positive variance"),
        ({"prior": np.ones(3)}, "a positive variance"),
        ({"prior_mean": np.zeros((2, 2))}, "prior_mean must be a number"),
        ({"epochs": 0}, "epochs must be a whole number from 1, got 0"),
        ({"batch_size": 1.5}, "batch_size must be a whole number"),
        ({"n_samples": 0}, "n_samples must be a whole number"),
        ({"learning_rate": 0.0}, "learning_rate must be a positive number"),
        ({"kappa": np.nan}, "kappa must be a positive number"),
        ({"devices": []}, "devices is empty"),
    ],
)
def test_bad_input_should_be_named(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"rows": np.array([[0, 1, 2]]), "nu": np.zeros((3, 2)), "log_sd": np.zeros((3, 2))}
    given |= {"epochs": 1, "batch_size": 1, "learning_rate": 0.1}
    with pytest.raises(ValueError, match=message):
        _jax.optimize(**given | options)


def test_too_many_triplets_should_be_refused() -> None:
    with pytest.raises(ValueError, match="less than 2,147,483,648 triplets"):
        batches.lay_out(3_000_000_000, 1_000_000, 1)


def test_an_unknown_link_or_name_should_be_named(problem: Problem) -> None:
    nu, log_sd, rows, noise, _ = problem
    with pytest.raises(ValueError, match='link must be "probit" or "ratio"'):
        _jax.log_likelihood(nu, log_sd, rows, noise, link="logit")
    with pytest.raises(AttributeError, match="no attribute 'descend'"):
        _ = _jax.descend


def test_devices_should_be_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jax, "_gpus", list)
    assert _jax.choose_devices("cpu") is _jax.choose_devices("auto") is None
    with pytest.raises(RuntimeError, match="JAX sees none here"):
        _jax.choose_devices("gpu")
    with pytest.raises(ValueError, match='"auto", "cpu" or "gpu", got \'tpu\''):
        _jax.choose_devices("tpu")
    monkeypatch.setattr(_jax, "_gpus", lambda: ["a GPU"])
    assert _jax.choose_devices("gpu") == _jax.choose_devices("auto") == ["a GPU"]


def test_where_there_is_no_gpu_none_should_be_found() -> None:
    if jax.default_backend() == "cpu":
        assert _jax._gpus() == []
