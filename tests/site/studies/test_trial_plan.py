"""Which items participants get: balanced over them, and in an order that tells nothing."""

import random
from collections import Counter

import pytest

from learn2search.site.studies.study_design import StudyDesign
from learn2search.site.studies.trial_plan import PlannedTrial, plan_trials
from learn2search.store.enums import TrialKind

ITEMS = range(20)


def kinds(design: StudyDesign) -> list[TrialKind]:
    return [one.kind for one in plan_trials(design, ITEMS, {}, random.Random(1))]


def targets(plan: list[PlannedTrial]) -> list[int]:
    return [item for kind, item in plan if kind is TrialKind.TRIAL]


@pytest.mark.parametrize(("count", "pool"), [(3, ()), (7, ()), (2, (4, 5, 9)), (3, (4, 5, 9))])
def test_items_should_be_given_equally_often(count: int, pool: tuple[int, ...]) -> None:
    design = StudyDesign(title="s", trials=count, targets=pool)
    given: Counter[int] = Counter()
    for number in range(50):
        drawn = targets(plan_trials(design, ITEMS, given, random.Random(number)))
        assert len(set(drawn)) == count
        given.update(drawn)
        often = [given[item] for item in pool or ITEMS]
        assert max(often) - min(often) <= 1
        assert sum(often) == count * (number + 1)


def test_every_item_should_come_first_about_as_often() -> None:
    """Among equals chance decides: 4000 draws of one of 20, each 200 times, within five standard errors of 13.8."""
    design = StudyDesign(title="s", trials=5)
    first = Counter(targets(plan_trials(design, ITEMS, {}, random.Random(seed)))[0] for seed in range(4000))
    assert all(abs(first[item] - 200) < 5 * 13.8 for item in ITEMS)


def test_practice_should_come_first_and_checks_be_spread() -> None:
    practice, trial, check = TrialKind.PRACTICE, TrialKind.TRIAL, TrialKind.CHECK
    design = StudyDesign(title="s", trials=6, practice=2, checks=2)
    assert kinds(design) == [practice, practice, trial, trial, check, trial, trial, check, trial, trial]
    assert kinds(StudyDesign(title="s", trials=1, practice=0, checks=0)) == [trial]


def test_practice_and_checks_should_use_other_items_while_there_are_some() -> None:
    plan = plan_trials(StudyDesign(title="s", trials=15, practice=3, checks=2), ITEMS, {}, random.Random(0))
    assert len({item for _, item in plan}) == 20
    plan = plan_trials(StudyDesign(title="s", trials=20, practice=3, checks=2), ITEMS, {}, random.Random(0))
    assert len(plan) == 25


def test_targets_that_were_retired_should_not_be_given() -> None:
    design = StudyDesign(title="s", trials=2, targets=(3, 4, 99))
    assert sorted(targets(plan_trials(design, ITEMS, {}, random.Random(0)))) == [3, 4]
