"""GaussSearch: the paper's Algorithms 1 and 2.

The belief about the target is a Gaussian N(μ, Σ). A query is a sample of it and its mirror image in the best hyperplane
(through μ, orthogonal to the top eigenvector of Σ, Theorem 1), each replaced by the nearest unused item. An answer
moves the belief by assumed-density filtering.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from learn2search.compiled import compiled
from learn2search.embedding import Embedding
from learn2search.nearest import Index, Nearest, Scratch, nearest_item, new_scratch
from learn2search.normal_tails import hazard_at
from learn2search.oracle import Person, choose
from learn2search.search.base import Search, block_place, ending, holds, use_up
from learn2search.search.matrices import cholesky, exact_top_eigenvector, product, top_eigenvector
from learn2search.search.trace import Games, Trace, answered, flipped, record
from learn2search.streams import below, normal_pair, open_stream
from learn2search.typing import Array, Blocked, Items, Items32, Key, Seed, Stream

_ROWS = 1 << 16


class Belief(NamedTuple):
    """A Gaussian over the place of the target. mean: `(d,)`, cov: `(d, d)`.

    root: `(d, d)`, R with Σ = RᵀR, for drawing samples. A search makes it from `cov` when it begins, and each answer
    changes it along with Σ, in O(d²).
    """

    mean: Array
    cov: Array
    root: Array = np.empty((0, 0))

    @classmethod
    def of(cls, embedding: Embedding, scale: float = 1.0) -> "Belief":
        """The prior that fits the items: their mean and `scale` times their covariance (variances included)."""
        mean, cov, root = embedding.derived("moments", lambda: _moments(embedding))
        return cls(mean.copy(), scale * cov, math.sqrt(scale) * root)


def _moments(embedding: Embedding) -> tuple[Array, Array, Array]:
    centre = embedding.mean.mean(axis=0)
    cov = np.zeros((embedding.dim, embedding.dim))
    for start in range(0, embedding.n_items, _ROWS):  # in parts, to need no second copy of the items
        rows = embedding.mean[start : start + _ROWS] - centre
        cov += rows.T @ rows / embedding.n_items
    if embedding.var is not None:
        cov = cov + np.diag(embedding.var.mean(axis=0))
    variances = np.diag(cov)
    cov[np.diag_indices_from(cov)] += np.where(variances > 0, 1e-12 * variances, 1e-9 * variances.max())  # never varies
    return centre, cov, cholesky(cov)


class GaussSearch(Search):
    """The paper's search. `noise` is σ in the units of the embedding.

    prior: a `Belief`, or None for `Belief.of(embedding)`. metric: "euclidean", "mahalanobis" (per item, the paper's
    choice for learnt embeddings), or None for the paper's choice. eigen: "power" iteration or "exact" decomposition.
    reuse: may an item be shown twice? stop: is a search over when the target was "shown", or when it is the "mode" of
    the belief?
    """

    name = "gauss"

    def __init__(
        self,
        embedding: Embedding,
        noise: float = 1.0,
        *,
        prior: Belief | None = None,
        metric: str | None = None,
        eigen: str = "power",
        stop: str = "shown",
        reuse: bool = False,
        seed: Seed = None,
    ) -> None:
        if eigen not in ("power", "exact"):
            raise ValueError(f'eigen must be "power" or "exact", got {eigen!r}')
        if isinstance(embedding, Embedding):
            self._prior = Belief.of(embedding) if prior is None else _checked_prior(prior, embedding.dim)
            self.metric = metric or ("euclidean" if embedding.var is None else "mahalanobis")
            self._index = Nearest.of(embedding, self.metric).index
            self._var = embedding.var_rows
        self._given_prior = None if prior is None else self._prior if isinstance(embedding, Embedding) else prior
        self.eigen = eigen
        super().__init__(embedding, noise=noise, stop=stop, reuse=reuse, seed=seed)
        self._setting = Setting(
            self._prior,
            self._index,
            self._var,
            self._twins,
            self._n_places,
            self.noise,
            eigen == "exact",
            self.reuse,
            stop == "mode",
        )

    @property
    def belief(self) -> Belief:
        """N(μ, Σ), where the target is thought to be."""
        return self._belief

    def probability(self) -> Array:
        """Proportional to the belief's density at each item; 0 for items that were shown, where that ends a search."""
        log_density = -0.5 * squared_distances(self._belief, self.embedding.mean)
        if self.stop == "shown" and len(self.used) < self.embedding.n_items:
            log_density[list(self.used)] = -np.inf
        density = np.exp(log_density - log_density.max())
        return np.asarray(density / density.sum())

    def play(self, key: Key, person: Person, person_key: Key, target: int, k: int, trace: Trace) -> int:
        return int(run(self._setting, key, person, person_key, target, k, trace))

    def play_many(
        self, keys: Key, person: Person, person_keys: Key, targets: Items, k: int, trace: Trace, games: Games
    ) -> None:
        run_many(self._setting, keys, person, person_keys, targets, k, trace, games)

    def _start(self) -> None:
        self._belief = self._prior

    def _propose(self, k: int, stream: Stream) -> Items:
        scratch = new_scratch(self.embedding.dim)
        return propose(self._belief, self._index, self._blocked, self._twins, k, self.eigen == "exact", stream, scratch)

    def _learn(self, query: Items, chosen: int) -> None:
        self._belief = learn(self._belief, self.embedding.mean, self._var, query, chosen, self.noise)

    def _options(self) -> dict[str, Any]:
        prior = self._given_prior
        return {
            "noise": self.noise,
            "prior": None if prior is None else [np.asarray(part).tolist() for part in prior[:2]],
            "metric": self.metric,
            "eigen": self.eigen,
            "stop": self.stop,
            "reuse": self.reuse,
        }


