"""Verdicts follow from numbers alone."""

from pathlib import Path

import numpy as np
import pytest

from research import blind, figure1, figure2
from research.claims import HOLDS, MISSING, Claim, Found, verdict
from research.known_features import STEP
from research.rows import NotMeasured, Results, Table
from research.summary import Mean, mean_over

COST = Table("made_up", "cost", {"strategy": ("gauss", "ig")})


def filled(table: Table, *cases: dict[str, object]) -> Results:
    """Results with these rows of a table; nothing is written."""
    results = Results(quick=True)
    for case in cases:
        values = {column: value for column, value in case.items() if column not in table.columns}
        results.file(table.file).replace(table, case, [values])
    return results


@pytest.mark.parametrize(
    ("checks", "expected"),
    [([True, True], "holds"), ([True, False], "holds in part"), ([False, False], "does not hold")],
)
def test_a_verdict_should_be_all_some_or_none(checks: list[bool], expected: str) -> None:
    assert verdict(checks) == expected


def test_a_claim_should_have_checks() -> None:
    with pytest.raises(ValueError, match="at least one check"):
        verdict([])


def judged(**asked: str) -> Claim:
    return Claim("6", "", "", lambda results: Found("found", [results.one(COST, **asked)["mean"] > 1]))


def test_a_claim_without_its_numbers_should_not_be_judged(results_folder: Path) -> None:
    assert judged(strategy="gauss").found(filled(COST)) == ("", MISSING)
    results = filled(COST, {"strategy": "gauss", "mean": 2.0})
    assert judged(strategy="gauss").found(results) == ("found", HOLDS)
    assert judged(strategy="ig").found(results) == ("", MISSING)


def test_a_typo_in_a_claim_should_be_an_error(results_folder: Path) -> None:
    """In a value, in a column, in what was measured: never "not measured yet"."""
    results = filled(COST, {"strategy": "gauss", "mean": 2.0})
    with pytest.raises(ValueError, match="strategy cannot be 'gaus'"):
        judged(strategy="gaus").found(results)
    with pytest.raises(ValueError, match="no column 'stratgy'"):
        judged(stratgy="gauss").found(results)
    misread = Claim("6", "", "", lambda results: Found("", [results.one(COST, strategy="gauss")["maen"] > 1]))
    with pytest.raises(KeyError, match="maen"):
        misread.found(results)


def test_means_should_differ_by_two_errors_of_their_difference() -> None:
    assert Mean(1.0, 0.3).below(Mean(2.01, 0.4))
    assert not Mean(1.0, 0.3).below(Mean(1.99, 0.4))
    assert Mean(1.0, None).below(Mean(1.2, None))
    assert not Mean(1.0, None).below(Mean(1.1, None))  # one repetition alone is worth 5%
    assert str(Mean(3.14159, 0.25)) == "3.14 ± 0.25"
    assert str(Mean(314.159, None)) == "314.2"


def test_the_error_should_be_that_of_a_mean() -> None:
    values = np.random.default_rng(0).normal(size=9).tolist()
    found = mean_over(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.error == pytest.approx(np.std(values, ddof=1) / 3)
    assert mean_over([2.0]) == (2.0, None)
    with pytest.raises(NotMeasured):
        mean_over([])


def test_a_claim_should_fail_where_the_numbers_say_so(results_folder: Path) -> None:
    """GaussSearch is slower than it should be: the claim that its time is constant falls, the others do not."""

    def steps(slowest: float) -> Results:
        sizes = {50: 1.0, 100_000: slowest}
        cases = [{"n": n, "d": 5, "strategy": "gauss", "microseconds": took} for n, took in sizes.items()]
        others = [{"n": n, "d": 5, "strategy": "random", "microseconds": 1.0} for n in sizes]
        return filled(STEP, *cases, *others)

    assert figure1.constant_in_n(steps(1.0)).checks == [True]
    assert figure1.constant_in_n(steps(4.0)).checks == [False]
    assert figure1.rand_is_slower(steps(4.0)).checks == [False, False]


def test_costs_of_blind_search_should_be_compared_in_the_last_window(results_folder: Path) -> None:
    def line(method: str, last: float) -> list[dict[str, object]]:
        named = {"dataset": "wine", "method": method, "measure": "questions", "targets": "all", "repetitions": 3}
        costs = {(0, 1000): 50.0, (1000, 2000): last, (64, 128): 90.0}
        return [{**named, "start": a, "stop": b, "mean": mean, "error": 1.0} for (a, b), mean in costs.items()]

    results = filled(blind.BLIND, *line("paper", 20.0), *line("true gauss", 21.0))
    as_good, fewer = (figure2.compare("paper", "true gauss", factor, ("wine",)) for factor in (1.1, None))
    assert as_good(results).checks == [True]
    assert fewer(results).checks == [False]
    assert as_good(results).ours == "wine 20.00 ± 1.00 against 21.00 ± 1.00 (3 of 100 repetitions)"
    with pytest.raises(NotMeasured):  # one data set of two: not judged yet
        figure2.compare("paper", "true gauss", 1.1)(results)
