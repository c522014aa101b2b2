"""One learning policy, as pure functions: the learning loop and the site's trainer both follow it.

A *lesson* is what one finished search teaches: triplets around its target. Lessons are numbered in the order in which
they came. Each question that learning has to answer is one function, here or in `judging` and `before_answers`:

    which searches teach?                `doubt`
    and how much?                        `weigh`, `weigh_new`
    how while answers are few?           `while_scarce`
    is a fit due?                        `fit_is_due`
    which lessons are fitted?            `last_lesson_to_fit`: all but the newest, which judge the result
    with how many axes?                  `next_dimension`
    from where, and how?                 `starts_warm`, `fit`; with features: `features_tell`, `fit_features`
    is the result used?                  `evaluate`, `is_accepted`
    and how far is a belief trusted?     `trust_in`
    how many answers say nothing?        `lapse_in`
    what is expected of a new item?      `first_positions`, `placed_like`, `unknown_offsets`
    and between two fits?                `takes_in_online`, `take_in`; `embed.online` has the step itself
"""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from learn2search.comparison import FLIPPED, PROBIT, answer_probabilities, expected_scale, fit_scale
from learn2search.embed.dimension import PARTS, better_dimension, energy_dimension
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embed.lapse import best_log_likelihoods
from learn2search.embed.methods import EMBEDDINGS
from learn2search.embed.online import online_step
from learn2search.embedding import Embedding
from learn2search.learn.before_answers import unknown_offsets
from learn2search.learn.cavity import Places
from learn2search.learn.evidence import ROUNDS, SearchWeights, judge_unseen, places_of, weigh_in_rounds
from learn2search.learn.evidence import weigh as weigh_searches_by
from learn2search.learn.judging import evaluate, is_accepted, lapse_in
from learn2search.learn.learnt import Attempt, Evaluation, Learnt, Lessons
from learn2search.learn.recipe import AUTO, DOUBLING, ESTIMATED, FITTED, Recipe
from learn2search.learn.search_clicks import clicks_from_triplets
from learn2search.streams import children
from learn2search.triplets import click_weights, count_items
from learn2search.typing import Array, Integers, Triplets

FIRST_COMPONENTS = {ESTIMATED: 100, AUTO: 10}  # D until it is chosen
AXES = (2, 5, 10, 20, 40, 80)  # that "auto" tries; on one axis items cannot pass each other, and fits get stuck
COMPARE_FROM = 128  # lessons from which it does
_NEAR = 1.5  # times a power of two: as many lessons more may come from one fit to the next
_SHORTER = 3  # fits that are only compared have so many times fewer epochs, but on few axes, where they get stuck
CHOOSE_AT = 10_000  # triplets from which "estimated" chooses D, as in the paper
# Positions N(0, s² I) have margins N(0, 3/2 s²), of which noise 1 flips the share arctan(1 / √(3/2 s²)) / π.
EXPECTED_VARIANCE = 1.0 / (1.5 * math.tan(math.pi * FLIPPED) ** 2)
TELL = 2.0  # nats by which features must make the answers more probable than a coin does
COLD_BELOW = 12_000  # triplets: below, fits begin from scratch where searches are weighed
_SCARCE_STEPS, _SCARCE_EPOCHS = 6000, 300  # of a fit while answers are scarce: so many steps in at most so many epochs
_SCARCE_REFIT = 1.1
_SCARCEST, _SCARCEST_RATE = 4.0, 0.08  # triplets an item: below, the prior is given, and steps are longer
_LEAST_BATCH = 200  # triplets a step


# --- which searches teach --------------------------------------------------------------------------

QUICK = 400  # milliseconds: who answers faster has not looked
_ANSWERS = 3  # that are needed to call a visitor quick


def doubt(milliseconds: list[int]) -> str | None:
    """Why a finished search should teach nothing at all, None if it may: what was clicked is a matter of its weight.

    milliseconds: how long each answer took, where that is known.
    """
    if len(milliseconds) >= _ANSWERS and float(np.median(milliseconds)) < QUICK:
        return "answered too quickly"
    return None


