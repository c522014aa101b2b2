"""GaussEmbed's objective (`elbo.py`) by Adam, on one device or over several.

What costs time is memory: each triplet fetches three items and adds to the slopes of three. So ν and log sd lie side by
side in one table `(n, 2d)`, one fetch and one addition an item; a step's triplets come sorted by anchor (`batches.py`);
and an epoch is one call on the device, without a word to the host in between.

On several devices each holds its share of the triplets. The table and Adam's moments are the same on all of them
("replicated", slopes are summed over devices), or split by item ("sharded": each step gathers the table and leaves each
device the summed slopes of its own items). The number of devices changes nothing but the order of additions.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from jax.typing import ArrayLike
from numpy.typing import NDArray

from learn2search.embed._jax import batches
from learn2search.embed._jax.checks import check_choices, check_positive, check_whole, checked_rows
from learn2search.embed._jax.elbo import LINKS, divergence, log_probability

ITEMS = ("replicated", "sharded")
PRIORS = ("empirical", "standard", "ard")

_AXIS = "devices"
_BETA1, _BETA2, _EPSILON = 0.9, 0.99, 1e-8  # Adam
_LAST_RATE = 0.02  # of the first

Prior = str | float | NDArray[np.floating[Any]]


class Fitted(NamedTuple):
    """What `optimize` returns.

    Attributes
    ----------
    nu, log_sd : (n, d) array
        Means and logarithms of the standard deviations.
    prior_variance : (d,) array
        The prior's variance of each axis at the end.
    epochs : int
        How many it ran.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search import accelerated
    >>> accelerated.Fitted(np.zeros((3, 1)), np.zeros((3, 1)), np.ones(1), epochs=5).epochs
    5
    """

    nu: NDArray[np.float32]
    log_sd: NDArray[np.float32]
    prior_variance: NDArray[np.float32]
    epochs: int


class AdamState(NamedTuple):
    """The table `(n, 2d)`, ν beside log sd, and the first and second moments of its slopes."""

    table: Array
    first: Array
    second: Array


class Given(NamedTuple):
    """What stays the same during a fit: prior means `(1, d)` or `(n, d)`, which items a triplet names `(n, 1)`, the
    triplets, and normal numbers."""

    means: Array
    named: Array
    columns: Array
    pool: Array


class Dials(NamedTuple):
    """Numbers for which nothing is compiled anew; `key` is the random key of the fit."""

    kappa: ArrayLike
    temper: ArrayLike
    rate: ArrayLike
    all_steps: ArrayLike
    key: ArrayLike


class Plan(NamedTuple):
    """What an epoch is compiled for, beside the shapes of its arrays."""

    mesh: Mesh
    sharded: bool  # the table, by item
    own_means: bool  # a prior mean for each item
    renewed: str  # the prior, if it is set anew with each epoch
    n_items: int
    layout: batches.Layout
    n_samples: int
    link: str

    @property
    def item_axis(self) -> PartitionSpec:
        return PartitionSpec(_AXIS) if self.sharded else PartitionSpec()

    def by_item(self, values: NDArray[np.float32]) -> Array:
        """A row an item, on the devices that hold them; rows of zeros fill the last device."""
        missing = -len(values) % self.mesh.size if self.sharded else 0
        return self._placed(np.pad(values, ((0, missing), (0, 0))), self.item_axis)

    def by_column(self, rows: Array) -> Array:
        return self._placed(batches.in_columns(rows, self.layout, self.mesh.size), PartitionSpec(_AXIS))

    def everywhere(self, values: NDArray[np.float32]) -> Array:
        return self._placed(values, PartitionSpec())

    def shares(self, share: Callable[[int, int], NDArray[np.int32]]) -> Array:
        """Triplets in columns, of which each process has its own: `share(first, last)` are those of a device."""
        shape = (self.mesh.size * self.layout.capacity, 3)

        def rows(at: Any) -> NDArray[np.int32]:
            first, last, _ = at[0].indices(shape[0])
            return share(first, last)

        return jax.make_array_from_callback(shape, NamedSharding(self.mesh, PartitionSpec(_AXIS)), rows)

    def _placed(self, values: Array | NDArray[np.float32], axes: PartitionSpec) -> Array:
        sharding = NamedSharding(self.mesh, axes)
        if isinstance(values, Array):
            return jnp.asarray(jax.device_put(values, sharding))
        return jax.make_array_from_callback(values.shape, sharding, lambda at: values[at])


def optimize(
    rows: ArrayLike,
    nu: ArrayLike,
    log_sd: ArrayLike,
    *,
    link: str = "probit",
    kappa: float = 1.0,
    temper: float = 1.0,
    prior: Prior = "empirical",
    prior_mean: ArrayLike | None = None,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    n_samples: int = 1,
    seed: int | np.random.SeedSequence | np.random.Generator = 0,
    devices: Sequence[jax.Device] | None = None,
    items: str = "replicated",
    after_epoch: Callable[[int, Array, Array], bool | None] | None = None,
) -> Fitted:
    """Maximise GaussEmbed's ELBO on one device or several.

    Parameters
    ----------
    rows : (m, 3) array_like of int
        Triplets (anchor, near, far); NumPy, or a JAX array that is on the device already.
    nu, log_sd : (n, d) array_like
        Where to begin.
    link : {"probit", "ratio"}, optional
        The comparison model.
    kappa : float, optional
        The steepness of the ratio link.
    temper : float, optional
        τ, the weight of the KL term.
    prior : {"empirical", "standard", "ard"} or float or (d,) array_like, optional
        "standard": variance 1. "empirical": the mean of (ν - μ)² + sd² of the items in triplets, set anew from the
        second epoch on. "ard": the same for each axis. Else fixed variances.
    prior_mean : (n, d) array_like, optional
        μ, by default 0.
    epochs : int
        How often all triplets are passed.
    batch_size : int
        Triplets a step at most.
    learning_rate : float
        At first; it falls along a cosine to 2%.
    n_samples : int, optional
        Samples of x a triplet and epoch.
    seed : int, SeedSequence or Generator, optional
        Batches and noise.
    devices : sequence of jax.Device, optional
        By default the first one of JAX.
    items : {"replicated", "sharded"}, optional
        Over several devices, the same table on each, or split by item.
    after_epoch : callable, optional
        Called with the epoch, and nu and log_sd on the device, which stay valid; True ends the fit.

    Returns
    -------
    Fitted
        Means, standard deviations, prior variance and the number of epochs.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search import accelerated
    >>> rows = np.array([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
    >>> start = np.random.default_rng(0).normal(size=(3, 1))
    >>> fitted = accelerated.optimize(rows, start, np.zeros((3, 1)), epochs=2, batch_size=3, learning_rate=0.1)
    >>> fitted.nu.shape, fitted.epochs
    ((3, 1), 2)
    """
    check_choices(link=(link, LINKS), items=(items, ITEMS))
    check_positive(kappa=kappa, temper=temper, learning_rate=learning_rate)
    check_whole(epochs=epochs, batch_size=batch_size, n_samples=n_samples)
    mesh = _mesh(devices)
    start = _table(nu, log_sd)
    n, d = len(start), start.shape[1] // 2
    means, variance = _prior_means(prior_mean, n, d), _first_variance(prior, d)
    triplets = checked_rows(rows if isinstance(rows, Array) else np.asarray(rows), n)
    layout = batches.lay_out(len(triplets), batch_size, mesh.size)
    renewed = prior if isinstance(prior, str) and prior != "standard" else ""
    plan = Plan(mesh, items == "sharded", len(means) > 1, renewed, n, layout, n_samples, link)
    generator = np.random.default_rng(seed)
    key = generator.integers(1 << 32, dtype=np.uint32)
    dials = Dials(kappa, temper, learning_rate, epochs * layout.steps, key)
    given = _given(plan, triplets, means, generator)
    state = AdamState(*(plan.by_item(values) for values in (start, np.zeros_like(start), np.zeros_like(start))))
    return _all_epochs(plan, state, plan.everywhere(variance), given, dials, epochs, after_epoch)


def _given(
    plan: Plan, rows: Array | NDArray[np.int32], means: NDArray[np.float32], generator: np.random.Generator
) -> Given:
    """Everything on its devices. Triplets are sorted on the first one, which then keeps only its share."""
    triplets = jnp.asarray(jax.device_put(rows, plan.mesh.devices[0]))
    return Given(
        means=plan.by_item(means) if plan.own_means else plan.everywhere(means),
        named=plan.by_item(np.asarray(batches.named_items(triplets, plan.n_items))),
        columns=plan.by_column(triplets),
        pool=plan.everywhere(batches.normal_pool(generator, 3 * means.shape[1])),
    )


def _all_epochs(
    plan: Plan,
    state: AdamState,
    variance: Array,
    given: Given,
    dials: Dials,
    epochs: int,
    after_epoch: Callable[[int, Array, Array], bool | None] | None,
) -> Fitted:
    done, all_epochs = 0, run_epochs(plan, state, variance, given, dials, range(epochs))
    for epoch, state, variance in all_epochs:  # noqa: B007
        done = epoch + 1
        if after_epoch is not None and after_epoch(epoch, *_halves(state.table[: plan.n_items])):
            break
    nu, log_sd = _halves(state.table[: plan.n_items])
    return Fitted(np.array(nu), np.array(log_sd), np.array(variance), done)


def run_epochs(
    plan: Plan, state: AdamState, variance: Array, given: Given, dials: Dials, epochs: range
) -> Iterator[tuple[int, AdamState, Array]]:
    """The state after each epoch, and the prior's variance; a state is gone when the next one is asked for."""
    run = _compiled_epoch(plan)
    for epoch in epochs:
        state, variance = run(state, variance, given, dials, epoch)
        yield epoch, state, variance


# --- an epoch, on each device ------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _compiled_epoch(plan: Plan) -> Callable[..., tuple[AdamState, Array]]:
    item, everywhere = plan.item_axis, PartitionSpec()
    given = (item if plan.own_means else everywhere, item, PartitionSpec(_AXIS), everywhere)
    epoch = jax.shard_map(
        partial(_epoch, plan),
        mesh=plan.mesh,
        in_specs=(item, everywhere, Given(*given), everywhere, everywhere),  # type: ignore[arg-type]
        out_specs=(item, everywhere),
        check_vma=False,
    )
    return jax.jit(epoch, donate_argnums=0)


def _epoch(
    plan: Plan, state: AdamState, variance: Array, given: Given, dials: Dials, epoch: Array
) -> tuple[AdamState, Array]:
    """One pass over the triplets; the state and the variance of the prior."""
    if plan.renewed:
        variance = jnp.where(epoch > 0, _spread(plan, state.table, given), variance)
    key = batches.hashed(epoch, dials.key)

    def step(at: Array, state: AdamState) -> AdamState:
        table = lax.all_gather(state.table, _AXIS, tiled=True) if plan.sharded else state.table
        slopes = _batch_slopes(plan, table, given, dials.kappa, key, at.astype(jnp.uint32))
        slopes = lax.psum_scatter(slopes, _AXIS, tiled=True) if plan.sharded else lax.psum(slopes, _AXIS)
        down = jax.grad(lambda table: divergence(*_halves(table), given.means, variance))(state.table)
        # A batch stands for all triplets, and each of them is in any one of the steps: times `steps`.
        return _adam(state, plan.layout.steps * slopes - dials.temper * down, dials, epoch * plan.layout.steps + at)

    return lax.fori_loop(0, plan.layout.steps, step, state), variance


def _spread(plan: Plan, table: Array, given: Given) -> Array:
    """The mean of (ν - μ)² + sd² over the items that triplets name, and, but for "ard", over dimensions; `(d,)`.

    The other items follow the prior, and would hold it back.
    """
    nu, log_sd = _halves(table)
    square = (nu - given.means) ** 2 + jnp.exp(2.0 * log_sd)
    total, count = jnp.sum(given.named * square, axis=0), jnp.sum(given.named)
    if plan.sharded:
        total, count = lax.psum((total, count), _AXIS)
    each = total / count
    return each if plan.renewed == "ard" else jnp.full_like(each, jnp.mean(each))


def _batch_slopes(plan: Plan, table: Array, given: Given, kappa: ArrayLike, key: Array, step: Array) -> Array:
    """Slopes `(n, 2d)` of Σ log P over this device's triplets of a step."""
    device = lax.axis_index(_AXIS).astype(jnp.uint32)

    def add_part(part: ArrayLike, slopes: Array) -> Array:
        rows, real, column = batches.take(given.columns, plan.layout, device, part, step, key)
        items = tuple(table.at[rows[:, role]].get(mode="promise_in_bounds") for role in range(3))
        for sample in range(plan.n_samples):
            noise_key = batches.hashed(step * plan.n_samples + sample, ~key)
            noise = batches.draw(given.pool, column, noise_key, table.shape[1] // 2)
            for role, update in enumerate(_item_slopes(plan, items, noise, real, kappa)):
                slopes = slopes.at[rows[:, role]].add(
                    update / plan.n_samples, indices_are_sorted=role == 0, mode="promise_in_bounds"
                )
        return slopes

    zero = jnp.zeros_like(table)
    return lax.fori_loop(0, plan.layout.parts, add_part, zero) if plan.layout.parts > 1 else add_part(0, zero)


def _item_slopes(
    plan: Plan, items: tuple[Array, ...], noise: tuple[Array, ...], real: Array, kappa: ArrayLike
) -> list[Array]:
    """Slopes `(m, 2d)` of log P for anchor, near and far: a for ν, and a·sd·ε for log sd, at x = ν + sd·ε."""
    shifts = [jnp.exp(_halves(item)[1]) * epsilon for item, epsilon in zip(items, noise, strict=True)]
    places = [_halves(item)[0] + shift for item, shift in zip(items, shifts, strict=True)]

    def log_p(anchor: Array, near: Array, far: Array) -> Array:
        return jnp.sum(jnp.where(real, log_probability(anchor, near, far, plan.link, kappa), 0.0))

    slopes = jax.grad(log_p, argnums=(0, 1, 2))(*places)
    return [jnp.concatenate([a, a * shift], axis=-1) for a, shift in zip(slopes, shifts, strict=True)]


def _adam(state: AdamState, up: Array, dials: Dials, step: Array) -> AdamState:
    """One step up along the slopes `up`; the rate falls along a cosine."""
    first = _BETA1 * state.first + (1 - _BETA1) * up
    second = _BETA2 * state.second + (1 - _BETA2) * up * up
    fall = 0.5 * (1.0 + jnp.cos(jnp.pi * step / dials.all_steps))
    rate = dials.rate * (_LAST_RATE + (1 - _LAST_RATE) * fall)
    unbiased_first, unbiased_second = first / (1 - _BETA1 ** (step + 1.0)), second / (1 - _BETA2 ** (step + 1.0))
    return AdamState(state.table + rate * unbiased_first / (jnp.sqrt(unbiased_second) + _EPSILON), first, second)


def _halves(table: Array) -> tuple[Array, Array]:
    """ν and log sd, `(..., d)` each."""
    d = table.shape[-1] // 2
    return table[..., :d], table[..., d:]


# --- what is given -----------------------------------------------------------------------------------


def _mesh(devices: Sequence[jax.Device] | None) -> Mesh:
    chosen = jax.devices()[:1] if devices is None else list(devices)
    if not chosen:
        raise ValueError("devices is empty: name at least one, or leave it out for the first one of JAX")
    return Mesh(np.asarray(chosen), (_AXIS,))


def _table(nu: ArrayLike, log_sd: ArrayLike) -> NDArray[np.float32]:
    nu, log_sd = np.asarray(nu, np.float32), np.asarray(log_sd, np.float32)
    if nu.ndim != 2 or nu.shape != log_sd.shape or 0 in nu.shape:
        raise ValueError(f"nu and log_sd must have the same shape (n, d), got {nu.shape} and {log_sd.shape}")
    if not (np.isfinite(nu).all() and np.isfinite(log_sd).all()):
        raise ValueError("nu and log_sd must be finite numbers to begin with")
    return np.concatenate([nu, log_sd], axis=1)


def _prior_means(prior_mean: ArrayLike | None, n: int, d: int) -> NDArray[np.float32]:
    """μ as `(1, d)` when it is the same for all items, else `(n, d)`."""
    means = np.asarray(0.0 if prior_mean is None else prior_mean, np.float32)
    if means.ndim < 2 and means.shape in ((), (d,)):
        return np.broadcast_to(means, (1, d))
    if means.shape != (n, d):
        raise ValueError(f"prior_mean must be a number, ({d},) or ({n}, {d}), got shape {means.shape}")
    return means


def _first_variance(prior: Prior, d: int) -> NDArray[np.float32]:
    """The prior's variance in the first epoch, `(d,)`."""
    if isinstance(prior, str):
        check_choices(prior=(prior, PRIORS))
        return np.ones(d, np.float32)
    variance = np.asarray(prior, np.float32)
    if variance.shape not in ((), (d,)) or not (np.isfinite(variance) & (variance > 0)).all():
        raise ValueError(f"prior must be one of {PRIORS} or a positive variance, one or {d} of them, got {prior!r}")
    return np.broadcast_to(variance, (d,))
