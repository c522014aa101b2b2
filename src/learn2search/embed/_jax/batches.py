"""Which triplets an optimisation step takes, and their noise: decided on the device, at almost no cost.

Triplets lie sorted by anchor, in columns of as many consecutive rows as an epoch has steps. A step takes one row of
every column, in the order of the columns, and each epoch turns every column by a random amount of its own. So each row
meets each step with the same chance, independently of the rows of other columns, as if all rows had been shuffled. Only
rows of one column never meet. They have (nearly) the same anchor: every step sees its share of each anchor's triplets,
which is less noisy than a shuffle. And as the anchors of a step are sorted, neighbours share what they fetch.

Normal numbers come from a pool, drawn once: each triplet reads a run of it, from a random place on. All random numbers
are hashes of the column's number, so they do not depend on how columns are spread over devices.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from jax.typing import ArrayLike
from numpy.typing import NDArray

_POOL = 1 << 18  # places at which a run of normal numbers can begin
_MOST_AT_ONCE = 1 << 22  # triplets that a device takes at once: bounds the memory that a large batch needs
_MOST_ROWS = 1 << 31  # rows are numbered in 32 bits


class Layout(NamedTuple):
    """`rows` triplets in columns of `steps` rows; a device has `parts` parts of `width` columns, taken one by one."""

    rows: int
    steps: int
    parts: int
    width: int

    @property
    def capacity(self) -> int:
        """Rows of a device, with the empty ones."""
        return self.parts * self.width * self.steps


def lay_out(rows: int, batch_size: int, devices: int) -> Layout:
    """Equal steps of at most `batch_size` triplets; columns beyond the last triplet stay empty."""
    steps = -(-rows // batch_size)
    columns = -(-rows // (steps * devices))
    parts = -(-columns // _MOST_AT_ONCE)
    layout = Layout(rows, steps, parts, -(-columns // parts))
    if devices * parts * layout.width * steps >= _MOST_ROWS:
        raise ValueError(f"one fit takes less than {_MOST_ROWS:,} triplets, got {rows:,}")
    return layout


@partial(jax.jit, static_argnums=(1, 2))
def in_columns(rows: Array, layout: Layout, devices: int) -> Array:
    """The triplets sorted by anchor: column j is the rows from j·steps on. The last row is repeated to fill them."""
    empty = devices * layout.capacity - layout.rows
    return jnp.pad(rows[jnp.argsort(rows[:, 0], stable=True)], ((0, empty), (0, 0)), mode="edge")


@partial(jax.jit, static_argnums=1)
def named_items(rows: Array, n: int) -> Array:
    """1 for each item that a triplet names, else 0; `(n, 1)`."""
    return jnp.zeros((n, 1), jnp.float32).at[rows.ravel()].set(1.0)


def take(
    columns: Array, layout: Layout, device: Array, part: ArrayLike, step: Array, key: Array
) -> tuple[Array, Array, Array]:
    """A part of a step: triplets `(width, 3)`, which of them are real, and the numbers of their columns."""
    here = jnp.uint32(part) * layout.width + jnp.arange(layout.width, dtype=jnp.uint32)
    column = device * jnp.uint32(layout.parts * layout.width) + here
    place = (step + hashed(column, key) % layout.steps) % layout.steps
    rows = columns.at[(here * layout.steps + place).astype(jnp.int32)].get(mode="promise_in_bounds")
    return rows, column * layout.steps + place < layout.rows, column


def normal_pool(generator: np.random.Generator, run: int) -> NDArray[np.float32]:
    """Normal numbers with mean 0 and variance 1, in which a run of `run` can begin at any of `_POOL` places."""
    pool = generator.standard_normal(_POOL + run, np.float32)
    return np.asarray((pool - pool.mean()) / pool.std(), np.float32)


def draw(pool: Array, column: Array, key: Array, d: int) -> tuple[Array, ...]:
    """Noise of anchor, near and far, `(columns, d)` each: three runs of the pool that follow each other."""
    start = (hashed(column, key) % _POOL).astype(jnp.int32)
    run: Callable[[Array], Array] = jax.vmap(lambda at: lax.dynamic_slice(pool, (at,), (d,)))
    return run(start), run(start + d), run(start + 2 * d)


def hashed(number: ArrayLike, key: ArrayLike) -> Array:
    """A random uint32 for each number; another key gives others."""
    spread = _scrambled(jnp.asarray(key, jnp.uint32) + jnp.uint32(0x9E3779B9))
    return _scrambled(jnp.asarray(number, jnp.uint32) ^ spread)


def _scrambled(x: Array) -> Array:
    """A bijection of the uint32 in which each bit that goes in flips half of those that come out ("lowbias32")."""
    x = (x ^ (x >> 16)) * jnp.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * jnp.uint32(0x846CA68B)
    return x ^ (x >> 16)
