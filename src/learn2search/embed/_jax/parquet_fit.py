"""A fit to triplets in Parquet files, by one process or by several that each hold a share of them.

It is `optimize` on the same columns of triplets, so the number of processes changes nothing but the order of additions.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
from jax import Array
from jax.sharding import Mesh
from numpy.typing import NDArray

from learn2search.embed._jax import batches, hosts
from learn2search.embed._jax.checkpoint import Saved, read_checkpoint, write_checkpoint
from learn2search.embed._jax.checks import check_choices, check_positive, check_whole
from learn2search.embed._jax.optimizer import _AXIS, ITEMS, AdamState, Dials, Fitted, Given, Plan, run_epochs
from learn2search.embed._jax.parquet_rows import ParquetTriplets, TripletCounts
from learn2search.embed._jax.spectral import spectral_start_over

SPECTRAL_FROM = 10_000  # items: a random start would need the more epochs, the more items
_BATCHES, _SMALLEST_BATCH = 40, 200
_START, _SPECTRAL_SD = 0.1, 0.5


class ParquetFit(NamedTuple):
    """What `fit_parquet` returns, the same in each process.

    Attributes
    ----------
    fitted : Fitted
        Means, standard deviations and the prior's variance.
    triplets : int
        How many it has learnt from.
    held_out : int
        How many it has not.
    accuracy : float
        The share of the held-out triplets whose near item is the nearer one at the means; nan without any.
    resumed : int
        The epochs that a checkpoint had.

    Examples
    --------
    >>> import learn2search as l2s
    >>> from learn2search import accelerated
    >>> l2s.write_triplets("answers.parquet", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
    >>> found = accelerated.fit_parquet("answers.parquet", 1, epochs=2, held_out=0.0)
    >>> isinstance(found, accelerated.ParquetFit), found.triplets, found.resumed
    (True, 3, 0)
    """

    fitted: Fitted
    triplets: int
    held_out: int
    accuracy: float
    resumed: int


def fit_parquet(
    path: str | Path,
    n_components: int,
    *,
    epochs: int = 20,
    batch_size: int | None = None,
    learning_rate: float = 0.1,
    held_out: float = 0.05,
    seed: int = 0,
    items: str = "replicated",
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 1,
    after_epoch: Callable[[int], None] | None = None,
) -> ParquetFit:
    """Fit the probit model to triplets in Parquet files, over all devices of all processes.

    Each process reads the triplets of its own devices, a row group at a time. After `connect_hosts` all processes call
    this with the same arguments.

    Parameters
    ----------
    path : str or path
        A file with the columns anchor, near and far, the numbers of items; or a folder of such files.
    n_components : int
        Number of axes.
    epochs : int, optional
        How often all triplets are passed.
    batch_size : int, optional
        Triplets a step at most, over all devices; by default a fortieth of them.
    learning_rate : float, optional
        At first; it falls along a cosine to 2%.
    held_out : float, optional
        The share of the triplets that only judges the result.
    seed : int, optional
        Start, batches and noise.
    items : {"replicated", "sharded"}, optional
        The same table of items on each device, or split by item.
    checkpoint : str or path, optional
        A file that process 0 writes and reads: a fit that was cut short goes on from there.
    checkpoint_every : int, optional
        Epochs from one to the next.
    after_epoch : callable, optional
        Called with the number of epochs that are done.

    Returns
    -------
    ParquetFit
        The fit and how well it predicts.

    Raises
    ------
    ValueError
        If the files hold no such triplets, or the checkpoint is of another fit.
    HostLost
        If another process has ended.

    Examples
    --------
    >>> import learn2search as l2s
    >>> from learn2search import accelerated
    >>> l2s.write_triplets("answers.parquet", [(0, 1, 2), (1, 0, 2), (2, 1, 0)])
    >>> accelerated.fit_parquet("answers.parquet", 1, epochs=2, held_out=0.0).fitted.nu.shape
    (3, 1)
    """
    check_choices(items=(items, ITEMS))
    check_positive(learning_rate=learning_rate)
    check_whole(n_components=n_components, epochs=epochs, checkpoint_every=checkpoint_every)
    if not 0 <= held_out < 1:
        raise ValueError(f"held_out must be a share from 0 to below 1, got {held_out!r}")
    source, file = ParquetTriplets(Path(path), held_out), None if checkpoint is None else Path(checkpoint)
    with hosts.other_processes(file):
        work = _prepared(source, n_components, epochs, batch_size, learning_rate, seed, items)
        found = _resumed(file, work) or _begun(work, n_components, seed)
        last = _all_epochs(work, found, file, epochs, checkpoint_every, after_epoch)
        accuracy = _accuracy(source, work, last.table[:, :n_components])
    nu, log_sd = last.table[:, :n_components], last.table[:, n_components:]
    fitted = Fitted(nu, log_sd, last.variance, epochs)
    return ParquetFit(fitted, work.plan.layout.rows, work.held_out, accuracy, found.epochs)


class _Work(NamedTuple):
    """A fit before its first epoch; settings tell it from another in a checkpoint."""

    plan: Plan
    given: Given
    dials: Dials
    held_out: int
    settings: dict[str, object]


def _prepared(
    source: ParquetTriplets,
    d: int,
    epochs: int,
    batch_size: int | None,
    learning_rate: float,
    seed: int,
    items: str,
) -> _Work:
    mesh = Mesh(np.asarray(jax.devices()), (_AXIS,))
    counts = _counted(source, mesh)
    rows, n = int(counts.anchors.sum()), len(counts.anchors)
    if rows == 0:
        raise ValueError(f"{source.path} has no triplets to learn from")
    batch = min(rows, batch_size or max(_SMALLEST_BATCH, rows // _BATCHES))
    layout = batches.lay_out(rows, batch, mesh.size)
    plan = Plan(mesh, items == "sharded", False, "empirical", n, layout, 1, "probit")
    generator = np.random.default_rng(seed)
    key = generator.integers(1 << 32, dtype=np.uint32)
    given = Given(
        means=plan.everywhere(np.zeros((1, d), np.float32)),
        named=plan.by_item((counts.named > 0).astype(np.float32)[:, None]),
        columns=_columns(plan, source, counts),
        pool=plan.everywhere(batches.normal_pool(generator, 3 * d)),
    )
    settings: dict[str, object] = {
        "items": n,
        "axes": d,
        "triplets": rows,
        "epochs": epochs,
        "batch_size": batch,
        "seed": seed,
    }
    settings |= {"learning_rate": learning_rate, "held_out": counts.held_out}
    return _Work(plan, given, Dials(1.0, 1.0, learning_rate, epochs * layout.steps, key), counts.held_out, settings)


def _counted(source: ParquetTriplets, mesh: Mesh) -> TripletCounts:
    """Each process counts its own row groups."""
    mine = source.groups[jax.process_index() :: jax.process_count()]
    n = 1 + hosts.largest(source.largest(mine))
    counts = source.count(mine, n)
    held_out = hosts.summed(mesh, np.array([counts.held_out]))
    return TripletCounts(hosts.summed(mesh, counts.anchors), hosts.summed(mesh, counts.named), int(held_out[0]))


def _columns(plan: Plan, source: ParquetTriplets, counts: TripletCounts) -> Array:
    def share(first: int, last: int) -> NDArray[np.int32]:
        rows = source.learnt_from(first, last, counts.anchors)
        return np.pad(rows, ((0, last - first - len(rows)), (0, 0)), mode="edge" if len(rows) else "constant")

    return plan.shares(share)


def _begun(work: _Work, d: int, seed: int) -> Saved:
    """Where a fit of these items begins."""
    n, generator = work.plan.n_items, np.random.default_rng([seed, 1])
    if n >= SPECTRAL_FROM:
        nu = spectral_start_over(work.plan.mesh, work.given.columns, work.plan.layout.rows, n, d, seed=seed)
        table = np.concatenate([nu, np.full((n, d), np.log(_SPECTRAL_SD), np.float32)], axis=1)
    else:
        nu = _START * generator.standard_normal((n, d), np.float32)
        table = np.concatenate([nu, np.zeros((n, d), np.float32)], axis=1)
    return Saved(table, np.zeros_like(table), np.zeros_like(table), np.ones(d, np.float32), 0)


def _all_epochs(
    work: _Work,
    found: Saved,
    checkpoint: Path | None,
    epochs: int,
    every: int,
    after_epoch: Callable[[int], None] | None,
) -> Saved:
    """The epochs that are left; each is waited for, so that a process that is gone is noticed."""
    plan, last = work.plan, found
    state = AdamState(*(plan.by_item(values) for values in found[:3]))
    left = range(found.epochs, epochs)
    for epoch, now, variance in run_epochs(plan, state, plan.everywhere(found.variance), work.given, work.dials, left):
        jax.block_until_ready(now)
        is_last = epoch + 1 == epochs
        if is_last or (checkpoint is not None and (epoch + 1) % every == 0):
            arrays = (hosts.on_host(values) for values in (*now, variance))
            table, first, second, spread = arrays
            last = Saved(table[: plan.n_items], first[: plan.n_items], second[: plan.n_items], spread, epoch + 1)
            if checkpoint is not None and jax.process_index() == 0:
                write_checkpoint(checkpoint, last, work.settings)
        if after_epoch is not None:
            after_epoch(epoch + 1)
    return last


def _resumed(checkpoint: Path | None, work: _Work) -> Saved | None:
    """Process 0 reads the file and tells the others."""
    if checkpoint is None:
        return None
    found: Saved | None = None
    refused: ValueError | None = None
    if jax.process_index() == 0:
        try:
            found = read_checkpoint(checkpoint, work.settings)
        except ValueError as error:
            refused = error
    epochs = -1 if refused else 0 if found is None else found.epochs
    epochs = int(hosts.from_first(np.array([epochs], np.float32))[0])
    if epochs < 0:
        raise refused or ValueError(f"process 0 cannot go on from {checkpoint}")
    if epochs == 0:
        return None
    n, d = work.plan.n_items, work.given.means.shape[1]
    table = np.zeros((n, 2 * d), np.float32)
    mine = found or Saved(table, table, table, np.zeros(d, np.float32), epochs)
    table, first, second, variance = (hosts.from_first(values) for values in mine[:4])
    return Saved(table, first, second, variance, epochs)


def _accuracy(source: ParquetTriplets, work: _Work, places: NDArray[np.float32]) -> float:
    """Over the held-out triplets of all processes."""
    rows = source.aside(source.groups[jax.process_index() :: jax.process_count()])
    anchor, near, far = (places[rows[:, role]] for role in range(3))
    right = np.sum((anchor - near) ** 2, axis=1) < np.sum((anchor - far) ** 2, axis=1)
    total = int(hosts.summed(work.plan.mesh, np.array([right.sum()]))[0])
    return total / work.held_out if work.held_out else float("nan")
