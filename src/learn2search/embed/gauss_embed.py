"""GaussEmbed: every item is a Gaussian N(ν_i, Ψ_i) with diagonal Ψ_i, fitted by maximising the ELBO (the paper's
section 5.1).

    ELBO = Σ_triplets E_q log P(m) - τ Σ_i KL(N(ν_i, Ψ_i) || N(0, S))

`comparison` has the two links, `_numba/kernels.py` the steps. The prior's variances S are

    "standard"     1, the paper's
    "empirical"    the mean of ν² + ψ over items and axes, set anew before each epoch but the first
    "ard"          the same for each axis alone: axes that the data do not need shrink away
    a number       that
"""

import warnings
from collections.abc import Sequence
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.click import click_probabilities
from learn2search.comparison import Link
from learn2search.embed import _jax
from learn2search.embed._jax import choose_devices
from learn2search.embed._numba.kernels import Prior, Schedule, State, begin
from learn2search.embed.axes import relevances, to_principal_axes
from learn2search.embed.estimator import (
    TripletEmbedding,
    check_dimension,
    check_fraction,
    check_positive,
    initial_embedding,
    is_positive,
    is_scarce,
    row_weights,
    training_triplets,
)
from learn2search.embed.feature_map import FeatureMap, checked_features, fit_map
from learn2search.embed.fit_loop import (
    EarlyStopping,
    FitResult,
    FitWarning,
    Monitoring,
    Weighted,
    hold_out,
    optimize,
    seeds,
    start_of,
    unseen_items,
)
from learn2search.embed.lapse import fit_lapse, likely_screens, with_lapses
from learn2search.embed.methods import register_embedding
from learn2search.embed.online import update_in_place
from learn2search.embed.variance_factor import HeldOut, fit_factor
from learn2search.embedding import Embedding
from learn2search.triplets import as_triplets, folds, infer_groups, is_degenerate, number_of_items
from learn2search.typing import Array, Mask, Seed, Triplets

_PRIORS = ("empirical", "standard", "ard")
_FIRST_SD = {"probit": 1.0, "ratio": 0.1}
_SPECTRAL_FROM = 10_000  # items on accelerators: a random start would need the more epochs, the more items
_SPECTRAL_SD = {"probit": 0.5, "ratio": 0.1}
_FIRST_AXES, _MOST_AXES = 30, 120  # with which "auto" begins, and how far it goes if all of them are needed
_FOLDS = 5  # by which the factor of the variances is chosen
_LAPSE_FOLDS, _LAPSE_ROWS = 3, 5000  # by which the lapse rate is chosen: two folds of three, or one with these rows
_RELEVANT = 0.5  # mean ν² / mean ψ of an axis that is kept


