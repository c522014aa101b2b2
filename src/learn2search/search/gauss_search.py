"""GaussSearch: the paper's Algorithms 1 and 2.

The belief about the target is a Gaussian N(μ, Σ). A query is a sample of it and its mirror image in the best hyperplane
(through μ, orthogonal to the top eigenvector of Σ, Theorem 1), each replaced by the nearest unused item. An answer
moves the belief by assumed-density filtering.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from learn2search.compiled import compiled
from learn2search.embedding import Embedding, parts_of, some_rows, two_forms
from learn2search.nearest import Index, Nearest, Scratch, nearest_item, new_scratch
from learn2search.normal_tails import hazard_at
from learn2search.search import compiled_loop
from learn2search.search.base import Search
from learn2search.search.candidates import Selection
from learn2search.search.compiled_loop import LoopSetup, implements, loop_setup
from learn2search.search.density import LogDensity
from learn2search.search.matrices import cholesky, exact_top_eigenvector, product, top_eigenvector
from learn2search.search.neighbourhood import near_moments, weighted_moments
from learn2search.search.places import block_place
from learn2search.search.strategies import register_strategy
from learn2search.streams import below, normal_pair, set_stream, stream_of
from learn2search.typing import Array, Array32, Blocked, Items, Items32, Seed, Stream


class Belief(NamedTuple):
    """A Gaussian over the place of the target.

    Parameters
    ----------
    mean : (d,) array
        μ.
    cov : (d, d) array
        Σ.
    root : (d, d) array, optional
        R with Σ = RᵀR, for drawing samples. A search makes it from `cov` when it begins, and each answer changes it
        along with Σ, in O(d²).

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.Belief.of(l2s.Embedding([[0.0], [2.0]])).cov.round(6).tolist()
    [[1.0]]
    """

    mean: Array
    cov: Array
    root: Array = np.empty((0, 0))

    @classmethod
    def of(cls, embedding: Embedding, scale: float = 1.0) -> "Belief":
        """The prior that fits the items.

        Parameters
        ----------
        embedding : Embedding
            Where the items are.
        scale : float, optional
            Times their covariance.

        Returns
        -------
        Belief
            The mean of the items, and `scale` times their covariance (variances included).
        """
        mean, cov, root = embedding.derived("moments", lambda: _moments(embedding))
        return cls(mean.copy(), scale * cov, math.sqrt(scale) * root)


def _moments(embedding: Embedding) -> tuple[Array, Array, Array]:
    centre = sum(rows.sum(axis=0, dtype=float) for rows in parts_of(embedding.mean)) / embedding.n_items
    cov = np.zeros((embedding.dim, embedding.dim))
    for part in parts_of(embedding.mean):  # in parts, to need no second copy of the items
        rows = part - centre
        cov += rows.T @ rows / embedding.n_items
    if embedding.var is not None:
        cov = cov + np.diag(embedding.var.mean(axis=0))
    variances = np.diag(cov)
    cov[np.diag_indices_from(cov)] += np.where(variances > 0, 1e-12 * variances, 1e-9 * variances.max())  # never varies
    return centre, cov, cholesky(cov)


@register_strategy("gauss")
class GaussSearch(Search):
    """The paper's search: the belief about the target is a Gaussian.

    Parameters
    ----------
    embedding : Embedding
        Where the items are.
    noise : float, optional
        σ of the answers, in units of the embedding.
    prior : Belief or (n,) array_like, optional
        By default the mean and covariance of the candidates: `Belief.of(embedding)` where all items are. Weights of the
        items, as their popularity, give the weighted mean and covariance.
    metric : {"euclidean", "mahalanobis"}, optional
        Of the nearest item. By default the paper's choice: per-item Mahalanobis for embeddings with variances.
    eigen : {"power", "exact"}, optional
        Power iteration or a decomposition.
    stop : {"shown", "mode"}, optional
        A search is over when the target was shown, or when it is the most probable item.
    reuse : bool, optional
        May an item be shown twice?
    candidates : (n,) array_like of bool, (m,) array_like of int, or callable, optional
        The items that may be shown, as a mask, by their numbers, or as a function of the array of all items that
        returns either; by default all. Nothing else is ever shown. `restrict` chooses among them on the way.
    exclude : the same, optional
        Items that may not be shown.
    seed : int, SeedSequence or Generator, optional
        The same seed and answers give the same questions.

    Raises
    ------
    ValueError
        If an option cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> space = l2s.Embedding(np.arange(20.0)[:, None])
    >>> search = l2s.GaussSearch(space, noise=0.5, seed=0)
    >>> query = search.ask()
    >>> search.tell(max(query))
    >>> search.undo() == query
    True
    >>> search.tell(max(query))
    >>> search.probability().shape, len(search.top(3))
    ((20,), 3)
    >>> stored = search.to_dict()
    >>> search.restart()
    >>> len(search.log), len(l2s.Search.from_dict(stored, space).log)
    (0, 1)
    """

    _followed: LogDensity | None = None  # of float32 items
    _first: tuple[Array, Belief] | None = None  # the belief before any answer, and the weights it was made for

    def __init__(
        self,
        embedding: Embedding,
        noise: float = 1.0,
        *,
        prior: Belief | ArrayLike | None = None,
        metric: str | None = None,
        eigen: str = "power",
        stop: str = "shown",
        reuse: bool = False,
        candidates: Selection | None = None,
        exclude: Selection | None = None,
        seed: Seed = None,
    ) -> None:
        weights = None if _is_belief(prior) else prior
        about: dict[str, Any] = {"prior": weights, "candidates": candidates, "exclude": exclude}
        super().__init__(embedding, noise, stop=stop, reuse=reuse, seed=seed, **about)
        if eigen not in ("power", "exact"):
            raise ValueError(f'eigen must be "power" or "exact", got {eigen!r}')
        self.metric = metric or ("euclidean" if embedding.var is None else "mahalanobis")
        self._own_prior = _checked_prior(prior, embedding.dim) if _is_belief(prior) else None
        self._nearest = Nearest.of(embedding, self.metric).index
        self._exact = eigen == "exact"

    @property
    def belief(self) -> Belief:
        """N(μ, Σ), where the target is thought to be."""
        return self._belief

    def start(self) -> None:
        if self._first is None or self._first[0] is not self._prior:
            self._first = self._prior, self._first_belief()
        self._belief = self._first[1]

    def _first_belief(self) -> Belief:
        """Before any answer: near the items that the target is said to be like, or as given, or as the candidates."""
        if self._near:
            return _with_root(*near_moments(self.embedding, self._near, self.noise))
        if self._own_prior is not None:
            return self._own_prior
        if self._allowed is None and self._given_prior is None:
            return Belief.of(self.embedding)
        return _with_root(*weighted_moments(self.embedding, self._prior))

    def propose(self, k: int, generator: np.random.Generator) -> Items:
        stream, scratch = stream_of(generator), new_scratch(self.embedding.dim)
        query = propose(self._belief, self._nearest, self._blocked, self._twins, k, self._exact, stream, scratch)
        set_stream(generator, stream)
        return query

    def learn(self, query: tuple[int, ...], chosen: int | None) -> None:
        shown, place = list(query), -1 if chosen is None else query.index(chosen)
        x, var = self.embedding.mean[shown].astype(float), self.embedding.var
        spreads = np.empty((0, self.embedding.dim)) if var is None else var[shown].astype(float)
        self._belief = learn(self._belief, x, spreads, np.arange(len(shown)), place, self.noise)

    def probability(self) -> Array:
        """How probable each item is as the target.

        Returns
        -------
        (n,) array
            Proportional to the belief's density at each of the candidates.
        """
        possible, log_density = self._possible(), self._log_density()
        highest = log_density.max(where=possible, initial=-np.inf)
        density = np.exp(np.where(possible, log_density - highest, -np.inf))
        return np.asarray(density / density.sum())

    def _log_density(self) -> Array:
        """Of the belief at each item, but for a constant."""
        belief, (wide, narrow) = self._belief, two_forms(self.embedding.mean)
        if len(wide):
            return -0.5 * squared_distances(belief, wide, narrow)
        if self._followed is None:
            self._followed = LogDensity(narrow)
        return self._followed.at(belief.mean, belief.cov)

    def compiled_setup(self) -> "GaussSetup":
        first = self._first_belief()
        variances = two_forms(self.embedding.var_rows)
        return GaussSetup(loop_setup(self), first, self._nearest, *variances, self.noise, self._exact)


def _is_belief(prior: Any) -> bool:
    """A Belief, also one that was stored as lists; else it is weights."""
    return isinstance(prior, tuple | list) and len(prior) in (2, 3) and bool(np.ndim(prior[0]))


def _with_root(mean: Array, cov: Array) -> Belief:
    return Belief(mean, cov, cholesky(cov))


def _checked_prior(prior: Any, dim: int) -> Belief:
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
    return _with_root(mean, cov)


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
    """One update for each item that was passed over; the positions' own variances along w add to the noise.

    query: rows of x and of var, which is `(0, d)` where positions are exact.
    """
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


class GaussSetup(NamedTuple):
    """What stays the same in all searches of a simulation."""

    loop: LoopSetup
    prior: Belief
    nearest: Index
    var: Array
    var_rows: Array32
    noise: float
    exact: bool


@implements(compiled_loop.start, GaussSetup)
def _start(setup: GaussSetup) -> tuple[Belief, Scratch]:
    return setup.prior, new_scratch(len(setup.prior.mean))


@implements(compiled_loop.propose, GaussSetup)
def _propose(setup: GaussSetup, belief: tuple[Belief, Scratch], blocked: Blocked, k: int, stream: Stream) -> Items:
    gaussian, scratch = belief
    return propose(gaussian, setup.nearest, blocked, setup.loop.twins, k, setup.exact, stream, scratch)


@implements(compiled_loop.learn, GaussSetup)
def _learn(
    setup: GaussSetup, belief: tuple[Belief, Scratch], query: Items, chosen: int, blocked: Blocked
) -> tuple[Belief, Scratch]:
    gaussian, scratch = belief
    x = some_rows(setup.nearest.mean, setup.nearest.rows, query)
    uncertain = len(setup.var) > 0 or len(setup.var_rows) > 0
    var = some_rows(setup.var, setup.var_rows, query[: len(query) if uncertain else 0])
    return learn(gaussian, x, var, np.arange(len(query)), chosen, setup.noise), scratch


@implements(compiled_loop.is_mode, GaussSetup)
def _is_mode(setup: GaussSetup, belief: tuple[Belief, Scratch], target: int, stream: Stream) -> bool:
    return is_mode(belief[0], setup.nearest.mean, setup.nearest.rows, setup.loop.closed, target, stream)


@compiled
def squared_distances(belief: Belief, x: Array, rows: Array32) -> Array:
    """(x_i - μ)ᵀ Σ⁻¹ (x_i - μ) for every item."""
    root = cholesky(belief.cov)
    distances = np.empty(len(x))
    whitened = np.empty(x.shape[1])
    for item in range(len(x)):
        distances[item] = _whitened_square(root, belief.mean, x, rows, item, whitened, np.inf)
    return distances


@compiled
def _whitened_square(
    root: Array, mean: Array, x: Array, rows: Array32, item: int, whitened: Array, enough: float
) -> float:
    """|L⁻¹(x - μ)|² by forward substitution, given up as soon as it passes `enough`."""
    square = 0.0
    for row in range(len(mean)):
        total = (x[item, row] if len(x) else rows[item, row]) - mean[row]
        for k in range(row):
            total -= root[k, row] * whitened[k]
        whitened[row] = total / root[row, row]
        square += whitened[row] * whitened[row]
        if square > enough:
            break
    return square


@compiled
def is_mode(belief: Belief, x: Array, rows: Array32, closed: Blocked, target: int, stream: Stream) -> bool:
    """Is the target the candidate of highest density? Ties are broken at random. x, rows: `two_forms` of the items."""
    root = cholesky(belief.cov)
    whitened = np.empty(x.shape[1])
    mine = _whitened_square(root, belief.mean, x, rows, target, whitened, np.inf)
    ties = 0
    for item in range(len(closed)):
        if closed[item]:
            continue
        other = _whitened_square(root, belief.mean, x, rows, item, whitened, mine)
        if other < mine:
            return False
        ties += other == mine
    return ties <= 1 or below(stream, ties) == 0
