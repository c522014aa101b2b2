"""The nearest item to a point that is not blocked: exact, compiled, built once an embedding.

Two forms, chosen by n and d and equal to brute force, ties included (the lowest item wins):

- a k-d tree of bounding boxes: O(log n) a query in few dimensions;
- one float32 pass, in which every candidate that rounding could hide is measured again in float64: faster for few
  items, and
  in many dimensions, where a tree visits nearly every leaf.

Distance is Euclidean, or the paper's per-item Mahalanobis distance (ν_i - z)ᵀ Ψ_i⁻¹ (ν_i - z) with diagonal Ψ_i; the
tree bounds the latter from below by its boxes and the largest Ψ under each node, so branch and bound stays exact.

An index is read-only: all searches and threads share it. What a search has used is its own array `blocked` (a count
an item).
"""

import threading
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.compiled import compiled
from learn2search.embedding import Embedding

Array = NDArray[np.float64]

_LEAF = 16  # items in a leaf, at most
_TILE = 64  # items of a float32 pass that are measured together
_STACK = 128  # a binary tree over 2^31 items is less than 32 deep
_HALF_ULP = 2.0**-24  # of float32


class Index(NamedTuple):
    """The arrays behind `Nearest`, in the form that compiled code takes. Unused parts have no rows.

    mean, var: `(n, d)`, the embedding's own. order: `(leaves, 16)` items of each leaf. points, spread: `(leaves, d,
    16)` their mean and var. boxes: `(nodes, 2, d)` lowest and highest coordinates; top_var: `(nodes, d)` largest
    variances; the children of node k are 2k+1 and 2k+2. tiles, precisions: `(tiles, d, 64)` float32. reach: the
    largest absolute coordinate; sharp: the largest precision.
    """

    mean: Array
    var: Array
    order: NDArray[np.int32]
    points: Array
    spread: Array
    boxes: Array
    top_var: Array
    tiles: NDArray[np.float32]
    precisions: NDArray[np.float32]
    reach: float
    sharp: float


class Nearest:
    """Nearest unblocked item under one embedding; `metric` is "euclidean" or "mahalanobis" (needs variances)."""

    def __init__(self, embedding: Embedding, metric: str = "euclidean", form: str | None = None) -> None:
        if metric not in ("euclidean", "mahalanobis"):
            raise ValueError(f'metric must be "euclidean" or "mahalanobis", got {metric!r}')
        if metric == "mahalanobis" and embedding.var is None:
            raise ValueError('the "mahalanobis" metric needs an Embedding with variances: Embedding(mean, var)')
        self.metric = metric
        self.form = form or best_form(*embedding.mean.shape)
        var = embedding.var if metric == "mahalanobis" and embedding.var is not None else np.empty((0, embedding.dim))
        self.index = (_tree if self.form == "tree" else _tiled)(embedding.mean, var)

    @classmethod
    def of(cls, embedding: Embedding, metric: str = "euclidean") -> "Nearest":
        """The index of this embedding, built at the first call and shared afterwards."""
        with _lock:
            indexes = _shared.setdefault(embedding, {})
            if metric not in indexes:
                indexes[metric] = cls(embedding, metric)
            return indexes[metric]

    def query(self, point: ArrayLike, blocked: NDArray[np.uint8]) -> int:
        """The unblocked item nearest to `point` `(d,)`, or -1 when all are blocked; `blocked` is `(n,)`, 0 = free."""
        return int(nearest_item(self.index, np.asarray(point, float), blocked))


def best_form(n: int, d: int) -> str:
    """The faster form on uniform data: "pass" or "tree"; they meet near n = 1,000 for d = 5, 100,000 for d = 10."""
    return "tree" if n > 1000 * 2.5 ** (d - 5) else "pass"


_lock = threading.Lock()
_shared: WeakKeyDictionary[Embedding, dict[str, Nearest]] = WeakKeyDictionary()


# --- building -------------------------------------------------------------------------------------


def _tree(mean: Array, var: Array) -> Index:
    n, d = mean.shape
    levels = max(0, int(np.ceil(np.log2(n / _LEAF))))
    boxes = np.empty((2 ** (levels + 1) - 1, 2, d))
    top_var = np.empty((len(boxes) if len(var) else 0, d))
    flat = np.arange(n, dtype=np.int32)
    _build(mean, var, flat, levels, boxes, top_var)
    order, points = np.full((2**levels, _LEAF), -1, np.int32), np.full((2**levels, d, _LEAF), np.inf)
    spread = np.ones((len(points) if len(var) else 0, d, _LEAF))
    _fill_leaves(mean, var, flat, order, points, spread)
    none = np.empty((0, d, _TILE), np.float32)
    return Index(mean, var, order, points, spread, boxes, top_var, none, none, 0.0, 0.0)


