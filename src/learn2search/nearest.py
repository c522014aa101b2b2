"""The nearest item to a point that is not blocked: exact, compiled, built once an embedding.

Distance is Euclidean, or the paper's per-item Mahalanobis distance (ν_i - z)ᵀ Ψ_i⁻¹ (ν_i - z) with diagonal Ψ_i.

Items lie in tiles of 64, measured together in float32; every item that the rounding of float32 could hide is measured
again in float64, so the answer equals brute force, ties included (the lowest item wins). Two forms, chosen by n and
d:

- "tree": the tiles are the leaves of a k-d tree of bounding boxes, O(log n) a query in few dimensions. The Mahalanobis
  distance is bounded from below by the boxes and the largest Ψ under each node, so branch and bound stays exact.
- "pass": all tiles in turn, faster for few items, and in many dimensions, where a tree would visit nearly every leaf.
  Where the embedding keeps float32, its rows are measured as they are, without a second copy of them.

An index is read-only: all searches and threads share it. What a search has used is its own array `blocked`, a count
an item.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.compiled import compiled, summed
from learn2search.embedding import Embedding, no_variances, parts_of, two_forms
from learn2search.typing import Array, Array32, Blocked, Items32

_TILE = 64  # long enough that the loops over a tile are compiled to vectors, not unrolled
_STACK = 64  # a binary tree over 2^31 items is less than 32 deep
_HALF_ULP = 2.0**-24  # of float32


class Index(NamedTuple):
    """The arrays behind `Nearest`, in the form that compiled code takes. Unused parts have no rows.

    mean, var: `(n, d)`, the embedding's own, or rows, var_rows where these are float32. centre: `(d,)`, taken off
    before anything becomes float32. order: `(tiles, 64)` the items of each tile, -1 = none. tiles, precisions:
    `(tiles, d, 64)` their means and 1/var, none where rows are measured themselves. boxes:
    `(nodes, 2, d)` lowest and highest coordinates, top_var: `(nodes, d)` largest variances; the children of node k
    are 2k+1 and 2k+2. reach: the largest absolute coordinate; sharp: the largest 1/var.
    """

    mean: Array
    var: Array
    rows: Array32
    var_rows: Array32
    centre: Array
    order: Items32
    tiles: Array32
    precisions: Array32
    boxes: Array32
    top_var: Array32
    reach: float
    sharp: float


class Scratch(NamedTuple):
    """Room to work in, made once a search: the point in float32, a tile's distances and their bits, nodes to visit."""

    point: Array32
    distances: Array32
    words: NDArray[np.int32]
    nodes: NDArray[np.int32]
    bounds: Array32


