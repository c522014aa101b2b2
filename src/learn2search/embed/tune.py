"""`tune`: a GaussEmbed whose link, steepness, dimension, tempering and prior are chosen by held-out likelihood.

Triplets are held out by whole groups (screens or searches): on rows split at random the likelihood rewards learning
the screens by heart, and asks for a far too steep link. Every candidate sees the same splits. For each link, one
parameter after the other moves along its ladder of values as long as the likelihood rises.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.cores import core_count
from learn2search.embed.estimator import training_triplets
from learn2search.embed.fit_loop import seeds
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.progress import spinner
from learn2search.triplets import infer_groups, split
from learn2search.typing import Integers, Seed, Triplets

Rungs = Mapping[str, int]

DIMENSIONS = (2, 3, 5, 10, 20, 40, 80)
LADDERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "probit": {
        "n_components": DIMENSIONS,
        "epochs": (None, 40),  # None: GaussEmbed's own, 20 where triplets are many
        "temper": (1 / 8, 1 / 4, 1 / 2, 1.0, 2.0),
        "prior": ("empirical", "standard"),
    },
    "ratio": {
        "kappa": tuple(round(1.25 * 2 ** (step / 2), 3) for step in range(10)),  # 1.25 to 28
        "n_components": DIMENSIONS,
        "temper": (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0),  # times 1/D
        "prior": (1 / 2, 2.0, 8.0),  # times 1/D
    },
}
_START = {
    "probit": {"n_components": 3, "epochs": 0, "temper": 3, "prior": 0},
    "ratio": {"kappa": 2, "n_components": 5, "temper": 4, "prior": 1},
}
_HELD_OUT = 0.2


class Trial(NamedTuple):
    """A candidate's parameters and its held-out log-likelihood, a mean over the splits."""

    parameters: dict[str, Any]
    log_likelihood: float


def tune(
    triplets: ArrayLike,
    y: ArrayLike | None = None,
    groups: ArrayLike | str | None = None,
    n_items: int | None = None,
    *,
    n_splits: int = 3,
    threads: int | None = None,
    verbose: bool = False,
    random_state: Seed = 0,
) -> GaussEmbed:
    """A `GaussEmbed` whose link, steepness, dimension, tempering and prior are chosen by held-out likelihood.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    y : (m,) array_like, optional
        An answer a row, as in `triplets.as_triplets`.
    groups : (m,) array_like or "rows", optional
        The screen or search of each triplet, which stays together; by default inferred by `triplets.infer_groups`.
        "rows" splits rows at random, as papers do: not to be used to choose or to publish.
    n_items : int, optional
        By default one more than the largest item.
    n_splits : int, optional
        How many splits judge each candidate.
    threads : int, optional
        How many splits are fitted at once.
    verbose : bool, optional
        Show each candidate on standard error.
    random_state : int, SeedSequence or Generator, optional
        The same seed gives the same model.

    Returns
    -------
    GaussEmbed
        Fitted to all triplets; `trials_` lists what was tried, the best first.

    Raises
    ------
    ValueError
        If `n_splits` or `groups` cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> features = np.random.default_rng(0).normal(size=(8, 2))
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(features, noise=0.5, seed=1), n_items=8, n_triplets=120)
    >>> model = l2s.tune(rows, groups="rows", n_splits=1)
    >>> model.embedding_.shape[0], model.trials_[0].parameters["link"] in ("probit", "ratio")
    (8, True)
    """
    if n_splits < 1:
        raise ValueError(f"n_splits must be at least 1, got {n_splits}")
    at_once = None if threads is None else core_count(threads, "threads")
    by_row = isinstance(groups, str)
    if by_row and groups != "rows":
        raise ValueError(f'groups must be a label for each triplet, None or "rows", got {groups!r}')
    rows, n, labels = training_triplets(triplets, y, n_items, None if by_row else groups)
    if labels is None and not by_row:
        labels = infer_groups(rows)
    *split_seeds, last = seeds(random_state, n_splits + 1)
    splits = [split(len(rows), _HELD_OUT, seed, labels) for seed in split_seeds]
    fit_seed = int(last.generate_state(1)[0])
    with spinner("choosing", verbose) as show:
        judge = _Judge(rows, n, splits, fit_seed, at_once, show)
        best = max((_search_ladders(link, judge) for link in LADDERS), key=lambda trial: trial.log_likelihood)
    model = GaussEmbed(**best.parameters, random_state=fit_seed).fit(rows, n_items=n)
    model.trials_ = judge.trials()
    return model


def parameters(link: str, rungs: Rungs) -> dict[str, Any]:
    """GaussEmbed's arguments at these rungs of the ladders."""
    values = {name: ladder[rungs[name]] for name, ladder in LADDERS[link].items()}
    if link == "ratio":
        values |= {
            "temper": values["temper"] / values["n_components"],
            "prior": values["prior"] / values["n_components"],
        }
    return {"link": link, **values}


class _Judge:
    """Held-out log-likelihoods of candidates, each computed once."""

    def __init__(
        self,
        rows: Triplets,
        n: int,
        splits: list[tuple[Integers, Integers]],
        seed: int,
        threads: int | None,
        show: Callable[[str], None],
    ) -> None:
        self.rows, self.n, self.splits, self.seed, self.threads, self.show = rows, n, splits, seed, threads, show
        self.count = len(splits[0][0])  # of triplets that a candidate is fitted to
        self.known: dict[str, Trial] = {}

    def __call__(self, link: str, rungs: Rungs) -> Trial:
        values = self._with_schedule(parameters(link, rungs))
        name = ", ".join(
            f"{key}={value:.4g}" if isinstance(value, float) else f"{key}={value}" for key, value in values.items()
        )
        if name not in self.known:
            with ThreadPoolExecutor(self.threads) as pool:
                found = list(pool.map(lambda parts: self._held_out(values, *parts), self.splits))
            self.known[name] = Trial(values, float(np.mean(found)))
            self.show(f"{name}: held-out log-likelihood {self.known[name].log_likelihood:.4f}")
        return self.known[name]

    def _with_schedule(self, values: dict[str, Any]) -> dict[str, Any]:
        """GaussEmbed's own choices by the number of triplets, said out: what is judged is what is fitted to all."""
        schedule = GaussEmbed(**values).schedule(self.count, self.n)
        return {**values, "epochs": schedule.epochs, "learning_rate": schedule.rate}

    def _held_out(self, values: dict[str, Any], train: Integers, held_out: Integers) -> float:
        model = GaussEmbed(**values, lapse=0.0, random_state=self.seed).fit(self.rows[train], n_items=self.n)
        return model.log_likelihood(self.rows[held_out])

    def trials(self) -> list[Trial]:
        """The best first."""
        return sorted(self.known.values(), key=lambda trial: -trial.log_likelihood)


def _search_ladders(link: str, judge: Callable[[str, Rungs], Trial]) -> Trial:
    """From the start, each parameter in turn to its best rung, until a whole round changes nothing."""
    rungs, best = dict(_START[link]), judge(link, _START[link])
    while True:
        before = best
        for name, ladder in LADDERS[link].items():
            for direction in (1, -1):
                while 0 <= rungs[name] + direction < len(ladder):
                    there = judge(link, {**rungs, name: rungs[name] + direction})
                    if there.log_likelihood <= best.log_likelihood:
                        break
                    rungs[name], best = rungs[name] + direction, there
        if best is before:
            return best