def _tiled(mean: Array, var: Array) -> Index:
    d = mean.shape[1]
    reach = float(max(-mean.min(), mean.max()))
    sharp = float(1.0 / var.min()) if len(var) else 1.0
    tiles = _tiles(mean, np.float32(np.inf))
    precisions = _tiles(var, np.float32(1.0))
    np.divide(np.float32(1.0), precisions, out=precisions)
    order, no_leaves = np.empty((0, _LEAF), np.int32), np.empty((0, d, _LEAF))
    return Index(
        mean, var, order, no_leaves, no_leaves, np.empty((0, 2, d)), np.empty((0, d)), tiles, precisions, reach, sharp
    )


@compiled
def _tiles(rows: Array, padding: np.float32) -> NDArray[np.float32]:
    n, d = rows.shape
    tiles = np.full(((n + _TILE - 1) // _TILE, d, _TILE), padding, np.float32)
    for item in range(n):
        for k in range(d):
            tiles[item // _TILE, k, item % _TILE] = rows[item, k]
    return tiles


@compiled
def _build(mean: Array, var: Array, order: NDArray[np.int32], levels: int, boxes: Array, top_var: Array) -> None:
    """Level by level: the box of each node, then a split of its items at the median of the widest side."""
    n, d = mean.shape
    for level in range(levels + 1):
        width = 1 << level
        for place in range(width):
            node, start, stop = width - 1 + place, place * n // width, (place + 1) * n // width
            for k in range(d):
                boxes[node, 0, k], boxes[node, 1, k] = np.inf, -np.inf
                for at in range(start, stop):
                    boxes[node, 0, k] = min(boxes[node, 0, k], mean[order[at], k])
                    boxes[node, 1, k] = max(boxes[node, 1, k], mean[order[at], k])
                if len(var):
                    top_var[node, k] = 0.0
                    for at in range(start, stop):
                        top_var[node, k] = max(top_var[node, k], var[order[at], k])
            if level < levels:
                axis = np.argmax(boxes[node, 1] - boxes[node, 0])
                _select(mean[:, axis], order, start, stop - 1, (2 * place + 1) * n // (2 * width))


@compiled
def _fill_leaves(
    mean: Array, var: Array, flat: NDArray[np.int32], order: NDArray[np.int32], points: Array, spread: Array
) -> None:
    """The items leaf by leaf, padded with item -1 at infinity."""
    n, leaves = len(flat), len(order)
    for leaf in range(leaves):
        start = leaf * n // leaves
        for at in range((leaf + 1) * n // leaves - start):
            item = flat[start + at]
            order[leaf, at] = item
            points[leaf, :, at] = mean[item]
            if len(var):
                spread[leaf, :, at] = var[item]


@compiled
def _select(values: Array, order: NDArray[np.int32], left: int, right: int, rank: int) -> None:
    """Hoare's quickselect: afterwards order[left:rank] holds the items with the smaller values."""
    while left < right:
        pivot = values[order[(left + right) // 2]]
        i, j = left, right
        while i <= j:
            while values[order[i]] < pivot:
                i += 1
            while values[order[j]] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if rank <= j:
            right = j
        elif rank >= i:
            left = i
        else:
            return


# --- asking ---------------------------------------------------------------------------------------
# Inner functions take the arrays they need: a whole Index would be copied at every call.


@compiled
def nearest_item(index: Index, point: Array, blocked: NDArray[np.uint8]) -> int:
    """The unblocked item nearest to `point`, or -1."""
    if len(index.order):
        return _descend(index, point, blocked)
    return _pass(index, point, blocked)


@compiled
def _box_distance(boxes: Array, top_var: Array, node: int, point: Array) -> float:
    """Not more than the distance of any item under `node`, in floating point too: every step rounds monotonically."""
    total = 0.0
    weighted = len(top_var) > 0
    for k in range(len(point)):
        gap = max(boxes[node, 0, k] - point[k], point[k] - boxes[node, 1, k], 0.0)
        total += gap * gap / top_var[node, k] if weighted else gap * gap
    return total


@compiled
def _descend(index: Index, point: Array, blocked: NDArray[np.uint8]) -> int:
    boxes, top_var, points, spread, order = index.boxes, index.top_var, index.points, index.spread, index.order
    first_leaf = len(boxes) // 2
    nodes = np.empty(_STACK, np.int32)
    bounds = np.empty(_STACK)
    distances = np.empty(_LEAF)
    nodes[0], bounds[0], depth = 0, 0.0, 1
    best, best_distance = -1, np.inf
    while depth:
        depth -= 1
        node, bound = nodes[depth], bounds[depth]
        while node < first_leaf and bound <= best_distance:  # walk to the nearer child, keep the other for later
            near, far = 2 * node + 1, 2 * node + 2
            bound = _box_distance(boxes, top_var, near, point)
            far_bound = _box_distance(boxes, top_var, far, point)
            if far_bound < bound:
                near, far, bound, far_bound = far, near, far_bound, bound
            if far_bound <= best_distance:
                nodes[depth], bounds[depth] = far, far_bound
                depth += 1
            node = near
        if bound > best_distance:
            continue
        leaf = node - first_leaf
        _measure_leaf(points, spread, leaf, point, distances)
        for at in range(_LEAF):
            if distances[at] <= best_distance:
                item = order[leaf, at]
                if item >= 0 and not blocked[item] and (distances[at] < best_distance or item < best):
                    best, best_distance = item, distances[at]
    return best


@compiled
def _measure_leaf(points: Array, spread: Array, leaf: int, point: Array, distances: Array) -> None:
    """Squared distances of a leaf's items; one dimension at a time, so that it runs in vectors."""
    for at in range(_LEAF):
        distances[at] = 0.0
    for k in range(len(point)):
        if len(spread):
            for at in range(_LEAF):
                gap = points[leaf, k, at] - point[k]
                distances[at] += gap * gap / spread[leaf, k, at]
        else:
            for at in range(_LEAF):
                gap = points[leaf, k, at] - point[k]
                distances[at] += gap * gap


@compiled
def _pass(index: Index, point: Array, blocked: NDArray[np.uint8]) -> int:
    """One pass in float32; what could be nearest given the rounding of float32 is measured exactly."""
    d = len(point)
    point32 = np.empty(d, np.float32)
    reach = index.reach
    for k in range(d):
        point32[k] = point[k]
        reach = max(reach, abs(point[k]))
    distances = np.empty(_TILE, np.float32)
    words = distances.view(np.int32)
    # |x - z| is off by at most `slack`, its square by a factor of `grow` more
    slack = 4.0 * _HALF_ULP * np.sqrt(d * index.sharp) * reach
    grow = 1.0 + (d + 4) * 2.0 * _HALF_ULP
    best, best_distance, threshold = -1, np.inf, np.float32(np.inf)
    tiles, precisions = index.tiles, index.precisions
    for tile in range(len(tiles)):
        _measure_tile(tiles, precisions, tile, point32, distances)
        if _smallest(words) > threshold:
            continue
        for item in range(tile * _TILE, min((tile + 1) * _TILE, len(index.mean))):
            if distances[item - tile * _TILE] <= threshold and not blocked[item]:
                distance = _distance(index, item, point)
                if distance < best_distance:
                    best, best_distance = item, distance
                    threshold = np.float32((np.sqrt(distance) + slack) ** 2 * grow)
    return best


@compiled
def _measure_tile(
    tiles: NDArray[np.float32],
    precisions: NDArray[np.float32],
    tile: int,
    point: NDArray[np.float32],
    distances: NDArray[np.float32],
) -> None:
    """Squared float32 distances of a tile's items."""
    for at in range(_TILE):
        distances[at] = 0.0
    for k in range(len(point)):
        if len(precisions):
            for at in range(_TILE):
                gap = tiles[tile, k, at] - point[k]
                distances[at] += gap * gap * precisions[tile, k, at]
        else:
            for at in range(_TILE):
                gap = tiles[tile, k, at] - point[k]
                distances[at] += gap * gap


@compiled
def _smallest(words: NDArray[np.int32]) -> np.float32:
    """The minimum of float32 bits read as integers: positive floats sort the same, and this runs in vectors."""
    smallest = words[0]
    for at in range(_TILE):
        smallest = min(smallest, words[at])
    return np.int32(smallest).view(np.float32)


@compiled
def _distance(index: Index, item: int, point: Array) -> float:
    total = 0.0
    for k in range(len(point)):
        gap = index.mean[item, k] - point[k]
        total += gap * gap / index.var[item, k] if len(index.var) else gap * gap
    return total


# --- items at the same place ----------------------------------------------------------------------

_twins: WeakKeyDictionary[Embedding, NDArray[np.int32]] = WeakKeyDictionary()


def twins_of(embedding: Embedding) -> NDArray[np.int32]:
    """`(n,)`: the next item at exactly the same place, in a ring; an item without a twin names itself."""
    with _lock:
        if embedding not in _twins:
            _twins[embedding] = _rings(embedding.mean)
        return _twins[embedding]


def _rings(mean: Array) -> NDArray[np.int32]:
    mixed = _row_hashes(mean)
    ring = np.arange(len(mean), dtype=np.int32)
    order = np.argsort(mixed, kind="stable").astype(np.int32)
    same = np.flatnonzero(mixed[order[1:]] == mixed[order[:-1]])
    for run in np.split(same, np.flatnonzero(np.diff(same) > 1) + 1) if len(same) else []:
        items = order[run[0] : run[-1] + 2]
        _, group = np.unique(mean[items], axis=0, return_inverse=True)  # rows can share a hash and still differ
        for label in np.unique(group):
            members = items[group.ravel() == label]
            ring[members] = np.roll(members, -1)
    return ring


@compiled
def _row_hashes(mean: Array) -> NDArray[np.uint64]:
    """FNV-1a over the coordinates of each row; -0 counts as 0."""
    hashes = np.full(len(mean), 14695981039346656037, np.uint64)
    for k in range(mean.shape[1]):
        words = (mean[:, k] + 0.0).view(np.uint64)
        hashes = (hashes ^ words) * np.uint64(1099511628211)
        hashes ^= hashes >> np.uint64(29)
    return hashes
