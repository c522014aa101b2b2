"""The report is what the generator makes of the results in the repository."""

import json
import re
from pathlib import Path

from research import report, theorem1
from research.rows import Results

ROOT = Path(__file__).parents[2]


def test_the_committed_report_should_be_made_from_the_committed_results() -> None:
    page = report.PAGE.read_text()
    assert page == report.report(), "run `learn2search reproduce --report` and commit the page"


def test_every_module_with_claims_should_be_in_the_report() -> None:
    judged = {path.stem for path in (ROOT / "research").glob("*.py") if "\nCLAIMS = " in path.read_text()}
    assert judged == set(report.EXPERIMENTS)


def test_without_results_the_report_should_say_that_nothing_was_measured(results_folder: Path) -> None:
    page = report.report(quick=True)
    assert page.count("Nothing has been measured yet.") == len(report.EXPERIMENTS)
    assert not re.search(r"\*\*holds\*\* \|", page)


def test_verdicts_and_numbers_should_stand_in_one_row() -> None:
    judged = list(report.judged(theorem1, Results()))
    assert [row.verdict for row in judged] == ["holds", "holds"]
    assert all("bits" in row.ours or "beliefs" in row.ours for row in judged)


def test_every_picture_should_exist_once() -> None:
    pictures = [path for path in (ROOT / "research" / "results").glob("*.svg") if not path.stem.endswith("-quick")]
    assert len({picture.read_bytes() for picture in pictures}) == len(pictures)


def test_results_files_should_name_the_module_that_makes_them() -> None:
    for path in (ROOT / "research" / "results").glob("*.json"):
        if not path.stem.endswith("-quick"):
            assert json.loads(path.read_text())["command"] == f"python -m research.{path.stem} --full"
