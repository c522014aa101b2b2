"""How many items to show at a time, chosen by the seconds that a search is expected to take.

More items at a time mean fewer questions, and each takes longer to answer. So the choice is the least of

    questions(k) · seconds(k)

How many questions each k needs beside four comes from simulated searches (`research/pictures_shown.py`): nine items
need half the questions while nothing is known, three fifths in a collection that is well known. The seconds begin with
5 for four items, as in the paper, and 2 + 0.75 k for others, our guess; people's own answers then correct them.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from learn2search.site.show_counts import SHOW_COUNTS, USUAL_SHOW, ShowCount

# Questions of a search, as shares of those with four items, by the finished searches an item before it. Between the two
# rows the logarithms are interpolated; below and above them the ratios stay.
_UNKNOWN, _KNOWN = 0.024, 1.17  # finished searches an item
_RATIOS: dict[ShowCount, tuple[float, float]] = {
    2: (2.39, 1.59),
    4: (1.0, 1.0),
    6: (0.74, 0.77),
    9: (0.53, 0.62),
    12: (0.43, 0.57),
}
_FIRST_SECONDS, _SECONDS_PER_ITEM = 2.0, 0.75  # 5 s for four items
_PRIOR_ANSWERS = 100.0  # the guess of how the time grows with k counts as much as so many answers
_SHARE_SHOWN = 4  # at most one in so many items of a collection is shown at a time
SMALL_SCREEN_MOST: ShowCount = 6  # what a telephone shows without scrolling


def prior_seconds(k: int) -> float:
    """Seconds of an answer to a question with k items, before anybody has answered."""
    return _FIRST_SECONDS + _SECONDS_PER_ITEM * k


def fitted_seconds(milliseconds: Mapping[int, Sequence[int]]) -> dict[ShowCount, float]:
    """Seconds of an answer for each number of items shown.

    With the prior guess s(k), the median m(k) of n(k) answers and r(k) = log(m(k) / s(k)), the estimate is
    s(k) · exp(a + b log(k / 4)): a is the pace of these people, b how much more each item costs them than was guessed.
    Both minimise Σ n(k) (r(k) - a - b log(k / 4))² + n₀ b², so that a few answers, or answers to one k alone, leave the
    guess of how the time grows as it was.

    Parameters
    ----------
    milliseconds
        Of people's answers, by the number of items that were shown.
    """
    observed = {k: times for k, times in milliseconds.items() if len(times) > 0}
    a, b = 0.0, 0.0
    if observed:
        count = np.array([len(times) for times in observed.values()], float)
        x = np.log(np.array(list(observed)) / USUAL_SHOW)
        r = np.array([np.log(max(np.median(times), 1.0) / 1000 / prior_seconds(k)) for k, times in observed.items()])
        normal = np.array([[count.sum(), count @ x], [count @ x, count @ x**2 + _PRIOR_ANSWERS]])
        a, b = np.linalg.solve(normal, np.array([count @ r, count @ (x * r)])).tolist()
    return {k: prior_seconds(k) * float(np.exp(a + b * np.log(k / USUAL_SHOW))) for k in SHOW_COUNTS}


def relative_questions(searches: int, n_items: int) -> dict[ShowCount, float]:
    """Questions of a search for each number of items shown, as shares of those with four.

    Parameters
    ----------
    searches
        Finished searches before it.
    """
    place = np.log(max(searches, 1) / max(n_items, 1))
    ends = np.log([_UNKNOWN, _KNOWN])
    return {k: float(np.exp(np.interp(place, ends, np.log(ratios)))) for k, ratios in _RATIOS.items()}


def quickest_show(
    questions: Mapping[ShowCount, float], seconds: Mapping[ShowCount, float], most: int = SHOW_COUNTS[-1]
) -> ShowCount:
    """The number of items, at most `most`, with the least expected time; of equals the smaller."""
    allowed = [k for k in SHOW_COUNTS if k <= most] or [SHOW_COUNTS[0]]
    return min(allowed, key=lambda k: questions[k] * seconds[k])


def automatic_show(
    searches: int,
    n_items: int,
    milliseconds: Mapping[int, Sequence[int]],
    *,
    small_screen: bool = False,
) -> ShowCount:
    """How many items a new search shows at a time, when the collection chooses.

    Parameters
    ----------
    searches
        Finished searches that the collection has learnt from.
    milliseconds
        Of people's answers, by the number of items that were shown.
    small_screen
        Show no more than fits a telephone without scrolling.
    """
    most = max(USUAL_SHOW, n_items // _SHARE_SHOWN)
    if small_screen:
        most = min(most, SMALL_SCREEN_MOST)
    return quickest_show(relative_questions(searches, n_items), fitted_seconds(milliseconds), most)
