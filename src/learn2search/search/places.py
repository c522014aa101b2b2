"""Items that may be shown, and items at the same place, which are never compared with each other.

`blocked` counts for each item how often it is blocked, 0 = it may be shown. `twins` are rings of items at the same
place (`nearest.twins_of`).
"""

import numpy as np

from learn2search.compiled import compiled
from learn2search.typing import Blocked, Integers, Items, Items32


@compiled
def count_places(twins: Items32) -> int:
    """How many different places the items have: rings of twins."""
    count = 0
    for item in range(len(twins)):
        other = twins[item]
        while other > item:
            other = twins[other]
        count += other == item  # the lowest of its ring
    return count


@compiled
def free_items(blocked: Blocked, twins: Items32) -> Items:
    """The items that are not blocked, ascending; of those at the same place only the lowest."""
    beside = np.zeros(len(blocked), np.uint8)  # is a lower free item at the same place?
    free = np.empty(len(blocked), np.int64)
    count = 0
    for item in range(len(blocked)):
        if blocked[item] or beside[item]:
            continue
        free[count] = item
        count += 1
        other = twins[item]
        while other != item:
            beside[other] = 1
            other = twins[other]
    return free[:count]


@compiled
def block_place(item: int | np.int64, change: int, blocked: Blocked, twins: Items32) -> None:
    """Block (+1) or free (-1) an item and all others at its place."""
    other = item
    while True:
        blocked[other] += change
        other = twins[other]
        if other == item:
            return


@compiled
def use_up(query: Items, blocked: Blocked, twins: Items32, places_left: Integers) -> None:
    """Mark the shown items as used, and count the places that have no unused item any more."""
    for item in query:
        if blocked[item]:
            continue
        blocked[item] = 1
        other = twins[item]
        while other != item and blocked[other]:
            other = twins[other]
        if other == item:
            places_left[0] -= 1


@compiled
def can_be_asked(query: Items, k: int, closed: Blocked) -> bool:
    """Is it k different items, all of which may be shown? Only then may compiled code use them as places in arrays."""
    if len(query) != k:
        return False
    for at in range(k):
        item = query[at]
        if item < 0 or item >= len(closed) or closed[item]:
            return False
        for other in range(at):
            if query[other] == item:
                return False
    return True


@compiled
def holds(query: Items, item: int) -> bool:
    """Is the item one of the query?"""
    found = False
    for shown in query:
        found |= shown == item
    return found


@compiled
def at_different_places(query: Items, twins: Items32) -> bool:
    """Is no item of the query a twin of another?"""
    for item in query:
        other = twins[item]
        while other != item:
            if holds(query, other):
                return False
            other = twins[other]
    return True
