"""A fit from its first to its last epoch: the likelihood after each, a progress bar, an early or a forced end.

Each epoch changes the means ν and the log standard deviations ρ. After it, `EarlyStopping` judges them by the
log-likelihood of held-out triplets, or of a sample of the training ones where nothing is held out, in its fast form.
"""

import math
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import Link, normal_log_probabilities
from learn2search.embed._numba.kernels import Prior, Schedule, State, normal_pool, run_epoch
from learn2search.embed.lapse import with_lapses
from learn2search.progress import bar
from learn2search.streams import children, stream_keys
from learn2search.triplets import infer_groups, split
from learn2search.typing import Array32, Mask, Seed, Triplets

_SAMPLE = 1000  # training triplets that are looked at when nothing is held out
_LARGEST = 1e4  # coordinate or width, in the link's unit of length: far beyond anything that answers can tell
_WORSE_THAN_A_COIN = 0.5  # nats below guessing (and below the start) at which a fit has diverged


class FitWarning(UserWarning):
    """A fit that did not go as asked, for instance because it diverged; the message says what was kept."""


class FitResult(NamedTuple):
    """Where a fit stands after `epochs` epochs; `interrupted` by the user, if so."""

    nu: Array32
    rho: Array32
    log_likelihood: float
    epochs: int
    interrupted: bool = False


class Monitoring(NamedTuple):
    """How a fit is watched: epochs without improvement on held-out triplets after which it ends; a progress bar."""

    patience: int
    verbose: bool


class Weighted(NamedTuple):
    """Triplets and how much each counts, `(m,)`."""

    rows: Triplets
    weights: Array32


def unweighted(rows: Triplets) -> Weighted:
    """All alike."""
    return Weighted(rows, np.ones(len(rows), np.float32))


def hold_out(given: Weighted, share: float, groups: ArrayLike | None, seed: Seed) -> tuple[Weighted, Triplets | None]:
    """Triplets to learn from, and those held out, whole groups of them; groups are inferred where none are given."""
    if not share:
        return given, None
    rows = given.rows
    train, held_out = split(len(rows), share, seed, infer_groups(rows) if groups is None else groups)
    return Weighted(rows[train], given.weights[train]), rows[held_out]


def start_of(state: State) -> FitResult:
    """What is kept if not even the first epoch succeeds."""
    return FitResult(state.nu.copy(), state.rho.copy(), -math.inf, 0)


def optimize(
    train: Weighted,
    held_out: Triplets | None,
    state: State,
    link: Link,
    schedule: Schedule,
    prior_before: Callable[[int], Prior],
    monitoring: Monitoring,
    seed: np.random.SeedSequence,
) -> FitResult:
    """All epochs; the last state, or the best one if triplets were held out. The user may interrupt it."""
    key = stream_keys(seed, 1)[0]
    pool = normal_pool(key, state.nu.shape[1])
    early_stopping = EarlyStopping(train.rows, held_out, link, schedule.epochs, monitoring, start_of(state))
    with early_stopping:
        for epoch in range(schedule.epochs):
            run_epoch(*train, state, link, prior_before(epoch), schedule, pool, key, epoch)
            if early_stopping.after_epoch(epoch, state.nu, state.rho):
                break
    return early_stopping.result


class EarlyStopping:
    """Looks at each epoch, in a context that KeyboardInterrupt ends quietly; `result` is the state to keep."""

    def __init__(
        self,
        rows: Triplets,
        held_out: Triplets | None,
        link: Link,
        epochs: int,
        monitoring: Monitoring,
        start: FitResult,
    ) -> None:
        sample = rows[:: -(-len(rows) // _SAMPLE)] if held_out is None else held_out
        self.judges_held_out = held_out is not None
        self.items, judged = np.unique(sample, return_inverse=True)
        self.judged = np.ascontiguousarray(judged.reshape(-1, 3))
        self.link, self.epochs, self.patience = link, epochs, monitoring.patience
        self.result = start
        self._stack, self._bar = ExitStack(), bar("fitting", epochs, monitoring.verbose)
        self._judged = "held-out" if self.judges_held_out else "training"

    def __enter__(self) -> Self:
        self._show = self._stack.enter_context(self._bar)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._stack.close()
        interrupted = kind is not None and issubclass(kind, KeyboardInterrupt)
        self.result = self.result._replace(interrupted=interrupted)
        return interrupted

    def after_epoch(self, epoch: int, nu: Any, rho: Any) -> bool:
        """Should the fit end here? The state, of NumPy or of JAX, is copied where it is."""
        now = self._judge(nu, rho)
        if now < min(math.log(0.5), self.result.log_likelihood if self.result.epochs else 0.0) - _WORSE_THAN_A_COIN:
            kept = f"what epoch {self.result.epochs} had result" if self.result.epochs else "the start"
            warnings.warn(
                f"the fit diverged in epoch {epoch + 1} of {self.epochs}; {kept} is kept: "
                "try a smaller learning_rate or a larger batch_size",
                FitWarning,
                stacklevel=5,
            )
            return True
        if not self.judges_held_out or now > self.result.log_likelihood:
            self.result = FitResult(nu.copy(), rho.copy(), now, epoch + 1)
        self._show(epoch + 1, f"{self._judged} log-likelihood {now:.4f}")
        return self.judges_held_out and epoch + 1 - self.result.epochs >= self.patience

    def _judge(self, nu: Any, rho: Any) -> float:
        """The mean log-likelihood of the judged triplets, or -inf where the state has run away."""
        if not (float(abs(nu).max()) < _LARGEST and float(rho.max()) < math.log(_LARGEST)):  # also when there is a NaN
            return -math.inf
        places, widths = (np.asarray(values[self.items], np.float64) for values in (nu, rho))
        psi = np.exp(2.0 * widths)
        found = normal_log_probabilities(places, psi, self.judged, self.link)
        return float((np.log(with_lapses(np.exp(found), self.link.lapse)) if self.link.lapse else found).mean())


def seeds(random_state: Seed, count: int) -> list[np.random.SeedSequence]:
    """Separate random streams for what is held out, the start, the run."""
    return children(random_state, count)


def unseen_items(rows: Triplets, n: int) -> Mask:
    """Items that no triplet names."""
    return np.asarray(np.bincount(rows.ravel(), minlength=n) == 0)
