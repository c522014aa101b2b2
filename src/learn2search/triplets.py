"""Triplets, the one data shape of comparisons: integer rows `(anchor, near, far)`, the anchor is closer to near than
to far.

This module is the one door. Whatever comes from elsewhere is converted here, by functions that name the order:

    here, cblearn, Salmon    anchor, near, far
    the paper (i, j; k)      near, far, anchor
    NEXT                     winner, loser, centre  =  near, far, anchor

Clicks expand to triplets: an answer to k items is k - 1 of them. Where data is split, it is split by group (a screen
or a search), never by row: the triplets of one screen give each other away.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.streams import seed_sequence
from learn2search.triplet_columns import columns_of, has_default_names, is_missing, is_table, read_answers
from learn2search.typing import Array, Groups, Integers, Mask, Seed, Triplets

_MOST_UNNAMED = 1_000_000  # items without n_items being given, where hardly any of them occurs

# --- validating ------------------------------------------------------------------------------------


def as_triplets(triplets: ArrayLike, y: ArrayLike | None = None, *, n_items: int | None = None) -> Triplets:
    """Checked triplets: an error says which row is wrong and why.

    Parameters
    ----------
    triplets : (m, 3) array_like of int, or table
        Rows (anchor, near, far), numbered from 0. A table (pandas, polars, ...) is read by the names of its columns, as
        by `read_triplets`, whatever their order.
    y : (m,) array_like, optional
        One answer a row: True or 1 keeps the row, False or -1 swaps near and far, 0 (undecided) drops it.
    n_items : int, optional
        A larger item than n_items - 1 is an error.

    Returns
    -------
    (m, 3) array of int
        The rows; fewer where `y` drops some.

    Raises
    ------
    ValueError
        If there is no row, or a row is not three whole numbers from 0.

    Examples
    --------
    >>> from learn2search.triplets import as_triplets
    >>> as_triplets([(0, 1, 2), (3, 1, 2)], y=[True, False]).tolist()
    [[0, 1, 2], [3, 2, 1]]
    """
    if np.ma.is_masked(triplets):
        raise ValueError("triplets must be whole numbers without gaps, got masked values: drop those rows")
    rows = _whole_numbers(_array(triplets), "triplets")
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ValueError(f"triplets must have shape (m, 3), columns anchor, near, far; got shape {rows.shape}")
    if len(rows) == 0:
        raise ValueError("there are no triplets: at least one row (anchor, near, far) is needed")
    _check_items(rows, n_items)
    rows = np.require(rows, requirements=("C", "W"))  # what compiled code takes without being compiled again
    if np.ma.is_masked(y):
        raise ValueError("y must hold an answer for each triplet, got masked values: 0 stands for undecided")
    return rows if y is None else _answered(rows, np.asarray(y))


def _array(triplets: Any) -> NDArray[np.generic]:
    """The rows; of a table the columns that are anchor, near and far by their names."""
    if not is_table(triplets) or has_default_names(triplets):
        return np.asarray(triplets)
    rows = read_answers(columns_of(triplets), "the table").labels.tolist()
    _check_no_gaps([label for row in rows for label in row])
    return np.array(rows)


def _whole_numbers(rows: NDArray[np.generic], name: str) -> Triplets:
    if rows.dtype.kind in "iu":
        return rows.astype(np.int64, copy=False)
    if rows.dtype.kind == "f":
        numbers = rows.astype(np.float64)
        fractional = np.argwhere(~(np.isfinite(numbers) & (numbers == np.round(numbers))))
        if len(fractional):
            row = int(fractional[0, 0])
            raise ValueError(f"{name} must be whole numbers, row {row} is {numbers[row].tolist()}")
        return numbers.astype(np.int64)
    hint = {
        "c": ": take the real part, if that is meant",
        "b": ": answers, true or false, go to y",
    }.get(rows.dtype.kind, ": names? triplets.from_labels numbers them, and read_triplets those of files and tables")
    raise ValueError(f"{name} must be whole numbers, got an array of {rows.dtype}{hint}")


def _check_items(rows: Triplets, n_items: int | None) -> None:
    if rows.min() < 0:
        row = int(np.argmax((rows < 0).any(axis=1)))
        raise ValueError(f"items are numbered from 0, but row {row} is {rows[row].tolist()}")
    if n_items is not None and rows.max() >= n_items:
        hint = ": subtract 1?" if rows.max() == n_items and rows.min() > 0 else ""
        raise ValueError(
            f"triplets name item {rows.max()}, but n_items is {n_items} (items are numbered from 0, so the last is "
            f"{n_items - 1}){hint}"
        )


def _answered(rows: Triplets, y: NDArray[np.generic]) -> Triplets:
    if y.shape != (len(rows),):
        raise ValueError(f"y must hold one answer a triplet, shape ({len(rows)},), got {y.shape}")
    if y.dtype.kind == "b":
        sign = np.where(y, 1, -1)
    else:
        sign = _whole_numbers(y, "y")
        if not np.isin(sign, (-1, 0, 1)).all():
            raise ValueError(f"y must be boolean, or 1, -1, 0 (undecided), got {sorted(set(sign.tolist()))[:6]}")
    swapped = np.where((sign < 0)[:, None], rows[:, [0, 2, 1]], rows)
    return np.ascontiguousarray(swapped[sign != 0])


def is_sparse(largest: int, n_different: int) -> bool:
    """Whether item numbers are rather names: more than ten numbers for each item that occurs, and more than 1000.

    Parameters
    ----------
    largest : int
        The largest number.
    n_different : int
        How many different ones occur.

    Returns
    -------
    bool
        True for ids of a database; items are numbered 0, 1, ...

    Examples
    --------
    >>> from learn2search.triplets import is_sparse
    >>> is_sparse(10**9, 50), is_sparse(60, 50)
    (True, False)
    """
    return largest >= max(1000, 10 * n_different)


def number_of_items(triplets: Triplets, n_items: int | None = None, known: int = 0) -> int:
    """`n_items` where it is given, else one more than the largest item. Ids with huge gaps are an error.

    Parameters
    ----------
    triplets : (m, 3) array of int
        Rows (anchor, near, far).
    n_items : int, optional
        What is returned if it is given.
    known : int, optional
        How many items there are already.

    Returns
    -------
    int
        The number of items.

    Raises
    ------
    ValueError
        If there would be more than a million items, of which hardly any occurs.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search.triplets import number_of_items
    >>> number_of_items(np.array([(0, 1, 2)])), number_of_items(np.array([(0, 1, 2)]), n_items=7)
    (3, 7)
    """
    if n_items is not None:
        return int(n_items)
    largest = int(triplets.max(initial=-1))
    if largest >= _MOST_UNNAMED and is_sparse(largest, n_different := known + len(np.unique(triplets))):
        raise ValueError(
            f"triplets name item {largest}, but only {n_different} different ones: items are numbered 0, 1, ..., and "
            "each number up to the largest would get a position. Number them by triplets.from_labels(rows) or "
            f"read_triplets, or give n_items={largest + 1} if there are so many"
        )
    return largest + 1


def is_degenerate(triplets: Triplets) -> Mask:
    """Rows that say nothing, because the same item stands in two columns.

    Parameters
    ----------
    triplets : (m, 3) array of int
        Rows (anchor, near, far).

    Returns
    -------
    (m,) array of bool
        True for a row that says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from learn2search.triplets import is_degenerate
    >>> is_degenerate(np.array([(0, 1, 2), (0, 0, 2)])).tolist()
    [False, True]
    """
    anchor, near, far = triplets.T
    return np.asarray((anchor == near) | (anchor == far) | (near == far))


def drop_degenerate(triplets: ArrayLike) -> Triplets:
    """Triplets without the rows that name an item twice.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).

    Returns
    -------
    (k, 3) array of int
        The rows that say something.

    Raises
    ------
    ValueError
        If nothing is left.

    Examples
    --------
    >>> from learn2search.triplets import drop_degenerate
    >>> drop_degenerate([(0, 1, 2), (0, 0, 2)]).tolist()
    [[0, 1, 2]]
    """
    rows = as_triplets(triplets)
    kept = rows[~is_degenerate(rows)]
    if len(kept) == 0:
        raise ValueError(f"all {len(rows)} triplets name the same item twice and say nothing")
    return kept


def count_items(triplets: ArrayLike, n_items: int | None = None) -> Integers:
    """In how many triplets each item stands, in any column: the paper's m(i).

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    n_items : int, optional
        By default one more than the largest item.

    Returns
    -------
    (n_items,) array of int
        The counts.

    Examples
    --------
    >>> from learn2search.triplets import count_items
    >>> count_items([(0, 1, 2), (0, 2, 1)], n_items=4).tolist()
    [2, 2, 2, 0]
    """
    rows = as_triplets(triplets, n_items=n_items)
    return np.bincount(rows.ravel(), minlength=number_of_items(rows, n_items)).astype(np.int64)


# --- names -----------------------------------------------------------------------------------------


def from_labels(rows: Any) -> tuple[Triplets, tuple[Any, ...]]:
    """From names of items, of any hashable kind, to their numbers.

    Parameters
    ----------
    rows : (m, 3) array_like of labels
        Rows (anchor, near, far). Text that is a whole number counts as that number, where most of the labels do.

    Returns
    -------
    triplets : (m, 3) array of int
        The same, items numbered in the order of their names.
    names : tuple
        The name of each item.

    Raises
    ------
    ValueError
        If a label is missing, or if only a few labels are no numbers.

    Examples
    --------
    >>> from learn2search.triplets import from_labels
    >>> from_labels([("pear", "apple", "car"), ("car", "pear", "apple")])
    (array([[2, 0, 1],
           [1, 2, 0]]), ('apple', 'car', 'pear'))
    """
    table = list(rows)
    if not table or any(len(row) != 3 for row in table):
        raise ValueError("labels must be rows of three, anchor, near, far, and at least one of them")
    flat = [label for row in table for label in row]
    _check_no_gaps(flat)
    numbers: dict[Hashable, int | None] = {}
    for place, label in enumerate(flat):
        if not isinstance(label, Hashable):
            raise ValueError(f"row {place // 3}: {label!r} cannot be a name, which is text, a number, a tuple, ...")
        if label not in numbers:
            numbers[label] = _as_number(label)
    named = [label for label, number in numbers.items() if number is None]
    if not named:
        flat = [numbers[label] for label in flat]
    elif 2 * len(named) < len(numbers):
        row = flat.index(named[0]) // 3
        raise ValueError(
            f"row {row} is {list(table[row])}: {named[0]!r} is no whole number, as most items are; write all of them "
            "as names, or all as numbers"
        )
    kinds = {type(label) for label in flat}
    names = sorted(set(flat)) if len(kinds) == 1 else sorted(set(flat), key=str)
    number = {name: at for at, name in enumerate(names)}
    return np.array([number[label] for label in flat], np.int64).reshape(-1, 3), tuple(names)


def _check_no_gaps(flat: list[Any]) -> None:
    for place, label in enumerate(flat):
        if is_missing(label) or label == "":
            raise ValueError(f"row {place // 3} has no {('anchor', 'near', 'far')[place % 3]}: drop it")


def _as_number(label: Any) -> int | None:
    """A whole number, also as text or as 3.0; else None."""
    if isinstance(label, str):
        return int(label) if label.lstrip("-").isdecimal() else None
    if isinstance(label, bool | np.bool_) or not isinstance(label, int | float | np.number):
        return None
    return int(label) if np.isreal(label) and float(label).is_integer() else None


# --- other orders ----------------------------------------------------------------------------------


def from_near_far_anchor(rows: ArrayLike) -> Triplets:
    """From the paper's (i, j; k) and from NEXT's winner, loser, centre.

    Parameters
    ----------
    rows : (m, 3) array_like of int
        Rows (near, far, anchor).

    Returns
    -------
    (m, 3) array of int
        Rows (anchor, near, far).

    Examples
    --------
    >>> from learn2search.triplets import from_near_far_anchor
    >>> from_near_far_anchor([(1, 2, 0)]).tolist()
    [[0, 1, 2]]
    """
    return np.ascontiguousarray(as_triplets(rows)[:, [2, 0, 1]])


def to_near_far_anchor(triplets: ArrayLike) -> Triplets:
    """To the paper's (i, j; k) and to NEXT's winner, loser, centre.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).

    Returns
    -------
    (m, 3) array of int
        Rows (near, far, anchor).

    Examples
    --------
    >>> from learn2search.triplets import to_near_far_anchor
    >>> to_near_far_anchor([(0, 1, 2)]).tolist()
    [[1, 2, 0]]
    """
    return np.ascontiguousarray(as_triplets(triplets)[:, [1, 2, 0]])


def from_one_based(rows: ArrayLike) -> Triplets:
    """From rows whose items are numbered from 1.

    Parameters
    ----------
    rows : (m, 3) array_like of int
        Rows (anchor, near, far), numbered from 1.

    Returns
    -------
    (m, 3) array of int
        The same, numbered from 0.

    Raises
    ------
    ValueError
        If there is a number below 1.

    Examples
    --------
    >>> from learn2search.triplets import from_one_based
    >>> from_one_based([(1, 2, 3)]).tolist()
    [[0, 1, 2]]
    """
    numbers = _whole_numbers(np.asarray(rows), "triplets")
    if numbers.min(initial=1) < 1:
        raise ValueError("items should be numbered from 1, but there is a smaller number: are they numbered from 0?")
    return as_triplets(numbers - 1)


def to_answers(triplets: ArrayLike, seed: Seed) -> tuple[Triplets, Integers]:
    """To cblearn's `(X, y)`: near and far in random order.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    seed : int, SeedSequence or Generator
        Which rows are swapped.

    Returns
    -------
    X : (m, 3) array of int
        The rows, near and far swapped in about half of them.
    y : (m,) array of int
        1 where the second column is the nearer, else -1.

    Examples
    --------
    >>> from learn2search.triplets import as_triplets, to_answers
    >>> X, y = to_answers([(0, 1, 2), (3, 1, 2)], seed=0)
    >>> as_triplets(X, y).tolist()
    [[0, 1, 2], [3, 1, 2]]
    """
    rows = as_triplets(triplets)
    y = np.where(np.random.default_rng(seed_sequence(seed)).random(len(rows)) < 0.5, 1, -1)
    return np.where((y < 0)[:, None], rows[:, [0, 2, 1]], rows), y


# --- expanding answers -----------------------------------------------------------------------------


def from_choice(target: int, query: Sequence[int], chosen: int | None) -> Triplets:
    """One click among k items: the chosen one is near, each other one far.

    Parameters
    ----------
    target : int
        What the person had in mind.
    query : sequence of int
        The items shown.
    chosen : int or None
        The item clicked, None for "can't tell".

    Returns
    -------
    (k - 1, 3) array of int
        Rows (anchor, near, far). Rows in which the target itself is near or far say nothing and are left out.

    Raises
    ------
    ValueError
        If the chosen item was not shown.

    Examples
    --------
    >>> from learn2search.triplets import from_choice
    >>> from_choice(target=9, query=(4, 2, 7), chosen=2).tolist()
    [[9, 2, 4], [9, 2, 7]]
    """
    if chosen is not None and chosen not in query:
        raise ValueError(f"item {chosen} was not shown: the items shown are {tuple(query)}")
    others = [] if chosen in (None, target) else [item for item in query if item not in (chosen, target)]
    return np.array([(target, chosen, other) for other in others], np.int64).reshape(-1, 3)


def from_search(target: int, steps: Iterable[tuple[Sequence[int], int | None]]) -> Triplets:
    """All clicks of a finished search.

    Parameters
    ----------
    target : int
        What was found.
    steps : iterable of (query, chosen)
        The questions and answers, as in `Search.log`.

    Returns
    -------
    (m, 3) array of int
        Rows (anchor, near, far).

    Examples
    --------
    >>> from learn2search.triplets import from_search
    >>> from_search(9, [((4, 2), 2), ((5, 6), None)]).tolist()
    [[9, 2, 4]]
    """
    parts = [from_choice(target, query, chosen) for query, chosen in steps]
    return np.concatenate([np.empty((0, 3), np.int64), *parts])


def click_weights(triplets: ArrayLike, searches: ArrayLike | None = None) -> Array:
    """How much each triplet tells: ω = log₂ k / (k - 1), where k items were shown.

    A click on one of them is one choice, at most log₂ k bits, and gives k - 1 triplets.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far) in the order of `from_search`: those of one click follow each other.
    searches : (m,) array_like of int, optional
        The number of the search of each: clicks of two searches are two, even on one item for one target.

    Returns
    -------
    (m,) array
        The weights; 1 where two were shown.

    Raises
    ------
    ValueError
        If these are no triplets.

    Examples
    --------
    >>> from learn2search.triplets import click_weights, from_search
    >>> click_weights(from_search(9, [((4, 2), 2), ((1, 5, 6, 7), 6)])).round(2).tolist()
    [1.0, 0.67, 0.67, 0.67]
    """
    rows = as_triplets(triplets)
    begins = np.ones(len(rows), bool)
    begins[1:] = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
    if searches is not None:
        begins[1:] |= np.diff(np.asarray(searches)) != 0
    sizes = np.bincount(np.cumsum(begins) - 1)
    rivals = np.repeat(sizes, sizes)
    return np.asarray(np.log2(1 + rivals) / rivals)


def from_odd_one_out(items: ArrayLike, odd: ArrayLike) -> Triplets:
    """Of three items one is odd: the others are closer to each other than to it.

    Parameters
    ----------
    items : (m, 3) array_like of int
        The three items of each trial.
    odd : (m,) array_like of int
        The odd one of each.

    Returns
    -------
    (2m, 3) array of int
        Two rows (anchor, near, far) a trial.

    Raises
    ------
    ValueError
        If the odd one is not one of the three.

    Examples
    --------
    >>> from learn2search.triplets import from_odd_one_out
    >>> from_odd_one_out([(4, 7, 9)], odd=[7]).tolist()
    [[4, 9, 7], [9, 4, 7]]
    """
    trials, odd = _whole_numbers(np.asarray(items), "items"), np.asarray(odd)
    if trials.ndim != 2 or trials.shape[1] != 3 or odd.shape != (len(trials),):
        raise ValueError(f"expected items (m, 3) and odd (m,), got {trials.shape} and {odd.shape}")
    is_odd = trials == odd[:, None]
    if not (is_odd.sum(axis=1) == 1).all():
        row = int(np.argmax(is_odd.sum(axis=1) != 1))
        raise ValueError(f"the odd one must be one of the three: trial {row} is {trials[row].tolist()}, odd {odd[row]}")
    pair = trials[~is_odd].reshape(-1, 2)
    both = np.stack([np.column_stack([pair, odd]), np.column_stack([pair[:, ::-1], odd])], axis=1)
    return as_triplets(both.reshape(-1, 3))


def from_rank_trials(trials: ArrayLike, n_select: int = 1, *, ranked: bool = True) -> Triplets:
    """psiz's rank trials: a query and its references, the selected ones first, numbered from 1, 0 = empty.

    Parameters
    ----------
    trials : (m, 1 + references) array_like of int
        The query and its references.
    n_select : int, optional
        How many references were selected.
    ranked : bool, optional
        Each selected reference is nearer than each one not selected; if ranked, also nearer than those selected after
        it.

    Returns
    -------
    (k, 3) array of int
        Rows (anchor, near, far), numbered from 0.

    Raises
    ------
    ValueError
        If `n_select` does not fit the number of references.

    Examples
    --------
    >>> from learn2search.triplets import from_rank_trials
    >>> from_rank_trials([(1, 3, 2, 4)]).tolist()
    [[0, 2, 1], [0, 2, 3]]
    """
    table = _whole_numbers(np.asarray(trials), "trials")
    if table.ndim != 2 or not 1 <= n_select < table.shape[1] - 1:
        raise ValueError(f"expected (m, 1 + references) with 1 <= n_select < references, got {table.shape}, {n_select}")
    rows = []
    for query, *references in table.tolist():
        shown = [item for item in references if item > 0]
        for place, near in enumerate(shown[:n_select]):
            farther = shown[place + 1 if ranked else n_select :]
            rows += [(query, near, far) for far in farther]
    return from_one_based(np.array(rows, np.int64).reshape(-1, 3))


# --- splitting -------------------------------------------------------------------------------------


def infer_groups(triplets: ArrayLike) -> Groups:
    """Groups for data without screen ids.

    A group holds triplets of one anchor that share a near or far item, directly or in a chain. The triplets of one
    screen always fall into one group; a group may hold several screens.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).

    Returns
    -------
    (m,) array of int
        The group of each row.

    Examples
    --------
    >>> from learn2search.triplets import infer_groups
    >>> infer_groups([(0, 1, 2), (0, 1, 3), (0, 4, 5), (6, 1, 2)]).tolist()
    [0, 0, 1, 2]
    """
    rows = as_triplets(triplets)
    n = int(rows.max()) + 1
    parent = np.arange(2 * len(rows))  # nodes are (anchor, item) pairs that occur, joined by the triplets
    pairs = np.concatenate([rows[:, 0] * n + rows[:, 1], rows[:, 0] * n + rows[:, 2]])
    _, node = np.unique(pairs, return_inverse=True)

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = int(parent[at])
        return at

    near, far = node[: len(rows)], node[len(rows) :]
    for one, other in zip(near.tolist(), far.tolist(), strict=True):
        parent[root(one)] = root(other)
    _, groups = np.unique([root(at) for at in near.tolist()], return_inverse=True)
    return groups.astype(np.int64)


def split(n_triplets: int, share: float, seed: Seed, groups: ArrayLike | None = None) -> tuple[Integers, Integers]:
    """Row numbers of two parts; rows of one group stay together.

    Parameters
    ----------
    n_triplets : int
        How many rows there are.
    share : float
        About so much goes to the second part.
    seed : int, SeedSequence or Generator
        Which groups go there.
    groups : (n_triplets,) array_like, optional
        The screen or search of each row; without it each row is a group of its own.

    Returns
    -------
    train, test : arrays of int
        Row numbers, ascending.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1, or the groups are too few to be split.

    Examples
    --------
    >>> from learn2search.triplets import split
    >>> train, test = split(6, share=0.3, seed=0, groups=[0, 0, 1, 1, 2, 2])
    >>> len(train), len(test)
    (4, 2)
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1, got {share}")
    order = _shuffled_groups(n_triplets, seed, groups)
    held_out: list[Integers] = []
    taken, wanted = 0, share * n_triplets
    while order and taken + len(order[-1]) / 2 <= wanted:
        held_out.append(order.pop())
        taken += len(held_out[-1])
    if not order or not held_out:
        raise ValueError(
            f"{n_triplets} triplets in {len(order) + len(held_out)} groups cannot be split {share:.0%} off"
        )
    return np.sort(np.concatenate(order)), np.sort(np.concatenate(held_out))


