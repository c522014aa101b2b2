"""Embeddings without uncertainty, the paper's two competitors, by maximum likelihood.

    t-STE    P = k(D_near) / (k(D_near) + k(D_far)),     k(D) = (1 + D/α)^(-(α+1)/2)
    CKL      P = (μ + D_far) / (2μ + D_near + D_far)

Both are the ratio link in other units: κ = (α+1)/2 with x/√α, and κ = 1 with x/√μ.
"""

import math
from abc import abstractmethod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from learn2search.comparison import Link
from learn2search.embed._numba.kernels import Prior, Schedule, begin
from learn2search.embed.estimator import (
    TripletEmbedding,
    check_dimension,
    check_fraction,
    check_positive,
    initial_embedding,
    is_scarce,
    training_triplets,
)
from learn2search.embed.fit_loop import Monitoring, hold_out, optimize, seeds, unseen_items, unweighted
from learn2search.embed.methods import register_embedding
from learn2search.embedding import Embedding
from learn2search.typing import Array, Seed


class PointEmbedding(TripletEmbedding):
    """Positions of greatest likelihood under a ratio link; its kinds differ in κ and in the unit of length.

    By default, where there are few triplets for the coordinates, 600 epochs of one batch with the learning rate 0.5/κ;
    else 80 epochs of 100 batches with 0.1/κ. The steeper the link, the smaller the steps.
    """

    _stored: ClassVar[tuple[str, ...]] = ("embedding_", "epochs_")

    n_components: int
    epochs: int | None
    learning_rate: float | None
    batch_size: int | None
    validation_fraction: float
    patience: int
    verbose: bool
    random_state: Seed
    n_items: int | None

    @abstractmethod
    def _kappa_and_unit(self) -> tuple[float, float]:
        """κ, and the length that the ratio link calls 1."""

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        init: ArrayLike | Embedding | None = None,
        n_items: int | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn from triplets.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).
        y : (m,) array_like, optional
            An answer a row, as in `triplets.as_triplets`.
        init : (n, d) array_like or Embedding, optional
            Where to begin.
        n_items : int, optional
            By default one more than the largest item. Items that no triplet names stay in the middle.
        groups : (m,) array_like, optional
            The screen or search of each triplet: held out as a whole.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C; the estimator has the epochs so far.
        """
        self._check_parameters()
        rows, n, labels = training_triplets(X, y, self.n_items if n_items is None else n_items, groups)
        kappa, unit = self._kappa_and_unit()
        d = int(self.n_components)
        split_seed, start_seed, run_seed = seeds(self.random_state, 3)
        train, held_out = hold_out(unweighted(rows), self.validation_fraction, labels, split_seed)
        given = initial_embedding(init, n, d)
        nu = 0.1 * np.random.default_rng(start_seed).standard_normal((n, d)) if given is None else given.mean / unit
        flat = Prior(np.zeros((1, d), np.float32), np.full(d, np.inf, np.float32), 1.0)
        epochs, batches, rate = (600, 1, 0.5) if is_scarce(len(train.rows), n, d) else (80, 100, 0.1)
        batch = int(self.batch_size or max(200, -(-len(train.rows) // batches)))
        schedule = Schedule(
            min(batch, len(train.rows)), 1, float(self.learning_rate or rate / kappa), int(self.epochs or epochs)
        )
        monitoring = Monitoring(self.patience, self.verbose)
        result = optimize(
            train, held_out, begin(nu, None), Link(True, kappa), schedule, lambda _: flat, monitoring, run_seed
        )
        positions, unseen = unit * result.nu.astype(np.float64), unseen_items(rows, n)
        positions[unseen] = positions[~unseen].mean(axis=0)
        self.embedding_, self.n_items_, self.epochs_ = positions, n, result.epochs
        if result.interrupted:
            raise KeyboardInterrupt(f"the fit was interrupted after epoch {result.epochs}: the estimator is usable")
        return self

    def _model(self) -> tuple[Array, Array, Link]:
        kappa, unit = self._kappa_and_unit()
        return self.embedding_ / unit, np.zeros_like(self.embedding_), Link(True, kappa)

    def _check_parameters(self) -> None:
        check_dimension(self.n_components)
        check_fraction(self.validation_fraction)
        names = ("epochs", "learning_rate", "batch_size", "patience")
        check_positive(**{name: getattr(self, name) for name in names})


@register_embedding("tste")
class TSTE(PointEmbedding):
    """t-STE (van der Maaten and Weinberger, 2012): positions of greatest likelihood under a heavy-tailed kernel.

    Parameters
    ----------
    n_components : int, optional
        The number of axes.
    alpha : float, optional
        The kernel's degrees of freedom; by default n_components - 1, at least 1.
    epochs, learning_rate, batch_size : optional
        Length, first step and batches of the fit. By default, where there are few triplets for the coordinates, 600
        epochs of one batch with the rate 0.5/κ, else 80 epochs of 100 batches with 0.1/κ, where κ = (alpha + 1)/2.
    validation_fraction : float, optional
        The share of the groups that is held out to stop early.
    patience : int, optional
        Stop when their likelihood has not risen for so many epochs.
    verbose : bool, optional
        A progress bar on standard error.
    random_state : int, SeedSequence, Generator or RandomState, optional
        The same seed gives the same embedding.
    n_items : int, optional
        How many items there are, where `fit` is not told.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> features = np.random.default_rng(0).normal(size=(10, 2))
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(features, noise=0.1, seed=1), n_items=10, n_triplets=500)
    >>> model = l2s.TSTE(n_components=2, random_state=0).fit(rows)
    >>> model.score(rows) > 0.9
    True
    >>> model.to_embedding()
    Embedding(n_items=10, dim=2, var=None)
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        alpha: float | None = None,
        epochs: int | None = None,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        validation_fraction: float = 0.0,
        patience: int = 5,
        verbose: bool = False,
        random_state: Seed = None,
        n_items: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.verbose = verbose
        self.random_state = random_state
        self.n_items = n_items

    def _kappa_and_unit(self) -> tuple[float, float]:
        check_positive(alpha=self.alpha)
        alpha = max(1.0, self.n_components - 1.0) if self.alpha is None else float(self.alpha)
        return (alpha + 1.0) / 2.0, math.sqrt(alpha)


@register_embedding("ckl")
class CKL(PointEmbedding):
    """Crowd kernel learning (Tamuz et al., 2011): positions of greatest likelihood under ratios of squared distances.

    Parameters
    ----------
    n_components : int, optional
        The number of axes.
    mu : float, optional
        Keeps the ratios away from 0.
    epochs, learning_rate, batch_size : optional
        Length, first step and batches of the fit, as in `TSTE` with κ = 1.
    validation_fraction, patience, verbose, random_state, n_items : optional
        As in `TSTE`.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> features = np.random.default_rng(0).normal(size=(10, 2))
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(features, noise=0.1, seed=1), n_items=10, n_triplets=500)
    >>> model = l2s.CKL(n_components=2, random_state=0).fit(rows)
    >>> model.score(rows) > 0.9
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        mu: float = 0.05,
        epochs: int | None = None,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        validation_fraction: float = 0.0,
        patience: int = 5,
        verbose: bool = False,
        random_state: Seed = None,
        n_items: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.mu = mu
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.verbose = verbose
        self.random_state = random_state
        self.n_items = n_items

    def _kappa_and_unit(self) -> tuple[float, float]:
        check_positive(mu=self.mu)
        return 1.0, math.sqrt(self.mu)
