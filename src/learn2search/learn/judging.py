"""What lessons that a fit has not seen say of it: is it used, and how far can it be trusted?"""

import numpy as np

from learn2search.click import click_probabilities
from learn2search.comparison import answer_probabilities
from learn2search.embed.lapse import click_lapse, with_lapses
from learn2search.embedding import Embedding
from learn2search.learn.learnt import Evaluation, Learnt, Lessons
from learn2search.learn.recipe import FITTED, Recipe
from learn2search.learn.search_clicks import SearchClicks, clicks_from_triplets
from learn2search.search.posterior import PosteriorSearch
from learn2search.search.trust import fit_trust
from learn2search.typing import Array, Triplets

_NEWEST = 30  # lessons that say how far a belief can be trusted
_WIDTHS = (1.0, 2.0, 4.0, 8.0)  # times the variances: a fit may be surer of its positions than it should be


def is_accepted(recipe: Recipe, evaluation: Evaluation | None, *, unjudged: bool) -> bool:
    """Is a new fit used? It must predict held-out lessons better than what is in use.

    Without held-out lessons (`evaluation` is None) that cannot be told. Then it is used if `unjudged`: while lessons
    are few, what has seen more of them is better than what has seen fewer, but not better than known features, nor than
    what the owner went back to.
    """
    if recipe.held_out == 0:
        return True
    return unjudged if evaluation is None else evaluation.log_likelihood > evaluation.before


def evaluate(known: Learnt, fitted: Learnt, held_out: Triplets, weights: Array | None = None) -> Evaluation | None:
    """Both on the lessons that neither has seen; None when there are none. weights: of the triplets. Both with the
    lapse rate that was known before."""
    if len(held_out) == 0:
        return None
    plain = (answer_probabilities(one.embedding, held_out, noise=one.noise) for one in (fitted, known))
    new, old = (with_lapses(one, known.lapse) for one in plain)
    right = float(np.average(new > 0.5, weights=weights))
    return Evaluation(_mean_log(new, weights), right, _mean_log(old, weights), len(held_out))


def trust_in(learnt: Learnt, lessons: Lessons, up_to: int) -> float:
    """How far a belief about these positions can be trusted (see `search.trust`), by the newest lessons that were not
    fitted and look honest; 1 without any."""
    clicks = _judging_clicks(lessons, up_to)
    search = PosteriorSearch(learnt.embedding, learnt.noise, reuse=True, lapse=learnt.lapse, seed=0)
    beliefs, targets = [], []
    for number in range(max(len(clicks.targets) - _NEWEST, 0), len(clicks.targets)):
        search.restart()
        for shown in clicks.shown[clicks.search == number]:
            search.show(shown[shown >= 0])
            search.tell(int(shown[0]))
            beliefs.append(search.probability())
            targets.append(clicks.targets[number])
    return fit_trust(np.array(beliefs).reshape(len(beliefs), learnt.embedding.n_items), targets)


def lapse_in(recipe: Recipe, learnt: Learnt, lessons: Lessons, up_to: int, before: float) -> float:
    """The share of answers that say nothing: the recipe's, or what the newest lessons tell that were not fitted and
    look honest; without any, what it was before."""
    if recipe.lapse != FITTED:
        return float(recipe.lapse)
    clicks = _judging_clicks(lessons, up_to)
    if len(clicks.search) == 0:
        return before
    mean, var, targets = learnt.embedding.mean, learnt.embedding.var, clicks.targets[clicks.search]
    chances = np.empty((len(_WIDTHS) if var is not None else 1, len(targets)))
    for row, width in zip(chances, _WIDTHS, strict=False):
        wider = Embedding(mean, None if var is None else width * var)
        for k in np.unique(clicks.sizes):
            of = clicks.sizes == k
            row[of] = click_probabilities(wider, clicks.shown[of, :k], targets[of], noise=learnt.noise)[:, 0]
    return click_lapse(chances, clicks.sizes, before)


def _judging_clicks(lessons: Lessons, up_to: int) -> SearchClicks:
    """Of the lessons after one that look honest."""
    judges = lessons.numbers > up_to
    if lessons.weights is not None:
        judges &= lessons.weights >= 0.5
    return clicks_from_triplets(lessons.triplets[judges], lessons.numbers[judges])


def _mean_log(probabilities: Array, weights: Array | None) -> float:
    return float(np.average(np.log(np.maximum(probabilities, 1e-12)), weights=weights))