def weigh(
    recipe: Recipe,
    lessons: Lessons,
    known: Learnt,
    placed: Array | None,
    seed: np.random.SeedSequence,
    *,
    features: Array | None = None,
    exact_features: bool = False,
) -> SearchWeights | None:
    """How much each lesson teaches, by fits to other lessons; None where all count alike.

    known: as in `fit`. features: as in `attempt`, where their map is learnt.
    """
    if not recipe.weigh_searches or recipe.embedding != "gauss" or len(lessons.triplets) == 0:
        return None
    clicks = clicks_from_triplets(lessons.triplets, lessons.numbers, lessons.places)
    first = np.unique(lessons.numbers, return_index=True)[1]
    rows, search = clicks.triplets()
    n = known.embedding.n_items
    d = known.embedding.dim if placed is None else placed.shape[1]
    scale = 0.0 if placed is None else fit_scale(placed, rows)
    centre = None if placed is None else scale * placed
    fit_seed, part_seed = children(seed, 2)

    def places(weights: Array) -> Places:
        if features is not None:
            mapped = _map_model(rows, n, d, features, weights[search], fit_seed)
            spread = (mapped.embedding_**2 + mapped.variance_).mean(axis=0)
            return places_of(mapped.to_embedding(), spread)
        if centre is not None and exact_features and len(rows) < recipe.refine_from * n:
            return places_of(Embedding(centre, np.full((n, d), 1e-6 * centre.var())), centre.var())
        prior = recipe.prior if centre is None else float((centre**2).mean())
        model = _gauss(recipe, d, prior, rows, fit_seed, warm=False)
        model.fit(rows, n_items=n, prior_mean=centre, sample_weight=weights[search])
        return places_of(model.to_embedding(), model.prior_variance_, centre)

    weights = np.ones(len(first)) if lessons.weights is None else lessons.weights[first]
    visitors = None if lessons.visitors is None else lessons.visitors[first]
    trusted = None if lessons.trusted is None else lessons.trusted[first]
    return weigh_in_rounds(clicks, weights, places, ROUNDS, part_seed, visitors=visitors, trusted=trusted)


def weigh_new(recipe: Recipe, known: Learnt, triplets: Triplets, places: Integers | None) -> tuple[float, float]:
    """Weight and evidence of a lesson that `known` has not seen; places: as in `Lessons`."""
    if not recipe.weigh_searches or known.embedding.var is None or len(triplets) == 0:
        return 1.0, 0.0
    clicks = clicks_from_triplets(triplets, np.zeros(len(triplets), np.int64), places)
    by = places_of(known.embedding, known.prior_variance, noise=known.noise)
    found = weigh_searches_by(judge_unseen(by, clicks), crowd=known.crowd)
    return float(found.weights[0]), float(found.evidence[0])


# --- when, and to what -----------------------------------------------------------------------------


