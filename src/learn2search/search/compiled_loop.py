"""Whole searches in compiled code: a fast path that a strategy may offer, equal to the plain loop step by step.

A strategy offers it by `Search.compiled_setup`, which gives a named tuple: all that stays the same in the searches of a
simulation, `loop` (a `LoopSetup`) among it. For the type of this tuple it says with `implements` what the four steps
below do.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from learn2search.compiled import compiled, inlined, with_names
from learn2search.oracle import Person, choose
from learn2search.search.base import Search
from learn2search.search.places import can_be_asked, holds, use_up
from learn2search.search.trace import NO_ITEM, Games, Trace, answered, flipped, keep_query, record
from learn2search.streams import open_stream
from learn2search.typing import Blocked, Items, Items32, Key, Keys, Stream

Implementation = TypeVar("Implementation", bound=Callable[..., Any])

BAD_PROPOSAL = -(2**62)  # the cost of a search that ended because its strategy proposed what cannot be asked
_STEPS = ("start", "propose", "learn", "probability", "ask", "tell", "candidates", "left", "done")  # of `Search`


class LoopSetup(NamedTuple):
    """What the loop itself has to know. closed: 1 for items that may not be shown; n_places: how many different places
    the others have.
    """

    twins: Items32
    closed: Blocked
    n_places: int
    reuse: bool
    stop_at_mode: bool


def loop_setup(search: Search) -> LoopSetup:
    """The part of a strategy's setup that is the same for all."""
    return LoopSetup(search._twins, search._closed, search._n_open, search.reuse, search.stop == "mode")


def setup_of(search: Search) -> Any:
    """The compiled setup of a search, or None where there is none, or where a subclass has changed a step or what the
    loop asks it: the compiled loop would not know.
    """
    return search.compiled_setup() if _has_its_steps(type(search)) else None


@cache
def _has_its_steps(strategy: type[Search]) -> bool:
    """Is each step that of the class which offers the setup, or of one above?"""
    offers, *homes = (_home(strategy, method) for method in ("compiled_setup", *_STEPS))
    return all(issubclass(offers, home) for home in homes)


def _home(strategy: type[Search], method: str) -> type:
    """The class that defines the method."""
    return next(cls for cls in strategy.__mro__ if method in vars(cls))


# --- the four steps of a strategy -------------------------------------------------------------------


def start(setup: Any) -> Any:
    """The belief before any answer."""


def propose(setup: Any, belief: Any, blocked: Blocked, k: int, stream: Stream) -> Any:
    """k items to ask about, `(k,)`."""


def learn(setup: Any, belief: Any, query: Items, chosen: int, blocked: Blocked) -> Any:
    """The belief after an answer; `chosen` is a place in the query, or -1 for "can't tell"."""


def is_mode(setup: Any, belief: Any, target: int, stream: Stream) -> Any:
    """Is the target the most probable item? Ties are broken at random."""


_STEPS_OF: dict[type, dict[str, object]] = defaultdict(dict)


def implements(step: Callable[..., Any], setup: type[tuple[Any, ...]]) -> Callable[[Implementation], Implementation]:
    """Say what `step(setup, ...)` does where the setup is of this type; above it is only declared."""

    def register(implementation: Implementation) -> Implementation:
        _STEPS_OF[setup][step.__name__] = inlined(implementation)
        return implementation

    return register


# --- the loop ---------------------------------------------------------------------------------------


def loop_of(setup: Any) -> Callable[..., None]:
    """`run_many`, compiled with the steps of this setup's type."""
    kind: type[tuple[Any, ...]] = type(setup)
    return _loop_with_steps_of(kind)


@cache
def _loop_with_steps_of(setup: type[tuple[Any, ...]]) -> Callable[..., None]:
    label = f"{setup.__module__}.{setup.__name__}"
    run_one = inlined(with_names(run, label, _STEPS_OF[setup]))
    return compiled(with_names(run_many, label, {"run": run_one}))


def check_proposals(setup: Any, games: Games, trace: Trace) -> None:
    """An error that names the proposal, where one could not be asked; the trace ends with it."""
    if not (games.costs == BAD_PROPOSAL).any():
        return
    proposed = [item for item in trace.shown[int(trace.asked[0]) - 1].tolist() if item != NO_ITEM]
    raise ValueError(
        f"the compiled loop of {type(setup).__name__} proposed {proposed}: it must propose as many different items of "
        f"0..{len(setup.loop.closed) - 1} as were asked for, all of them candidates"
    )


def run(setup: Any, key: Key, person: Person, person_key: Key, target: int, k: int, trace: Trace) -> int:
    """One search with a simulated person: the number of questions, negative when the target was not found."""
    loop, belief = setup.loop, start(setup)
    blocked, places_left = loop.closed.copy(), np.array([loop.n_places])
    for step in range(len(trace.shown)):
        size = min(k, places_left[0])
        if size < 2:
            return -step if loop.stop_at_mode else one_by_one(step, target, blocked, len(trace.shown))
        stream = open_stream(key, step)
        query = propose(setup, belief, blocked, size, stream)
        if not can_be_asked(query, size, loop.closed):
            keep_query(trace, step, query)
            return BAD_PROPOSAL
        chosen = choose(person, query, target, open_stream(person_key, step))
        belief = learn(setup, belief, query, chosen, blocked)
        record(trace, step, query, chosen, person, target)
        if not loop.reuse:
            use_up(query, blocked, loop.twins, places_left)
        if is_mode(setup, belief, target, stream) if loop.stop_at_mode else holds(query, target):
            return step + 1
    return -len(trace.shown)


def run_many(
    setup: Any, keys: Keys, person: Person, person_keys: Keys, targets: Items, k: int, trace: Trace, games: Games
) -> None:
    """A search for each target, one after the other. `games` takes the results; `trace` keeps the last search."""
    for game in range(len(targets)):
        games.costs[game] = run(setup, keys[game], person, person_keys[game], targets[game], k, trace)
        if games.costs[game] == BAD_PROPOSAL:
            return
        games.flips[game] = flipped(trace)
        games.answered[game] = answered(trace)


@compiled
def one_by_one(step: int, target: int, blocked: Blocked, limit: int) -> int:
    """The cost when after `step` questions one place is left, and the unused items are shown one by one; negative =
    more than `limit`.
    """
    cost = step
    for item in range(target + 1):
        cost += blocked[item] == 0
    return cost if cost <= limit else -limit
