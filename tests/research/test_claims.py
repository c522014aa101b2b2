"""Verdicts follow from numbers alone."""

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ([True, True], "holds"),
        ([True, False], "holds in part"),
        ([False, False], "does not hold"),
        ([], "not measured yet"),
    ],
)
def test_a_verdict_should_be_all_some_or_none(experiment, checks, expected):
    assert experiment("claims").verdict(checks) == expected


def test_a_claim_without_its_numbers_should_not_be_judged(experiment):
    claims = experiment("claims")
    claim = claims.Claim("6", "", "", lambda cells: claims.Found("found", [cells["there"] > 1]))
    assert claim.found({}) == ("", claims.MISSING)
    assert claim.found({"there": 2}) == ("found", claims.HOLDS)


def test_means_should_differ_by_two_errors_of_their_difference(experiment):
    mean = experiment("claims").Mean
    assert mean(1.0, 0.3).below(mean(2.01, 0.4))
    assert not mean(1.0, 0.3).below(mean(1.99, 0.4))
    assert mean(1.0, None).below(mean(1.2, None))
    assert not mean(1.0, None).below(mean(1.1, None))  # one repetition alone is worth 5%
    assert str(mean(3.14159, 0.25)) == "3.14 ± 0.25"
    assert str(mean(314.159, None)) == "314.2"


def test_the_error_should_be_that_of_a_mean(experiment):
    values = np.random.default_rng(0).normal(size=9).tolist()
    found = experiment("claims").mean_over(values)
    assert found.value == pytest.approx(np.mean(values))
    assert found.error == pytest.approx(np.std(values, ddof=1) / 3)
    assert experiment("claims").mean_over([2.0]) == (2.0, None)
    with pytest.raises(KeyError):
        experiment("claims").mean_over([])


def test_a_claim_should_fail_where_the_numbers_say_so(experiment):
    """GaussSearch is slower than it should be: the claim that its time is constant falls, the others do not."""
    claims = experiment("claims.figure1")
    cells = {f"step | n={n} d=5 | {name}": 1.0 for n in (50, 100_000) for name in ("gauss", "random")}
    assert claims.constant_in_n(cells).checks == [True]
    cells["step | n=100000 d=5 | gauss"] = 4.0
    assert claims.constant_in_n(cells).checks == [False]
    assert claims.rand_is_slower(cells).checks == [False, False]


def test_costs_of_blind_search_should_be_compared_in_the_last_window(experiment):
    claims = experiment("claims.figure2")
    line = {"seeds": 3, "costs | 0-1000": [50.0, 1.0], "costs | 1000-2000": [20.0, 1.0], "costs | 64-128": [90.0, 1.0]}
    other = line | {"costs | 1000-2000": [21.0, 1.0]}
    cells = {"wine paper": line, "wine true gauss": other}
    assert claims.compare("paper", "true gauss", 1.1, ("wine",))(cells).checks == [True]
    assert claims.compare("paper", "true gauss", None, ("wine",))(cells).checks == [False]
    ours = claims.compare("paper", "true gauss", 1.1, ("wine",))(cells).ours
    assert ours == "wine 20.00 ± 1.00 against 21.00 ± 1.00 (3 of 100 repetitions)"
    with pytest.raises(KeyError):  # one data set of two: not judged yet
        claims.compare("paper", "true gauss", 1.1)(cells)
