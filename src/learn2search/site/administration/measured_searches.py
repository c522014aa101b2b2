"""How well the site finds what it is asked for, from searches whose target is known: the visitors were shown it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from learn2search.store.searches import EndToFind

_Z = 1.959963984540054  # of the normal distribution: 95% lie within


@dataclass(frozen=True)
class Share:
    """How many of all, as a share, with a 95% interval."""

    count: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Median:
    """The middle number of questions, with a 95% interval."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class MeasuredSearches:
    """Searches for what the visitors were shown.

    Attributes
    ----------
    found, wrong, given_up
        Those that ended with the item, with another one, and without any; together they are all.
    questions
        Of those that found it; None when none did.
    """

    total: int
    found: Share
    wrong: Share
    given_up: Share
    questions: Median | None


def measured(ends: Sequence[EndToFind]) -> MeasuredSearches | None:
    """What these searches say, None when there are none."""
    if not ends:
        return None
    right, wrong = sum(end.right for end in ends), sum(end.wrong for end in ends)
    costs = [end.questions for end in ends if end.right and end.questions is not None]
    return MeasuredSearches(
        total=len(ends),
        found=share_of(right, len(ends)),
        wrong=share_of(wrong, len(ends)),
        given_up=share_of(len(ends) - right - wrong, len(ends)),
        questions=median_of(costs) if costs else None,
    )


def share_of(count: int, total: int) -> Share:
    """A share and Wilson's 95% interval: all p with |count / n - p| ≤ z √(p (1 - p) / n).

    Examples
    --------
    >>> one = share_of(8, 10)
    >>> round(one.low, 3), round(one.high, 3)
    (0.49, 0.943)
    """
    p, z2 = count / total, _Z**2 / total
    middle = (p + z2 / 2) / (1 + z2)
    half = _Z / (1 + z2) * np.sqrt(p * (1 - p) / total + z2 / (4 * total))
    return Share(count, p, max(0.0, float(middle - half)), min(1.0, float(middle + half)))


def median_of(costs: Sequence[int]) -> Median:
    """The median, and the order statistics n/2 ∓ 0.98 √n, between which it lies with 95% probability."""
    ordered = np.sort(costs)
    half = 0.98 * np.sqrt(len(ordered))
    low = int(max(0, np.floor(len(ordered) / 2 - half)))
    high = int(min(len(ordered) - 1, np.ceil(len(ordered) / 2 + half)))
    return Median(float(np.median(ordered)), float(ordered[low]), float(ordered[high]))