class Nearest:
    """The nearest item that is not blocked, exactly; built once an embedding and shared by searches and threads.

    Parameters
    ----------
    embedding : Embedding
        Where the items are.
    metric : {"euclidean", "mahalanobis"}, optional
        The second is the paper's distance per item, and needs variances.
    form : {"tree", "pass"}, optional
        A k-d tree or one pass over all items; by default the faster one for n and d.

    Raises
    ------
    ValueError
        If the metric or the form is unknown, or if the Mahalanobis metric has no variances.

    Examples
    --------
    >>> import learn2search as l2s
    >>> index = l2s.Nearest.of(l2s.Embedding([[0.0], [1.0], [5.0]]))
    >>> index.query([0.9], blocked=[0, 0, 0]), index.query([0.9], blocked=[0, 1, 0])
    (1, 0)
    """

    def __init__(self, embedding: Embedding, metric: str = "euclidean", form: str | None = None) -> None:
        if metric not in ("euclidean", "mahalanobis"):
            raise ValueError(f'metric must be "euclidean" or "mahalanobis", got {metric!r}')
        if metric == "mahalanobis" and embedding.var is None:
            raise ValueError('the "mahalanobis" metric needs an Embedding with variances: Embedding(mean, var)')
        if form not in (None, "tree", "pass"):
            raise ValueError(f'form must be "tree" or "pass", got {form!r}')
        self.metric = metric
        self.form = form or best_form(*embedding.mean.shape)
        var = embedding.var if metric == "mahalanobis" and embedding.var is not None else no_variances(embedding.dim)
        self._n_items = embedding.n_items
        self.index = _build(embedding.mean, np.asarray(var, embedding.mean.dtype), self.form)

    @classmethod
    def of(cls, embedding: Embedding, metric: str = "euclidean") -> "Nearest":
        """The index of this embedding, built at the first call and shared afterwards.

        Parameters
        ----------
        embedding : Embedding
            Where the items are.
        metric : {"euclidean", "mahalanobis"}, optional
            As in the constructor.

        Returns
        -------
        Nearest
            The same object at each call.
        """
        return embedding.derived(f"nearest, {metric}", lambda: cls(embedding, metric))

    def query(self, point: ArrayLike, blocked: Blocked) -> int:
        """The unblocked item nearest to a point; of equally near ones the lowest.

        Parameters
        ----------
        point : (d,) array_like
            Where to look.
        blocked : (n,) array_like of int
            0 for an item that may be given.

        Returns
        -------
        int
            The item, or -1 when all are blocked.

        Raises
        ------
        ValueError
            If the point or `blocked` has the wrong shape, or the point is not finite.
        """
        (d,), n = self.index.centre.shape, self._n_items
        place, taken = np.array(point, float), np.asarray(blocked)
        if place.shape != (d,) or not np.isfinite(place).all():
            raise ValueError(f"the point must be {d} finite numbers, got {point!r}")
        if taken.shape != (n,):
            raise ValueError(f"blocked must have a value for each of the {n} items, got shape {taken.shape}")
        return int(nearest_item(self.index, place, taken.astype(np.uint8, copy=False), new_scratch(d)))


def best_form(n: int, d: int) -> str:
    """The faster form on uniform data: "pass" or "tree"; they meet near n = 300 for d = 5, 50,000 for d = 10."""
    return "tree" if n > 300 * 2.8 ** min(d - 5, 100) else "pass"  # 2.8 to the 700th is no float


# --- building --------------------------------------------------------------------------------------


