"""How many axes the items need. Three answers:

"ard"           many axes with a prior variance each, turned to the principal ones; those with more signal than
                noise are kept (`GaussEmbed(n_components="auto")` is this)
"energy"        the paper's: fit 100 axes, keep the fewest principal ones with 98% of the energy
"likelihood"    the fewest axes whose held-out likelihood is within a standard error of the best, whole groups held
                out: `dimension_curve` has all of it
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.embed.axes import energies
from learn2search.embed.estimator import training_triplets
from learn2search.embed.fit_loop import seeds
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embed.tune import DIMENSIONS
from learn2search.triplets import folds, infer_groups
from learn2search.typing import Array, Integers, Seed

_PAPERS_AXES = 100
_LEAST_STEPS = 800  # of a fit: with fewer, few axes seem to do worse than they do
PARTS = 3  # of the lessons, each predicted by a fit to the others
_ERRORS = 1.0  # standard errors by which another number of axes must be better over all parts,
_CLEARLY = 2.0  # and by which it is better beyond doubt after the first ones


def energy_dimension(positions: ArrayLike, share: float = 0.98) -> int:
    """The smallest number of principal axes that hold a share of the sum of squares about the mean.

    Parameters
    ----------
    positions : (n, d) array_like
        One row an item.
    share : float, optional
        The share to hold, up to 1; the paper's is 98%.

    Returns
    -------
    int
        From 1 to d.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.energy_dimension([[0.0, 0.0], [5.0, 0.1], [9.0, 0.0]])
    1
    """
    if not 0 < share <= 1:
        raise ValueError(f"share must lie between 0 and 1, got {share}")
    held = np.cumsum(energies(np.asarray(positions, np.float64)))
    return int(np.searchsorted(held, share * held[-1] * (1 - 1e-12))) + 1


def better_dimension(d: int, ladder: Sequence[int], scores: Callable[[int, int], Array]) -> int:
    """The number of axes on the ladder that predicts better than d does; d, where none does beyond doubt.

    All fewer are compared with d: between two numbers there may be one that fits badly. More are tried step by step,
    each compared with the one before, as long as that is better.

    Parameters
    ----------
    scores
        Of a number of axes and a part, from 0 to `PARTS` - 1: the score of each lesson of this part by a fit to the
        other parts. Differences between two numbers of axes are taken lesson by lesson; a number is better where they
        sum to more than a standard error over all parts. What is better by two, or worse by one, after the first parts
        costs no more.
    """
    rungs = sorted({d, *ladder})
    known: dict[tuple[int, int], Array] = {}

    def gain(of: int, over: int) -> float:
        """How much better a lesson is predicted, 0 where that is in doubt."""
        gains, errors = np.zeros(0), 0.0
        for part in range(PARTS):
            for rung in (of, over):
                if (rung, part) not in known:
                    known[rung, part] = scores(rung, part)
            gains = np.concatenate([gains, known[of, part] - known[over, part]])
            errors = gains.sum() / max(float(np.sqrt((gains**2).sum())), 1e-300)
            if errors > _CLEARLY or errors < -_ERRORS:
                break
        return float(gains.mean()) if errors > _ERRORS else 0.0

    found = {d: 0.0} | {rung: gain(rung, d) for rung in rungs if rung < d}  # d first: of equals it stays
    last = d
    for rung in rungs[rungs.index(d) + 1 :]:
        if (more := gain(rung, last)) == 0:
            break
        found[rung], last = found[last] + more, rung
    return max(found, key=lambda rung: found[rung])


def choose_dimension(
    triplets: ArrayLike,
    method: str = "ard",
    *,
    groups: ArrayLike | None = None,
    n_items: int | None = None,
    random_state: Seed = 0,
) -> int:
    """How many axes the items need.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    method : {"ard", "energy", "likelihood"}, optional
        As docs/embeddings.md explains.
    groups : (m,) array_like, optional
        The screen or search of each triplet, for "likelihood"; by default they are inferred.
    n_items : int, optional
        By default one more than the largest item.
    random_state : int, SeedSequence or Generator, optional
        The same seed gives the same number.

    Returns
    -------
    int
        The number of axes.

    Raises
    ------
    ValueError
        If the method is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> line = np.linspace(0, 1, 20)[:, None]
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(line, noise=0.05, seed=0), n_items=20, n_triplets=2000)
    >>> l2s.choose_dimension(rows, "ard")
    1
    """
    rows, n, labels = training_triplets(triplets, None, n_items, groups)
    if method == "ard":
        return int(GaussEmbed("auto", lapse=0.0, random_state=random_state).fit(rows, n_items=n).embedding_.shape[1])
    if method == "energy":
        wide = GaussEmbed(min(_PAPERS_AXES, n - 1), prior="standard", lapse=0.0, random_state=random_state)
        return energy_dimension(wide.fit(rows, n_items=n).embedding_)
    if method == "likelihood":
        return dimension_curve(rows, groups=labels, n_items=n, random_state=random_state).chosen
    raise ValueError(f'method must be "ard", "energy" or "likelihood", got {method!r}')


class DimensionCurve(NamedTuple):
    """How well answers that a fit has not seen are predicted, by its number of axes.

    Attributes
    ----------
    dimensions : (k,) array of int
        The numbers of axes.
    log_likelihood : (k, folds) array
        The mean log probability of the held-out answers; guessing gives -0.693.
    accuracy : (k, folds) array
        The share of them that the positions satisfy.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> scores = -np.array([[0.6, 0.7], [0.4, 0.5], [0.4, 0.49]])
    >>> curve = l2s.DimensionCurve(np.array([1, 2, 3]), scores, accuracy=np.ones((3, 2)))
    >>> curve.best, curve.chosen, curve.means.round(3).tolist(), curve.errors.round(3).tolist()
    (3, 2, [-0.65, -0.45, -0.445], [0.05, 0.05, 0.045])
    """

    dimensions: Integers
    log_likelihood: Array
    accuracy: Array

    @property
    def means(self) -> Array:
        """The log-likelihood, a mean over folds, `(k,)`."""
        return np.asarray(self.log_likelihood.mean(axis=1))

    @property
    def errors(self) -> Array:
        """Its standard errors over folds, `(k,)`. Folds share the questions that are hard: compare by `chosen`."""
        return np.asarray(self.log_likelihood.std(axis=1, ddof=1) / np.sqrt(self.log_likelihood.shape[1]))

    @property
    def best(self) -> int:
        """The number of axes with the highest log-likelihood."""
        return int(self.dimensions[np.argmax(self.means)])

    @property
    def chosen(self) -> int:
        """The fewest axes that are within a standard error of the best one, the difference taken fold by fold."""
        gaps = self.log_likelihood[np.argmax(self.means)] - self.log_likelihood
        near = gaps.mean(axis=1) <= gaps.std(axis=1, ddof=1) / np.sqrt(gaps.shape[1])
        return int(self.dimensions[near].min())


def dimension_curve(
    triplets: ArrayLike,
    dimensions: Sequence[int] | None = None,
    *,
    groups: ArrayLike | None = None,
    n_items: int | None = None,
    n_folds: int = 5,
    random_state: Seed = 0,
    **options: Any,
) -> DimensionCurve:
    """How well held-out answers are predicted, by the number of axes.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    dimensions : sequence of int, optional
        The numbers of axes to try; by default 2, 3, 5, 10, 20, 40 and 80, as far as there are items.
    groups : (m,) array_like, optional
        The screen, search or participant of each triplet, never split; by default inferred by `triplets.infer_groups`.
    n_items : int, optional
        By default one more than the largest item.
    n_folds : int, optional
        How many folds of whole groups.
    random_state : int, SeedSequence, Generator or RandomState, optional
        The same seed gives the same curve.
    **options : object
        Of `GaussEmbed`, which is fitted.

    Returns
    -------
    DimensionCurve
        Log-likelihood and accuracy of each number of axes and fold.

    Raises
    ------
    ValueError
        If no number of axes can be used.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> features = np.random.default_rng(0).normal(size=(12, 2))
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(features, noise=0.3, seed=1), n_items=12, n_triplets=600)
    >>> curve = l2s.dimension_curve(rows, (1, 2, 3), groups=np.arange(600), n_folds=3)
    >>> curve.log_likelihood.shape, curve.chosen > 1
    ((3, 3), True)
    """
    rows, n, labels = training_triplets(triplets, None, n_items, groups)
    tried = [d for d in DIMENSIONS if d < n] if dimensions is None else [int(d) for d in dimensions]
    if not tried:
        raise ValueError(f"expected at least one number of axes below the {n} items, got {dimensions}")
    fold_seed, last = seeds(random_state, 2)
    options = {"lapse": 0.0, "random_state": int(last.generate_state(1)[0])} | options
    parts = list(folds(len(rows), n_folds, fold_seed, infer_groups(rows) if labels is None else labels))

    def held_out(d: int) -> list[tuple[float, float]]:
        scores = []
        for train, test in parts:
            model = _long_enough(GaussEmbed(d, **options), len(train), n).fit(rows[train], n_items=n)
            scores.append((model.log_likelihood(rows[test]), model.score(rows[test])))
        return scores

    found = np.array([held_out(d) for d in tried])
    return DimensionCurve(np.array(tried), found[:, :, 0], found[:, :, 1])


def _long_enough(model: GaussEmbed, count: int, n: int) -> GaussEmbed:
    """With more epochs where a few batches make an epoch, unless the number is given."""
    schedule = model.schedule(count, n)
    batches = -(-count // schedule.batch)
    return model if model.epochs else model.set_params(epochs=max(schedule.epochs, -(-_LEAST_STEPS // batches)))