def folds(
    n_triplets: int, n_folds: int = 10, seed: Seed = 0, groups: ArrayLike | None = None
) -> Iterator[tuple[Integers, Integers]]:
    """Row numbers for cross-validation; rows of one group stay in one fold, and folds are about equal.

    Parameters
    ----------
    n_triplets : int
        How many rows there are.
    n_folds : int, optional
        How many folds.
    seed : int, SeedSequence or Generator, optional
        Which groups go where.
    groups : (n_triplets,) array_like, optional
        The screen or search of each row; without it each row is a group of its own.

    Yields
    ------
    train, test : arrays of int
        Row numbers, ascending, a pair for each fold.

    Raises
    ------
    ValueError
        If there are fewer groups than folds.

    Examples
    --------
    >>> from learn2search.triplets import folds
    >>> [(len(train), len(test)) for train, test in folds(6, n_folds=3, groups=[0, 0, 1, 1, 2, 2])]
    [(4, 2), (4, 2), (4, 2)]
    """
    parts = _shuffled_groups(n_triplets, seed, groups)
    if not 2 <= n_folds <= len(parts):
        raise ValueError(f"{len(parts)} groups can make 2 to {len(parts)} folds, got n_folds={n_folds}")
    fold_of, sizes = np.empty(n_triplets, np.int64), np.zeros(n_folds, np.int64)
    for part in sorted(parts, key=len, reverse=True):  # the largest first, each to the smallest fold
        smallest = int(np.argmin(sizes))
        fold_of[part] = smallest
        sizes[smallest] += len(part)
    for fold in range(n_folds):
        yield np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)


