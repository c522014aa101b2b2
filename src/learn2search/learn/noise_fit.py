"""How noisy people are, from searches that found their target: σ, and the share of clicks that say nothing.

A click on item c of k shown ones, with target t, has the probability

    P = (1 - λ) P(c | t, σ) + λ / k

where P(c | t, σ) is that of the comparison model (`click.py`) and λ the lapse rate. What was shown depends on earlier
answers alone, so the product over all clicks is their likelihood, however the strategy chose its questions. It is
computed on a grid of σ and λ; an interval holds the values whose profile likelihood is within χ²/2 of the best.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import special

from learn2search.click import click_probabilities
from learn2search.embedding import Embedding
from learn2search.learn.search_clicks import SearchClicks, Steps, clicks_of
from learn2search.search.base import Search
from learn2search.search.stored_search import checked_items, checked_step
from learn2search.typing import Array

_COARSE = np.geomspace(1e-4, 1e2, 37)  # σ, times the spread of the items
_FINE = 61
_LAPSES = np.linspace(0.0, 0.95**0.5, 121) ** 2
_FAR = 12.0  # below the best log likelihood: not looked at more finely


class NoiseFit(NamedTuple):
    """What finished searches say about the noise of answers.

    Attributes
    ----------
    noise : float
        The most likely σ, in units of the embedding.
    noise_interval : (float, float)
        It is in here with the confidence that was asked for; up to infinity where answers might as well be guesses.
    lapse : float
        The most likely share of clicks that say nothing, at σ.
    lapse_interval : (float, float)
        The same for the share.
    n_clicks : int
        How many clicks tell: those on screens without the target.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.NoiseFit(0.1, (0.08, 0.13), 0.02, (0.0, 0.06), n_clicks=240).noise
    0.1
    """

    noise: float
    noise_interval: tuple[float, float]
    lapse: float
    lapse_interval: tuple[float, float]
    n_clicks: int


def fit_noise(
    embedding: Embedding, searches: Iterable[Search | tuple[int, Steps]], *, confidence: float = 0.95
) -> NoiseFit:
    """How noisy people's answers are, from searches that found their target.

    The intervals are those of many clicks. With about 100 clicks that of σ holds; that of the lapse rate is too short
    where there are only a few lapses.

    Parameters
    ----------
    embedding : Embedding
        Where the items are; uncertain positions are taken as such.
    searches : iterable of Search or (target, log)
        Finished searches: those that were `found`, or targets with what was shown and chosen on the way.
    confidence : float, optional
        Of the intervals, between 0 and 1.

    Returns
    -------
    NoiseFit
        σ and the lapse rate, each with an interval.

    Raises
    ------
    ValueError
        If a search has no target, or no click says anything.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> space = l2s.Embedding(np.random.default_rng(0).uniform(size=(100, 3)))
    >>> people = l2s.ProbitOracle(space, noise=0.1, seed=1)
    >>> run = l2s.simulate("sampled", space, people, range(100), noise=0.3, keep_logs=True, progress=False)
    >>> fit = l2s.fit_noise(space, zip(run.targets, run.logs))
    >>> fit.noise_interval[0] < 0.1 < fit.noise_interval[1]
    True
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence lies between 0 and 1, as 0.95, got {confidence!r}")
    clicks = clicks_of(_with_target(one, embedding) for one in searches)
    if not len(clicks.shown):
        raise ValueError("no click tells how noisy people are: searches need answers on screens without their target")
    sigmas = embedding.spread * _COARSE
    rough = _profile(_log_likelihoods(embedding, clicks, sigmas))
    near = np.flatnonzero(rough > rough.max() - _FAR)
    low, high = sigmas[max(near[0] - 1, 0)], sigmas[min(near[-1] + 1, len(sigmas) - 1)]
    sigmas = np.geomspace(low, high, _FINE)
    table = _log_likelihoods(embedding, clicks, sigmas)
    drop = 0.5 * float(special.chdtri(1, 1.0 - confidence))  # half the quantile of χ² with one degree of freedom
    log_noise, (lowest, highest) = _best_and_interval(np.log(sigmas), _profile(table), drop)
    lapse, lapses = _best_and_interval(_LAPSES, table.max(axis=0), drop)
    ends = 0.0 if lowest <= math.log(low) else math.exp(lowest), _end(highest, high)
    return NoiseFit(math.exp(log_noise), ends, lapse, lapses, len(clicks.shown))


def _end(log_highest: float, most: float) -> float:
    """The upper end of σ, infinite where the last value that was looked at is still likely."""
    return math.inf if log_highest >= math.log(most) else math.exp(log_highest)


def _with_target(search: Search | tuple[int, Steps], embedding: Embedding) -> tuple[int, Steps]:
    target, log = (search.target, search.log) if isinstance(search, Search) else search
    if target is None:
        raise ValueError(f"{search!r} has no target and says nothing about noise: leave it out, or give (target, log)")
    (known,) = checked_items([target], embedding, "the target")
    steps = [checked_step(query, chosen, embedding, least=1) for query, chosen in log]
    return known, [step for step in steps if known not in step.query]  # who overlooked it is no ordinary click


def _log_likelihoods(embedding: Embedding, clicks: SearchClicks, sigmas: Array) -> Array:
    """`(σ, λ)`: of all clicks."""
    table = np.zeros((len(sigmas), len(_LAPSES)))
    for k in np.unique(clicks.sizes).tolist():
        some = clicks.sizes == k
        shown, targets = clicks.shown[some][:, :k], clicks.targets[clicks.search[some]]
        for row, sigma in enumerate(sigmas.tolist()):
            chances = click_probabilities(embedding, shown, targets, noise=sigma)[:, 0]
            mixed = np.outer(1.0 - _LAPSES, chances) + _LAPSES[:, None] / k
            table[row] += np.log(np.maximum(mixed, 1e-300)).sum(axis=1)
    return table


def _profile(table: Array) -> Array:
    """For each σ the largest log likelihood over λ."""
    return np.asarray(table.max(axis=1))


def _best_and_interval(values: Array, profile: Array, drop: float) -> tuple[float, tuple[float, float]]:
    """Where the profile is highest, and where it has fallen by `drop` on both sides: between its values it is taken as
    a parabola at the top and as straight elsewhere.
    """
    top = int(np.argmax(profile))
    best, height = float(values[top]), float(profile[top])
    if 0 < top < len(values) - 1:
        a, b, c = np.polyfit(values[top - 1 : top + 2] - best, profile[top - 1 : top + 2] - height, 2)
        best, height = (best - b / (2 * a), height + c - b * b / (4 * a)) if a < 0 else (best, height)
    level = height - drop
    below, above = np.flatnonzero(profile[:top] < level), np.flatnonzero(profile[top:] < level)
    low = values[0] if len(below) == 0 else _crossing(values, profile, below[-1], below[-1] + 1, level)
    high = values[-1] if len(above) == 0 else _crossing(values, profile, top + above[0], top + above[0] - 1, level)
    return best, (float(low), float(high))


def _crossing(values: Array, profile: Array, outside: int, inside: int, level: float) -> float:
    share = (level - profile[outside]) / (profile[inside] - profile[outside])
    return float(values[outside] + share * (values[inside] - values[outside]))
