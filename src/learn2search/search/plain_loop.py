"""The search loop: ask, answer, tell, until the target is found. For every strategy and whoever answers.

`compiled_loop.run` is the same in compiled code, where a strategy offers it.
"""

from collections.abc import Callable

from learn2search.search.base import Search
from learn2search.search.compiled_loop import one_by_one

Answer = Callable[[tuple[int, ...]], int | None]


def search_for(target: int | None, search: Search, answer: Answer, k: int, limit: int) -> int:
    """Search until the target is found.

    When fewer than two different items are left to ask about, the rest is shown one by one.

    Parameters
    ----------
    target : int or None
        None when it is not among the items: then the search ends when they are used up.
    search : Search
        One without answers. A question that is open already is asked first.
    answer : callable
        The answer to a query: one of its items, or None for "can't tell".
    k : int
        How many items a question shows, if so many are left.
    limit : int
        The most questions.

    Returns
    -------
    int
        The number of questions; negative when the target was not found.
    """
    for step in range(limit):
        if search.done:
            if target is None or search.stop == "mode":
                return -step
            return int(one_by_one(step, target, search._blocked, limit))
        query = search.ask(min(k, search.left))
        search.tell(answer(query))
        if target is not None and (target in query if search.stop == "shown" else search._is_mode(target)):
            return step + 1
    return -limit