def _build(mean: Array, var: Array, form: str) -> Index:
    n, d = mean.shape
    levels = max(0, int(np.ceil(np.log2(n / _TILE)))) if form == "tree" else 0
    nodes = 2 ** (levels + 1) - 1 if form == "tree" else 0
    boxes, top_var = np.empty((nodes, 2, d), np.float32), np.empty((nodes if len(var) else 0, d), np.float32)
    items, centre = np.arange(n, dtype=np.int32), _middle(mean, form)
    if form == "tree":
        _split(mean, var, centre, items, levels, boxes, top_var)
    n_tiles = 2**levels if form == "tree" else -(-n // _TILE)
    order = np.full((n_tiles, _TILE), -1, np.int32)
    copied = n_tiles if form == "tree" or mean.dtype == np.float64 else 0
    tiles = np.full((copied, d, _TILE), np.inf, np.float32)
    precisions = np.ones((copied if len(var) else 0, d, _TILE), np.float32)
    _fill(mean, var, centre, items, form == "tree", order, tiles, precisions)
    low, high = (np.array([one(part, axis=0) for part in parts_of(mean)]) for one in (np.min, np.max))
    reach = np.max(np.maximum(high - centre, centre - low))
    sharp = 1.0 / var.min() if len(var) else 1.0
    (wide, rows), (wide_var, var_rows) = two_forms(mean), two_forms(var)
    wide_var.flags.writeable = var_rows.flags.writeable = False
    arrays = (wide, wide_var, rows, var_rows, centre, order, tiles, precisions, boxes, top_var)
    return Index(*arrays, float(reach), float(sharp))


def _middle(mean: Array, form: str) -> Array:
    """The mean of the items; nothing where float32 rows are measured as they are."""
    if mean.dtype == np.float32 and form == "pass":
        return np.zeros(mean.shape[1])
    total = sum(part.sum(axis=0, dtype=float) for part in parts_of(mean))
    return np.asarray(total / len(mean))


@compiled
def _split(
    mean: Array, var: Array, centre: Array, items: Items32, levels: int, boxes: Array32, top_var: Array32
) -> None:
    """Level by level: the box of each node, then a split of its items at the median of the widest side."""
    n, d = mean.shape
    for level in range(levels + 1):
        width = 1 << level
        for place in range(width):
            node, start, stop = width - 1 + place, place * n // width, (place + 1) * n // width
            axis, widest = 0, -1.0
            for k in range(d):
                low, high, largest = np.inf, -np.inf, 0.0
                for at in range(start, stop):
                    low, high = min(low, mean[items[at], k]), max(high, mean[items[at], k])
                    if len(var):
                        largest = max(largest, var[items[at], k])
                boxes[node, 0, k], boxes[node, 1, k] = low - centre[k], high - centre[k]
                if len(var):
                    top_var[node, k] = largest
                if high - low > widest:
                    axis, widest = k, high - low
            if level < levels:
                _select(mean[:, axis], items, start, stop - 1, (2 * place + 1) * n // (2 * width))


@compiled
def _select(values: Array, items: Items32, left: int, right: int, rank: int) -> None:
    """Hoare's quickselect: afterwards items[left:rank] hold the smaller values."""
    while left < right:
        pivot = values[items[(left + right) // 2]]
        i, j = left, right
        while i <= j:
            while values[items[i]] < pivot:
                i += 1
            while values[items[j]] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if rank <= j:
            right = j
        elif rank >= i:
            left = i
        else:
            return


@compiled
def _fill(
    mean: Array,
    var: Array,
    centre: Array,
    items: Items32,
    even: bool,
    order: Items32,
    tiles: Array32,
    precisions: Array32,
) -> None:
    """Put the items into tiles: evenly (the leaves of a tree), or each tile full but the last."""
    n, n_tiles = len(items), len(order)
    for tile in range(n_tiles):
        start = tile * n // n_tiles if even else tile * _TILE
        stop = (tile + 1) * n // n_tiles if even else min(start + _TILE, n)
        for at in range(stop - start):
            item = items[start + at]
            order[tile, at] = item
            for k in range(mean.shape[1] if len(tiles) else 0):
                tiles[tile, k, at] = mean[item, k] - centre[k]
                if len(var):
                    precisions[tile, k, at] = 1.0 / var[item, k]


# --- asking ----------------------------------------------------------------------------------------
# Inner functions take the arrays they need: a whole Index would be copied at every call.


@compiled
def new_scratch(d: int) -> Scratch:
    distances = np.empty(_TILE, np.float32)
    return Scratch(
        np.empty(d, np.float32),
        distances,
        distances.view(np.int32),
        np.empty(_STACK, np.int32),
        np.empty(_STACK, np.float32),
    )


@compiled
def nearest_item(index: Index, point: Array, blocked: Blocked, scratch: Scratch) -> int:
    """The unblocked item nearest to `point`, or -1."""
    d = len(point)
    point32, distances, words = scratch.point, scratch.distances, scratch.words
    reach = index.reach
    for k in range(d):
        point32[k] = point[k] - index.centre[k]
        reach = max(reach, abs(point[k] - index.centre[k]))
    # In float32 a distance |x - z| is off by at most `slack`, its square by a factor of `grow` more.
    slack = 4.0 * _HALF_ULP * np.sqrt(d * index.sharp) * reach
    grow = 1.0 + (d + 4) * 2.0 * _HALF_ULP
    if len(index.boxes):
        return _descend(index, point, slack, grow, blocked, scratch)
    best, best_distance, threshold = -1, np.inf, np.float32(np.inf)
    tiles, precisions, order = index.tiles, index.precisions, index.order
    mean, var, rows, var_rows = index.mean, index.var, index.rows, index.var_rows
    for tile in range(len(order)):
        if not len(tiles):
            _measure_rows(rows, var_rows, tile * _TILE, point32, distances)
        elif len(precisions):
            _measure_weighted(tiles, precisions, tile, point32, distances)
        else:
            _measure(tiles, tile, point32, distances)
        if _smallest(words) <= threshold:
            best, best_distance = _look(
                mean, var, rows, var_rows, order[tile], point, distances, threshold, blocked, best, best_distance
            )
            threshold = np.float32((np.sqrt(best_distance) + slack) ** 2 * grow)
    return best


@compiled
def _descend(
    index: Index,
    point: Array,
    slack: float,
    grow: float,
    blocked: Blocked,
    scratch: Scratch,
) -> int:
    """Branch and bound: to the nearer child first, and never below a box that is farther than the best item."""
    boxes, top_var, tiles, precisions, order = index.boxes, index.top_var, index.tiles, index.precisions, index.order
    mean, var, rows, var_rows = index.mean, index.var, index.rows, index.var_rows
    point32, distances, words, nodes, bounds = scratch
    first_leaf = len(boxes) // 2
    nodes[0], bounds[0], depth = 0, 0.0, 1
    best, best_distance, threshold = -1, np.inf, np.float32(np.inf)
    while depth:
        depth -= 1
        node, bound = nodes[depth], bounds[depth]
        while node < first_leaf and bound <= threshold:
            left = 2 * node + 1
            left_bound = _box_distance(boxes, top_var, left, point32)
            right_bound = _box_distance(boxes, top_var, left + 1, point32)
            swap = int(right_bound < left_bound)  # no branch here: it could not be predicted
            nodes[depth], bounds[depth] = left + 1 - swap, max(left_bound, right_bound)
            depth += int(bounds[depth] <= threshold)
            node, bound = left + swap, min(left_bound, right_bound)
        if bound > threshold:
            continue
        leaf = node - first_leaf
        if len(precisions):
            _measure_weighted(tiles, precisions, leaf, point32, distances)
        else:
            _measure(tiles, leaf, point32, distances)
        if _smallest(words) <= threshold:
            best, best_distance = _look(
                mean, var, rows, var_rows, order[leaf], point, distances, threshold, blocked, best, best_distance
            )
            threshold = np.float32((np.sqrt(best_distance) + slack) ** 2 * grow)
    return best


@compiled
def _box_distance(boxes: Array32, top_var: Array32, node: int, point: Array32) -> np.float32:
    """Not more than the distance of any item under the node, but for the rounding that `threshold` allows for."""
    total = np.float32(0.0)
    for k in range(len(point)):
        gap = max(boxes[node, 0, k] - point[k], point[k] - boxes[node, 1, k], np.float32(0.0))
        total += gap * gap / top_var[node, k] if len(top_var) else gap * gap
    return total


@compiled
def _measure(tiles: Array32, tile: int, point: Array32, distances: Array32) -> None:
    """Squared float32 distances of a tile's items; one coordinate at a time, so that it runs in vectors."""
    for at in range(_TILE):
        distances[at] = 0.0
    for k in range(len(point)):
        for at in range(_TILE):
            gap = tiles[tile, k, at] - point[k]
            distances[at] += gap * gap


@compiled
def _measure_weighted(tiles: Array32, precisions: Array32, tile: int, point: Array32, distances: Array32) -> None:
    for at in range(_TILE):
        distances[at] = 0.0
    for k in range(len(point)):
        for at in range(_TILE):
            gap = tiles[tile, k, at] - point[k]
            distances[at] += gap * gap * precisions[tile, k, at]


@summed
def _measure_rows(rows: Array32, var_rows: Array32, start: int, point: Array32, distances: Array32) -> None:
    """The same from the items' own float32 rows, each summed in vectors."""
    for at in range(_TILE):
        distances[at] = np.inf
    for at in range(min(_TILE, len(rows) - start)):
        item, total = start + at, np.float32(0.0)
        for k in range(len(point)):
            gap = rows[item, k] - point[k]
            total += gap * gap / var_rows[item, k] if len(var_rows) else gap * gap
        distances[at] = total


@compiled
def _smallest(words: NDArray[np.int32]) -> np.float32:
    """The minimum of float32 bits read as integers: positive floats sort the same, and this runs in vectors."""
    smallest = words[0]
    for at in range(_TILE):
        smallest = min(smallest, words[at])
    return np.int32(smallest).view(np.float32)


@compiled
def _look(
    mean: Array,
    var: Array,
    rows: Array32,
    var_rows: Array32,
    items: Items32,
    point: Array,
    distances: Array32,
    threshold: np.float32,
    blocked: Blocked,
    best: int,
    best_distance: float,
) -> tuple[int, float]:
    """Measure the free items of a tile that may be nearest, exactly; the best item and its distance."""
    for at in range(_TILE):
        item = items[at]
        if distances[at] <= threshold and item >= 0 and not blocked[item]:
            distance = 0.0
            for k in range(len(point)):
                gap = (mean[item, k] if len(mean) else rows[item, k]) - point[k]
                if len(var) or len(var_rows):
                    gap = gap * gap / (var[item, k] if len(var) else var_rows[item, k])
                    distance += gap
                else:
                    distance += gap * gap
            if distance < best_distance or (distance == best_distance and item < best):
                best, best_distance = item, distance
    return best, best_distance


# --- items at the same place ----------------------------------------------------------------------


def twins_of(embedding: Embedding) -> NDArray[np.int32]:
    """`(n,)`: the next item at exactly the same place, in a ring; an item without a twin names itself."""
    return embedding.derived("twins", lambda: _rings(embedding.mean))


def _rings(mean: Array) -> NDArray[np.int32]:
    """Each item names the one before it in its ring, the lowest the highest."""
    mixed = _row_hashes(mean)
    order = np.argsort(mixed, kind="stable")
    alike = mixed[order[1:]] == mixed[order[:-1]]
    equal = np.zeros(len(alike), bool)
    equal[alike] = (mean[order[1:][alike]] == mean[order[:-1][alike]]).all(axis=1)
    if (alike != equal).any():  # different rows with the same hash: sort by the rows themselves
        order = np.lexsort(mean.T)
        equal = (mean[order[1:]] == mean[order[:-1]]).all(axis=1)
    ring = np.arange(len(mean), dtype=np.int32)
    starts = np.flatnonzero(np.concatenate([[True], ~equal]))
    stops = np.append(starts[1:], len(order)) - 1
    ring[order[1:][equal]] = order[:-1][equal]
    ring[order[starts]] = order[stops]
    return ring


@compiled
def _row_hashes(mean: Array) -> NDArray[np.uint64]:
    """FNV-1a over the coordinates of each row, in four sums side by side; -0 counts as 0."""
    n, d = mean.shape
    hashes, number, sums = np.empty(n, np.uint64), np.empty(1), np.empty(4, np.uint64)
    word = number.view(np.uint64)
    prime, seed = np.uint64(1099511628211), np.uint64(14695981039346656037)
    for item in range(n):
        for lane in range(4):
            sums[lane] = seed + np.uint64(lane)
        for k in range(d):
            number[0] = mean[item, k] + 0.0
            mixed = (sums[k & 3] ^ word[0]) * prime
            sums[k & 3] = mixed ^ (mixed >> np.uint64(29))
        whole = seed
        for lane in range(4):
            whole = (whole ^ sums[lane]) * prime
            whole ^= whole >> np.uint64(29)
        hashes[item] = whole
    return hashes
