"""How probable the clicks of a search are under everything but that search, compiled.

The answers of a search have moved the items that it named, its target most of all: judged by the embedding that was
fitted to them, any search looks sensible. So each is judged by what the others say.

The target. Its place given the weighted triplets of all other searches, with the other items where they are: Newton's
steps from the prior N(centre, S), with z = m / √(1 + v), m the triplet's margin, v its variance from the other two
items, a the slope of m in the target's place, and h = φ(z)/Φ(z):

    H = S⁻¹ + Σ ω h (h + z) a aᵀ / (1 + v),    x ← x + H⁻¹ [Σ ω h a / √(1 + v) - S⁻¹ (x - centre)],    Ψ = H⁻¹

An item that was shown. Where the slope of all triplets is 0, without those of the search it is -g, and the curvature is
H - B, g and B being the search's own share. One step of Newton's gives its place without them:

    x⁻ = ν - (H - B)⁻¹ g,    ψ⁻ = max(ψ, 1 / (H - B)_aa)

The clicks, one after the other: the probability of each (`click.click_margins`, with the full covariance of the
target's place), and what the one that was made tells of the target: margins and place are jointly normal, so that
taking the margins to be positive one by one moves the place with them.
"""

import math
from typing import NamedTuple

import numpy as np

from learn2search.click import all_positive, click_margins, rivals_of, take_positive
from learn2search.comparison import PROBIT, margin_moments, widening
from learn2search.compiled import compiled
from learn2search.embed.online import log_slopes, mean_slopes
from learn2search.typing import Array, Integers, Items, Triplets

_STEPS = 6  # of Newton's, at most
_CLOSE = 1e-3  # a step of this length, in units of the noise, is the last
_LONGEST = 3.0  # step, in standard deviations of the prior


class Evidence(NamedTuple):
    """What the fit has seen: triplets `(m, 3)`, the search of each and what it counts, `(m,)`, and which triplets name
    an item: `rows_of[starts[i] : starts[i + 1]]`."""

    rows: Triplets
    search: Integers
    weights: Array
    starts: Integers
    rows_of: Integers


class Places(NamedTuple):
    """Where the items are: mean, var and centre of the prior `(n, d)`, the prior's precision `(d,)`."""

    mean: Array
    var: Array
    centre: Array
    precision: Array


