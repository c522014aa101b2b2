"""People from a table: they answer as people answered before, and say "can't tell" where nobody was asked.

A table has answers to pairs: triplets (anchor, near, far). A question shows k items, so its answer is read from the
k (k - 1)/2 pairs among them that the table has. An item that lost a pair is not the nearest, whatever else is missing.
The click is certain where one item is left that lost nothing and that beats every other, directly or in a chain (a is
nearer than b, b nearer than c).
"""

from collections.abc import Sequence
from copy import copy
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from learn2search.oracle import Oracle, ProbitOracle, checked_question, is_modelled, people_seed
from learn2search.streams import below, open_stream, seed_sequence, stream_keys
from learn2search.triplets import as_triplets, drop_degenerate, number_of_items
from learn2search.typing import Integers, Items, Mask, Seed

MOST_ITEMS = 2_000_000  # a triplet as one number, below n³, must fit into 64 bits


class TableOracle:
    """People from a table of human answers.

    Of each pair that is asked, one of its answers in the table is drawn at random: where people disagree, so do the
    answers. With more than two items shown, the clicked one has lost no pair of the table, and beats each other item
    directly or in a chain of pairs. If there is no such item, because pairs are missing or the answers go in a circle,
    the answer is "can't tell". A target that is shown is always clicked.

    Parameters
    ----------
    triplets : (m, 3) array_like of int
        The answers, rows (anchor, near, far). A row may occur several times.
    n_items : int, optional
        By default one more than the largest item.
    seed : int, SeedSequence or Generator, optional
        The random stream that draws among several answers.
    fallback : Oracle, optional
        Who answers where the table cannot: it chooses among the items that lost no pair. By default nobody, which is
        "can't tell".

    Raises
    ------
    ValueError
        If the rows are no triplets, or the fallback does not know all items.

    Examples
    --------
    >>> import learn2search as l2s
    >>> people = l2s.TableOracle([(0, 1, 2), (0, 2, 3), (4, 1, 2)], seed=0)
    >>> people.choose((1, 2), target=0), people.choose((1, 2, 3), target=0)
    (1, 1)
    >>> people.choose((2, 3), target=4) is None
    True
    >>> people.visitor(3).choose((2, 3), target=0)
    2
    >>> float(people.coverage())
    0.1
    >>> filled_in = l2s.TableOracle([(0, 1, 2)], n_items=4, fallback=l2s.ProbitOracle([[0.0], [1], [2], [3]], 0.1))
    >>> filled_in.choose((1, 3), target=0)
    1
    """

    def __init__(
        self, triplets: ArrayLike, n_items: int | None = None, seed: Seed = None, *, fallback: Oracle | None = None
    ) -> None:
        rows = drop_degenerate(as_triplets(triplets, n_items=n_items))
        self.n_items = number_of_items(rows, n_items)
        if self.n_items > MOST_ITEMS:
            raise ValueError(f"a table has at most {MOST_ITEMS:,} items, got {self.n_items:,}")
        if isinstance(fallback, ProbitOracle) and len(fallback.features) < self.n_items:
            raise ValueError(
                f"the fallback knows {len(fallback.features)} items, the table {self.n_items}: give one that knows all"
            )
        self._rows, self._times = np.unique(self._numbered(*rows.T), return_counts=True)
        self._seed = seed_sequence(seed)
        self._key = stream_keys(people_seed(self._seed), 1)[0]
        self._asked = 0
        self.fallback = fallback

    def visitor(self, number: int) -> "TableOracle":
        """The same people with the random stream that a visitor of a simulation has.

        Parameters
        ----------
        number : int
            The visitor, from 0.

        Returns
        -------
        TableOracle
            One that begins anew; its fallback is the visitor of the fallback.
        """
        other = copy(self)
        other._key, other._asked = stream_keys(people_seed(self._seed, number), 1)[0], 0
        other.fallback = None if self.fallback is None else visitor_of(self.fallback, number)
        return other

    def choose(self, query: Sequence[int], target: int) -> int | None:
        """Answer a question.

        Parameters
        ----------
        query : sequence of int
            The items shown, two or more.
        target : int
            What the person has in mind.

        Returns
        -------
        int or None
            An item of the query, or None for "can't tell".

        Raises
        ------
        ValueError
            If the query or the target names no item.
        """
        shown = checked_question(query, target, self.n_items)
        if target in shown:
            return int(target)
        beats = self._drawn(shown, target)
        best = best_of(beats)
        if best is not None:
            return int(shown[best])
        if self.fallback is None:
            return None
        unbeaten = shown[~beats.any(axis=0)]
        return self.fallback.choose((unbeaten if len(unbeaten) > 1 else shown).tolist(), target)

    def coverage(self, k: int = 2, *, samples: int = 10_000, seed: Seed = 0) -> float:
        """The share of random questions that the table answers, without the fallback: k items that are not the target.

        Parameters
        ----------
        k : int, optional
            Items a question.
        samples : int, optional
            With more than two items the share is that of so many random questions; for pairs it is exact.
        seed : int, SeedSequence or Generator, optional
            Which questions.

        Returns
        -------
        float
            0 to 1.

        Raises
        ------
        ValueError
            If there are no k items beside a target.

        Examples
        --------
        >>> import learn2search as l2s
        >>> people = l2s.TableOracle([(0, 1, 2), (0, 1, 3), (1, 2, 3)], n_items=4)
        >>> float(people.coverage())
        0.25
        >>> 0.0 < people.coverage(3) < 0.5
        True
        """
        n = self.n_items
        if not isinstance(k, int | np.integer) or not 2 <= k < n:
            raise ValueError(f"a question shows 2 to {n - 1} of {n} items beside the target, got k={k!r}")
        if k == 2:
            anchor, near, far = self._rows // n**2, self._rows // n % n, self._rows % n
            asked = np.unique(self._numbered(anchor, np.minimum(near, far), np.maximum(near, far)))
            return len(asked) / (n * (n - 1) * (n - 2) / 2)
        people, generator = self.visitor(0), np.random.default_rng(seed_sequence(seed))
        people.fallback = None
        questions = (generator.choice(n, k + 1, replace=False).tolist() for _ in range(samples))
        return sum(people.choose(query, target) is not None for target, *query in questions) / samples

    def _numbered(self, anchor: Integers | int, near: Integers, far: Integers) -> Integers:
        """A number for each triplet."""
        return (anchor * self.n_items + near) * self.n_items + far

    def _drawn(self, shown: Items, target: int) -> Mask:
        """`(k, k)`: whether item i beats item j, in one answer drawn for each pair that the table has."""
        wanted = self._numbered(int(target), shown[:, None], shown[None, :])
        at = np.minimum(np.searchsorted(self._rows, wanted), len(self._rows) - 1)
        nearer = np.where(self._rows[at] == wanted, self._times[at], 0)
        answers, beats = nearer + nearer.T, np.zeros(nearer.shape, bool)
        stream = open_stream(self._key, self._asked)
        self._asked += 1
        for i, j in combinations(range(len(shown)), 2):
            if answers[i, j] > 0:
                beats[i, j] = below(stream, answers[i, j]) < nearer[i, j]
                beats[j, i] = not beats[i, j]
        return beats


def visitor_of(oracle: Oracle, number: int) -> Oracle:
    """Who answers in the search of this number. Other oracles than ours have no visitors."""
    return oracle.visitor(number) if isinstance(oracle, TableOracle) or is_modelled(oracle) else oracle


def best_of(beats: Mask) -> int | None:
    """The place of the item that loses to none and beats all others, directly or in a chain; None if there is none."""
    unbeaten = np.flatnonzero(~beats.any(axis=0))
    if len(unbeaten) != 1:
        return None
    reached = np.zeros(len(beats), bool)
    reached[unbeaten] = True
    for _ in range(len(beats) - 1):  # a chain has at most k - 1 links
        reached |= beats[reached].any(axis=0)
    return int(unbeaten[0]) if reached.all() else None
