"""How much each finished search should teach: its evidence that a person clicked, against a bot, and a weight.

A bot that clicks at random is right about half of all pairs, so that no average of probabilities sees it. What it
cannot do is to agree with what *others* said about the target. For each search of m clicks:

    click  = (1 - ε) p^τ / Σ p^τ + ε / k         p: each of the k clicks, given the other searches
    honest = (1 - η) Π click | target where the others say  +  η Π click | target anywhere
    bot    = (1 - ζ - Σκ) [½ Π 1/k + ½ Dirichlet-multinomial(places; ½)]
             + ζ Π click | target anywhere  +  Σ κ_j Π click | item j is the target
    L      = log honest - log bot,      w = 1 / (1 + e^-(log π/(1 - π) + L))

"Anywhere" excuses honest people where the model misplaces their target, and describes visitors who steer to something
other than what they claim to have found. A search alone does not tell which of the two it is, so ζ is small: else those
count little of whose targets most is to be learnt. The items j are those that several doubtful searches pursue without
finding them (`learn.steering`). π, the share of honest searches, η and κ are re-estimated from the weights; ε and τ,
how far the model is to be trusted, are those of a grid that make all searches most probable. For a visitor with N
searches π becomes (π + Σ other w) / N.

There are two ways to leave a search out of what judges it. Of one fit, its share can be taken out by Newton's steps
(`learn.cavity`): that costs little, but while there are few answers an item, the fit has bent everything around each
long search, and it looks too sensible. Or thirds of the searches are judged by fits to the other two thirds: that costs
more, and is right (docs/research/crowd.md has both). `weigh_searches` does the first, `weigh_and_fit` the second.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from learn2search.comparison import check_noise
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embedding import Embedding
from learn2search.learn.cavity import Places, curvatures, evidence_of, judge_new, judge_searches
from learn2search.learn.search_clicks import SearchClicks, Steps, clicks_of
from learn2search.learn.steering import Part, doubts, judge_pursued, pursued_by_several, seem_pursued
from learn2search.streams import children
from learn2search.typing import Array, Integers, Items, Mask, Seed

LAPSES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)  # ε
SHARPNESS = (0.5, 0.75, 1.0)  # τ
ROUNDS = 4  # of weighing, at most
_FOLDS = 3  # parts of the searches, each judged by fits to the others
_FEWEST = 12  # searches that can be weighed against each other
_LEAST_HONEST, _MOST_HONEST = 0.3, 0.99
_MOST_EXCUSED = 0.1  # η
_ALONE = 0.05  # ζ, the share of bots that steer to something of their own
_TOGETHER = 0.45  # Σκ at most, the share of those that steer to the items that are tried
_NOT_TOGETHER = 3.0  # so many bots do not, beforehand
_REMEMBERED = 0.5  # how much what seemed pursued in the round before counts in the next
_LEAST = 1e-6  # weight with which a search still counts in a fit
_UPDATES = 20  # of π, η and the weights, given the probabilities: as many at most,
_EXACT = 1e-6  # and no more when they change by less
_SETTLED = 0.02  # mean change of the weights of clicks below which another round would change nothing


class Crowd(NamedTuple):
    """What is known of all visitors together.

    Attributes
    ----------
    honest : float
        π, the share of honest searches.
    excuse : float
        η, the share of honest searches whose target the model misplaces.
    lapse : float
        ε, the share of clicks that the model does not explain.
    sharpness : float
        τ, the power to which its probabilities are taken.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.Crowd(honest=0.95).excuse
    0.1
    """

    honest: float = 0.9
    excuse: float = 0.1
    lapse: float = 0.2
    sharpness: float = 0.75


class SearchWeights(NamedTuple):
    """How much each of s searches should teach.

    Attributes
    ----------
    weights : (s,) array
        From 0 to 1: how probable it is that a person searched.
    evidence : (s,) array
        log honest - log bot.
    crowd : Crowd
        What is known of all of them together.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.SearchWeights([0.9], [2.2], l2s.Crowd()).weights
    [0.9]
    """

    weights: Array
    evidence: Array
    crowd: Crowd


def weigh_searches(
    embedding: Embedding,
    searches: Iterable[tuple[int, Steps]],
    *,
    prior_variance: ArrayLike = 1.0,
    prior_mean: ArrayLike | None = None,
    noise: float = 1.0,
    fitted: ArrayLike | None = None,
    visitors: Sequence[object] | None = None,
    crowd: Crowd | None = None,
) -> SearchWeights:
    """How much finished searches should teach: little where the clicks look like a bot's.

    Parameters
    ----------
    embedding : Embedding
        Where the items are, with variances.
    searches : iterable of (target, steps)
        What was found, and the questions and answers on the way, as `triplets.from_search` takes them. A question may
        show any number of items.
    prior_variance : float or (d,) array_like, optional
        Of an item of which nothing is known, as `GaussEmbed.prior_variance_`.
    prior_mean : (n, d) array_like, optional
        Where items are expected before any answer; 0 by default.
    noise : float, optional
        σ in the unit of the embedding.
    fitted : (s,) array_like, optional
        How much each search counted when the embedding was fitted: each is judged by what the others say. By default
        all counted 1. Where none counted, they are new, and judged by the embedding as it is.
    visitors : sequence, optional
        Who searched: what is known of a visitor's other searches counts. None is someone unknown.
    crowd : Crowd, optional
        By default it is estimated from the searches, which takes many.

    Returns
    -------
    SearchWeights
        Weights and evidence of the searches, in their order.

    Raises
    ------
    ValueError
        If the embedding has no variances, or an item is not in it.

    Examples
    --------
    >>> import learn2search as l2s
    >>> line = l2s.Embedding([[float(x)] for x in range(-5, 6)], var=[[0.01]] * 11)
    >>> person = (10, [((0, 5), 5), ((3, 6), 6), ((2, 7), 7), ((4, 8), 8)])
    >>> bot = (10, [((0, 5), 0), ((3, 6), 6), ((2, 7), 2), ((4, 8), 4), ((9, 1), 1)])
    >>> found = l2s.weigh_searches(line, [person, bot], prior_variance=10.0, fitted=[0, 0], crowd=l2s.Crowd())
    >>> bool(found.weights[0] > 0.9), bool(found.weights[1] < 0.5)
    (True, True)
    """
    clicks = clicks_of(searches)
    places = places_of(embedding, prior_variance, prior_mean, noise)
    named = max(int(clicks.shown.max(initial=-1)), int(clicks.targets.max(initial=-1)))
    if named >= embedding.n_items or min(clicks.targets.min(initial=0), clicks.shown[:, :2].min(initial=0)) < 0:
        raise ValueError(f"the searches name items that are not among 0..{embedding.n_items - 1}")
    counted = np.ones(len(clicks.targets)) if fitted is None else np.asarray(fitted, float)
    if counted.shape != clicks.targets.shape:
        raise ValueError(f"fitted must be one number a search, {len(clicks.targets)}, got shape {counted.shape}")
    judged = judge(places, clicks, counted) if counted.any() else judge_unseen(places, clicks)
    return weigh(judged, visitors=_numbered(visitors, len(clicks.targets)), crowd=crowd)


def weigh_and_fit(
    searches: Iterable[tuple[int, Steps]],
    n_items: int,
    n_components: int = 10,
    *,
    rounds: int = ROUNDS,
    visitors: Sequence[object] | None = None,
    random_state: Seed = None,
    **options: Any,
) -> tuple[GaussEmbed, SearchWeights]:
    """Learn an embedding from searches some of which may be a bot's, each as much as it looks like a person's.

    Parameters
    ----------
    searches : iterable of (target, steps)
        As in `weigh_searches`.
    n_items : int
        How many items there are.
    n_components : int, optional
        The number of axes.
    rounds : int, optional
        How often the searches are weighed, at most; when the weights do not change any more, that is the end.
    visitors : sequence, optional
        As in `weigh_searches`.
    random_state : int, SeedSequence or Generator, optional
        Of `GaussEmbed`, and of the parts.
    **options : object
        Other parameters of `GaussEmbed`.

    Returns
    -------
    GaussEmbed
        Fitted with the weights.
    SearchWeights
        Of the last round.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> person = l2s.ProbitOracle(np.random.default_rng(0).uniform(size=(12, 2)), noise=0.1, seed=1)
    >>> loop = l2s.learn2search(person, n_items=12, n_searches=40, seed=0)
    >>> searches = [(episode.target, list(zip(episode.queries, episode.answers))) for episode in loop]
    >>> model, found = l2s.weigh_and_fit(searches, n_items=12, n_components=2, random_state=0)
    >>> model.embedding_.shape, found.weights.shape
    ((12, 2), (40,))
    """
    clicks = clicks_of(searches)
    rows, search = clicks.triplets()
    fit_seed, part_seed = children(random_state, 2)

    def fit(weights: Array, **more: Any) -> GaussEmbed:
        model = GaussEmbed(n_components, random_state=fit_seed, **options | more)
        return model.fit(rows, n_items=n_items, sample_weight=weights[search])

    def places(weights: Array) -> Places:
        made = fit(weights, lapse=0.0)  # the same positions, in a third of the time
        return places_of(made.to_embedding(), made.prior_variance_)

    numbered = _numbered(visitors, len(clicks.targets))
    found = weigh_in_rounds(clicks, np.ones(len(clicks.targets)), places, rounds, part_seed, visitors=numbered)
    return fit(found.weights), found


def weigh_in_rounds(
    clicks: SearchClicks,
    weights: Array,
    fit: Callable[[Array], Places],
    rounds: int,
    seed: np.random.SeedSequence,
    *,
    visitors: Integers | None = None,
    trusted: Mask | None = None,
) -> SearchWeights:
    """Judge parts of the searches by fits to the others, weigh them, and again with these weights, until the weights
    stay or the rounds are over. Each round parts them anew; the searches of one visitor stay together.

    Parameters
    ----------
    weights
        To begin with, `(s,)`.
    fit
        Where the items are by the searches with these weights, `(s,)`; 0 leaves a search out.
    trusted
        Searches that count in full whatever they look like, `(s,)`.
    """
    found = SearchWeights(weights, np.zeros(len(weights)), Crowd())
    many, generator, seems = np.bincount(clicks.search, minlength=len(weights)), np.random.default_rng(seed), None
    together = np.arange(len(weights)) if visitors is None else _households(visitors)
    if len(np.unique(together[many > 0])) < _FEWEST:
        return found
    for _ in range(rounds):
        part = (generator.permutation(int(together.max()) + 1) % _FOLDS)[together]
        before = found.weights
        judged, parts = judge_by_parts(clicks, before, part, fit)
        found = weigh(judged, visitors=visitors, trusted=trusted)
        seems = _seem_pursued(judged, parts, found.crowd, seems)
        if len(items := pursued_by_several(seems)):
            judged = judged._replace(items=items, pursued=[judge_pursued(parts, clicks, int(item)) for item in items])
            found = weigh(judged, visitors=visitors, trusted=trusted)
        if float(many @ np.abs(found.weights - before)) < _SETTLED * many.sum():
            break
    return found


def _seem_pursued(judged: "Judged", parts: Sequence[Part], crowd: Crowd, before: Array | None) -> Array:
    """How many searches seem to pursue each item, `(n,)`, in this round and, less and less, in those before."""
    logs = log_clicks(judged, crowd.lapse, crowd.sharpness)
    doubt = doubts(logs.known, logs.anywhere, log_random(judged.clicks))
    found = seem_pursued(parts, judged.clicks, doubt, len(parts[0].places.mean))
    return found if before is None else _REMEMBERED * before + found


def _households(visitors: Integers) -> Integers:
    """The same number for the searches of one visitor, another for each search of someone unknown."""
    alone = np.arange(len(visitors)) + int(visitors.max(initial=0)) + 1
    return np.unique(np.where(visitors < 0, alone, visitors), return_inverse=True)[1].astype(np.int64)


# --- the probabilities of the clicks ---------------------------------------------------------------


class Judged(NamedTuple):
    """Probabilities of all k clicks of each screen, the one that was made first, `(q, k)`: with the target where it is
    known to be, and with the target anywhere. pursued: with each of the items in its place, `(j, q, k)`."""

    clicks: SearchClicks
    known: Array
    anywhere: Array
    items: Items = np.zeros(0, np.int64)
    pursued: Sequence[Array] = ()


def places_of(
    embedding: Embedding, prior_variance: ArrayLike, prior_mean: ArrayLike | None = None, noise: float = 1.0
) -> Places:
    """An embedding in units of its noise."""
    if embedding.var is None:
        raise ValueError("searches are weighed by an embedding with variances: this one has none")
    unit = check_noise(noise)
    centre = np.zeros_like(embedding.mean) if prior_mean is None else np.asarray(prior_mean, float) / unit
    variance = np.broadcast_to(np.asarray(prior_variance, float), embedding.dim) / unit**2
    mean, var = np.ascontiguousarray(embedding.mean / unit), np.ascontiguousarray(embedding.var / unit**2)
    return Places(mean, var, np.ascontiguousarray(centre), 1.0 / variance)


def judge(places: Places, clicks: SearchClicks, weights: Array) -> Judged:
    """By a fit that has seen the searches with these weights: each is left out of what judges it."""
    rows, search = clicks.triplets()
    seen = evidence_of(rows, search, weights[search] * clicks.triplet_weights(), len(places.mean))
    bounds = np.arange(len(clicks.targets) + 1)
    known, anywhere = np.zeros(clicks.shown.shape), np.zeros(clicks.shown.shape)
    judge_searches(
        places,
        seen,
        curvatures(places, seen),
        clicks.targets,
        clicks.shown,
        clicks.sizes,
        np.searchsorted(clicks.search, bounds).astype(np.int64),
        np.searchsorted(search, bounds).astype(np.int64),
        known,
        anywhere,
    )
    return Judged(clicks, known, anywhere)


def judge_unseen(places: Places, clicks: SearchClicks) -> Judged:
    """By an embedding that has not seen them."""
    known, anywhere = np.zeros(clicks.shown.shape), np.zeros(clicks.shown.shape)
    _judge_some(places, np.arange(len(clicks.targets)), clicks, known, anywhere)
    return Judged(clicks, known, anywhere)


def judge_by_parts(
    clicks: SearchClicks, weights: Array, part: Integers, fit: Callable[[Array], Places]
) -> tuple[Judged, list[Part]]:
    """Each part of the searches by a fit to the other parts, and these fits; part: `(s,)`."""
    known, anywhere = np.zeros(clicks.shown.shape), np.zeros(clicks.shown.shape)
    parts = []
    for one in np.unique(part):
        places = fit(np.where(part == one, 0.0, np.maximum(weights, _LEAST)))
        parts.append(Part(places, np.flatnonzero(part == one)))
        _judge_some(*parts[-1], clicks, known, anywhere)
    return Judged(clicks, known, anywhere), parts


def _judge_some(places: Places, some: Integers, clicks: SearchClicks, known: Array, anywhere: Array) -> None:
    begins = np.searchsorted(clicks.search, np.arange(len(clicks.targets) + 1))
    for one in some.tolist():
        of, target = slice(int(begins[one]), int(begins[one + 1])), int(clicks.targets[one])
        judge_new(places, target, clicks.shown[of], clicks.sizes[of], known[of], anywhere[of])


# --- evidence and weights --------------------------------------------------------------------------


class LogClicks(NamedTuple):
    """Σ log click of each search: with its target where it is known to be `(s,)`, anywhere `(s,)`, and with each of the
    items that may be pursued in its place `(j, s)`; -∞ for the item that the search found."""

    known: Array
    anywhere: Array
    pursued: Array


def log_clicks(judged: Judged, lapse: float, sharpness: float) -> LogClicks:
    """For one ε and τ."""
    clicks = judged.clicks

    def summed(probabilities: Array) -> Array:
        powers = np.where(clicks.shown >= 0, np.maximum(probabilities, 1e-12) ** sharpness, 0.0)
        click = (1.0 - lapse) * powers[:, 0] / powers.sum(axis=1) + lapse / clicks.sizes
        return np.asarray(np.bincount(clicks.search, np.log(click), len(clicks.targets)), float)

    pursued = np.array([summed(one) for one in judged.pursued]).reshape(len(judged.items), len(clicks.targets))
    pursued[judged.items[:, None] == clicks.targets] = -np.inf
    return LogClicks(summed(judged.known), summed(judged.anywhere), pursued)


def log_random(clicks: SearchClicks) -> Array:
    """log[½ Π 1/k + ½ Dirichlet-multinomial(places; ½)] of each search, `(s,)`.

    Places are counted apart for each number of items shown. Where a place is not known, all are equally probable.
    """
    s = len(clicks.targets)
    even = -np.bincount(clicks.search, np.log(clicks.sizes), s)
    biased = even.copy()
    placed = clicks.places >= 0
    for size in np.unique(clicks.sizes[placed]):
        of = placed & (clicks.sizes == size)
        # A screen that showed the target, too, had more places than items to compare.
        width = max(int(size), int(clicks.places[of].max()) + 1)
        counts = np.zeros((s, width))
        np.add.at(counts, (clicks.search[of], clicks.places[of]), 1.0)
        total = counts.sum(axis=1)
        biased += total * np.log(size)
        biased += special.gammaln(0.5 * width) - special.gammaln(0.5 * width + total)
        biased += (special.gammaln(0.5 + counts) - special.gammaln(0.5)).sum(axis=1)
    return np.asarray(np.logaddexp(even, biased) - np.log(2.0))


def weigh(
    judged: Judged,
    *,
    visitors: Integers | None = None,
    trusted: Mask | None = None,
    crowd: Crowd | None = None,
) -> SearchWeights:
    """Evidence and weights; visitors: `(s,)`, numbers, -1 for someone unknown. Without a crowd it is estimated."""
    random = log_random(judged.clicks)
    if crowd is not None:
        logs = log_clicks(judged, crowd.lapse, crowd.sharpness)
        evidence, _ = _evidence(logs, special.logsumexp(_logs_of_bots(logs, random, np.zeros(0)), axis=0), crowd)
        return SearchWeights(_weights(evidence, crowd.honest, visitors, trusted), evidence, crowd)
    fits = [
        _estimate(
            log_clicks(judged, lapse, sharpness), random, Crowd(lapse=lapse, sharpness=sharpness), visitors, trusted
        )
        for lapse in LAPSES
        for sharpness in SHARPNESS
    ]
    return max(fits, key=lambda one: one[0])[1]


def _estimate(
    logs: LogClicks, random: Array, crowd: Crowd, visitors: Integers | None, trusted: Mask | None
) -> tuple[float, SearchWeights]:
    """π, η, κ and the weights for one ε and τ, and how probable all searches are with them."""
    bots, weights, evidence = random, np.ones(len(random)), np.zeros(len(random))
    shares = np.full(len(logs.pursued), 0.5 * _TOGETHER / max(len(logs.pursued), 1))
    for _ in range(_UPDATES):
        kinds = _logs_of_bots(logs, random, shares)
        bots = special.logsumexp(kinds, axis=0)
        evidence, excused = _evidence(logs, bots, crowd)
        weights = _weights(evidence, crowd.honest, visitors, trusted)
        honest = (float(weights.sum()) + 9.0) / (len(weights) + 10.0)
        excuse = (float((weights * excused).sum()) + 1.0) / (float(weights.sum()) + 10.0)
        together = (np.exp(kinds[2:] - bots) * (1.0 - weights)).sum(axis=1)
        before, shares_before = crowd, shares
        crowd = crowd._replace(honest=min(max(honest, _LEAST_HONEST), _MOST_HONEST), excuse=min(excuse, _MOST_EXCUSED))
        shares = _TOGETHER * together / (together.sum() + _NOT_TOGETHER)
        changes = [crowd.honest - before.honest, crowd.excuse - before.excuse, *(shares - shares_before)]
        if np.abs(changes).max() < _EXACT:
            break
    total = bots + np.logaddexp(np.log(crowd.honest) + evidence, np.log1p(-crowd.honest))
    prior = 9.0 * np.log(crowd.honest) + np.log1p(-crowd.honest)
    return float(total.sum() + prior), SearchWeights(weights, evidence, crowd)


def _logs_of_bots(logs: LogClicks, random: Array, shares: Array) -> Array:
    """log of each term of `bot`, `(2 + j, s)`: clicks at random, steering to anything, and to each of the items.

    shares: κ, `(j,)`.
    """
    all_shares = np.array([1.0 - _ALONE - shares.sum(), _ALONE, *np.maximum(shares, 1e-12)])
    return np.asarray(np.log(all_shares)[:, None] + np.vstack([random, logs.anywhere, logs.pursued[: len(shares)]]))


def _evidence(logs: LogClicks, bots: Array, crowd: Crowd) -> tuple[Array, Array]:
    """L of each search, and how probable it is that an honest one had a misplaced target."""
    known, anywhere = np.log(1.0 - crowd.excuse) + logs.known, np.log(crowd.excuse) + logs.anywhere
    honest = np.logaddexp(known, anywhere)
    return honest - bots, np.exp(anywhere - honest)


def _weights(evidence: Array, honest: float, visitors: Integers | None, trusted: Mask | None) -> Array:
    """w, pooled over the searches of each visitor; 1 where trusted."""
    weights = np.asarray(special.expit(special.logit(honest) + evidence))
    if visitors is not None:
        again = _came_again(visitors)
        weights[again] = _pooled_weights(weights[again], evidence[again], honest, visitors[again])
    return weights if trusted is None else np.where(trusted, 1.0, weights)


def _came_again(visitors: Integers) -> Integers:
    """The searches of known visitors who made more than one: the others' weights are theirs alone."""
    known = np.flatnonzero(visitors >= 0)
    return known[np.bincount(visitors[known])[visitors[known]] > 1]


def _pooled_weights(weights: Array, evidence: Array, honest: float, visitors: Integers) -> Array:
    """π_v = (π + Σ the visitor's other w) / N in place of π, until both agree."""
    count = np.bincount(visitors)
    for _ in range(_UPDATES):
        total = np.bincount(visitors, weights)
        pooled = (honest + total[visitors] - weights) / count[visitors]
        before, weights = weights, special.expit(special.logit(np.clip(pooled, 1e-3, 1.0 - 1e-3)) + evidence)
        if np.abs(weights - before).max(initial=0.0) < _EXACT:
            break
    return np.asarray(weights)


def _numbered(visitors: Sequence[object] | None, count: int) -> Integers | None:
    """Visitors as numbers, None as -1."""
    if visitors is None:
        return None
    if len(visitors) != count:
        raise ValueError(f"visitors must be one a search, {count}, got {len(visitors)}")
    numbers: dict[object, int] = {}
    return np.array([-1 if one is None else numbers.setdefault(one, len(numbers)) for one in visitors], np.int64)
