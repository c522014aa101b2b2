"""Blind search with people's own answers: the marks beside it, and a small run on answers made for the test."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import learn2search as l2s
from research import people
from research.rows import Results
from research.study import Study

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_perfect_splitting_should_equal_the_best_of_all_ways_to_split(k: int) -> None:
    @cache
    def total(n: int) -> int:
        """Σ of the questions of n items: each is counted now; k are shown, the others are split among k answers."""
        return n if n <= k else n + split(n - k, k)

    @cache
    def split(n: int, parts: int) -> int:
        return total(n) if parts == 1 else min(total(part) + split(n - part, parts - 1) for part in range(n + 1))

    for n in (1, 2, 3, 5, 8, 13, 22, 40):
        assert people.perfect_splitting(n, k) == pytest.approx(total(n) / n, rel=1e-12)


def test_random_order_should_equal_searches_in_random_order() -> None:
    generator = np.random.default_rng(0)
    for n, k in ((100, 2), (85, 4)):
        costs = 1 + np.array([np.flatnonzero(generator.permutation(n) == 0)[0] for _ in range(20_000)]) // k
        assert abs(costs.mean() - people.random_order(n, k)) < 4 * costs.std() / np.sqrt(len(costs))


def test_the_marks_should_be_those_of_the_reference() -> None:
    """85 shoes: 21.8 and 11.1 questions in random order, 4.7 and 2.7 with perfect splitting."""
    assert [round(people.random_order(85, k), 1) for k in (2, 4)] == [21.8, 11.1]
    assert [round(people.perfect_splitting(85, k), 1) for k in (2, 4)] == [4.7, 2.7]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, results_folder: Path) -> Path:
    """Twelve items, a table with about half of the questions, and an empty folder for results."""
    person = l2s.ProbitOracle(np.random.default_rng(0).normal(size=(12, 2)), noise=0.3, seed=1)
    rows = l2s.make_triplets(person, n_items=12, n_triplets=500, seed=2)
    data = l2s.TripletData(rows, 12, np.arange(len(rows)), tuple("abcdefghijkl"))
    monkeypatch.setattr(people, "ITEMS", 12)
    monkeypatch.setattr(people, "food", lambda: data)
    monkeypatch.setattr(people, "COVERED", (2, 4))
    people.embedding_of_all_answers.cache_clear()
    return results_folder


@pytest.mark.heavy
def test_people_should_be_asked_and_counted(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people.run(Study("people", quick=True, seed=people.SEED))
    people.embedding_of_all_answers.cache_clear()
    results = Results(quick=True)
    for k in people.SHOWN:
        for method in people.METHODS:
            unanswered, filled_in = (
                results.one(people.ANSWERS, reading=reading, method=method, k=k) for reading in people.READINGS
            )
            assert unanswered["filled_in"] == 0
            assert 0.1 < unanswered["from_table"] < 0.9
            assert filled_in["from_table"] + filled_in["filled_in"] == pytest.approx(1)
            assert filled_in["triplets"] >= filled_in["questions"]
            for row in results.require(people.QUESTIONS, method=method, k=k):
                assert people.perfect_splitting(12, k) - 0.5 < row["mean"] < 12 / k
    people.report(results)
    assert "| `best` | filled in |" in capsys.readouterr().out
    people.plot(results, small / "people.svg")
    assert 5_000 < (small / "people.svg").stat().st_size < 200_000


def test_the_page_should_show_the_committed_results(capsys: pytest.CaptureFixture[str]) -> None:
    people.report(Results())
    page = (ROOT / "docs" / "research" / "people.md").read_text()
    for table in capsys.readouterr().out.split("\n\n|")[1:]:
        assert f"|{table.partition(chr(10) * 2)[0].rstrip()}" in page
