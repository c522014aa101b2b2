"""What searches pursue that did not find it: the mark of visitors who steer.

A visitor who clicks as if they looked for one item, and says in the end that they found another, looks like a person
whose target the model misplaces. What gives them away is that others pursue the same item: misplaced targets of honest
people lie here and there. So items that several doubtful searches seem to pursue are tried in the target's place, and
how often each is pursued is estimated together with the weights (`learn.evidence`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from learn2search.learn.cavity import Places, judge_clicks
from learn2search.learn.search_clicks import SearchClicks
from learn2search.typing import Array, Integers, Items

TRIED = 8  # items that searches may pursue, at most
_DOUBTFUL = 0.3  # how probable it must be that a search pursues something else than what it found
_MOST = 256  # doubtful searches that are looked at, the most doubtful ones
_SEVERAL = 2.0  # searches that must seem to pursue an item before it is tried


class Part(NamedTuple):
    """Where the items are by a fit, and the searches that the fit has not seen."""

    places: Places
    searches: Integers


def doubts(known: Array, anywhere: Array, random: Array) -> Array:
    """How probable it is that a search pursues something else than what it found, `(s,)`: given how probable its clicks
    are, as logarithms, with the target where it is known to be, with the target anywhere, and by chance."""
    return np.asarray(special.softmax(np.array([np.log(2.0) + known, anywhere, np.log(2.0) + random]), axis=0)[1])


def seem_pursued(parts: Sequence[Part], clicks: SearchClicks, doubt: Array, n_items: int) -> Array:
    """How many of the doubtful searches seem to pursue each item, `(n,)`; the item that a search found is none."""
    total = np.zeros(n_items)
    begins = np.searchsorted(clicks.search, np.arange(len(clicks.targets) + 1))
    doubtful = np.zeros(len(doubt), bool)
    doubtful[np.argsort(-doubt, kind="stable")[:_MOST]] = True
    doubtful &= doubt > _DOUBTFUL
    for places, searches in parts:
        for one in searches[doubtful[searches]]:
            logs = np.zeros(n_items)
            for at in range(begins[one], begins[one + 1]):
                logs += _log_click(places, clicks.shown[at, : clicks.sizes[at]])
            logs[clicks.targets[one]] = -np.inf
            total += doubt[one] * special.softmax(logs)
    return total


def _log_click(places: Places, shown: Items) -> Array:
    """About how probable a click on the first of these items is for each item as the target, `(n,)`.

    The product of the pairs, which counts as one choice of log₂ k bits: it is enough to find candidates.
    """
    x, v, others = places.mean, places.var, shown[1:]
    between, width = x[shown[0]] - x[others], v[shown[0]] + v[others]
    normals = between / np.sqrt((between**2).sum(axis=1) + width.sum(axis=1))[:, None]
    margins = x @ normals.T - (normals * (x[shown[0]] + x[others])).sum(axis=1) / 2
    spread = np.sqrt(1.0 + v @ (normals**2).T + (width * normals**2).sum(axis=1) / 4)
    return np.asarray(special.log_ndtr(margins / spread).sum(axis=1) * np.log2(len(shown)) / len(others))


def pursued_by_several(counts: Array) -> Items:
    """The items that are worth trying."""
    first = np.argsort(-counts, kind="stable")[:TRIED]
    return first[counts[first] >= _SEVERAL].astype(np.int64)


def judge_pursued(parts: Sequence[Part], clicks: SearchClicks, item: int) -> Array:
    """The probabilities of all clicks with this item in the target's place, the one that was made first, `(q, k)`."""
    result = np.zeros(clicks.shown.shape)
    begins = np.searchsorted(clicks.search, np.arange(len(clicks.targets) + 1))
    for places, searches in parts:
        for one in searches:
            of = slice(int(begins[one]), int(begins[one + 1]))
            shown = np.maximum(clicks.shown[of], 0)
            place, cov = places.mean[item].copy(), np.diag(places.var[item])
            judge_clicks(places.mean[shown], places.var[shown], clicks.sizes[of], place, cov, result[of])
    return result
