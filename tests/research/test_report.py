"""The report is what the generator makes of the results in the repository."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_committed_report_should_be_made_from_the_committed_results(experiment):
    page = (ROOT / "docs" / "reproduction.md").read_text()
    assert page == experiment("report").report(), "run `learn2search reproduce --report` and commit the page"


def test_every_experiment_should_be_in_the_report_and_run_by_the_command(experiment):
    modules = (ROOT / "research").glob("*.py")
    experiments = {path.stem for path in modules if f'main("{path.stem}")' in path.read_text()}
    assert experiments == set(experiment("report").EXPERIMENTS)
    assert {path.stem for path in (ROOT / "research" / "claims").glob("*.py")} == experiments | {"__init__"}


def test_without_results_the_report_should_say_that_nothing_was_measured(experiment, results):
    page = experiment("report").report(quick=True)
    assert page.count("Nothing has been measured yet.") == len(experiment("report").EXPERIMENTS)
    assert not re.search(r"\*\*holds\*\* \|", page)


def test_a_peers_results_should_not_pass_for_ours(experiment):
    cells = experiment("study").read_cells("supplement_dimension", ("embeddings", "peers"))
    ours, theirs = (cells[f"food | row | {name} | D=10 | fold 0"] for name in ("ckl", "cblearn ckl"))
    assert "wall_seconds" not in ours
    assert "wall_seconds" in theirs


def test_verdicts_and_numbers_should_stand_in_one_row(experiment):
    rows = experiment("report").rows(experiment("theorem1"), quick=False)
    assert [row[3] for row in rows] == ["holds", "holds"]
    assert all("|" not in where for where, *_ in rows)
