"""The benchmarks run: their small versions, in a folder of their own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from research.growth import falling


def run(module: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", f"research.{module}", "--quick", *options]
    return subprocess.run(line, check=True, cwd=folder, capture_output=True, text=True)


def rows(folder: Path, name: str, **columns: object) -> list[dict[str, Any]]:
    stored = json.loads((folder / "research" / "results" / f"{name}-quick.json").read_text())["rows"]
    return [row for row in stored if columns.items() <= row.items()]


@pytest.mark.heavy
def test_known_features_should_run_and_go_on_where_it_was_stopped(copied: Path) -> None:
    removed = {"table": "cost", "n": 100, "noise": "on policy", "stop": "mode", "strategy": "ig"}
    first = run("known_features", copied)
    assert "| n | σ | IG |" in first.stdout
    (before,) = rows(copied, "known_features", **removed)
    assert before["searches"] == 100

    path = copied / "research" / "results" / "known_features-quick.json"
    stored = json.loads(path.read_text())
    stored["rows"].remove(before)
    path.write_text(json.dumps(stored))
    second = run("known_features", copied)
    words = "cost: n=100, noise=on policy, stop=mode, strategy=ig"
    assert second.stderr.split("\n") == [f"  {words} ...", ""]  # only this one is measured again
    assert rows(copied, "known_features", **removed) == [before]  # and comes out the same


@pytest.mark.heavy
def test_accelerated_should_measure_the_optimizer_and_the_estimator(copied: Path) -> None:
    assert "million triplets a second" in run("accelerated", copied).stdout
    for start in ("random", "spectral"):
        (fit,) = rows(copied, "accelerated", table="fit", way="optimizer", start=start)
        assert fit["true_features_held_out_accuracy"] == pytest.approx(0.904, abs=0.01)
        assert fit["held_out_accuracy"] > 0.88
        assert fit["triplets_a_second"] > 0
        assert len(rows(copied, "accelerated", table="epoch", start=start)) == fit["epochs"]
    (estimator,) = rows(copied, "accelerated", table="fit", way="estimator")
    assert estimator["held_out_accuracy"] > 0.88


@pytest.mark.heavy
def test_blind_should_run_and_go_on_where_it_was_stopped(copied: Path) -> None:
    lines = ["wine best", "wine cold, 3 features of 11", "faces d=5 skewed best"]
    options = [part for line in lines for part in ("--only", line)]
    first = run("blind", copied, *options)
    (noise,) = rows(copied, "blind", table="noise", dataset="wine")
    assert noise["flips"] == pytest.approx(0.1, abs=0.003)
    for table in ("blind", "cold start", "face search"):
        assert {row["repetitions"] for row in rows(copied, "blind", table=table)} == {2}
    assert all(f"\n| {line} | " in first.stdout for line in ("best", "3 features of 11", "faces d=5 skewed best"))
    assert run("blind", copied, *options).stdout == first.stdout


@pytest.mark.heavy
def test_pictures_shown_should_find_that_more_spare_questions(copied: Path) -> None:
    assert "| shown | 0-25 | 25-50 |" in run("pictures_shown", copied).stdout
    means = [rows(copied, "pictures_shown", k=k, start=0)[0]["mean"] for k in (2, 4, 6, 9, 12)]
    assert means[:3] == sorted(means[:3], reverse=True)
    assert max(means[3:]) < means[2]  # nine and twelve are too close for so few searches


@pytest.mark.heavy
def test_calibration_should_say_how_far_the_belief_is_from_the_truth(copied: Path) -> None:
    shown = run("calibration", copied, "--repetitions", "10").stdout
    assert "| known | as it is | 4 | mode |" in shown
    assert "| learnt, 20 | trusted | 4 | mode |" in shown
    for row in rows(copied, "calibration", table="bits"):
        assert 0 < row["entropy"] < 8
        assert row["searches"] == 10
    assert rows(copied, "calibration", table="top", positions="known", k=2)


@pytest.mark.heavy
def test_variance_should_compare_three_formulas(copied: Path) -> None:
    run("variance", copied)
    judged = rows(copied, "variance", table="judged", dataset="artists", link="probit", density=5)
    assert {row["formula"] for row in judged} == {"first order", "exact", "fitted factor"}
    (exact,) = (row for row in judged if row["formula"] == "exact")
    assert exact["mean_off"] < 0.01


@pytest.mark.heavy
def test_crowd_should_weigh_bots_and_people(copied: Path) -> None:
    assert "| bots | axes | honest triplets |" in run("crowd", copied).stdout
    weighed = rows(copied, "crowd", weights="parts")
    assert {(row["clicker"], row["share"]) for row in weighed} == {("none", 0.0), ("random", 0.1), ("random", 0.3)}
    assert all(row["mean"] > 1 for row in weighed)


@pytest.mark.heavy
def test_features_should_be_measured_in_all_worlds(copied: Path) -> None:
    assert "| features | searches 1-25 |" in run("features", copied).stdout
    assert {row["world"] for row in rows(copied, "features", start=0)} == {"none", "useless", "part", "archive"}


@pytest.mark.heavy
def test_thoughtless_answers_should_be_compared_with_known_positions(copied: Path) -> None:
    assert "| flipped | shown | search |" in run("lapses", copied).stdout
    found = rows(copied, "lapses", table="after", method="learnt", flipped=0.1)
    assert {row["k"] for row in found} == {2, 4}
    assert all(row["lapse"] > 0 for row in found)


@pytest.mark.heavy
def test_clicks_should_be_fitted_in_three_ways(copied: Path) -> None:
    assert "Questions a search in the loop" in run("k_way_training", copied).stdout
    fitted = rows(copied, "k_way_training", table="fit", density=20)
    assert {row["way"] for row in fitted} == {"answers", "weights", "one choice"}
    assert all(row["log_probability"] < 0 < row["surprise"] for row in fitted)


@pytest.mark.heavy
def test_the_cost_of_a_click_should_be_compared_with_the_product(copied: Path) -> None:
    assert "CPU time of a `tell`" in run("click_cost", copied).stdout
    assert all(row["mean"] > 1 for row in rows(copied, "click_cost", table="questions"))


@pytest.mark.heavy
def test_steps_with_many_items_should_be_timed_beside_numpy(copied: Path) -> None:
    assert "bytes an item, a further search" in run("million", copied).stdout
    found = {row["step"]: row for row in rows(copied, "million", table="steps")}
    assert {"ask", "tell", "undo", "gauss: top"} <= set(found)
    assert found["tell"]["numpy"] > 0


@pytest.mark.heavy
def test_a_first_call_should_be_timed_with_nothing_compiled(copied: Path) -> None:
    assert "A first call with nothing compiled" in run("first_call", copied).stdout
    (found,) = rows(copied, "first_call", call="ask", sources="now")
    assert found["functions"] > 10
    assert found["cpu"] > 0


@pytest.mark.heavy
def test_growth_should_find_that_a_collection_learns(copied: Path) -> None:
    assert "Questions a search with 4 shown" in run("growth", copied).stdout
    measured = rows(copied, "growth", shown=4)
    assert measured[-1]["best"] < measured[-1]["mean"]
    assert rows(copied, "growth", shown=9)[-1]["mean"] < rows(copied, "growth", shown=2)[-1]["mean"]


def test_falling_curves_should_pool_what_rises() -> None:
    """Against the largest of the means over stretches that begin before and end after (min-max formula)."""
    values, weights = [3.0, 5.0, 1.0, 2.0, 2.0, 0.5], [1.0, 2.0, 1.0, 1.0, 4.0, 1.0]

    def mean(start: int, stop: int) -> float:
        return float(np.average(values[start : stop + 1], weights=weights[start : stop + 1]))

    size = range(len(values))
    expected = [min(max(mean(a, b) for b in size if b >= at) for a in size if a <= at) for at in size]
    assert falling(values, weights) == pytest.approx(expected)
