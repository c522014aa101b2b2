"""Simulated people: they know the true features and answer with noise.

A person perceives the target at y = x_t + N(0, σ² I) and clicks the shown item nearest to y. For two items this is
exactly the probit model, because w·y is normal with mean w·x_t and variance σ²; for more items every pairwise margin
is.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from learn2search.click import click_probabilities
from learn2search.comparison import check_noise
from learn2search.compiled import compiled
from learn2search.embedding import Embedding, in_float64
from learn2search.streams import below, normal, open_stream, seed_sequence, stream_keys, uniform
from learn2search.typing import Array, Items, Key, Keys, Seed, Stream

_PEOPLE = 0x9E0713  # sets the streams of people apart from those of searches, also when both have the same seed


class Oracle(Protocol):
    """Whoever answers: a simulated person, or a program of yours with this one method.

    Examples
    --------
    >>> class Careful:
    ...     def choose(self, query, target):
    ...         return target if target in query else None
    >>> Careful().choose((3, 7), target=7)
    7
    """

    def choose(self, query: Sequence[int], target: int) -> int | None:
        """Answer a question.

        Parameters
        ----------
        query : sequence of int
            The items shown.
        target : int
            What the person has in mind.

        Returns
        -------
        int or None
            The item of the query that is most like the target, or None for "can't tell".
        """


class Person(NamedTuple):
    """A simulated person in the form that compiled code takes."""

    features: Array
    noise: float
    undecided: float
    lapse: float


class ProbitOracle:
    """A simulated person who answers by the paper's model.

    Parameters
    ----------
    features : (n, d) array_like or Embedding
        What the person perceives of the items.
    noise : float
        σ: the target is perceived at x_t + N(0, σ² I).
    seed : int, SeedSequence or Generator, optional
        The random stream of the person.
    undecided : float, optional
        "Can't tell" when the perceived target is closer than this to the hyperplane between the two best items.
    lapse : float, optional
        The share of answers clicked at random.

    Raises
    ------
    ValueError
        If the noise is not positive, `undecided` is negative, or `lapse` is not between 0 and 1.

    Examples
    --------
    >>> import learn2search as l2s
    >>> person = l2s.ProbitOracle([[0.0], [1.0], [5.0]], noise=0.1, seed=0)
    >>> person.choose((0, 2), target=1)
    0
    >>> person.visitor(3).choose((0, 2), target=1)
    0
    >>> [visitor.choose((0, 2), target=1) for visitor in person.visitors(2)]
    [0, 0]
    >>> person.click_probabilities((0, 1, 2), target=1).round(3).tolist()
    [0.0, 1.0, 0.0]
    """

    def __init__(
        self,
        features: ArrayLike | Embedding,
        noise: float,
        seed: Seed = None,
        *,
        undecided: float = 0.0,
        lapse: float = 0.0,
    ) -> None:
        if not undecided >= 0:
            raise ValueError(f"undecided is a distance, 0 or more, got {undecided!r}")
        if not 0 <= lapse <= 1:
            raise ValueError(f"lapse is the share of random answers, 0 to 1, got {lapse!r}")
        self._space = features if isinstance(features, Embedding) else Embedding(features)
        self.person = Person(in_float64(self._space.mean), check_noise(noise), float(undecided), float(lapse))
        self._seed = seed_sequence(seed)
        self._key = self.keys(1)[0]
        self._asked = 0

    @property
    def features(self) -> Array:
        """What the person perceives of the items, `(n, d)`."""
        return self.person.features

    @property
    def noise(self) -> float:
        """σ."""
        return self.person.noise

    def keys(self, count: int) -> Keys:
        """Keys of the random streams of many visitors; a key does not depend on how many there are.

        Parameters
        ----------
        count : int
            How many visitors.

        Returns
        -------
        (count, 2) array
            A key a visitor.

        Examples
        --------
        >>> import learn2search as l2s
        >>> l2s.ProbitOracle([[0.0], [1.0]], noise=0.1, seed=0).keys(3).shape
        (3, 2)
        """
        return stream_keys(people_seed(self._seed), count)

    def visitor(self, number: int) -> "ProbitOracle":
        """The same kind of person with the random stream that a visitor of a simulation has.

        Parameters
        ----------
        number : int
            The visitor, from 0.

        Returns
        -------
        ProbitOracle
            A person of one's own, who begins anew.
        """
        return self._with_key(self.keys(number + 1)[number])

    def visitors(self, count: int) -> Iterator["ProbitOracle"]:
        """The visitors of a simulation, one after the other.

        Parameters
        ----------
        count : int
            How many.

        Returns
        -------
        iterator of ProbitOracle
            Persons of their own, as `visitor` gives them.
        """
        return map(self._with_key, self.keys(count))

    def _with_key(self, key: Key) -> "ProbitOracle":
        other = ProbitOracle(
            self._space, self.noise, self._seed, undecided=self.person.undecided, lapse=self.person.lapse
        )
        other._key = key
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
        shown = checked_question(query, target, len(self.features))
        place = choose(self.person, shown, target, open_stream(self._key, self._asked))
        self._asked += 1
        return None if place < 0 else int(shown[place])

    def click_probabilities(self, query: Sequence[int], target: int) -> Array:
        """How probable each answer of this person is, where one is given ("can't tell" is left out).

        Parameters
        ----------
        query : sequence of int
            The items shown, two or more.
        target : int
            What the person has in mind.

        Returns
        -------
        (k,) array
            The probability that each item of the query is clicked.

        Raises
        ------
        ValueError
            If the query or the target names no item.
        """
        shown = checked_question(query, target, len(self.features))
        modelled = click_probabilities(self._space, shown, target, noise=self.noise)
        return np.asarray((1.0 - self.person.lapse) * modelled + self.person.lapse / len(shown))


def is_modelled(oracle: Oracle) -> TypeGuard[ProbitOracle]:
    """Does the oracle answer by the model, so that compiled code can answer for it? A subclass may do otherwise."""
    return isinstance(oracle, ProbitOracle) and type(oracle).choose is ProbitOracle.choose


def people_seed(seed: np.random.SeedSequence, *place: int) -> np.random.SeedSequence:
    """The seed of people's streams, which differ from those of the searches of the same seed."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, _PEOPLE, *place))


