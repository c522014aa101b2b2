"""The page about a wrong noise shows what the results file holds, and its measurement runs."""

from pathlib import Path

import pytest

from research import wrong_noise
from research.rows import Results

PAGE = Path(wrong_noise.__file__).parents[1] / "docs" / "research" / "wrong_noise.md"


def test_the_page_should_show_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    wrong_noise.report(Results(quick=False))
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert len(shown) > 25
    assert not [line for line in shown if line not in PAGE.read_text()]


def test_far_too_much_noise_should_cost_questions() -> None:
    right, wrong = (
        wrong_noise.cost("gauss", n=100, d=3, k=2, flips=0.1, factor=factor, searches=60)["mean"] for factor in (1, 30)
    )
    assert wrong > 1.2 * right
