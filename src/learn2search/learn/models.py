"""What a refit does: an embedding of all items from all triplets, by the method that the recipe names."""

from typing import NamedTuple

import numpy as np
from scipy import optimize

from learn2search.comparison import log_ndtr, margin
from learn2search.embed.axes import relevances, to_principal_axes
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embed.point import CKL, TSTE
from learn2search.embedding import Embedding
from learn2search.learn.recipe import AUTO, ESTIMATED, Recipe
from learn2search.typing import Array, Triplets

FIRST_COMPONENTS = {ESTIMATED: 100, AUTO: 10}  # until the number is chosen
MOST_COMPONENTS = 100
CHOOSE_AT = 10_000  # triplets, as in the paper
_POINTS: dict[str, type[TSTE] | type[CKL]] = {"tste": TSTE, "ckl": CKL}


class Fitted(NamedTuple):
    """Positions `(n, d)`, their variances, the prior's `(d,)`, and σ of the answers in the same unit."""

    mean: Array
    var: Array
    prior_variance: Array
    noise: float


def first_components(recipe: Recipe, n_items: int) -> int:
    """D before the first refit."""
    d = recipe.n_components
    return min(FIRST_COMPONENTS[d], n_items - 1) if isinstance(d, str) else int(d)


def more_components(known: Fitted) -> int:
    """Half as many axes again where each one that there is tells more than its uncertainty, else as many as now.

    Never fewer: while triplets are few nothing is certain, and an axis too many is shrunk by its own prior variance.
    """
    d = int(known.mean.shape[1])
    most = min(MOST_COMPONENTS, len(known.mean) - 1)
    in_use = relevances(*to_principal_axes(known.mean, known.var)) > 1
    return max(d, min(d + d // 2, most)) if in_use.all() else d


def fit(
    recipe: Recipe,
    rows: Triplets,
    n_items: int,
    d: int,
    init: Embedding | None,
    prior_mean: Array | None,
    seed: np.random.SeedSequence,
) -> Fitted:
    """A new embedding; `init` is where a warm refit begins, None for a cold one."""
    if recipe.embedding in _POINTS:
        return _fit_points(recipe.embedding, rows, n_items, d, init, seed)
    model = GaussEmbed(
        d,
        prior=recipe.prior,
        epochs=recipe.epochs[init is not None],
        learning_rate=recipe.learning_rate,
        batch_size=int(np.clip(len(rows) // recipe.batches, 200, 8000)),
        random_state=seed,
    )
    model.fit(rows, init=init, n_items=n_items, prior_mean=prior_mean)
    return Fitted(model.embedding_.copy(), model.variance_.copy(), model.prior_variance_.copy(), 1.0)


def _fit_points(
    kind: str, rows: Triplets, n_items: int, d: int, init: Embedding | None, seed: np.random.SeedSequence
) -> Fitted:
    """Positions alone, in a unit of their own: σ is the one under which the latest tenth of the triplets, held out for
    that, is most probable. The embedding that is kept is fitted to all."""
    model, noise, latest = _POINTS[kind](d, random_state=seed), 1.0, len(rows) - len(rows) // 10
    if latest < len(rows):
        model.fit(rows[:latest], init=init, n_items=n_items)
        noise = 1.0 / likeliest_scale(model.embedding_, rows[latest:])
    model.fit(rows, init=init, n_items=n_items)
    mean = model.embedding_.copy()
    return Fitted(mean, np.ones_like(mean), mean.var(axis=0) + 1e-12, noise)


def likeliest_scale(positions: Array, rows: Triplets) -> float:
    """The s > 0 under which the triplets are most probable with positions s·x and noise 1: max Σ log Φ(s m)."""
    anchor, near, far = (positions[column] for column in rows.T)
    margins = margin(near, far, anchor)
    unit = float(np.abs(margins).mean()) or 1.0
    found = optimize.minimize_scalar(
        lambda log_scale: -float(log_ndtr(np.exp(log_scale) * margins / unit).sum()),
        bounds=(-5.0, 5.0),
        method="bounded",
    )
    return float(np.exp(found.x)) / unit