def _checked_prior(prior: Belief, dim: int) -> Belief:
    if not isinstance(prior, tuple | list) or len(prior) not in (2, 3):
        raise ValueError(f"the prior must be a Belief(mean, cov), got {type(prior).__name__}")
    mean, cov = (np.array(part, float, order="C") for part in prior[:2])
    if mean.shape != (dim,) or cov.shape != (dim, dim):
        raise ValueError(
            f"the prior must be Belief(mean ({dim},), cov ({dim}, {dim})), got {mean.shape} and {cov.shape}"
        )
    if not (np.isfinite(mean).all() and np.isfinite(cov).all() and np.allclose(cov, cov.T)):
        raise ValueError("the prior's mean and covariance must be finite and the covariance symmetric")
    if max(np.abs(mean).max(), np.abs(cov).max()) > 1e60:
        raise ValueError("the prior must lie within 1e60: it should be of the size of the features")
    if np.linalg.eigvalsh(cov)[0] <= 0:
        raise ValueError("the prior's covariance must be positive definite: add a small multiple of the identity?")
    return Belief(mean, cov, cholesky(cov))


# --- Algorithm 1: SampleMirror --------------------------------------------------------------------


@compiled
def propose(
    belief: Belief,
    index: Index,
    blocked: Blocked,
    twins: Items32,
    k: int,
    exact: bool,
    stream: Stream,
    scratch: Scratch,
) -> Items:
    """k items: the nearest free ones to a sample and to its mirror image, and so on in pairs."""
    w = exact_top_eigenvector(belief.cov) if exact else top_eigenvector(belief.cov)
    query = np.empty(k, np.int64)
    point = np.empty(len(w))
    for slot in range(k):
        if slot % 2 == 0:
            sample(belief.mean, belief.root, stream, point)
        else:
            mirror(belief.mean, w, point)
        query[slot] = nearest_item(index, point, blocked, scratch)
        if query[slot] < 0:  # the point is beyond all numbers: any free item will do
            query[slot] = np.argmin(blocked)
        block_place(query[slot], 1, blocked, twins)
    for item in query:
        block_place(item, -1, blocked, twins)
    return query


