"""What a user would pick instead: the neighbour search, the plan, and the page that holds what was measured."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import learn2search as l2s
from research import comparison, comparison_page, strategy_race
from research.rows import Results
from research.study import Study


def test_more_like_this_should_show_the_nearest_that_were_not_shown() -> None:
    search = comparison.MoreLikeThis(l2s.Embedding(np.arange(10.0)[:, None]), noise=1.0, seed=0)
    first = search.ask(2)
    search.tell(None)  # "can't tell": random again
    second = search.ask(2)
    search.tell(second[0])
    rest = sorted(set(range(10)) - {*first, *second}, key=lambda item: abs(item - second[0]))
    away = [abs(item - second[0]) for item in search.ask(2)]
    assert away == [abs(item - second[0]) for item in rest[:2]]


def test_each_search_should_be_planned_once_and_only_where_it_fits() -> None:
    cases = comparison.searches_to_run(quick=False)
    assert max(Counter(tuple(case.values()) for case in cases).values()) == 1
    assert {case["people"] for case in cases} == set(comparison.PEOPLE)
    assert {case["stop"] for case in cases if case["strategy"] == "mean-cut"} == {"mode"}
    assert {case["stop"] for case in cases if case["strategy"] == "more like this"} == {"shown"}


@pytest.mark.heavy
@pytest.mark.usefixtures("forgotten_names")
def test_a_quick_run_should_measure_every_strategy_with_simulated_people(
    results_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy_race.register_strategies_of_the_page.cache_clear()
    monkeypatch.setattr(comparison, "ANSWERS", 2000)
    comparison.run(Study("comparison", quick=True, only=("search",), seed=comparison.SEED))
    results = Results(quick=True)
    for kind in ("probit", "scale-free"):
        mean = {
            row["strategy"]: row["mean"] for row in results.require(comparison.SEARCH, people=kind, k=2, stop="shown")
        }
        assert set(mean) == {*comparison.STRATEGIES} - {"mean-cut"}
        assert max(mean["sampled"], mean["gamma-ckl"]) < mean["more like this"]
        assert 4 < results.one(comparison.KNOWN, people="scale-free", n=100)["gamma"] < 6
    strategy_race.register_strategies_of_the_page.cache_clear()


def test_the_page_should_show_the_committed_results() -> None:
    assert comparison_page.page(Results()) == comparison_page.PAGE.read_text(encoding="utf-8"), (
        "docs/benchmarks.md is not what its results say: python -m research.comparison --report writes it"
    )
