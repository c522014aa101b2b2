"""What a compiled search writes down: its questions and answers, how many there were, how many were wrong."""

from typing import NamedTuple

import numpy as np

from learn2search.compiled import compiled
from learn2search.normal_tails import ndtr_at
from learn2search.oracle import Person, nearest_shown, pair_margin
from learn2search.search.stored_search import Step
from learn2search.typing import Array, Items

NO_ITEM = np.iinfo(np.int64).min  # fills the room of items that a question does not have


class Trace(NamedTuple):
    """Where a compiled search writes what happened, question by question; one trace serves many searches in turn.

    shown: `(max_queries, k)` items, `NO_ITEM` = none. chosen: `(max_queries,)` places in the query, -1 = can't tell.
    chance_of_flip, chance_of_answer: `(max_queries,)` how probable a wrong answer was, and one that is not "can't
    tell". asked: `(1,)` the number of questions.
    """

    shown: Items
    chosen: Items
    chance_of_flip: Array
    chance_of_answer: Array
    asked: Items


class Games(NamedTuple):
    """Results of many compiled searches, `(m,)` each: queries (negative = not found), expected flips and answers."""

    costs: Items
    flips: Array
    answered: Array


def new_trace(limit: int, k: int) -> Trace:
    """Room for `limit` questions of k items."""
    chances = np.zeros(limit), np.zeros(limit)
    return Trace(np.empty((limit, k), np.int64), np.empty(limit, np.int64), *chances, np.zeros(1, np.int64))


def new_games(count: int) -> Games:
    """Room for the results of so many searches."""
    return Games(np.empty(count, np.int64), np.empty(count), np.empty(count))


def steps_of(trace: Trace) -> tuple[Step, ...]:
    """The questions and answers of the last search."""
    asked = int(trace.asked[0])
    queries = [tuple(item for item in shown if item != NO_ITEM) for shown in trace.shown[:asked].tolist()]
    places = trace.chosen[:asked].tolist()
    return tuple(Step(query, None if at < 0 else query[at]) for query, at in zip(queries, places, strict=True))


@compiled
def keep_query(trace: Trace, step: int, query: Items) -> None:
    """Write down what was asked, or as much of it as there is room for."""
    for place in range(trace.shown.shape[1]):
        trace.shown[step, place] = query[place] if place < len(query) else NO_ITEM
    trace.asked[0] = step + 1


@compiled
def record(trace: Trace, step: int, query: Items, chosen: int, person: Person, target: int) -> None:
    """Write a step down, with the chance of a wrong answer: for a pair its expectation, for more items as it came."""
    keep_query(trace, step, query)
    trace.chosen[step] = chosen
    if len(query) == 2:
        margin = abs(pair_margin(person.features, query[0], query[1], target))
        wrong = ndtr_at(-(margin + person.undecided) / person.noise)
        right = ndtr_at((margin - person.undecided) / person.noise) if person.undecided > 0.0 else 1.0 - wrong
        trace.chance_of_flip[step] = 0.5 * person.lapse + (1.0 - person.lapse) * wrong
        trace.chance_of_answer[step] = person.lapse + (1.0 - person.lapse) * (wrong + right)
    else:
        wrong_place = chosen >= 0 and chosen != nearest_shown(person.features, query, target)
        trace.chance_of_flip[step] = 1.0 if wrong_place else 0.0
        trace.chance_of_answer[step] = 1.0 if chosen >= 0 else 0.0


@compiled
def flipped(trace: Trace) -> float:
    """Expected number of flipped answers."""
    return np.sum(trace.chance_of_flip[: trace.asked[0]])


@compiled
def answered(trace: Trace) -> float:
    """Expected number of answers other than "can't tell"."""
    return np.sum(trace.chance_of_answer[: trace.asked[0]])
