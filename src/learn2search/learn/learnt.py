"""What goes into the learning policy and what comes out: lessons, what is known of the items, how a fit went."""

from typing import NamedTuple

import numpy as np

from learn2search.embedding import Embedding
from learn2search.learn.evidence import Crowd
from learn2search.typing import Array, Integers, Items, Mask, Triplets


class Lessons(NamedTuple):
    """Triplets `(m, 3)` and the number of the lesson that each belongs to, `(m,)`, ascending.

    Where it is known, for each triplet: the place on the screen of its near item (-1: unknown), the visitor (a number,
    -1: unknown), whether the lesson is to be trusted whatever it looks like, and how much it counts.
    """

    triplets: Triplets
    numbers: Items
    places: Integers | None = None
    visitors: Integers | None = None
    trusted: Mask | None = None
    weights: Array | None = None

    def up_to(self, last: int) -> Triplets:
        return self.triplets[: self._end(last)]

    def after(self, last: int) -> Triplets:
        return self.triplets[self._end(last) :]

    def weights_up_to(self, last: int) -> Array | None:
        return None if self.weights is None else self.weights[: self._end(last)]

    def weights_after(self, last: int) -> Array | None:
        return None if self.weights is None else self.weights[self._end(last) :]

    def _end(self, last: int) -> int:
        return int(np.searchsorted(self.numbers, last, side="right"))


class Learnt(NamedTuple):
    """What is known of the items.

    embedding: of all items, in units in which the answers have the standard deviation `noise`. prior_variance: `(d,)`,
    of an item of which nothing is known. fitted_up_to: the last lesson that was fitted. is_taught: False before the
    first fit. online: are lessons after `fitted_up_to` taken in one by one? feature_scale: the prior's mean is so many
    times the features on their axes; 0 without features. crowd: what is known of all visitors together. lapse: the
    share of answers that say nothing.
    """

    embedding: Embedding
    prior_variance: Array
    noise: float = 1.0
    fitted_up_to: int = 0
    is_taught: bool = False
    online: bool = False
    feature_scale: float = 0.0
    crowd: Crowd = Crowd()
    lapse: float = 0.0


class Attempt(NamedTuple):
    """The last fit: how many searches and triplets there were, and whether its result was accepted."""

    searches: int
    triplets: int
    accepted: bool


class Evaluation(NamedTuple):
    """Held-out triplets, `compared` of them: their mean log-likelihood and the share predicted right under the new
    fit, and the log-likelihood under what was in use before."""

    log_likelihood: float
    accuracy: float
    before: float
    compared: int
