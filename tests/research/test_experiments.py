"""The experiments run at their small sizes, and show what they should."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

import learn2search as l2s
from research import blind, figure2, lemma, theorem1
from research.rows import Results
from research.study import Study

ROOT = Path(__file__).parents[2]
SMALL = ("theorem1", "lemma", "theorem2", "scaling")  # seconds, without data sets and without a site


@pytest.mark.parametrize("name", [SMALL[0], *(pytest.param(name, marks=pytest.mark.heavy) for name in SMALL[1:])])
def test_a_small_experiment_should_run_and_be_drawn(results_folder: Path, name: str) -> None:
    module = import_module(f"research.{name}")
    module.run(Study(name, quick=True, repetitions=2, seed=module.SEED))
    stored = json.loads((results_folder / f"{name}-quick.json").read_text())
    assert stored["command"] == f"python -m research.{name} --quick"
    assert stored["seed"] == module.SEED
    results = Results(quick=True)
    module.plot(results, results_folder / "figure.svg")
    assert 5_000 < (results_folder / "figure.svg").stat().st_size < 200_000
    found = [claim.found(results)[1] for claim in module.CLAIMS]
    if name in ("theorem1", "lemma"):
        assert found == ["holds", "holds"]


def test_the_integral_of_theorem_1_should_equal_quadrature() -> None:
    for variance in (0.01, 1.0, 60.0):
        law = stats.norm(scale=np.sqrt(variance))
        expected, _ = integrate.quad(
            lambda z, law=law: law.pdf(z) * stats.bernoulli.entropy(stats.norm.cdf(z)) / np.log(2), -9, 9, points=[0]
        )
        assert theorem1.integral(variance) == pytest.approx(1 - expected, abs=1e-6)


def test_one_answer_should_shrink_the_variance_as_the_supplement_says() -> None:
    for first in (0.01, 1.0, 100.0):
        after = lemma.answered(l2s.Belief(np.zeros(1), np.full((1, 1), first))).cov[0, 0]
        assert after == pytest.approx(first * (1 - 2 / np.pi * first / (first + 1)), rel=1e-9)


def test_lines_of_figure_2_should_be_lines_of_the_plan() -> None:
    assert set(figure2.LOOKS) <= set(blind.METHODS)
    assert len(figure2.drawn_lines()) == 2 * len(figure2.LOOKS) - 1


def test_costs_should_be_summed_up_over_the_repetitions_that_have_them() -> None:
    window = {"measure": "questions", "targets": "all", "start": 0, "stop": 64}
    rare = window | {"targets": "rarest tenth"}  # where no search was for a rare target there is no mean
    repetitions = [[window | {"value": 10.0}, rare | {"value": 3.0}], [window | {"value": 14.0}]]
    assert blind.summary(repetitions) == [window | {"mean": 12.0, "error": 2.0, "repetitions": 2}]


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["figure1", "figure2", "figure3", "supplement_dimension", "supplement_map"])
def test_every_other_experiment_should_run_at_its_small_size(name: str) -> None:
    subprocess.run([sys.executable, "-m", f"research.{name}", "--quick", "--workers", "1"], check=True, cwd=ROOT)
    assert (ROOT / "research" / "results" / f"{name}-quick.svg").exists()