@compiled
def sample(mean: Array, root: Array, stream: Stream, point: Array) -> None:
    """point ← μ + Rᵀε with Σ = RᵀR."""
    d = len(mean)
    for k in range(d):
        point[k] = mean[k]
    for k in range(0, d, 2):
        first, second = normal_pair(stream)
        for row in range(d):
            point[row] += root[k, row] * first
        if k + 1 < d:
            for row in range(d):
                point[row] += root[k + 1, row] * second


@compiled
def mirror(mean: Array, w: Array, point: Array) -> None:
    """point ← its reflection across the hyperplane through μ orthogonal to w: z - 2 (wᵀ(z - μ)) w."""
    along = 0.0
    for k in range(len(w)):
        along += w[k] * (point[k] - mean[k])
    for k in range(len(w)):
        point[k] -= 2.0 * along * w[k]


# --- Update: assumed-density filtering ------------------------------------------------------------


@compiled
def update(belief: Belief, w: Array, b: float, noise_var: float) -> Belief:
    """The Gaussian with the moments of the belief after an answer on the side wᵀx + b > 0; w is a unit vector."""
    d = len(w)
    cov_w = np.empty(d)
    product(belief.cov, w, cov_w)
    along, spread = b, noise_var  # wᵀμ + b and wᵀΣw + σ²
    for row in range(d):
        along += w[row] * belief.mean[row]
        spread += w[row] * cov_w[row]
    spread = max(spread, noise_var)  # rounding must not make wᵀΣw negative
    s = math.sqrt(spread)
    g = along / s
    h = hazard_at(g)
    shrink = min(max(h * (h + g), 1e-12), 1.0 - 1e-12)
    mean = belief.mean + (h / s) * cov_w  # μ ← μ + α Σw
    beta = shrink / spread
    cov = np.empty((d, d))  # Σ ← Σ - β (Σw)(Σw)ᵀ, symmetric to the last bit
    for row in range(d):
        for k in range(d):
            cov[row, k] = belief.cov[row, k] - beta * (cov_w[row] * cov_w[k])
    return Belief(mean, cov, _shrunk_root(belief.root, w, cov_w, beta))


@compiled
def _shrunk_root(root: Array, w: Array, cov_w: Array, beta: float) -> Array:
    """The root of Σ - β (Σw)(Σw)ᵀ, from R with Σ = RᵀR. With u = Rw it is R - γ u (Σw)ᵀ = (I - γ uuᵀ) R, since
    (I - γ uuᵀ)² = I - β uuᵀ for γ = β / (1 + √(1 - β|u|²)); the argument is above 0, because |u|² = wᵀΣw.
    """
    u = np.empty(len(root))
    square = 0.0
    for k in range(len(root)):
        along = 0.0
        for row in range(len(w)):
            along += root[k, row] * w[row]
        u[k] = along
        square += along * along
    gamma = beta / (1.0 + math.sqrt(max(1.0 - beta * square, 0.0)))
    new = np.empty(root.shape)
    for k in range(len(root)):
        for row in range(len(w)):
            new[k, row] = root[k, row] - gamma * u[k] * cov_w[row]
    return new


@compiled
def learn(belief: Belief, x: Array, var: Array, query: Items, chosen: int, noise: float) -> Belief:
    """One update for each item that was passed over; the positions' own variances along w add to the noise."""
    if chosen < 0:
        return belief
    i = query[chosen]
    w = np.empty(x.shape[1])
    for j in query:
        square, b = 0.0, 0.0
        for k in range(len(w)):
            w[k] = x[i, k] - x[j, k]
            square += w[k] * w[k]
            b -= 0.5 * w[k] * (x[i, k] + x[j, k])
        if square == 0.0:  # the chosen item itself, or another at its place
            continue
        distance = math.sqrt(square)
        noise_var = noise * noise  # σ² + wᵀΨ_i w + wᵀΨ_j w
        for k in range(len(w)):
            w[k] /= distance
            if len(var):
                noise_var += w[k] * w[k] * (var[i, k] + var[j, k])
        belief = update(belief, w, b / distance, noise_var)
    return belief


