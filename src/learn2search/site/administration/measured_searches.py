"""How well the site finds what it is asked for, from searches whose target is known: the visitors were shown it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from learn2search.site.learning.finished_searches import BY_OWNER, suspicion
from learn2search.site.visits.search_state import answers_that_count
from learn2search.store import searches
from learn2search.store.searches import SearchRow

_CHUNK = 500  # searches whose steps are read at a time
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


def of_people(db: Connection, collection_id: int) -> list[SearchRow]:
    """The searches for a given item that ended, without those that were answered without looking or that the owner has
    set aside. That is asked of all alike, whatever their end: else the shares would be wrong."""
    rows = [row for row in searches.ended_to_find(db, collection_id) if row.quarantine != BY_OWNER]
    kept = []
    for start in range(0, len(rows), _CHUNK):
        part = rows[start : start + _CHUNK]
        steps = searches.steps_of(db, [row.id for row in part])
        kept += [row for row in part if suspicion(tuple(answers_that_count(steps[row.id]))) is None]
    return kept


def measured(rows: Sequence[SearchRow]) -> MeasuredSearches | None:
    """What these searches say, None when there are none."""
    if not rows:
        return None
    costs = [row.questions for row in rows if row.target == row.to_find and row.questions is not None]
    right, wrong = sum(row.target == row.to_find for row in rows), sum(row.is_wrong_end for row in rows)
    return MeasuredSearches(
        total=len(rows),
        found=share_of(right, len(rows)),
        wrong=share_of(wrong, len(rows)),
        given_up=share_of(len(rows) - right - wrong, len(rows)),
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
