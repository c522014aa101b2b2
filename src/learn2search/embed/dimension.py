"""How many axes the items need. Three answers:

"ard"           many axes with a prior variance each, turned to the principal ones; those with more signal than
                noise are kept (`GaussEmbed(n_components="auto")` is this)
"energy"        the paper's: fit 100 axes, keep the fewest principal ones with 98% of the energy
"likelihood"    the number of axes with the best held-out likelihood, whole groups held out
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from learn2search.embed.axes import energies
from learn2search.embed.estimator import training_triplets
from learn2search.embed.fit_loop import seeds
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embed.tune import DIMENSIONS
from learn2search.triplets import folds, infer_groups
from learn2search.typing import Array, Seed, Triplets

_PAPERS_AXES = 100
_FOLDS = 5
_ERRORS = 2.0  # standard errors by which another number of axes must be better


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


def better_dimension(d: int, ladder: Sequence[int], scores: Callable[[int], Array]) -> int:
    """The number of axes with the best scores, if these are better than those of d by two standard errors; else d.

    scores: of independent parts of what is held out. Tried are all fewer, and more as long as their sum rises.
    """
    rungs = sorted({d, *ladder})
    at = rungs.index(d)
    tried = {rung: scores(rung) for rung in rungs[: at + 1]}
    for rung in rungs[at + 1 :]:
        tried[rung] = scores(rung)
        if max(tried, key=lambda known: float(tried[known].sum())) != rung:
            break
    best = max(tried, key=lambda known: float(tried[known].sum()))
    gains = tried[best] - tried[d]
    return best if gains.sum() > _ERRORS * np.sqrt((gains**2).sum()) else d


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
        return _by_likelihood(rows, n, infer_groups(rows) if labels is None else labels, random_state)
    raise ValueError(f'method must be "ard", "energy" or "likelihood", got {method!r}')


def _by_likelihood(rows: Triplets, n: int, groups: ArrayLike, random_state: Seed) -> int:
    fold_seed, last = seeds(random_state, 2)
    fit_seed = int(last.generate_state(1)[0])
    parts = list(folds(len(rows), _FOLDS, fold_seed, groups))

    def held_out(d: int) -> list[float]:
        model = GaussEmbed(d, lapse=0.0, random_state=fit_seed)
        return [model.fit(rows[train], n_items=n).log_likelihood(rows[test]) for train, test in parts]

    tried = {d: np.array(held_out(d)) for d in DIMENSIONS if d < n}
    best = max(tried.values(), key=np.mean)
    behind = {d: best - found for d, found in tried.items()}
    return min(d for d, gap in behind.items() if gap.mean() <= gap.std(ddof=1) / np.sqrt(_FOLDS))