def while_scarce(recipe: Recipe, triplets: int, n_items: int) -> Recipe:
    """The recipe for so many triplets.

    While they are scarce, what a search costs falls with every lesson, so fits leave none out and come after a tenth
    more. They begin from scratch, since a warm fit keeps what few answers have bent, and take many steps. While they
    are scarcest, the prior is given: variances that the answers would have to tell shrink to nothing. Not where
    searches are weighed: a fit that a bot may have bent must be judged.
    """
    if triplets == 0 or triplets >= recipe.scarce_below * n_items or recipe.weigh_searches:
        return recipe
    refit = min(recipe.refit, _SCARCE_REFIT) if isinstance(recipe.refit, float) else recipe.refit
    steps = -(-triplets // max(_LEAST_BATCH, triplets // recipe.batches))  # an epoch
    epochs = max(recipe.epochs[0], min(-(-_SCARCE_STEPS // steps), _SCARCE_EPOCHS))
    scarce = replace(recipe, refit=refit, held_out=0.0, warm_from=math.inf, epochs=(epochs, recipe.epochs[1]))
    if triplets >= _SCARCEST * n_items:
        return scarce
    return replace(scarce, prior=EXPECTED_VARIANCE, learning_rate=max(recipe.learning_rate, _SCARCEST_RATE))


def fit_is_due(recipe: Recipe, searches: int, triplets: int, last: Attempt | None) -> bool:
    """Is there enough new to learn from, after so many searches with so many triplets? A result that was not accepted
    is tried again sooner."""
    if triplets == 0:
        return False
    before = last or Attempt(0, 0, True)
    if recipe.refit == DOUBLING:  # a power of two lies between then and now
        return searches.bit_length() > before.searches.bit_length()
    if isinstance(recipe.refit, tuple):
        return any(before.searches < number <= searches for number in recipe.refit)
    growth = float(recipe.refit) if before.accepted else recipe.retry
    now, then = (searches, before.searches) if recipe.refit_by == "searches" else (triplets, before.triplets)
    return now >= max(then + 1, math.ceil(growth * then))


def last_lesson_to_fit(recipe: Recipe, lessons: Lessons, fitted_up_to: int, *, has_features: bool) -> int:
    """The newest lessons, a share `recipe.held_out` of them, are held out to judge the fit; but never one that the
    model in use was fitted to. Where features are known beforehand, at least one lesson is held out: even the first
    fit must predict better than they do."""
    numbers = np.unique(lessons.numbers)
    held_out = int(recipe.held_out * len(numbers))
    if has_features and recipe.held_out:
        held_out = min(max(held_out, 1), len(numbers) - 1)
    return max(int(numbers[-1 - held_out]), fitted_up_to)


# --- from where, and how ---------------------------------------------------------------------------


def first_dimension(recipe: Recipe, n_items: int) -> int:
    """D before the first fit."""
    d = recipe.n_components
    return min(FIRST_COMPONENTS[d], n_items - 1) if isinstance(d, str) else int(d)


def next_dimension(recipe: Recipe, known: Learnt, lessons: Lessons, up_to: int, seed: np.random.SeedSequence) -> int:
    """D of the next fit, to the lessons up to one. If it was not given: by the paper's 98% rule from 10,000 triplets on
    ("estimated", chosen once), or as many axes as predict each third of the lessons best from the others ("auto",
    compared whenever the lessons have doubled: it takes some fits)."""
    present = known.embedding
    if recipe.n_components == ESTIMATED:
        undecided = present.dim == first_dimension(recipe, present.n_items)
        chosen = undecided and len(lessons.up_to(up_to)) >= CHOOSE_AT
        return energy_dimension(present.mean) if chosen else present.dim
    if recipe.n_components != AUTO or recipe.embedding != "gauss" or not _has_doubled(lessons, known, up_to):
        return present.dim
    return better_dimension(
        present.dim,
        [d for d in AXES if d < present.n_items],
        lambda d, part: _predicted(recipe, d, lessons, part, present.n_items, seed),
    )


def _predicted(
    recipe: Recipe, d: int, lessons: Lessons, part: int, n_items: int, seed: np.random.SeedSequence
) -> Array:
    """How well a fit on d axes to the other parts predicts each lesson of a part: its log-likelihood, times what it
    counts."""
    _, lesson = np.unique(lessons.numbers, return_inverse=True)
    # The same parts whatever is fitted: differences are taken lesson by lesson.
    parts = np.random.default_rng(seed).permutation(int(lesson.max()) + 1) % PARTS
    test = parts[lesson] == part
    train, counts = lessons.triplets[~test], lessons.weights
    model = _gauss(recipe, d, recipe.prior, train, seed, warm=False)
    if d >= FIRST_COMPONENTS[AUTO]:
        model.set_params(epochs=max(1, recipe.epochs[0] // _SHORTER))
    model.fit(train, n_items=n_items, sample_weight=None if counts is None else counts[~test])
    scores = best_log_likelihoods(model.predict_proba(lessons.triplets[test]))
    _, which = np.unique(lesson[test], return_inverse=True)
    return np.asarray(np.bincount(which, scores if counts is None else counts[test] * scores), np.float64)


def _has_doubled(lessons: Lessons, known: Learnt, up_to: int) -> bool:
    """Does a power of two, 128 or more, lie between the lessons that are in use and those to be fitted? A fit that was
    not accepted is not compared for long: the power lies at most a half back, or the model in use is old."""
    then, now = (len(np.unique(lessons.numbers[lessons.numbers <= last])) for last in (known.fitted_up_to, up_to))
    power = 1 << (now.bit_length() - 1)
    return now >= COMPARE_FROM and then < power and (now < _NEAR * power or 2 * then < now)


def _gauss(
    recipe: Recipe,
    d: int,
    prior: str | float,
    triplets: Triplets,
    seed: np.random.SeedSequence,
    *,
    warm: bool,
    lapse: float = 0.0,
) -> GaussEmbed:
    """What fits these triplets."""
    return GaussEmbed(
        d,
        prior=prior,
        temper=_temper(triplets) if recipe.one_choice and len(triplets) else 1.0,
        lapse=lapse,
        epochs=recipe.epochs[warm],
        learning_rate=recipe.learning_rate,
        batch_size=max(_LEAST_BATCH, len(triplets) // recipe.batches),
        random_state=seed,
    )


def starts_warm(recipe: Recipe, known: Learnt, triplets: int, d: int) -> bool:
    """Does a fit begin where the model in use is? With enough triplets an item, and on the same axes. Where searches
    are weighed, only with many: what a bot has bent while it was not yet known for one should not stay."""
    enough = triplets >= max(recipe.warm_from * known.embedding.n_items, COLD_BELOW if recipe.weigh_searches else 0)
    return known.is_taught and enough and known.embedding.dim == d


def takes_in_online(recipe: Recipe, triplets: int, n_items: int) -> bool:
    """Are lessons after a fit to so many triplets taken in one by one? That is poor from scratch, good on top of a
    fit."""
    return recipe.embedding == "gauss" and triplets >= recipe.online_from * n_items


def take_in(
    embedding: Embedding,
    triplets: Triplets,
    numbers: Integers,
    weights: Array | None,
    *,
    one_choice: bool,
    lapse: float,
) -> Embedding:
    """The positions after these lessons, the same whether they are taken in one by one or together.

    numbers: of the lesson of each triplet. weights: of the triplets, None where all count alike. one_choice: as in
    `Recipe`. lapse: the share of answers that say nothing.
    """
    if one_choice and len(triplets):
        weights = click_weights(triplets, numbers) * (1.0 if weights is None else weights)
    return online_step(embedding, triplets, PROBIT._replace(lapse=lapse), sample_weight=weights)


class Result(NamedTuple):
    """A fit, how it predicted the held-out lessons (None without any), whether it is to be used, and how much each
    lesson teaches, in their order (None where all count alike)."""

    learnt: Learnt
    evaluation: Evaluation | None
    accepted: bool
    weights: SearchWeights | None = None


def attempt(
    recipe: Recipe,
    lessons: Lessons,
    up_to: int,
    known: Learnt,
    placed: Array | None,
    seed: np.random.SeedSequence,
    *,
    features: Array | None = None,
    exact_features: bool = False,
) -> Result:
    """Fit the lessons up to one, and judge the result by those after it.

    Parameters
    ----------
    known
        What is in use, with the lessons up to this one taken in.
    placed
        Features on d axes, or None: see `fit`.
    features
        All that is known of the items, `(n, f)`, or None: while it tells something (`features_tell`), a map of it is
        learnt. Such a fit is used whenever it has seen more lessons: few held-out searches would often refuse a better
        one, and what is in use is the same map of fewer answers.
    exact_features
        See `fit`.
    """
    known = known._replace(lapse=known.lapse if recipe.lapse == FITTED else float(recipe.lapse))
    if exact_features:
        features = None  # they are where the items are; there is no map to learn
    elif placed is not None and not (recipe.embedding == "gauss" and features_tell(placed, lessons.up_to(up_to))):
        features = placed = None
    weighed = weigh(recipe, lessons, known, placed, seed, features=features, exact_features=exact_features)
    if weighed is not None:
        lessons = with_weights(lessons, weighed.weights)
    is_newer = up_to > known.fitted_up_to
    if features is not None and placed is not None:
        made = fit_features(recipe, lessons, up_to, features, known, placed, seed)
    else:
        made = fit(recipe, lessons, up_to, known, placed, seed, exact_features=exact_features)
    evaluation = evaluate(known, made, lessons.after(up_to), lessons.weights_after(up_to))
    made = made._replace(lapse=lapse_in(recipe, made, lessons, up_to, known.lapse))
    accepted = is_accepted(recipe, evaluation, unjudged=placed is None and is_newer)
    accepted = accepted or (features is not None and is_newer)
    if weighed is not None:
        made = made._replace(crowd=weighed.crowd)
    return Result(made, evaluation, accepted, weighed)


def with_weights(lessons: Lessons, weights: Array) -> Lessons:
    """Lessons that count so much, one number each."""
    which = np.unique(lessons.numbers, return_inverse=True)[1]
    return lessons._replace(weights=weights[which])


def fit(
    recipe: Recipe,
    lessons: Lessons,
    up_to: int,
    known: Learnt,
    placed: Array | None,
    seed: np.random.SeedSequence,
    *,
    exact_features: bool = False,
) -> Learnt:
    """A new embedding of all items from the lessons up to one.

    Parameters
    ----------
    known
        What is in use, with the lessons up to this one taken in: a warm fit begins there.
    placed
        Features on d axes, in any unit, `(n, d)`, or None: the prior's mean, in the unit that the triplets tell.
    exact_features
        Where the features place an item is where it is, until there are enough triplets to refine that.
    """
    triplets, n = lessons.up_to(up_to), known.embedding.n_items
    d = next_dimension(recipe, known, lessons, up_to, seed) if placed is None else placed.shape[1]
    init = known.embedding if starts_warm(recipe, known, len(triplets), d) else None
    weights = lessons.weights_up_to(up_to)
    if recipe.embedding != "gauss":
        return _fit_points(recipe.embedding, triplets, n, d, init, seed)._replace(fitted_up_to=up_to)
    scale = 0.0 if placed is None else fit_scale(placed, triplets)
    centre = None if placed is None else scale * placed
    if centre is not None and exact_features and len(triplets) < recipe.refine_from * n:
        return Learnt(Embedding(centre), np.full(d, centre.var()), 1.0, up_to, True, False, scale)
    # Few triplets move few items: a variance that they tell would call the features exact.
    prior = recipe.prior if centre is None or init is not None else float((centre**2).mean())
    model = _gauss(recipe, d, prior, triplets, seed, warm=init is not None, lapse=known.lapse)
    model.fit(triplets, init=init, n_items=n, prior_mean=centre, sample_weight=weights)
    mean = model.embedding_.copy()
    unseen = count_items(triplets, n) == 0
    mean[unseen] += unknown_offsets(np.flatnonzero(unseen), model.prior_variance_)
    online = takes_in_online(recipe, len(triplets), n)
    return Learnt(Embedding(mean, model.variance_), model.prior_variance_.copy(), 1.0, up_to, True, online, scale)


def features_tell(placed: Array, triplets: Triplets) -> bool:
    """Do features on d axes, `(n, d)`, in whatever unit suits them, make the answers more probable than a coin does?

    By more than `TELL` nats in all: useless features reach that in a case of twenty, however many answers there are,
    useful ones after a few searches.
    """
    if len(triplets) == 0:
        return True
    scale = fit_scale(placed, triplets)
    gain = np.log(2.0 * np.maximum(answer_probabilities(Embedding(scale * placed), triplets), 1e-12))
    return float(click_weights(triplets) @ gain) > TELL


def fit_features(
    recipe: Recipe,
    lessons: Lessons,
    up_to: int,
    features: Array,
    known: Learnt,
    placed: Array,
    seed: np.random.SeedSequence,
) -> Learnt:
    """A new embedding by a map of the features, `(n, f)`, always from scratch: warm ones collapse while triplets are
    few."""
    triplets, d = lessons.up_to(up_to), known.embedding.dim
    model = _map_model(triplets, len(features), d, features, lessons.weights_up_to(up_to), seed)
    online = takes_in_online(recipe, len(triplets), len(features))
    mean = model.embedding_ + unknown_offsets(np.arange(len(features)), 1e-6 * model.prior_variance_)  # no two coincide
    scale = fit_scale(placed, triplets, expected_scale(placed))
    return Learnt(Embedding(mean, model.variance_), model.prior_variance_, 1.0, up_to, True, online, scale)


def _map_model(
    triplets: Triplets, n: int, d: int, features: Array | None, weights: Array | None, seed: np.random.SeedSequence
) -> GaussEmbed:
    model = GaussEmbed(d, temper=_temper(triplets), lapse=0.0, random_state=seed)
    return model.fit(triplets, n_items=n, features=features, sample_weight=weights)


def _temper(triplets: Triplets) -> float:
    """τ = 1/ω: as if each triplet had the weight ω of `click_weights`."""
    return 1.0 / float(click_weights(triplets).mean())


def _fit_points(
    kind: str, triplets: Triplets, n_items: int, d: int, init: Embedding | None, seed: np.random.SeedSequence
) -> Learnt:
    """Positions alone, in a unit of their own: σ is the one under which the latest tenth of the triplets, held out for
    that, is most probable. The embedding that is kept is fitted to all."""
    model, noise, latest = EMBEDDINGS.get(kind)(d, random_state=seed), 1.0, len(triplets) - len(triplets) // 10
    if latest < len(triplets):
        model.fit(triplets[:latest], init=init, n_items=n_items)
        noise = 1.0 / fit_scale(model.to_embedding().mean, triplets[latest:])
    model.fit(triplets, init=init, n_items=n_items)
    mean = model.to_embedding().mean.copy()
    prior_variance = mean.var(axis=0) + 1e-12
    unseen = count_items(triplets, n_items) == 0
    mean[unseen] += unknown_offsets(np.flatnonzero(unseen), prior_variance)
    return Learnt(Embedding(mean), prior_variance, noise, 0, True)