def evidence_of(rows: Triplets, search: Integers, weights: Array, n_items: int) -> Evidence:
    """Triplets with an index by item."""
    named = np.argsort(rows.ravel(), kind="stable")
    starts = np.searchsorted(rows.ravel()[named], np.arange(n_items + 1))
    return Evidence(rows, search, weights, starts.astype(np.int64), (named // 3).astype(np.int64))


@compiled
def _triplet_slopes(mean: Array, var: Array, row: Triplets, slopes: Array) -> tuple[float, float]:
    """First derivative and bend of log P in z; slopes `(3, d)` become ∂z/∂x of anchor, near and far."""
    anchor, near, far = row
    m, variance = margin_moments(PROBIT, mean[near], mean[far], mean[anchor], var[near], var[far], var[anchor])
    spread = widening(PROBIT, variance)
    mean_slopes(mean, var, row, PROBIT, slopes)
    for role in range(3):
        for a in range(slopes.shape[1]):
            slopes[role, a] /= spread
    return log_slopes(PROBIT, m / spread)


@compiled
def curvatures(places: Places, seen: Evidence) -> Array:
    """H of every item, `(n, d, d)`."""
    n, d = places.mean.shape
    result, slopes = np.zeros((n, d, d)), np.empty((3, d))
    for item in range(n):
        for a in range(d):
            result[item, a, a] = places.precision[a]
    for at in range(len(seen.rows)):
        _, bend = _triplet_slopes(places.mean, places.var, seen.rows[at], slopes)
        for role in range(3):
            _add_outer(result[seen.rows[at, role]], slopes[role], seen.weights[at] * bend)
    return result


@compiled
def _copy(source: Array, into: Array) -> None:
    for a in range(len(source)):
        into[a] = source[a]


@compiled
def _fill_diagonal(values: Array, matrix: Array) -> None:
    """matrix ← the diagonal matrix of these values."""
    for a in range(len(values)):
        for b in range(len(values)):
            matrix[a, b] = values[a] if a == b else 0.0


@compiled
def _reciprocals_on_diagonal(values: Array) -> Array:
    matrix = np.zeros((len(values), len(values)))
    for a in range(len(values)):
        matrix[a, a] = 1.0 / values[a]
    return matrix


@compiled
def _add_outer(matrix: Array, vector: Array, times: float) -> None:
    for a in range(len(vector)):
        for b in range(len(vector)):
            matrix[a, b] += times * vector[a] * vector[b]


@compiled
def target_without(
    places: Places, seen: Evidence, target: int, without: int, mean: Array, var: Array
) -> tuple[Array, Array]:
    """Place `(d,)` and covariance `(d, d)` of a target without the triplets of one search.

    mean, var: copies of `places`, to work in; left as they were.
    """
    d = len(places.precision)
    place, slopes = places.centre[target].copy(), np.empty((3, d))
    kept_mean, kept_var = mean[target].copy(), var[target].copy()
    widest = 0.0
    for a in range(d):
        var[target, a] = 0.0  # how uncertain it is comes out
        widest = max(widest, 1.0 / places.precision[a])
    longest = _LONGEST * math.sqrt(widest)
    bend, slope = np.empty((d, d)), np.empty(d)
    for _ in range(_STEPS):
        _copy(place, mean[target])
        _fill_diagonal(places.precision, bend)
        for a in range(d):
            slope[a] = places.precision[a] * (places.centre[target, a] - place[a])
        for at in seen.rows_of[seen.starts[target] : seen.starts[target + 1]]:
            if seen.search[at] == without or seen.weights[at] == 0.0:
                continue
            first, second = _triplet_slopes(mean, var, seen.rows[at], slopes)
            role = 0 if seen.rows[at, 0] == target else 1 if seen.rows[at, 1] == target else 2
            for a in range(d):
                slope[a] += seen.weights[at] * first * slopes[role, a]
            _add_outer(bend, slopes[role], seen.weights[at] * second)
        step, square = np.linalg.solve(bend, slope), 0.0
        for a in range(d):
            square += step[a] * step[a]
        length = math.sqrt(square)
        for a in range(d):
            place[a] += step[a] * min(1.0, longest / max(length, 1e-300))
        if length < _CLOSE:
            break
    _copy(kept_mean, mean[target])
    _copy(kept_var, var[target])
    cov: Array = (
        np.linalg.inv(bend).astype(np.float64).T
    )  # symmetric; in the order of all arrays that `judge_clicks` is compiled for
    return place, cov


@compiled
def item_without(
    places: Places, seen: Evidence, curvature: Array, item: int, begin: int, end: int, mean: Array, var: Array
) -> None:
    """Place and variances of an item without the triplets begin..end-1, into `mean` and `var`, `(d,)`."""
    d = len(mean)
    slope, bend, slopes = np.zeros(d), curvature[item].copy(), np.empty((3, d))
    for at in range(begin, end):
        for role in range(1, 3):
            if seen.rows[at, role] == item and seen.weights[at] > 0.0:
                first, second = _triplet_slopes(places.mean, places.var, seen.rows[at], slopes)
                for a in range(d):
                    slope[a] += seen.weights[at] * first * slopes[role, a]
                _add_outer(bend, slopes[role], -seen.weights[at] * second)
    step = np.linalg.solve(bend, slope)
    for a in range(d):
        mean[a] = places.mean[item, a] - step[a]
        var[a] = max(places.var[item, a], 1.0 / bend[a, a])


@compiled
def judge_clicks(x: Array, var: Array, sizes: Integers, place: Array, cov: Array, result: Array) -> None:
    """The probability of each of the clicks that could have been made, screen after screen, `(q, k)`.

    x, var: `(q, k, d)`, the items shown, the clicked one first; sizes: `(q,)`. place `(d,)` and cov `(d, d)`: of the
    target before the first; after the last they are what the clicks have made of them.
    """
    d, widest = len(place), x.shape[1]
    points, widths = np.empty((widest + 1, d)), np.empty((widest + 1, d))
    for at in range(len(sizes)):
        size = sizes[at]
        for a in range(d):
            for shown in range(size):
                points[shown, a], widths[shown, a] = x[at, shown, a], var[at, shown, a]
            points[size, a], widths[size, a] = place[a], cov[a, a]
        query = np.arange(size)
        for clicked in range(size - 1, -1, -1):  # the one that was made comes last
            rivals = rivals_of(points, widths, query, clicked)
            mean, joint = _joint_margins(points, widths, clicked, rivals, size, place, cov)
            if clicked:
                result[at, clicked] = all_positive(mean[: size - 1].copy(), joint[: size - 1, : size - 1].copy())
                continue
            result[at, 0] = take_positive(mean, joint, size - 1)
            for a in range(d):
                place[a] = mean[size - 1 + a]
                for b in range(d):
                    cov[a, b] = joint[size - 1 + min(a, b), size - 1 + max(a, b)]
        total = 0.0
        for shown in range(size):
            total += result[at, shown]
        for shown in range(size):
            result[at, shown] /= total


@compiled
def _joint_margins(
    points: Array, widths: Array, clicked: int, rivals: Items, target: int, place: Array, cov: Array
) -> tuple[Array, Array]:
    """Mean and covariance (upper triangle) of the k - 1 margins of a click, and after them of the target's place."""
    count, d = len(rivals), len(place)
    mean, joint = np.empty(count + d), np.empty((count + d, count + d))
    click_margins(points, widths, clicked, rivals, target, 1.0, mean[:count], joint[:count, :count])
    normals = np.empty((count, d))
    for j in range(count):
        square = 0.0
        for a in range(d):
            normals[j, a] = points[clicked, a] - points[rivals[j], a]
            square += normals[j, a] ** 2 + widths[clicked, a] + widths[rivals[j], a]
        for a in range(d):
            normals[j, a] /= math.sqrt(square) + 1e-300
    for j in range(count):
        for a in range(d):
            along = 0.0  # cov(margin, place)
            for b in range(d):
                along += normals[j, b] * cov[b, a]
            joint[j, count + a] = along
            for q in range(j, count):  # what the margins take from the covariances: the variances are in already
                joint[j, q] += (along - normals[j, a] * cov[a, a]) * normals[q, a]
    for a in range(d):
        mean[count + a] = place[a]
        for b in range(d):
            joint[count + a, count + b] = cov[a, b]
    return mean, joint


@compiled
def judge_searches(
    places: Places,
    seen: Evidence,
    curvature: Array,
    targets: Items,
    shown: Items,
    sizes: Integers,
    clicks_from: Integers,
    rows_from: Integers,
    known: Array,
    anywhere: Array,
) -> None:
    """The probabilities of all clicks `(q, k)`, each search left out: with its target where the others say (`known`),
    and with its target anywhere in the prior (`anywhere`).

    clicks_from, rows_from: `(s + 1,)`, where the clicks and the triplets of each search begin. With no triplets seen of
    a search, there is nothing to leave out.
    """
    d = places.mean.shape[1]
    mean, var = places.mean.copy(), places.var.copy()
    for one in range(len(targets)):
        begin, end = clicks_from[one], clicks_from[one + 1]
        x, widths = np.zeros((end - begin, shown.shape[1], d)), np.zeros((end - begin, shown.shape[1], d))
        for at in range(begin, end):
            for column in range(sizes[at]):
                first, last = rows_from[one], rows_from[one + 1]
                item_without(
                    places, seen, curvature, shown[at, column], first, last,
                    x[at - begin, column], widths[at - begin, column],
                )  # fmt: skip
        place, cov = target_without(places, seen, targets[one], one, mean, var)
        judge_clicks(x, widths, sizes[begin:end], place, cov, known[begin:end])
        judge_clicks(
            x, widths, sizes[begin:end], places.centre[targets[one]].copy(), _reciprocals_on_diagonal(places.precision),
            anywhere[begin:end],
        )  # fmt: skip


@compiled
def judge_new(places: Places, target: int, shown: Items, sizes: Integers, known: Array, anywhere: Array) -> None:
    """The same for a search that the embedding has not seen."""
    d = places.mean.shape[1]
    x, widths = np.zeros((len(sizes), shown.shape[1], d)), np.zeros((len(sizes), shown.shape[1], d))
    for at in range(len(sizes)):
        for column in range(sizes[at]):
            _copy(places.mean[shown[at, column]], x[at, column])
            _copy(places.var[shown[at, column]], widths[at, column])
    cov = np.empty((d, d))
    _fill_diagonal(places.var[target], cov)
    judge_clicks(x, widths, sizes, places.mean[target].copy(), cov, known)
    cov = _reciprocals_on_diagonal(places.precision)
    judge_clicks(x, widths, sizes, places.centre[target].copy(), cov, anywhere)
