"""How probable an answer is for each candidate target, and the exact posterior over all items.

A click on one of the k items shown multiplies the posterior by its probability for each target (`click.py`), here for
all targets in blocks and in vectors. The margins are clipped to ±6 standard deviations: no single answer rules an item
out. Where a share ε of the answers, the lapses, is a click on any item, the probability is (1 - ε) P + ε / k.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from learn2search.click import all_positive, click_margins, multiply_by_all_positive, rivals_of
from learn2search.comparison import probit_moments
from learn2search.compiled import by_address, compiled, inlined, summed
from learn2search.embedding import Embedding, parts_of, some_rows, two_forms
from learn2search.normal_tails import TAIL, multiply_by_ndtr, ndtr_at
from learn2search.search.places import holds
from learn2search.streams import below
from learn2search.typing import Array, Array32, Blocked, Items, Stream

_BLOCK = 512  # items that are weighed together, in vectors
_MEDIAN_ROWS = 4096  # of a large array, from which its centre is taken
_LONG = 32  # axes, from which on a float32 row is summed in vectors by itself


class Space(NamedTuple):
    """Positions in the form that compiled code takes. Each is kept once or twice: what is not kept has no items.

    From float64, mean, var: `(n, d)`; columns, var_columns: `(d, n)` float32, of mean - centre and of the variances.
    Where the embedding keeps float32, only rows, var_rows: `(n, d)`, its own arrays.

    centre: `(d,)`, beside rows float32 numbers; noise: σ; coarse: float32 is too coarse for this noise, as with an item
    far from all others; lapse: ε, the share of answers that say nothing; uncertain: are there variances?
    """

    mean: Array
    var: Array
    centre: Array
    columns: Array32
    var_columns: Array32
    rows: Array32
    var_rows: Array32
    noise: float
    coarse: bool
    lapse: float
    uncertain: bool


def space_of(embedding: Embedding, noise: float, lapse: float = 0.0) -> Space:
    """The compiled form of an embedding."""
    arrays, reach = embedding.derived("space", lambda: _space_arrays(embedding))
    return Space(
        **arrays,
        noise=noise,
        coarse=reach * 2.0**-24 > 0.01 * noise,
        lapse=lapse,
        uncertain=embedding.var is not None,
    )


def _space_arrays(embedding: Embedding) -> tuple[dict[str, Any], float]:
    """The arrays of a `Space`, and the largest distance of a coordinate from the centre."""
    mean, rows = two_forms(embedding.mean)
    var, var_rows = two_forms(np.asarray(embedding.var_rows, embedding.mean.dtype))
    var.flags.writeable = var_rows.flags.writeable = False
    if len(mean):
        centre, columns, reach = _centred_columns(mean)
    else:
        centre = np.median(rows[:: max(1, len(rows) // _MEDIAN_ROWS)], axis=0).astype(float)
        columns, reach = np.empty((len(centre), 0), np.float32), _reach(rows, centre)
    arrays = {"mean": mean, "var": var, "rows": rows, "var_rows": var_rows, "centre": centre, "columns": columns}
    return arrays | {"var_columns": np.ascontiguousarray(var.T, np.float32)}, reach


def _reach(rows: Array32, centre: Array) -> float:
    return max(float(np.abs(part - centre).max()) for part in parts_of(rows))


def _centred_columns(mean: Array) -> tuple[Array, Array32, float]:
    """Centred first: float32 would lose the differences between items far from the origin."""
    centre = np.array([np.median(column) for column in mean.T])
    columns = np.empty(mean.shape[::-1], np.float32)
    for row, values, middle in zip(columns, mean.T, centre, strict=True):
        np.subtract(values, middle, out=row, casting="same_kind")
    return centre, columns, float(np.abs(columns).max())


@compiled
def positions_of(space: Space, items: Items) -> Array:
    """Where some items are, `(m, d)`."""
    return some_rows(space.mean, space.rows, items)


@compiled
def variances_of(space: Space, items: Items) -> Array:
    """The variances of some items, `(m, d)`, or `(0, d)` where positions are exact."""
    return some_rows(space.var, space.var_rows, items[: len(items) if space.uncertain else 0])


@compiled
def uncertain_margin(x_i: Array, x_j: Array, x_k: Array, v_i: Array, v_j: Array, v_k: Array, noise: float) -> float:
    """z with P(i chosen over j | k) = Φ(z), all three positions uncertain."""
    mean, variance = probit_moments(x_i, x_j, x_k, v_i, v_j, v_k)
    return mean / math.sqrt(noise * noise + variance)


class Cell(NamedTuple):
    """What the probability of one click needs to know, the same for all targets; m rivals.

    origin: `(d,)` x_c - centre; normals: `(m, d)` w = (x_c - x_j)/r_j; over: `(m,)` 1/r_j; middle: `(m,)` |u_j|²/2r_j,
    u_j = x_c - x_j; fixed: `(m, m)` the part of the covariances that is the same for all targets.

    With uncertain positions, shift: `(m,)` what the variances add to the margin; v_c: `(d,)` and v: `(m, d)` variances
    of c and of the rivals; share: `(m, m)` Σ v_c w_j w_l; own: `(m,)` Σ v_j w_j²; each: `(m, m, d)` the weights of the
    target's variances.
    """

    origin: Array32
    normals: Array32
    over: Array32
    middle: Array32
    fixed: Array32
    shift: Array32
    v_c: Array32
    v: Array32
    share: Array32
    own: Array32
    each: Array32


@compiled
def cell_of(x: Array, var: Array, centre: Array, noise: float, c: int, rivals: Items) -> Cell:
    """The cell of row c of x among its rivals (in plain loops: array expressions take long to compile)."""
    m, d = len(rivals), x.shape[1]
    origin, v_c, normals, v = _room(d), _room(d), np.zeros((m, d), np.float32), np.zeros((m, d), np.float32)
    over, middle, shift, own = _room(m), _room(m), _room(m), _room(m)
    for a in range(d):
        origin[a] = x[c, a] - centre[a]
        v_c[a] = var[c, a] if len(var) else 0.0
    for j in range(m):
        square, total, gap = 0.0, 0.0, 0.0
        for a in range(d):
            v[j, a] = var[rivals[j], a] if len(var) else 0.0
            square += (x[c, a] - x[rivals[j], a]) ** 2
            total += v_c[a] + v[j, a]
            gap += v[j, a] - v_c[a]
        over[j] = 1.0 / math.sqrt(square + total) if square + total > 0.0 else 0.0
        middle[j], shift[j] = 0.5 * square * over[j], 0.5 * gap * over[j]
        for a in range(d):
            normals[j, a] = (x[c, a] - x[rivals[j], a]) * over[j]
            own[j] += v[j, a] * normals[j, a] * normals[j, a]
    fixed, share, each = np.empty((m, m), np.float32), np.empty((m, m), np.float32), np.empty((m, m, d), np.float32)
    for j in range(m):
        for q in range(m):
            both, angle, common, spread = over[j] * over[q], 0.0, 0.0, 0.0
            for a in range(d):
                along = normals[j, a] * normals[q, a]
                each[j, q, a] = along + both * (v_c[a] + (v[j, a] if j == q else 0.0))
                angle += along + both * v_c[a]
                common += v_c[a] * along
                spread += v_c[a] * v_c[a] + (v[j, a] * v[j, a] if j == q else 0.0)
            share[j, q] = common
            fixed[j, q] = noise**2 * (1.0 if j == q else angle) + 0.5 * both * spread
    return Cell(origin, normals, over, middle, fixed, shift, v_c, v, share, own, each)


@compiled
def _room(size: int) -> Array32:
    return np.zeros(size, np.float32)


# Three ways to weigh a click: p_t ← p_t P(c is clicked, not one of its rivals | t) for all items, in place; c and
# rivals are rows of x.


def click_weigher(space: Space) -> Callable[[Array, Space, Array, Array, int, Items], None]:
    """The one of the three that this space needs: only that is compiled."""
    if space.coarse:
        return _weigh_one_by_one
    return _weigh_uncertain if space.uncertain else _weigh_exact


@by_address
def _weigh_exact(p: Array, space: Space, x: Array, var: Array, c: int, rivals: Items) -> None:
    """All items in blocks, where positions are exact."""
    cell = cell_of(x, var, space.centre, space.noise, c, rivals)
    m, d = cell.normals.shape
    mean, cov = np.empty((m, _BLOCK), np.float32), np.empty((m, m, _BLOCK), np.float32)
    before, turned = np.empty(_BLOCK), np.empty((d, _BLOCK if len(space.rows) else 0), np.float32)
    for start in range(0, len(p), _BLOCK):
        size = min(_BLOCK, len(p) - start)
        part = p[start : start + size]
        for k in range(size):
            before[k] = part[k]
        if len(space.rows) and d >= _LONG:
            sum_rows(space.rows, space.centre, cell.normals, cell.origin, cell.middle, start, size, mean)
        else:
            _exact_margins(cell, space, turned, start, size, mean)
        if m == 1:
            multiply_by_ndtr(part, mean[0, :size] * np.float32(1.0 / space.noise))
        else:
            for j in range(m):
                for q in range(j, m):
                    for k in range(size):
                        cov[j, q, k] = cell.fixed[j, q]
            multiply_by_all_positive(part, mean, cov)
        _allow_for_lapses(part, before, space.lapse, m + 1)


@by_address
def _weigh_uncertain(p: Array, space: Space, x: Array, var: Array, c: int, rivals: Items) -> None:
    """The same where they are uncertain."""
    cell = cell_of(x, var, space.centre, space.noise, c, rivals)
    m, d = cell.normals.shape
    mean, cov = np.empty((m, _BLOCK), np.float32), np.empty((m, m, _BLOCK), np.float32)
    room, before = np.empty((3 * m + 3, _BLOCK), np.float32), np.empty(_BLOCK)
    turned = np.empty((2, d, _BLOCK if len(space.rows) else 0), np.float32)
    for start in range(0, len(p), _BLOCK):
        size = min(_BLOCK, len(p) - start)
        part = p[start : start + size]
        for k in range(size):
            before[k] = part[k]
        _uncertain_margins(cell, space, turned, start, size, mean, cov, room)
        multiply_by_all_positive(part, mean, cov)
        _allow_for_lapses(part, before, space.lapse, m + 1)


@inlined
def _allow_for_lapses(part: Array, before: Array, lapse: float, shown: int) -> None:
    """p P ← (1 - ε) p P + p ε / k."""
    if lapse > 0.0:
        for k in range(len(part)):
            part[k] = (1.0 - lapse) * part[k] + lapse / shown * before[k]


@by_address
def _weigh_one_by_one(p: Array, space: Space, x: Array, var: Array, c: int, rivals: Items) -> None:
    """The same in full precision."""
    mean, cov = np.empty(len(rivals)), np.empty((len(rivals), len(rivals)))
    least, last, d = ndtr_at(-TAIL), len(x), x.shape[1]
    places, spreads = np.empty((last + 1, d)), np.empty((last + 1 if len(var) else 0, d))
    for at in range(last):
        for a in range(d):
            places[at, a] = x[at, a]
            if len(var):
                spreads[at, a] = var[at, a]
    for t in range(len(p)):
        if p[t] > 0.0:
            for a in range(d):
                places[last, a] = space.mean[t, a] if len(space.mean) else space.rows[t, a]
                if len(var):
                    spreads[last, a] = space.var[t, a] if len(space.var) else space.var_rows[t, a]
            click_margins(places, spreads, c, rivals, last, space.noise, mean, cov)
            modelled = max(all_positive(mean, cov), least)
            p[t] *= (1.0 - space.lapse) * modelled + space.lapse / (len(rivals) + 1)


@summed
def sum_rows(
    rows: Array32,
    centre: Array,
    normals: Array32,
    origin: Array32,
    middle: Array32,
    start: int,
    size: int,
    mean: Array32,
) -> None:
    """Margins of a block of targets from float32 rows, w·(x_t - x_c) + |u|²/2r, three rivals at a time."""
    m, d = normals.shape
    away = np.empty(d, np.float32)
    for a in range(d):
        away[a] = centre[a]
    for j in range(0, m, 3):
        w, w2, w3 = normals[j], normals[min(j + 1, m - 1)], normals[min(j + 2, m - 1)]
        offset, offset2, offset3 = middle[j], middle[min(j + 1, m - 1)], middle[min(j + 2, m - 1)]
        for a in range(d):
            offset -= w[a] * origin[a]
            offset2 -= w2[a] * origin[a]
            offset3 -= w3[a] * origin[a]
        for k in range(size):
            row = rows[start + k]
            total, total2, total3 = np.float32(0.0), np.float32(0.0), np.float32(0.0)
            for a in range(d):
                x = row[a] - away[a]
                total += x * w[a]
                total2 += x * w2[a]
                total3 += x * w3[a]
            mean[min(j + 2, m - 1), k] = offset3 + total3
            mean[min(j + 1, m - 1), k] = offset2 + total2
            mean[j, k] = offset + total


@compiled
def _turn(rows: Array32, centre: Array, start: int, size: int, columns: Array32) -> None:
    """A block of float32 rows as columns, the centre taken off."""
    for a in range(len(centre)):
        middle = np.float32(centre[a])
        for k in range(size):
            columns[a, k] = rows[start + k, a] - middle


@inlined
def _exact_margins(cell: Cell, space: Space, turned: Array32, start: int, size: int, mean: Array32) -> None:
    """Margins for a block of targets."""
    columns, first = space.columns, start
    if len(space.rows):
        _turn(space.rows, space.centre, start, size, turned)
        columns, first = turned, 0
    for j in range(len(mean)):
        offset = cell.middle[j]
        for a in range(len(cell.origin)):
            offset -= cell.normals[j, a] * cell.origin[a]
        row = mean[j, :size]
        row[:] = offset
        for a in range(len(cell.origin)):
            column, slope = columns[a, first : first + size], cell.normals[j, a]
            for k in range(size):
                row[k] += slope * column[k]


@inlined
def _uncertain_margins(
    cell: Cell, space: Space, turned: Array32, start: int, size: int, mean: Array32, cov: Array32, room: Array32
) -> None:
    """The same with uncertain positions: `click.click_margins` multiplied out, so that a block is done in vectors.

    With x = x_t - x_c the margin is m_j = w_j·x + |u_j|²/2r_j, and

        Σ v_c a_j a_l = (X - m_j Y_j - m_l Y_l + m_j m_l Σ v_c w_j w_l) / r_j r_l,   X = Σ v_c x²,   Y_j = Σ v_c w_j x

    and x_j gives (P_j + 2(r_j - m_j) Q_j + (r_j - m_j)² Σ v_j w_j²) / r_j²,   P_j = Σ v_j x²,   Q_j = Σ v_j w_j x.
    """
    m, d = cell.normals.shape
    columns, var_columns, first = space.columns, space.var_columns, start
    if len(space.rows):
        _turn(space.rows, space.centre, start, size, turned[0])
        _turn(space.var_rows, np.zeros(d), start, size, turned[1])
        columns, var_columns, first = turned[0], turned[1], 0
    x, vx, total = room[0], room[1], room[2]
    y, p, q = room[3 : 3 + m], room[3 + m : 3 + 2 * m], room[3 + 2 * m :]
    room[2:] = 0.0
    for j in range(m):
        mean[j] = cell.middle[j]
        for other in range(j, m):
            cov[j, other] = cell.fixed[j, other]
    for a in range(d):
        column, spread = columns[a, first : first + size], var_columns[a, first : first + size]
        for k in range(size):
            x[k] = column[k] - cell.origin[a]
            vx[k] = cell.v_c[a] * x[k]
            total[k] += vx[k] * x[k]
        for j in range(m):
            w, v = cell.normals[j, a], cell.v[j, a]
            vw, row, y_j, p_j, q_j = v * w, mean[j], y[j], p[j], q[j]
            for k in range(size):
                row[k] += w * x[k]
                y_j[k] += w * vx[k]
                p_j[k] += v * x[k] * x[k]
                q_j[k] += vw * x[k]
            for other in range(j, m):
                each, both = cell.each[j, other, a], cov[j, other]
                for k in range(size):
                    both[k] += each * spread[k]
    two, least = np.float32(2.0), np.float32(1e-30)
    for j in range(m):
        for other in range(j, m):
            both, share = cell.over[j] * cell.over[other], cell.share[j, other]
            for k in range(size):
                crossed = mean[j, k] * y[j, k] + mean[other, k] * y[other, k]
                cov[j, other, k] += both * (total[k] - crossed + mean[j, k] * mean[other, k] * share)
    for j in range(m):
        over, own = cell.over[j], cell.own[j]
        r = np.float32(1.0) / over if over > 0.0 else np.float32(0.0)
        for k in range(size):
            rest = r - mean[j, k]
            cov[j, j, k] = max(cov[j, j, k] + over * over * (p[j, k] + rest * (two * q[j, k] + rest * own)), least)
        for k in range(size):
            mean[j, k] += cell.shift[j]


def weigh(p: Array, space: Space, query: Items, chosen: int, keep: float, blocked: Blocked, prior: Array) -> float:
    """The posterior after an answer, in place; shown items keep a share `keep` of their probability.

    "Can't tell" (chosen = -1) says only that the target was not shown. Gives what p summed to before it was made to
    sum to 1, or 0 where nothing was left and the prior of the items that are not blocked came back.
    """
    if chosen >= 0:
        x, var = positions_of(space, query), variances_of(space, query)
        click_weigher(space)(p, space, x, var, chosen, rivals_of(x, var, np.arange(len(query)), chosen))
    return settle(p, query, keep, blocked, prior)


@compiled
def settle(p: Array, query: Items, keep: float, blocked: Blocked, prior: Array) -> float:
    """Take off what the shown items lose, and make p sum to 1."""
    for item in query:
        p[item] *= keep
    total = _total(p)
    before = total if total >= 1e-250 else 0.0
    if before == 0.0:
        for item in range(len(p)):
            p[item] = 0.0 if blocked[item] or (keep == 0.0 and holds(query, item)) else prior[item]
        total = _total(p)
        if total == 0.0:  # the prior has nothing left, either: any item that was not shown
            for item in range(len(p)):
                p[item] = 0.0 if blocked[item] or holds(query, item) else 1.0
            total = _total(p)
        if total == 0.0:
            for item in range(len(p)):
                p[item] = prior[item]
            total = _total(p)
    scale = 1.0 / total
    for item in range(len(p)):
        p[item] *= scale
    return before


def unweigh(p: Array, space: Space, query: Items, chosen: int, before: Array, total: float) -> None:
    """Take an answer back, in place: divide by what `weigh` multiplied with.

    before: `(k,)` what the shown items had, which they lost; total: what `weigh` gave, above 0.
    """
    chances = np.ones(len(p))
    if chosen >= 0:
        x, var = positions_of(space, query), variances_of(space, query)
        click_weigher(space)(chances, space, x, var, chosen, rivals_of(x, var, np.arange(len(query)), chosen))
    np.divide(p, chances, out=p)
    p *= total
    p[query] = before


@compiled
def _total(p: Array) -> float:
    """Σ p in four sums side by side: one alone would wait for each addition."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = len(p) // 4 * 4
    for at in range(0, whole, 4):
        a += p[at]
        b += p[at + 1]
        c += p[at + 2]
        d += p[at + 3]
    for at in range(whole, len(p)):
        a += p[at]
    return a + b + c + d


@compiled
def most_probable(p: Array, stream: Stream) -> int:
    """The item with the largest probability, one of them at random when there are several."""
    best, ties = 0, 1
    for item in range(1, len(p)):
        if p[item] > p[best]:
            best, ties = item, 1
        elif p[item] == p[best]:
            ties += 1
    if ties > 1:
        skip = below(stream, ties)
        for item in range(best, len(p)):
            if p[item] == p[best]:
                if skip == 0:
                    return item
                skip -= 1
    return best
