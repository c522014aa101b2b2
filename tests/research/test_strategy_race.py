"""The strategies of docs/strategies.md: short, run as they stand, and raced against ours."""

from pathlib import Path

import pytest

from research import strategy_race
from research.rows import Results
from research.study import Study


def test_a_strategy_should_fit_into_thirty_lines() -> None:
    blocks = strategy_race.strategies_of_the_page()
    assert len(blocks) == len({*strategy_race.OF_THE_PAGE, *strategy_race.TO_THE_MODE} - {*strategy_race.OURS})
    assert max(len(block.splitlines()) for block in blocks) <= 30


def test_they_should_be_raced_and_beat_random_questions(results_folder: Path) -> None:
    strategy_race.run(Study("strategy_race", quick=True, seed=strategy_race.SEED))
    results = Results(quick=True)
    for k in (2, 4):
        mean = {row["strategy"]: row["mean"] for row in results.require(strategy_race.COST, k=k)}
        assert set(mean) == {*strategy_race.OURS, *strategy_race.OF_THE_PAGE}
        assert mean["sampled"] < mean["votes"] < 0.5 * mean["random"]
        assert mean["thompson"] < 0.5 * mean["random"]
    mode = {row["strategy"]: row["mean"] for row in results.require(strategy_race.MODE)}
    assert mode["sampled"] < 1.2 * mode["mean-cut"] < mode["random"]


def test_the_page_should_show_the_committed_results(capsys: pytest.CaptureFixture[str]) -> None:
    strategy_race.report(Results())
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(lines) > 10
    assert not [line for line in lines if line not in strategy_race.PAGE.read_text()]
