"""Which question to ask next: by what its answer would tell about the positions.

An answer y tells as much about the positions x as they would tell about it, the mutual information

    I = H(E p(x)) - E H(p(x)),     H the entropy of an answer with these probabilities, E over the positions

The first term is how open the answer is; the second how open it would be if the positions were known, which no map can
help. Where people guess, both are large and I is small: `by="uncertainty"` takes the first alone, and asks such things
again and again.

    triplets    p is Φ or the logistic of the margin, which is taken to be normal: quadrature (`comparison`)
    grid        p is the click among k items, at positions drawn from their distribution (`click`)

The information is that of the model. Where people guess more than the model thinks, as between two similar things
beside a very different one under the probit link, it asks what they cannot answer (docs/research/active.md).

A batch is chosen greedily: the value of a question is divided by 1 + how often its items are in the batch already, on
average, and by 1 + how often its anchor was one, so that one vague item does not fill it.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from learn2search.click import click_probabilities
from learn2search.comparison import Link, margin_moments
from learn2search.compiled import compiled
from learn2search.embed.estimator import TripletEmbedding
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embed.lapse import with_lapses
from learn2search.embedding import Embedding
from learn2search.streams import seed_sequence
from learn2search.typing import Array, Items, Seed, Triplets

_KINDS, _RULES = ("triplets", "grid"), ("uncertainty", "information", "random")
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(24)
_SAMPLES = 24  # of the positions, for a grid
_POOL = {"triplets": 5000, "grid": 300}  # questions that are looked at, unless candidates are given
_PER_QUESTION = {"triplets": 50, "grid": 5}  # or so many for each one that is wanted


def next_triplets(
    model: TripletEmbedding,
    count: int = 1,
    kind: str = "triplets",
    *,
    by: str = "uncertainty",
    shown: int = 8,
    candidates: ArrayLike | None = None,
    seed: Seed = 0,
) -> Items:
    """The questions whose answers would tell most, for the next participants.

    Parameters
    ----------
    model : GaussEmbed
        Fitted to the answers so far. Models without variances can be asked by "uncertainty" and "random" only.
    count : int, optional
        How many questions. A batch is spread over the items: `questions[p::n]` is a part of it for each of n people.
    kind : {"triplets", "grid"}, optional
        "Is it more like the one or the other?", or "which of these is most like it?".
    by : {"uncertainty", "information", "random"}, optional
        How open the answer is; what it is expected to tell about the positions, best where the model of the answers is
        right; or no matter.
    shown : int, optional
        How many items a grid shows.
    candidates : (m, 3) or (m, 1 + shown) array_like of int, optional
        The questions that can be asked, anchor first. By default some thousand triplets or some hundred grids, drawn at
        random.
    seed : int, SeedSequence, Generator or RandomState, optional
        Which questions are looked at.

    Returns
    -------
    (count, 3) or (count, 1 + shown) array of int
        The anchor and the items to compare with it, the most valuable question first.

    Raises
    ------
    ValueError
        If an option cannot be used, the model has no variances and `by` is "information", or there are fewer questions.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> features = np.random.default_rng(0).normal(size=(10, 2))
    >>> rows = l2s.make_triplets(l2s.ProbitOracle(features, noise=0.3, seed=1), n_items=10, n_triplets=60)
    >>> model = l2s.GaussEmbed(n_components=2, random_state=0).fit(rows)
    >>> l2s.next_triplets(model, count=5, by="information").shape
    (5, 3)
    >>> l2s.next_triplets(model, count=2, kind="grid", shown=4).shape
    (2, 5)
    """
    _check(model, count, kind, by, shown)
    generator = np.random.default_rng(seed_sequence(seed))
    n, width = model.n_items_, 3 if kind == "triplets" else 1 + shown
    pool = _drawn(n, width, kind, count, generator) if candidates is None else _checked(candidates, n, width)
    if len(pool) < count:
        raise ValueError(f"{count} questions are wanted, but there are only {len(pool)} to choose from")
    if by == "random":
        return pool[generator.permutation(len(pool))[:count]]
    return pool[_greedy(_values(model, pool, kind, by, generator), pool, count, n)]


# --- what a question is worth ----------------------------------------------------------------------


def _values(model: Any, pool: Items, kind: str, by: str, generator: np.random.Generator) -> Array:
    if kind == "grid":
        if by == "uncertainty":
            return _entropies(model.predict_click_proba(pool[:, 1:], pool[:, 0]))
        return grid_information(model, pool, generator)
    if by == "uncertainty":
        return binary_entropy(model.predict_proba(pool))
    return triplet_information(model, pool)


def triplet_information(model: GaussEmbed, questions: Triplets) -> Array:
    """What the answer to each question would tell about the positions, in nats, `(m,)`."""
    mean, variance, link = model._model()
    middle, spread = margins(mean, variance, questions, link)
    at = middle[:, None] + np.sqrt(spread)[:, None] * _NODES
    p = with_lapses(special.expit(at) if link.ratio else special.ndtr(at), model.lapse_)
    weights = _WEIGHTS / _WEIGHTS.sum()
    return np.asarray(np.maximum(binary_entropy(p @ weights) - binary_entropy(p) @ weights, 0.0))


def grid_information(model: GaussEmbed, questions: Items, generator: np.random.Generator) -> Array:
    """The same for a click among the items of a grid, at positions drawn from their distribution."""
    mean, variance, _ = model._model()
    clicks = np.zeros((len(questions), questions.shape[1] - 1))
    given = np.zeros(len(questions))
    for _ in range(_SAMPLES):
        drawn = Embedding(mean + np.sqrt(variance) * generator.standard_normal(mean.shape))
        found = click_probabilities(drawn, questions[:, 1:], questions[:, 0])
        p = with_lapses(found, model.lapse_, found.shape[1])
        clicks += p / _SAMPLES
        given += _entropies(p) / _SAMPLES
    return np.asarray(np.maximum(_entropies(clicks) - given, 0.0))


@compiled
def margins(mean: Array, var: Array, rows: Triplets, link: Link) -> tuple[Array, Array]:
    """Mean and variance of the margin of each triplet, `(m,)` each."""
    middle, spread = np.empty(len(rows)), np.empty(len(rows))
    for at in range(len(rows)):
        t, i, j = rows[at]
        middle[at], spread[at] = margin_moments(link, mean[i], mean[j], mean[t], var[i], var[j], var[t])
    return middle, spread


def binary_entropy(p: Array) -> Array:
    """-p log p - (1 - p) log (1 - p)."""
    return np.asarray(special.entr(p) + special.entr(1.0 - p))


def _entropies(p: Array) -> Array:
    return np.asarray(special.entr(p).sum(axis=-1))


# --- a batch ---------------------------------------------------------------------------------------


def _greedy(values: Array, pool: Items, count: int, n: int) -> NDArray[np.int64]:
    """Numbers of the chosen questions, the best first; each is chosen once."""
    uses, as_anchor, left = np.zeros(n), np.zeros(n), values + 1e-12
    chosen = np.empty(count, np.int64)
    for place in range(count):
        spread = (1.0 + uses[pool].mean(axis=1)) * (1.0 + as_anchor[pool[:, 0]])
        best = int(np.argmax(left / spread))
        chosen[place] = best
        left[best] = -1.0
        np.add.at(uses, pool[best], 1.0)
        as_anchor[pool[best, 0]] += 1.0
    return chosen


def _drawn(n: int, width: int, kind: str, count: int, generator: np.random.Generator) -> Items:
    """Different questions at random, of different items each; fewer where there are no more."""
    if n < width:
        raise ValueError(f"a question needs {width} different items, and the model knows {n}")
    size = max(_POOL[kind], _PER_QUESTION[kind] * count)
    rows = generator.integers(0, n, (2 * size, width))
    for column in range(1, width):  # uniform among the items that are not in the row yet
        rows[:, column] = generator.integers(0, n - column, len(rows))
        for taken in np.sort(rows[:, :column], axis=1).T:
            rows[:, column] += rows[:, column] >= taken
    rows[:, 1:].sort(axis=1)
    first = np.unique(rows, axis=0, return_index=True)[1]
    return rows[np.sort(first)][:size]


def _checked(candidates: ArrayLike, n: int, width: int) -> Items:
    rows = np.asarray(candidates)
    if rows.ndim != 2 or rows.shape[1] != width or rows.dtype.kind not in "iu":
        raise ValueError(f"candidates must be rows of {width} items, anchor first, got {rows.dtype} {rows.shape}")
    if len(rows) and not 0 <= rows.min() <= rows.max() < n:
        raise ValueError(f"candidates must name items of 0..{n - 1}, got {rows.min()} to {rows.max()}")
    return np.ascontiguousarray(rows, np.int64)


def _check(model: TripletEmbedding, count: int, kind: str, by: str, shown: int) -> None:
    if kind not in _KINDS or by not in _RULES:
        raise ValueError(f"kind is one of {_KINDS} and by one of {_RULES}, got {kind!r} and {by!r}")
    if count < 1 or (kind == "grid" and shown < 2):
        raise ValueError(f"expected count from 1 and shown from 2, got count={count!r} and shown={shown!r}")
    model._check_fitted()
    if not isinstance(model, GaussEmbed) and (by == "information" or (kind == "grid" and by != "random")):
        raise ValueError(
            f'{type(model).__name__} does not know how sure it is: fit a GaussEmbed, or take by="uncertainty" (of '
            'triplets) or by="random"'
        )
    if kind == "grid" and by != "random" and getattr(model, "link", "") == "ratio":
        raise ValueError('the ratio link compares pairs only: fit with link="probit", or ask triplets')
