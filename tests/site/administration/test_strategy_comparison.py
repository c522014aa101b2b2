"""The A/B test: only its own visitors, an interval for the difference, and nothing from too few."""

import numpy as np
import pytest

from learn2search.site.administration.strategy_comparison import ENOUGH_VISITORS, compare_strategies
from learn2search.store.enums import SearchOrigin
from learn2search.store.searches import Finished

BOTH = ("sampled", "gauss")


def searches(
    strategy: str, mean: float, visitors: int, each: int = 3, seed: int = 0, **values: object
) -> list[Finished]:
    """Visitors differ from each other more than the searches of one do."""
    rng = np.random.default_rng(seed)
    levels = rng.normal(mean, 2.0, visitors)
    rows = [(who, max(1, round(rng.normal(level, 0.5)))) for who, level in enumerate(levels) for _ in range(each)]
    usual: dict[str, object] = {"started_at": 100.0, "origin": SearchOrigin.PAGE} | values
    return [
        Finished(200.0, questions, 0, strategy, 1, visitor=f"{strategy}{seed}-{who}", **usual)  # type: ignore[arg-type]
        for who, questions in rows
    ]


def test_searches_from_before_the_test_should_not_count() -> None:
    before = searches("sampled", 30.0, 50, started_at=1.0)
    test = compare_strategies([*before, *searches("sampled", 8.0, 40), *searches("gauss", 8.0, 40)], BOTH, since=50.0)
    assert [one.visitors for one in test.figures] == [40, 40]
    assert test.figures[0].mean == pytest.approx(8.0, abs=1.5)
    simulated = searches("gauss", 1.0, 40, seed=9, origin=SearchOrigin.SIMULATED)
    again = compare_strategies(
        [*before, *searches("sampled", 8.0, 40), *searches("gauss", 8.0, 40), *simulated], BOTH, since=50.0
    )
    assert again == test


def test_a_test_of_before_should_begin_when_its_last_strategy_was_first_used() -> None:
    done = [*searches("sampled", 30.0, 30, started_at=1.0), *searches("gauss", 9.0, 30, started_at=70.0)]
    test = compare_strategies([*done, *searches("sampled", 9.0, 30, seed=1, started_at=80.0)], BOTH, since=None)
    assert (test.since, [one.visitors for one in test.figures]) == (70.0, [30, 30])


def test_too_few_visitors_should_say_nothing() -> None:
    few = [*searches("sampled", 9.0, 100), *searches("gauss", 5.0, ENOUGH_VISITORS - 1, each=50)]
    test = compare_strategies(few, BOTH, since=0.0)
    assert test.differences == ()
    assert test.fewest_visitors == ENOUGH_VISITORS - 1
    assert test.figures[1].mean is None
    assert compare_strategies(few, ("sampled",), since=0.0) is None
    assert compare_strategies([], BOTH, since=None) is None
    assert [one.visitors for one in compare_strategies([], BOTH, since=0.0).figures] == [0, 0]


def test_a_difference_should_be_said_only_when_it_can_be_seen() -> None:
    (clear,) = compare_strategies([*searches("sampled", 12.0, 80), *searches("gauss", 8.0, 80)], BOTH, 0.0).differences
    assert clear.low < clear.difference < clear.high < 0
    assert clear.in_words == "gauss takes fewer questions than sampled"
    (same,) = compare_strategies([*searches("sampled", 8.0, 40), *searches("gauss", 8.0, 40)], BOTH, 0.0).differences
    assert "no difference can be seen yet" in same.in_words


def test_the_interval_should_hold_the_true_difference_19_times_in_20() -> None:
    """Visitors with 5 searches each: an interval by searches would be far too narrow."""
    held = 0
    for seed in range(200):
        done = [*searches("sampled", 10.0, 40, 5, 2 * seed), *searches("gauss", 10.0, 40, 5, 2 * seed + 1)]
        (one,) = compare_strategies(done, BOTH, 0.0).differences
        held += one.low <= 0 <= one.high
    assert 178 <= held <= 199  # 190 expected, standard error 3.1
