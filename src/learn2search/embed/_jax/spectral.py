"""Where a fit of many items begins: at the leading eigenvectors of the answers.

An answer (a, i, j) says that i is nearer to a than j is. For each pair of items count the answers that say near, minus
those that say far: the symmetric matrix S. Where answers follow positions X, S is θ·X Xᵀ, a part that belongs to the
items' popularity, and noise. So its leading eigenvectors are the axes.

Steps of the optimiser from a random start find them too, but lift them only a little above n directions of noise with
each step: the more items, the longer it takes. Here S is scaled by the items' counts, A = D^-½ S D^-½, popularity is
taken out (the direction D^½ 1), and a Chebyshev polynomial of A lifts all that lies beyond the edge of the noise by
exp(arccosh(λ / edge)) with each product A V. The edge is 2r, where r² is the sum of squares in a row of A (Wigner).
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.sharding import Mesh, PartitionSpec
from jax.typing import ArrayLike
from numpy.typing import NDArray

from learn2search.embed._jax.checks import check_whole, checked_rows

_MOST_AT_ONCE = 1 << 22  # triplets that a product takes at once: bounds the memory
_MOST_PRODUCTS = 60
_LOOK, _SETTLED = 4, 0.01  # every so many products: eigenvalues that have moved less than this, of the edge, are found
_TIDY = 2  # every so many products: columns that have grown alike are made orthogonal
_BEYOND = 1.02  # times the edge: an axis with a smaller eigenvalue may be noise
_SPREAD = 1.6  # of the positions: noise 1 then flips 15% of the answers about random items
_UNKNOWN = 0.1  # spread on axes that the answers do not tell


class _Answers(NamedTuple):
    """Triplets sorted by anchor, in `parts` equal parts, D^-½ `(n, 1)`, and the unit direction of popularity."""

    rows: Array
    scale: Array
    popularity: Array


def spectral_start(
    rows: ArrayLike, n_items: int, n_components: int, *, seed: int | np.random.SeedSequence = 0
) -> NDArray[np.float32]:
    """Positions to begin a fit from: the leading eigenvectors of the answers.

    With it `optimize` needs about 20 epochs for any number of items; from a random start the more, the more items.
    It needs some tens of triplets an item: axes that fewer do not tell begin at random.

    Parameters
    ----------
    rows : (m, 3) array_like of int
        Triplets (anchor, near, far); NumPy, or a JAX array that is on the device already.
    n_items : int
        Number of items.
    n_components : int
        Number of axes.
    seed : int or SeedSequence, optional
        Where the iteration begins.

    Returns
    -------
    (n, d) array of float32
        Positions in units of the answers' noise, roughly: it is assumed that 15% of the answers are flipped.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search import accelerated
    >>> rows = np.array([(0, 1, 2), (1, 0, 2), (2, 3, 0), (3, 2, 0)])
    >>> accelerated.spectral_start(rows, 4, 1).shape
    (4, 1)
    """
    check_whole(n_items=n_items, n_components=n_components)
    triplets = checked_rows(rows if isinstance(rows, Array) else np.asarray(rows), n_items)
    answers = _prepared(jnp.asarray(triplets), n_items, -(-len(triplets) // _MOST_AT_ONCE))
    return _positions(answers, partial(_times, answers), jnp.asarray, n_components, seed)


def spectral_start_over(
    mesh: Mesh, columns: Array, count: int, n_items: int, n_components: int, *, seed: int | np.random.SeedSequence = 0
) -> NDArray[np.float32]:
    """The same from triplets that lie on the devices of a mesh, also those of other processes.

    columns: sorted by anchor, the same number on each device; only the first `count` are real.
    """
    (axis,), everywhere = mesh.axis_names, PartitionSpec()
    shared = _Answers(PartitionSpec(axis), everywhere, everywhere)  # type: ignore[arg-type]
    on_devices = partial(jax.shard_map, mesh=mesh, check_vma=False)
    prepare = partial(_prepared_share, axis, n_items, count)
    answers = jax.jit(on_devices(prepare, in_specs=PartitionSpec(axis), out_specs=shared))(columns)
    times = jax.jit(on_devices(partial(_product, axis), in_specs=(shared, everywhere), out_specs=everywhere))

    def place(values: Array) -> Array:
        host = np.asarray(values)
        return jax.make_array_from_callback(host.shape, jax.NamedSharding(mesh, everywhere), lambda at: host[at])

    return _positions(answers, partial(times, answers), place, n_components, seed)


def _positions(
    answers: _Answers,
    times: Callable[[Array], Array],
    place: Callable[[Array], Array],
    n_components: int,
    seed: int | np.random.SeedSequence,
) -> NDArray[np.float32]:
    """times(v): A v. place: puts an array on the devices."""
    n_items = len(answers.scale)
    first, other = np.random.default_rng(seed).integers(1 << 31, size=2)
    d = min(n_components, n_items - 1)
    values, vectors, edge = _leading(times, place(jax.random.normal(jax.random.key(first), (n_items, d))))
    found = np.asarray(answers.scale * vectors) * np.sqrt(_signal(np.asarray(values), edge))
    found *= _SPREAD / max(np.sqrt(np.mean(found**2)), 1e-12)
    start = _UNKNOWN * np.random.default_rng(other).standard_normal((n_items, n_components), np.float32)
    significant = np.flatnonzero(np.asarray(values) > _BEYOND * edge)
    start[:, significant] = found[:, significant]
    return start


def _leading(times: Callable[[Array], Array], begin: Array) -> tuple[Array, Array, float]:
    """Leading eigenvalues of A, descending, their eigenvectors `(n, d)`, and the edge of the noise."""
    before, _ = _orthonormal(begin, begin)
    product = times(before)
    edge = 2.0 * float(jnp.linalg.norm(product) / jnp.linalg.norm(before))
    now, last = product / edge, np.full(begin.shape[1], np.inf)
    for done in range(1, _MOST_PRODUCTS):  # T_{m+1}(A) = 2 A T_m(A) - T_{m-1}(A), with A in units of the edge
        product = times(now)
        if done % _LOOK == 0:
            values = np.asarray(_ritz(now, product)[0])
            if np.abs(values - last).max() < _SETTLED * edge:
                break
            last = values
        before, now = now, 2.0 / edge * product - before
        if done % _TIDY == 0:
            now, before = _orthonormal(now, before)
    return *_ritz(now, times(now)), edge


def _product(axis: str | None, answers: _Answers, v: Array) -> Array:
    """A v, without the direction of popularity; summed over the devices of an axis."""
    v = answers.scale * (v - answers.popularity * _dot(answers.popularity.T, v))

    def add_part(part: Array, total: Array) -> Array:
        anchor, near, far = (answers.rows[part, role] for role in range(3))
        at_anchor, at_near, at_far = (v.at[role].get(mode="promise_in_bounds") for role in (anchor, near, far))
        total = total.at[anchor].add(at_near - at_far, indices_are_sorted=True, mode="promise_in_bounds")
        total = total.at[near].add(at_anchor, mode="promise_in_bounds")
        return total.at[far].add(-at_anchor, mode="promise_in_bounds")

    total: Array = lax.fori_loop(0, len(answers.rows), add_part, jnp.zeros_like(v))
    product = answers.scale * (total if axis is None else lax.psum(total, axis))
    return product - answers.popularity * _dot(answers.popularity.T, product)


_times = jax.jit(partial(_product, None))


@partial(jax.jit, static_argnums=(1, 2))
def _prepared(rows: Array, n: int, parts: int) -> _Answers:
    ordered = rows[jnp.argsort(rows[:, 0])].T
    return _answers(ordered, _counts(rows, n, 1.0), parts)


def _prepared_share(axis: str, n: int, count: int, rows: Array) -> _Answers:
    """On each device of an axis, with its rows; those beyond `count` become rows that say nothing."""
    real = lax.axis_index(axis).astype(jnp.uint32) * jnp.uint32(len(rows)) + jnp.arange(len(rows)) < count
    counts = lax.psum(_counts(rows, n, real.astype(jnp.float32)), axis)
    ordered = jnp.where(real, rows.T, rows[:, 0])
    return _answers(ordered, counts, -(-len(rows) // _MOST_AT_ONCE))


def _counts(rows: Array, n: int, weight: ArrayLike) -> Array:
    """How often triplets name each item; the anchor counts twice."""
    anchor, near, far = rows.T
    return jnp.zeros(n).at[anchor].add(2.0 * weight).at[near].add(weight).at[far].add(weight)


def _answers(ordered: Array, counts: Array, parts: int) -> _Answers:
    """The last part is filled with rows whose three items are the same: they say nothing."""
    popularity = jnp.sqrt(counts)[:, None]
    empty = -ordered.shape[1] % parts
    filled = jnp.concatenate([ordered, jnp.broadcast_to(ordered[:1, -1:], (3, empty))], axis=1)
    return _Answers(
        filled.reshape(3, parts, -1).transpose(1, 0, 2),
        lax.rsqrt(jnp.maximum(counts, 1.0))[:, None],
        popularity / jnp.linalg.norm(popularity),
    )


@jax.jit
def _orthonormal(v: Array, along: Array) -> tuple[Array, Array]:
    """v with orthonormal columns, and `along` after the same change of columns."""
    turn = _upright(v)
    return _dot(v, turn), _dot(along, turn)


@jax.jit
def _ritz(v: Array, product: Array) -> tuple[Array, Array]:
    """Eigenvalues of A on the span of v, descending, and its vectors there; product: A v."""
    turn = _upright(v)
    inner = _dot(_dot(turn.T, _dot(v.T, product)), turn)
    values, vectors = jnp.linalg.eigh(0.5 * (inner + inner.T))
    return values[::-1], _dot(v, _dot(turn, vectors[:, ::-1]))


def _upright(v: Array) -> Array:
    """R^-1 of v = Q R: v times it has orthonormal columns."""
    square = _dot(v.T, v)
    lower = jnp.linalg.cholesky(square + 1e-6 * jnp.mean(jnp.diag(square)) * jnp.eye(len(square)))
    inverse: Array = jax.scipy.linalg.solve_triangular(lower, jnp.eye(len(square)), lower=True)
    return inverse.T


def _dot(left: Array, right: Array) -> Array:
    product: Array = jnp.dot(left, right, precision=lax.Precision.HIGHEST)  # not the short numbers of matrix units
    return product


def _signal(values: NDArray[np.float32], edge: float) -> NDArray[np.float32]:
    """θ of an axis whose eigenvalue noise has moved to λ = θ + r²/θ, r = edge/2."""
    beyond = np.maximum(values, edge)
    return np.asarray(0.5 * (beyond + np.sqrt(beyond**2 - edge**2)), np.float32)
