"""How far a collection has learnt, in words: its searches against those that simulated collections of its size need."""

from dataclasses import dataclass

from learn2search import GrowthCurve, growth_curve

FEWEST_ITEMS = 20  # of a collection, about which something is said


@dataclass(frozen=True)
class LearningProgress:
    """Searches that taught it, and the curve that simulated people give for a collection of its size, from nothing."""

    searches: int
    curve: GrowthCurve
    known_before: bool

    @property
    def enough(self) -> int | None:
        """About how many searches it takes, to two digits; None where the simulations did not get there."""
        return None if self.curve.enough is None else about(self.curve.enough)

    @property
    def rows(self) -> list[tuple[float, float]]:
        """(searches before, questions a search) of the curve."""
        return list(zip(self.curve.searches, self.curve.questions, strict=True))

    @property
    def in_words(self) -> str:
        """One sentence for the owner."""
        if self.enough is None:
            return f"Still learning: {self.searches:,} searches so far. How many it needs cannot be said for its size."
        if self.searches >= self.enough:
            return f"It has learnt: after {self.searches:,} searches it is about as good as it will get."
        bound = "at most" if self.known_before else "about"
        until = f"{bound} {self.enough:,} searches until it is as good as it will get"
        return f"Still learning: {self.searches:,} of {until}."


def learning_progress(size: int, show: int, searches: int, known_before: bool = False) -> LearningProgress | None:
    """How far a collection is, None if it is too small to say.

    Parameters
    ----------
    size, show
        Its items, and how many a question shows.
    searches
        That have taught it.
    known_before
        Was something known before the first search, such as what the pictures show? Then it needs fewer.

    Examples
    --------
    >>> learning_progress(10, 4, 3) is None
    True
    >>> learning_progress(300, 4, 10_000).in_words
    'It has learnt: after 10,000 searches it is about as good as it will get.'
    """
    if size < FEWEST_ITEMS:
        return None
    return LearningProgress(searches, growth_curve(size, show), known_before)


def about(number: float) -> int:
    """A number that is not known better than to two digits.

    Examples
    --------
    >>> about(1284.3), about(87.2), about(3.6)
    (1300, 87, 4)
    """
    digits = len(str(round(number)))
    return round(round(number), min(0, 2 - digits))