@register_embedding("gauss")
class GaussEmbed(TripletEmbedding):
    """A distributional embedding: every item is a Gaussian, learnt from triplets.

    `fit` sets `embedding_` (the means) and `variance_`, `(n, d)` each, `prior_variance_` `(d,)`, `variance_factor_`,
    `lapse_`, `n_items_` and `epochs_`. docs/embeddings.md tells what None stands for, and when to change what.

    Parameters
    ----------
    n_components : int or "auto", optional
        The number of axes d; "auto" finds it from the triplets.
    link : {"probit", "ratio"}, optional
        The paper's comparison model, for searches, or one for people's judgements.
    kappa : float, optional
        The steepness of the ratio link.
    prior : {"empirical", "standard", "ard"} or float, optional
        The prior's variance: fitted, 1 (the paper's N(0, I)), fitted for each axis, or a number.
    temper : float, optional
        τ, the weight of the KL term.
    variance_factor : float or "fit", optional
        The variances times this are what `predict_proba` and `log_likelihood` integrate over. 1 takes them as they
        are; "fit" chooses by five folds of whole groups, which takes five more fits.
    lapse : float or "fit", optional
        The share of answers that say nothing, 0 to 1, in what `predict_proba` and `log_likelihood` expect. A number is
        known to the fit, too: answers that contradict the others then move positions little (not with features, nor on
        accelerators). "fit" chooses by held-out groups, so that answers near chance are predicted like a coin: a fit
        takes two to three times as long. It needs device="cpu"; elsewhere the rate is then 0.
    epochs, learning_rate, batch_size : optional
        Length, first step and batches of the fit.
    n_samples : int, optional
        Reparametrised samples a triplet and epoch.
    validation_fraction : float, optional
        The share of the groups that is held out to stop early.
    patience : int, optional
        Stop when their likelihood has not risen for so many epochs.
    device : {"cpu", "gpu", "auto"}, optional
        Where to fit.
    verbose : bool, optional
        A progress bar on standard error.
    random_state : int, SeedSequence, Generator or RandomState, optional
        The same seed gives the same embedding.
    n_items : int, optional
        How many items there are, where `fit` is not told: for cross-validation, whose folds may lack the last ones.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> features = np.random.default_rng(0).normal(size=(10, 2))
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(features, noise=0.1, seed=1), n_items=10, n_triplets=500)
    >>> model = l2s.GaussEmbed(n_components=2).set_params(random_state=0).fit(rows[:400])
    >>> model.score(rows[400:]) > 0.8, model.log_likelihood(rows[400:]) > -0.5
    (True, True)
    >>> model.predict(rows[400:]).shape, model.predict_proba(rows[400:]).shape
    ((100,), (100,))
    >>> model.predict_click_proba([(0, 1, 2), (3, 4, 5)], targets=[6, 7]).shape
    (2, 3)
    >>> model.partial_fit(rows[400:]).transform().shape
    (10, 2)
    >>> l2s.GaussEmbed(n_components=2, random_state=0, lapse=0).fit_transform(rows).shape
    (10, 2)
    >>> model.to_embedding()
    Embedding(n_items=10, dim=2, var=given)
    >>> model.save("model.npz")
    >>> l2s.GaussEmbed.load("model.npz").get_params()["n_components"]
    2
    """

    variance_: Array
    prior_variance_: Array
    variance_factor_: float
    lapse_: float
    feature_map_: FeatureMap  # after a fit with features; not stored with the estimator
    trials_: list[Any]
    _stored: ClassVar[tuple[str, ...]] = (
        "embedding_",
        "variance_",
        "prior_variance_",
        "variance_factor_",
        "lapse_",
        "epochs_",
    )

    def __init__(
        self,
        n_components: int | str = 10,
        *,
        link: str = "probit",
        kappa: float = 5.0,
        prior: str | float | None = None,
        temper: float | None = None,
        variance_factor: float | str = 1.0,
        lapse: float | str = "fit",
        epochs: int | None = None,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        n_samples: int = 1,
        validation_fraction: float = 0.0,
        patience: int = 5,
        device: str = "cpu",
        verbose: bool = False,
        random_state: Seed = None,
        n_items: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.link = link
        self.kappa = kappa
        self.prior = prior
        self.temper = temper
        self.variance_factor = variance_factor
        self.lapse = lapse
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_samples = n_samples
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.verbose = verbose
        self.random_state = random_state
        self.n_items = n_items

    # --- fitting -----------------------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        init: ArrayLike | Embedding | None = None,
        n_items: int | None = None,
        groups: ArrayLike | None = None,
        prior_mean: ArrayLike | None = None,
        features: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from triplets. A fit that diverges warns with `FitWarning` and keeps the last good epoch.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far).
        y : (m,) array_like, optional
            An answer a row, as in `triplets.as_triplets`.
        init : (n, d) array_like or Embedding, optional
            Where to begin.
        n_items : int, optional
            By default one more than the largest item. Items that no triplet names keep the prior.
        groups : (m,) array_like, optional
            The screen or search of each triplet: held out as a whole.
        prior_mean : (n, d) array_like, optional
            Where items are before any triplet.
        features : (n, f) array_like, optional
            Numbers that may tell how items relate, any and many: a map of them is learnt together with what each item
            has of its own, and kept as `feature_map_`; its `place` says where items are that no triplet names. Needs a
            given number of axes and the probit link.
        sample_weight : (m,) array_like, optional
            How much each triplet counts, 1 by default; 0 leaves it out. Not on accelerators.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a parameter cannot be used, or no triplet says anything.
        KeyboardInterrupt
            After Ctrl-C; the estimator has the epochs so far.
        """
        self._check_parameters()
        rows, n, labels = training_triplets(X, y, self.n_items if n_items is None else n_items, groups)
        decided = as_triplets(X, y)
        weights = row_weights(sample_weight, X, y, len(decided))[~is_degenerate(decided)]
        counts = weights > 0
        given, labels = Weighted(rows[counts], weights[counts]), None if labels is None else labels[counts]
        if features is not None:
            self._fit_features(given, checked_features(features, n), init, prior_mean)
        elif self.n_components == "auto":
            if init is not None or prior_mean is not None:
                raise ValueError('init and prior_mean have a fixed number of columns: give n_components, not "auto"')
            self._fit_automatic(given, n, labels)
        else:
            self._fit_given(given, n, labels, init, prior_mean)
        self._fit_trust(given, n, labels, prior_mean, features)
        return self

    def _fit_features(
        self, given: Weighted, features: Array, init: ArrayLike | Embedding | None, prior_mean: ArrayLike | None
    ) -> None:
        """With a map of the features; a tempered KL term is a weight of the answers."""
        if self.n_components == "auto" or self.link != "probit" or init is not None or prior_mean is not None:
            raise ValueError(
                'features need n_components as a number and link="probit", and say themselves where a fit begins: '
                "leave init and prior_mean out"
            )
        d = int(self.n_components)
        _, temper = self._prior_and_temper(d)
        seed = seeds(self.random_state, 1)[0]
        self.feature_map_, found = fit_map(given.rows, features, d, given.weights / temper, seed, verbose=self.verbose)
        self.embedding_, self.variance_ = found.mean, np.array(found.var)
        self.prior_variance_ = np.full(d, self.feature_map_.rest)
        self.n_items_, self.epochs_ = len(found.mean), 0
        self.variance_factor_, self.lapse_ = self._first_trust()

    def _fit_given(
        self,
        given: Weighted,
        n: int,
        labels: NDArray[np.generic] | None,
        init: ArrayLike | Embedding | None,
        prior_mean: ArrayLike | None,
    ) -> None:
        """With a given number of axes."""
        d = int(self.n_components)
        split_seed, start_seed, run_seed = seeds(self.random_state, 3)
        train, held_out = hold_out(given, self.validation_fraction, labels, split_seed)
        centre = np.zeros((1, d)) if prior_mean is None else _prior_mean(prior_mean, n, d)
        state = self._start(initial_embedding(init, n, d), centre, n, d, start_seed)
        schedule, monitoring = self.schedule(len(train.rows), n), Monitoring(self.patience, self.verbose)
        devices = choose_devices(self.device)
        if devices is not None and (train.weights != 1).any():
            raise ValueError('sample_weight needs device="cpu": accelerators take all triplets alike')
        if devices is not None and init is None and prior_mean is None and n >= _SPECTRAL_FROM:
            nu = _jax.spectral_start(train.rows, n, d, seed=start_seed)
            state = begin(nu, np.full((n, d), np.log(_SPECTRAL_SD[self.link])))
        if devices is None:
            prior = _MovingPrior(*self._prior_and_temper(d), centre, state, ~unseen_items(train.rows, n))
            result = optimize(train, held_out, state, self._fit_link(), schedule, prior, monitoring, run_seed)
            variance = prior.variance
        else:
            result, variance = self._optimize_on(
                devices, train.rows, held_out, state, centre, schedule, monitoring, run_seed
            )
        self._keep(result, variance, centre, unseen_items(given.rows, n))
        if result.interrupted:
            raise KeyboardInterrupt(f"the fit was interrupted after epoch {result.epochs}: the estimator is usable")

    def _fit_trust(
        self,
        given: Weighted,
        n: int,
        labels: NDArray[np.generic] | None,
        prior_mean: ArrayLike | None,
        features: ArrayLike | None,
    ) -> None:
        """How far to trust the fit, where that is asked for: the variances' factor, then the lapse rate under it."""
        fits_factor = self.variance_factor == "fit"
        fits_lapse = self.lapse == "fit" and choose_devices(self.device) is None
        if not fits_factor and not fits_lapse:
            return
        infer = infer_groups if fits_factor else likely_screens
        groups = infer(given.rows) if labels is None else labels
        n_folds = _FOLDS if fits_factor else _LAPSE_FOLDS
        few = len(given.rows) < _LAPSE_FOLDS * _LAPSE_ROWS
        if not fits_factor and len(np.unique(groups)) < n_folds:
            return
        n_fits = n_folds if fits_factor else 1 + few
        parts = self._held_out_parts(given, n, groups, prior_mean, features, n_folds, n_fits)
        if fits_factor:
            self.variance_factor_ = fit_factor(parts, self._link())
        if fits_lapse:
            self.lapse_ = fit_lapse(parts, self._link(), self.variance_factor_)

    def _held_out_parts(
        self,
        given: Weighted,
        n: int,
        groups: NDArray[np.generic],
        prior_mean: ArrayLike | None,
        features: ArrayLike | None,
        n_folds: int,
        n_fits: int,
    ) -> list[HeldOut]:
        """So many fits, each to all folds but one, with the groups that it has not seen.

        They begin from scratch: `init` may have been fitted to what is held out. They end where this fit has ended.
        """
        rows, weights = given
        options = {"n_components": self.embedding_.shape[1], "variance_factor": 1.0, "lapse": 0.0, "verbose": False}
        if self.validation_fraction:
            options |= {"validation_fraction": 0.0, "epochs": max(self.epochs_, 1)}
        parts: list[HeldOut] = []
        for train, held_out in islice(folds(len(rows), n_folds, seeds(self.random_state, 4)[3], groups), n_fits):
            other = type(self)(**self.get_params() | options)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FitWarning)  # if this fit diverges, the one that is kept said so
                other.fit(rows[train], None, None, n, groups[train], prior_mean, features, weights[train])
            parts.append(HeldOut(other.embedding_, other.variance_, rows[held_out], groups[held_out]))
        return parts

    def _optimize_on(
        self,
        devices: Sequence[Any],
        rows: Triplets,
        held_out: Triplets | None,
        state: State,
        centre: Array,
        schedule: Schedule,
        monitoring: Monitoring,
        seed: np.random.SeedSequence,
    ) -> tuple[FitResult, Array]:
        """The same on accelerators, and the prior's variances at the end."""
        kind, temper = self._prior_and_temper(state.nu.shape[1])
        variance = np.full(state.nu.shape[1], 1.0 if isinstance(kind, str) else float(kind))
        early_stopping = EarlyStopping(rows, held_out, self._link(), schedule.epochs, monitoring, start_of(state))
        with early_stopping:
            fitted = _jax.optimize(
                rows,
                state.nu,
                state.rho,
                link=self.link,
                kappa=float(self.kappa),
                temper=temper,
                prior=kind,
                prior_mean=centre if len(centre) > 1 else None,
                epochs=schedule.epochs,
                batch_size=schedule.batch,
                learning_rate=schedule.rate,
                n_samples=schedule.samples,
                seed=seed,
                devices=devices,
                after_epoch=early_stopping.after_epoch,
            )
            variance = np.asarray(fitted.prior_variance, np.float64)
        return early_stopping.result, variance

    def _start(self, init: Embedding | None, centre: Array, n: int, d: int, seed: np.random.SeedSequence) -> State:
        """ν ~ 0.1 N(0, I) about the prior's mean, or the given positions."""
        nu = centre + 0.1 * np.random.default_rng(seed).standard_normal((n, d)) if init is None else init.mean
        first = np.log(_FIRST_SD[self.link])
        rho = np.full((n, d), first) if init is None or init.var is None else 0.5 * np.log(init.var)
        return begin(nu, rho)

    def schedule(self, count: int, n: int) -> Schedule:
        """What None stands for in `epochs`, `learning_rate` and `batch_size`: more and smaller steps where triplets
        are few.

        Parameters
        ----------
        count : int
            How many triplets.
        n : int
            How many items.

        Returns
        -------
        Schedule
            The size of a batch, the samples, the rate and the epochs of a fit.

        Examples
        --------
        >>> import learn2search as l2s
        >>> l2s.GaussEmbed(n_components=2).schedule(count=10_000, n=100).epochs
        20
        """
        scarce = is_scarce(count, n, int(self.n_components))
        if self.link == "ratio":
            epochs, batches, rate = (100, 20, 0.01) if scarce else (60, 20, 0.015)
        else:
            epochs, batches, rate = (80, 40, 0.05) if scarce else (20, 40, 0.1)
        batch = int(self.batch_size) if self.batch_size else max(200, count // batches)
        return Schedule(
            min(count, batch), int(self.n_samples), float(self.learning_rate or rate), int(self.epochs or epochs)
        )

    def _keep(self, result: FitResult, scale: Array, centre: Array, unseen: Mask) -> None:
        """Take over the result; an item that no triplet names is exactly the prior."""
        mean, variance = np.array(result.nu, np.float64), np.exp(2.0 * np.array(result.rho, np.float64))
        mean[unseen] = np.broadcast_to(centre, mean.shape)[unseen]
        variance[unseen] = scale
        self.embedding_, self.variance_, self.prior_variance_ = mean, variance, scale
        self.n_items_, self.epochs_ = len(mean), result.epochs
        self.variance_factor_, self.lapse_ = self._first_trust()

    def _fit_automatic(self, given: Weighted, n: int, groups: NDArray[np.generic] | None) -> None:
        """Many axes with a prior variance each; turn to the principal ones, drop those with more noise than signal,
        and fit again from there, until twice none is dropped (an axis of chance dies slowly)."""
        seed = int(seeds(self.random_state, 1)[0].generate_state(1)[0])
        turned: Embedding | None = None
        width, steady = min(_FIRST_AXES, n - 1), 0
        while steady < 2:
            options = {"n_components": width, "prior": "ard", "random_state": seed}
            wide = self._fit_within(options, given, turned, n, groups)
            mean, variance = to_principal_axes(wide.embedding_, wide.variance_)
            relevant = relevances(mean, variance) >= _RELEVANT
            relevant[0] = True
            if turned is None and relevant.all() and width < min(_MOST_AXES, n - 1):
                width = min(2 * width, n - 1)
                continue
            turned = Embedding(mean[:, relevant], variance[:, relevant])
            steady = steady + 1 if relevant.all() else 0
            width = int(relevant.sum())
        chosen = {"n_components": width, "random_state": seed}
        self._fit_within(chosen, given, turned, n, groups)

    def _fit_within(
        self,
        options: dict[str, Any],
        given: Weighted,
        init: Embedding | None,
        n: int,
        groups: NDArray[np.generic] | None,
    ) -> Self:
        """Fit another one with these options and take over what it has learnt, also when it is interrupted."""
        factor, lapse = self._first_trust()
        other = type(self)(**self.get_params() | {"variance_factor": factor, "lapse": lapse} | options)
        try:
            other.fit(given.rows, None, init, n, groups, sample_weight=given.weights)
        finally:
            if hasattr(other, "embedding_"):
                for name in (*self._stored, "n_items_"):
                    setattr(self, name, getattr(other, name))
        return other

    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """One assumed-density step a triplet, in order: for streams, on top of a fit.

        Parameters
        ----------
        X : (m, 3) array_like of int
            Triplets (anchor, near, far). New items begin at the prior.
        y : (m,) array_like, optional
            An answer a row, as in `triplets.as_triplets`.
        sample_weight : (m,) array_like, optional
            How much each triplet counts, 1 by default.

        Returns
        -------
        self
            The estimator.

        Raises
        ------
        ValueError
            If these are no triplets, or the weights do not belong to them.
        """
        rows = as_triplets(X, y)
        weights = row_weights(sample_weight, X, y, len(rows))
        if not hasattr(self, "embedding_"):
            self._begin_empty()
        new = number_of_items(rows, known=self.n_items_) - self.n_items_
        if new > 0:
            self.embedding_ = np.concatenate([self.embedding_, np.zeros((new, self.embedding_.shape[1]))])
            self.variance_ = np.concatenate([self.variance_, np.tile(self.prior_variance_, (new, 1))])
            self.n_items_ += new
        update_in_place(self.embedding_, self.variance_, rows, weights, self._fit_link())
        return self

    def _begin_empty(self) -> None:
        """An embedding of no items, for `partial_fit` before any `fit`."""
        self._check_parameters()
        if self.n_components == "auto":
            raise ValueError('"auto" needs triplets to choose from: fit first, or give n_components a number')
        d = int(self.n_components)
        kind, _ = self._prior_and_temper(d)
        self.embedding_, self.variance_, self.n_items_, self.epochs_ = np.empty((0, d)), np.empty((0, d)), 0, 0
        self.prior_variance_ = np.full(d, 1.0 if isinstance(kind, str) else kind)
        self.variance_factor_, self.lapse_ = self._first_trust()

    # --- the result --------------------------------------------------------------------------------

    def to_embedding(self) -> Embedding:
        """What a search takes: with the probit link its noise is 1.

        Returns
        -------
        Embedding
            Means and variances.
        """
        self._check_fitted()
        return Embedding(self.embedding_, self.variance_)

    def predict_click_proba(self, queries: ArrayLike, targets: ArrayLike) -> Array:
        """How probable each click is, among two or more items shown.

        Parameters
        ----------
        queries : (m, k) or (k,) array_like of int
            The items shown.
        targets : (m,) array_like of int, or int
            What the person has in mind.

        Returns
        -------
        (m, k) or (k,) array
            The probabilities, the uncertainty of all positions integrated out; those of one query sum to 1.

        Raises
        ------
        ValueError
            If a query or a target names no item, or the link is "ratio", which says nothing of more than two items.
        """
        self._check_fitted()
        if self.link == "ratio":
            raise ValueError('the ratio link compares pairs only: fit with link="probit" to predict clicks')
        mean, var, _ = self._model()
        chances = click_probabilities(Embedding(mean, var), queries, targets)
        return with_lapses(chances, self.lapse_, chances.shape[-1])

    def _log_probabilities(self, X: ArrayLike) -> Array:
        found = super()._log_probabilities(X)
        return np.log(with_lapses(np.exp(found), self.lapse_)) if self.lapse_ else found

    def _model(self) -> tuple[Array, Array, Link]:
        return self.embedding_, self.variance_factor_ * self.variance_, self._link()

    def _link(self) -> Link:
        return Link(self.link == "ratio", float(self.kappa))

    def _fit_link(self) -> Link:
        """With the lapse rate that was given, which the fit then expects."""
        return self._link()._replace(lapse=self._first_trust()[1])

    # --- parameters --------------------------------------------------------------------------------

    def _prior_and_temper(self, d: int) -> tuple[str | float, float]:
        """What None stands for: the ELBO with an empirical prior, or, for the ratio link, τ = 1/d and variance 2τ."""
        temper = (1.0 / d if self.link == "ratio" else 1.0) if self.temper is None else float(self.temper)
        if self.prior is None:
            return (2.0 * temper if self.link == "ratio" else "empirical"), temper
        return self.prior, temper

    def _first_trust(self) -> tuple[float, float]:
        """The variances' factor and the lapse rate before they are fitted: the given ones, or 1 and 0."""
        factor = 1.0 if self.variance_factor == "fit" else float(self.variance_factor)
        return factor, 0.0 if self.lapse == "fit" else float(self.lapse)

    def _check_parameters(self) -> None:
        if self.n_components != "auto":
            check_dimension(self.n_components)
        if self.link not in _FIRST_SD:
            raise ValueError(f'link must be "probit" or "ratio", got {self.link!r}')
        if self.prior is not None and self.prior not in _PRIORS and not is_positive(self.prior):
            raise ValueError(f'prior must be "empirical", "standard", "ard" or a positive variance, got {self.prior!r}')
        if self.variance_factor != "fit" and not is_positive(self.variance_factor):
            raise ValueError(f'variance_factor must be "fit" or a positive number, got {self.variance_factor!r}')
        if self.lapse != "fit" and not _is_share(self.lapse):
            raise ValueError(f'lapse must be "fit" or a share from 0 to 1, got {self.lapse!r}')
        check_fraction(self.validation_fraction)
        names = ("kappa", "temper", "epochs", "learning_rate", "batch_size", "n_samples", "patience")
        check_positive(**{name: getattr(self, name) for name in names})


def _is_share(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and bool(0 <= value <= 1)


def _prior_mean(given: ArrayLike, n: int, d: int) -> Array:
    mean = np.asarray(given, np.float64)
    if mean.shape != (n, d) or not np.isfinite(mean).all():
        raise ValueError(f"prior_mean must be finite numbers of shape ({n}, {d}), got shape {mean.shape}")
    return mean


class _MovingPrior:
    """The prior before each epoch: fixed variances, or those that make the present state most probable."""

    def __init__(self, kind: str | float, temper: float, centre: Array, state: State, seen: Mask) -> None:
        self.kind, self.temper, self.state, self.seen = kind, temper, state, seen
        self.mean = centre.astype(np.float32)
        self.variance = np.full(state.nu.shape[1], 1.0 if isinstance(kind, str) else float(kind))

    def __call__(self, epoch: int) -> Prior:
        if self.kind in ("empirical", "ard") and epoch > 0:
            squares = ((self.state.nu - self.mean) ** 2 + self.state.sd**2)[self.seen].mean(axis=0, dtype=np.float64)
            self.variance = squares if self.kind == "ard" else np.full(len(squares), squares.mean())
        return Prior(self.mean, self.variance.astype(np.float32), self.temper)
