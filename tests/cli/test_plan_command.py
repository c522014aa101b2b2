"""`learn2search plan`: a table and a sentence, or numbers for a program."""

import json

import pytest
from typer.testing import CliRunner

import learn2search as l2s
from learn2search.cli.main import app


def plan(*options: str) -> str:
    result = CliRunner().invoke(app, ["plan", *options])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_plan_should_draw_the_curve_and_say_how_many_searches_it_takes() -> None:
    printed = plan("--items", "300", "--pictures", "9")
    assert "300 items, 9 at a time, simulated people" in printed
    assert printed.count("█") > 20
    assert "searches until it is as good as it will get" in printed
    assert "No collection of this size" not in printed


def test_plan_should_say_where_it_only_guesses() -> None:
    assert "No collection of this size was simulated" in plan("--items", "50000")


def test_plan_should_give_numbers_to_programs() -> None:
    given, curve = json.loads(plan("--items", "200", "--json")), l2s.growth_curve(200, 4)
    assert (given["items"], given["pictures"], given["simulated_now"]) == (200, 4, False)
    assert given["questions"] == pytest.approx(list(curve.questions), abs=0.01)


def test_plan_should_simulate_when_asked() -> None:
    given = json.loads(plan("--items", "20", "--simulate", "--seed", "1", "--json"))
    assert given["simulated_now"]
    assert not given["extrapolated"]
    assert given["questions"] == pytest.approx(list(l2s.simulate_growth(20, 4, seed=1).questions), abs=0.01)