def checked_question(query: Sequence[int], target: int, n_items: int) -> Items:
    """The items shown as an array, or an error that says why the question cannot be answered."""
    shown = np.asarray(query)
    if shown.dtype.kind not in "iu":
        raise ValueError(f"a query is 2 or more items, whole numbers, got {query!r}")
    shown = shown.astype(np.int64)
    if shown.ndim != 1 or len(shown) < 2 or shown.min() < 0 or shown.max() >= n_items:
        raise ValueError(f"a query is 2 or more items of 0..{n_items - 1}, got {query!r}")
    if not isinstance(target, int | np.integer) or not 0 <= target < n_items:
        raise ValueError(f"the target must be an item of 0..{n_items - 1}, got {target!r}")
    return shown


@compiled
def choose(person: Person, query: Items, target: int, stream: Stream) -> int:
    """The place in the query that the person clicks, or -1 for "can't tell"."""
    if person.lapse > 0.0 and uniform(stream) < person.lapse:
        return below(stream, len(query))
    x = person.features
    if len(query) == 2:  # only the component across the hyperplane matters: one normal number instead of d
        margin = pair_margin(x, query[0], query[1], target) + person.noise * normal(stream)
        return -1 if abs(margin) < person.undecided else (0 if margin > 0.0 else 1)
    perceived = np.empty(x.shape[1])
    for k in range(len(perceived)):
        perceived[k] = x[target, k] + person.noise * normal(stream)
    first, second = _two_nearest(x, query, perceived)
    if person.undecided > 0.0:
        i, j = query[first], query[second]
        along, square = 0.0, 0.0
        for a in range(len(perceived)):
            u = x[i, a] - x[j, a]
            along += u * (perceived[a] - 0.5 * (x[i, a] + x[j, a]))
            square += u * u
        if square == 0.0 or along / math.sqrt(square) < person.undecided:
            return -1
    return first


@compiled
def pair_margin(x: Array, i: int, j: int, t: int) -> float:
    """m = w·(x_t - (x_i + x_j)/2), 0 when i and j are at the same place."""
    along, square = 0.0, 0.0
    for k in range(x.shape[1]):
        u = x[i, k] - x[j, k]
        along += u * (x[t, k] - 0.5 * (x[i, k] + x[j, k]))
        square += u * u
    return along / np.sqrt(square) if square > 0.0 else 0.0


@compiled
def nearest_shown(x: Array, query: Items, target: int) -> int:
    """The place of the shown item that is nearest to the target."""
    return _two_nearest(x, query, x[target])[0]


@compiled
def _two_nearest(x: Array, query: Items, point: Array) -> tuple[int, int]:
    """Places of the shown items nearest and second nearest to the point."""
    first, second, least, next_least = -1, -1, np.inf, np.inf
    for place in range(len(query)):
        square = 0.0
        for a in range(len(point)):
            square += (x[query[place], a] - point[a]) ** 2
        if first < 0 or square < least:
            first, second, least, next_least = place, first, square, least
        elif second < 0 or square < next_least:
            second, next_least = place, square
    return first, second
