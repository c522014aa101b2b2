"""One person's search through a collection: questions, answers, and what they leave possible.

Nothing here knows what the items look like, so any collection with features can be played.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import learn2search as l2s
from learn2search.compiled import say_nothing
from learn2search.typing import Array

# A target this far (in OKLab) on one side of the border between two colours gets the right answer five times
# in six. Too large costs a question, too small misleads the search: so it errs on the large side.
NOISE = 0.05
BEGINNINGS = 24
OVERLOOKED = 0.02  # the share of its probability that a shown item keeps, because people overlook things


@dataclass(frozen=True)
class AnsweredQuestion:
    """A question and its answer (None: can't tell); `fitted` items were still possible when it was asked."""

    shown: tuple[int, ...]
    chosen: int | None
    fitted: float


class Session:
    """A search that remembers its way. `show` items are shown at a time."""

    def __init__(self, features: Array, show: int, seed: int) -> None:
        self.n_items = len(features)
        self.show = show
        self.steps: list[AnsweredQuestion] = []
        self.found: int | None = None
        self._search = _easy_start(features, show, seed)

    @property
    def number(self) -> int:
        """The number of the current question, from 1."""
        return len(self.steps) + 1

    @property
    def used_up(self) -> bool:
        """True when there is nothing left to ask about."""
        return bool(self._search.done)

    @property
    def shown(self) -> tuple[int, ...]:
        """The items of the current question; none when the items are used up."""
        return () if self.used_up else tuple(self._search.ask(k=min(self.show, self._search.left)))

    @property
    def still_fit(self) -> float:
        """How many items still fit: 2 to the power of the entropy of the belief."""
        return float(2**self._search.entropy)

    def answer(self, chosen: int | None) -> None:
        """Take the item that is most like the target, or None for "can't tell"."""
        step = AnsweredQuestion(self.shown, chosen, self.still_fit)
        self._search.tell(chosen)
        self.steps.append(step)

    def undo(self) -> bool:
        """Go back to the previous question; False at the first one."""
        if self.found is not None:
            self.found = None
            return True
        if not self.steps:
            return False
        self._search.undo()
        self.steps.pop()
        return True

    def find(self, item: int) -> None:
        """End the search: this is it."""
        self.found = item

    def likeliest(self) -> int:
        """The item that fits the answers best."""
        return int(self._search.top(1)[0][0])

    def likely(self, count: int) -> list[int]:
        """`count` items that stand for the belief, in the order of the collection: its even quantiles."""
        levels = (np.arange(count) + 0.5) / count
        items = np.searchsorted(np.cumsum(self._search.probability()), levels)
        return [int(item) for item in np.minimum(items, self.n_items - 1)]


def warm_up(features: Array, show: int) -> None:
    """Load and compile the search by playing two questions of it."""
    with say_nothing():
        session = Session(features, show, seed=0)
        session.answer(session.shown[0])
        session.answer(None)
        session.undo()


def _easy_start(features: Array, show: int, seed: int) -> l2s.PosteriorSearch:
    """A search whose first question shows very different items.

    Four reds tell the search as much as a red, a green, a blue and a white, but who thinks of a green cannot say
    which red is most like it. So several beginnings are drawn, and the one with the widest spread is taken.
    """
    space = l2s.Embedding(features)
    seeds = np.random.default_rng(seed).integers(2**31, size=BEGINNINGS)
    beginnings = [_search(space, int(number)) for number in seeds]
    return max(beginnings, key=lambda search: _spread(features[list(search.ask(k=min(show, search.left)))]))


def _search(space: l2s.Embedding, seed: int) -> l2s.PosteriorSearch:
    return l2s.PosteriorSearch(space, noise=NOISE, rule="sampled", stop="shown", miss_rate=OVERLOOKED, seed=seed)


def _spread(points: Array) -> float:
    """The distance between the two that are most alike."""
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    return float(apart[np.triu_indices(len(points), k=1)].min())