def subsample(triplets: ArrayLike, count: int, seed: Seed) -> Triplets:
    """Different rows, drawn uniformly, in their order.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        Rows (anchor, near, far).
    count : int
        How many to draw, 1 to m.
    seed : int, SeedSequence or Generator
        Which ones.

    Returns
    -------
    (count, 3) array of int
        Rows (anchor, near, far).

    Raises
    ------
    ValueError
        If there are not so many.

    Examples
    --------
    >>> from learn2search.triplets import subsample
    >>> subsample([(0, 1, 2), (1, 0, 2), (2, 0, 1)], count=2, seed=0).shape
    (2, 3)
    """
    rows = as_triplets(triplets)
    if not 0 < count <= len(rows):
        raise ValueError(f"{count} of {len(rows)} triplets asked for: give a number from 1 to {len(rows)}")
    chosen = np.random.default_rng(seed_sequence(seed)).choice(len(rows), count, replace=False)
    return rows[np.sort(chosen)]


def _shuffled_groups(n_triplets: int, seed: Seed, groups: ArrayLike | None) -> list[Integers]:
    """The row numbers of each group, in random order of the groups."""
    generator = np.random.default_rng(seed_sequence(seed))
    if groups is None:
        return list(generator.permutation(n_triplets)[:, None])
    labels = np.asarray(groups)
    if labels.shape != (n_triplets,):
        raise ValueError(f"groups must name a group for each triplet, shape ({n_triplets},), got {labels.shape}")
    _, label = np.unique(labels, return_inverse=True)
    order = np.argsort(label, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return [parts[at] for at in generator.permutation(len(parts))]
