"""Which items a participant looks for, and in which order."""

import random
from collections.abc import Collection, Mapping
from typing import NamedTuple

from learn2search.site.studies.study_design import StudyDesign
from learn2search.store.enums import TrialKind


class PlannedTrial(NamedTuple):
    """What one search of a participant is for, and the item to find."""

    kind: TrialKind
    target: int


def plan_trials(
    design: StudyDesign, active: Collection[int], times_given: Mapping[int, int], chance: random.Random
) -> list[PlannedTrial]:
    """The searches of one participant: practice first, then the trials with the checks spread evenly among them.

    Parameters
    ----------
    active
        The items that can be found.
    times_given
        How often each item was given to the participants before. Those given least come first, so that over all
        participants no item is given more than once more often than another.
    chance
        Draws among equals, and shuffles.

    Examples
    --------
    >>> design = StudyDesign(title="Faces", trials=2, practice=1, checks=1)
    >>> [str(one.kind) for one in plan_trials(design, range(9), {}, random.Random(0))]
    ['practice', 'trial', 'check', 'trial']
    """
    pool = [item for item in dict.fromkeys(design.targets) if item in active] or sorted(active)
    targets = _least_given(pool, times_given, design.trials, chance)
    others = _others(active, targets, design.practice + design.checks, chance)
    practice = [PlannedTrial(TrialKind.PRACTICE, item) for item in others[: design.practice]]
    trials = [PlannedTrial(TrialKind.TRIAL, item) for item in targets]
    for place, item in reversed(list(enumerate(others[design.practice :], 1))):
        trials.insert(round(place * len(targets) / (design.checks + 1)), PlannedTrial(TrialKind.CHECK, item))
    return practice + trials


def _least_given(pool: list[int], times_given: Mapping[int, int], count: int, chance: random.Random) -> list[int]:
    """Different items in random order: those given least, drawn by chance among equals."""
    shuffled = chance.sample(pool, len(pool))
    drawn = sorted(shuffled, key=lambda item: times_given.get(item, 0))[:count]
    return chance.sample(drawn, len(drawn))


def _others(active: Collection[int], taken: list[int], count: int, chance: random.Random) -> list[int]:
    """Items for practice and checks: others than those of the trials, while there are enough."""
    free = sorted(set(active) - set(taken))
    if len(free) >= count:
        return chance.sample(free, count)
    return chance.choices(sorted(active), k=count)