# --- Whole searches -------------------------------------------------------------------------------


class Setting(NamedTuple):
    """What stays the same in all searches of a simulation."""

    prior: Belief
    nearest: Index
    var: Array
    twins: Items32
    n_places: int
    noise: float
    exact: bool
    reuse: bool
    stop_at_mode: bool


@compiled
def run(setting: Setting, key: Key, person: Person, person_key: Key, target: int, k: int, trace: Trace) -> int:
    """Algorithm 2, with a simulated person: the number of queries, negative when the target was not found."""
    index, twins, var, noise = setting.nearest, setting.twins, setting.var, setting.noise
    exact, reuse, stop_at_mode = setting.exact, setting.reuse, setting.stop_at_mode
    x, belief, scratch = index.mean, setting.prior, new_scratch(index.mean.shape[1])
    blocked = np.zeros(len(x), np.uint8)
    places_left = np.array([setting.n_places])
    for step in range(len(trace.shown)):
        size = min(k, places_left[0])
        if size < 2:
            return -step if stop_at_mode else ending(step, target, blocked, len(trace.shown))
        stream = open_stream(key, step)
        query = propose(belief, index, blocked, twins, size, exact, stream, scratch)
        chosen = choose(person, query, target, open_stream(person_key, step))
        belief = learn(belief, x, var, query, chosen, noise)
        record(trace, step, query, chosen, person, target)
        if not reuse:
            use_up(query, blocked, twins, places_left)
        if is_mode(belief, x, target, stream) if stop_at_mode else holds(query, target):
            return step + 1
    return -len(trace.shown)


@compiled
def run_many(
    setting: Setting, keys: Key, person: Person, person_keys: Key, targets: Items, k: int, trace: Trace, games: Games
) -> None:
    for game in range(len(targets)):
        games.costs[game] = run(setting, keys[game], person, person_keys[game], targets[game], k, trace)
        games.flips[game] = flipped(trace)
        games.answered[game] = answered(trace)


@compiled
def squared_distances(belief: Belief, x: Array) -> Array:
    """(x_i - μ)ᵀ Σ⁻¹ (x_i - μ) for every item."""
    root = cholesky(belief.cov)
    distances = np.empty(len(x))
    whitened = np.empty(x.shape[1])
    for item in range(len(x)):
        distances[item] = _whitened_square(root, belief.mean, x[item], whitened, np.inf)
    return distances


@compiled
def _whitened_square(root: Array, mean: Array, point: Array, whitened: Array, enough: float) -> float:
    """|L⁻¹(x - μ)|² by forward substitution, given up as soon as it passes `enough`."""
    square = 0.0
    for row in range(len(mean)):
        total = point[row] - mean[row]
        for k in range(row):
            total -= root[k, row] * whitened[k]
        whitened[row] = total / root[row, row]
        square += whitened[row] * whitened[row]
        if square > enough:
            break
    return square


@compiled
def is_mode(belief: Belief, x: Array, target: int, stream: Stream) -> bool:
    """Is the target the item of highest density? Ties are broken at random."""
    root = cholesky(belief.cov)
    whitened = np.empty(x.shape[1])
    mine = _whitened_square(root, belief.mean, x[target], whitened, np.inf)
    ties = 0
    for item in range(len(x)):
        other = _whitened_square(root, belief.mean, x[item], whitened, mine)
        if other < mine:
            return False
        ties += other == mine
    return ties <= 1 or below(stream, ties) == 0
