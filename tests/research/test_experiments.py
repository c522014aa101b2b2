"""The experiments run at their small sizes, go on where they were stopped, and show what they should."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats

ROOT = Path(__file__).parents[2]
SMALL = ("theorem1", "lemma", "theorem2", "scaling")  # seconds, without data sets and without a site


@pytest.mark.parametrize("name", SMALL)
def test_a_small_experiment_should_run_and_be_drawn(experiment, results, name):
    study, module = experiment("study"), experiment(name)
    module.run(study.Study(name, quick=True, repetitions=2))
    stored = json.loads((results / f"{name}-quick.json").read_text())
    assert stored["command"] == f"python -m research.{name} --quick"
    assert stored["seed"] == module.SEED
    assert {"learn2search", "processor", "cores"} <= set(stored["environment"])
    cells = stored["cells"]
    module.plot(cells, results / "figure.svg")
    assert 5_000 < (results / "figure.svg").stat().st_size < 200_000
    found = [claim.found(cells)[1] for claim in experiment(f"claims.{name}").CLAIMS]
    if name in ("theorem1", "lemma"):
        assert found == ["holds", "holds"]


def test_an_experiment_should_measure_only_what_is_missing(experiment, results):
    study = experiment("study").Study("theorem1", quick=True, repetitions=2)
    module = experiment("theorem1")
    module.run(study)
    path = results / "theorem1-quick.json"
    before = json.loads(path.read_text())
    del before["cells"]["belief | 1"]
    path.write_text(json.dumps(before))
    kept = (results / "theorem1-quick-runs" / "belief, 1.json").stat().st_mtime_ns
    module.run(study)
    assert set(json.loads(path.read_text())["cells"]) == {"belief | 0", "belief | 1"}
    assert (results / "theorem1-quick-runs" / "belief, 1.json").stat().st_mtime_ns == kept  # read, not run again


def test_the_integral_of_theorem_1_should_equal_quadrature(experiment):
    theorem1 = experiment("theorem1")
    for variance in (0.01, 1.0, 60.0):
        law = stats.norm(scale=np.sqrt(variance))
        expected, _ = integrate.quad(
            lambda z, law=law: law.pdf(z) * stats.bernoulli.entropy(stats.norm.cdf(z)) / np.log(2), -9, 9, points=[0]
        )
        assert theorem1.integral(variance) == pytest.approx(1 - expected, abs=1e-6)


def test_one_answer_should_shrink_the_variance_as_the_supplement_says(experiment):
    import learn2search as l2s

    for first in (0.01, 1.0, 100.0):
        after = experiment("lemma").answered(l2s.Belief(np.zeros(1), np.full((1, 1), first))).cov[0, 0]
        assert after == pytest.approx(first * (1 - 2 / np.pi * first / (first + 1)), rel=1e-9)


def test_a_fresh_study_should_forget_its_own_cells_only(experiment, results):
    study = experiment("study")
    stored = {"cells": {"step | n=50": 1, "questions | n=50": 2, "memory": 3}}
    (results / "known_features-quick.json").write_text(json.dumps(stored))
    heads = ("step | ", "questions | ")
    assert study.Study("figure1").benchmark("known_features", *heads).cells == stored["cells"]
    assert study.Study("figure1", fresh=True).benchmark("known_features", *heads).cells == {"memory": 3}


def test_lines_of_figure_2_should_be_lines_of_the_benchmark(experiment):
    assert set(experiment("figure2").LINES) <= set(experiment("blind").METHODS)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["figure1", "figure2", "figure3", "supplement_dimension", "supplement_map"])
def test_every_other_experiment_should_run_at_its_small_size(name):
    command = [sys.executable, "-m", f"research.{name}", "--quick", "--workers", "1"]
    subprocess.run(command, check=True, cwd=ROOT)
    assert (ROOT / "research" / "results" / f"{name}-quick.svg").exists()
