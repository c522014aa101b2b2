"""How many answers say nothing: a lapse rate ε, chosen by held-out answers.

    p' = (1 - ε) p + ε / 2        of one of two; ε / k of one of k

A fit to few answers, or to answers near chance, is surer of itself than it should be, and then predicts worse than a
coin. ε = 1 is the coin; ε = 0 takes the fit at its word. Between them, held-out answers decide:

    ε = E[ε | held-out answers],    ε ~ Beta(s e, s (1 - e)) before any answer

The mean is what a log score asks for: a mixture over ε predicts as its mean does. Rows of one group (a screen, a
search) say nearly the same, in two ways:

- Their likelihood counts once in `design` times, where `design` is the variance of the slope of the log-likelihood
  over groups, beside what it would be were the rows independent.
- The fit counted them all. The more rows a group has, the less it is believed beforehand: e = 1 - 1 / √(rows a group),
  and never below `LEAST`.
"""

from collections.abc import Sequence

import numpy as np

from learn2search.comparison import Link, log_probabilities
from learn2search.embed.variance_factor import HeldOut
from learn2search.triplets import infer_groups
from learn2search.typing import Array, Groups, Integers, Triplets

LEAST = 0.15  # mean of ε beforehand, where each row is a group of its own
STRENGTH = 1.0  # s: the prior weighs as much as so many answers
_RARE, _CLICKS = 0.05, 20.0  # mean of ε beforehand where clicks of searches tell, and how many of them it weighs
_RATES = (np.arange(100) + 0.5) / 100


def with_lapses(probabilities: Array, lapse: float, choices: int | Integers = 2) -> Array:
    """(1 - ε) p + ε / k."""
    return np.asarray((1.0 - lapse) * probabilities + lapse / choices)


def fit_lapse(parts: Sequence[HeldOut], link: Link, factor: float = 1.0) -> float:
    """The lapse rate that held-out groups ask for; factor: of the variances."""
    chances = [np.exp(log_probabilities(part.mean, factor * part.var, part.triplets, link)) for part in parts]
    p, group = np.concatenate(chances), _numbered(parts)
    groups = int(group[-1]) + 1
    slope = (0.5 - p) / with_lapses(p, 0.5)  # of the log-likelihood, at ε = 1/2
    design = max(1.0, float((np.bincount(group, slope) ** 2).sum() / max((slope**2).sum(), 1e-12)))
    expected = max(LEAST, 1.0 - np.sqrt(groups / len(p)))
    likelihood = np.array([np.log(with_lapses(p, rate)).sum() for rate in _RATES])
    prior = (STRENGTH * expected - 1) * np.log(_RATES) + (STRENGTH * (1 - expected) - 1) * np.log(1 - _RATES)
    return _expected(likelihood / design + prior)


def click_lapse(probabilities: Array, choices: Integers, before: float = 0.0) -> float:
    """The lapse rate of clicks that a fit has not seen: E[ε | clicks].

    probabilities: of each click, `(f, m)`, a row for each width that the positions may have: a fit that misplaces items
    is too sure of itself, which is no lapse. choices: among how many items each click was, `(m,)`; a click is one
    answer, however many comparisons it stands for. before: what the rate was thought to be. ε has the prior Beta with
    this mean, 0.05 at first, which weighs as much as 20 clicks.
    """
    expected = before or _RARE
    likelihood = np.array([np.log(with_lapses(probabilities, rate, choices)).sum(axis=-1) for rate in _RATES])
    widest = likelihood.max()
    total = widest + np.log(np.exp(likelihood - widest).sum(axis=-1) + 1e-300)  # any width is as good as any other
    prior = (_CLICKS * expected - 1) * np.log(_RATES) + (_CLICKS * (1 - expected) - 1) * np.log(1 - _RATES)
    return _expected(total + prior)


def likely_screens(triplets: Triplets) -> Groups:
    """Groups for answers without screen ids: `infer_groups`, but a group that cannot be one screen is taken apart.

    Where answers are dense, all triplets of an anchor hang together, however many questions they came from. One screen
    compares a pair only once.
    """
    group = infer_groups(triplets)
    pairs = np.column_stack([group, np.sort(triplets[:, 1:], axis=1)])
    is_screen = np.bincount(np.unique(pairs, axis=0)[:, 0]) == np.bincount(group)
    alone = len(is_screen) + np.arange(len(group))
    return np.where(is_screen[group], group, alone)


def best_log_likelihoods(probabilities: Array) -> Array:
    """Log-likelihoods of answers under the lapse rate that suits them best together.

    Of two fits they say which one tells more of the answers, whatever each believes of itself: a fit with many axes is
    less sure, and so can seem better than a smaller one that knows more.
    """
    rates = (0.0, *_RATES)
    return max((np.log(with_lapses(probabilities, rate)) for rate in rates), key=lambda found: float(found.sum()))


def _numbered(parts: Sequence[HeldOut]) -> Array:
    """The groups of all rows, numbered from 0 through all parts."""
    numbers, first = [], 0
    for part in parts:
        _, group = np.unique(part.groups, return_inverse=True)
        numbers.append(group + first)
        first += int(group.max()) + 1
    return np.concatenate(numbers)


def _expected(log_posterior: Array) -> float:
    """The mean of ε, given the logarithm of its density at `_RATES`."""
    posterior = np.exp(log_posterior - log_posterior.max())
    return float((posterior * _RATES).sum() / posterior.sum())
