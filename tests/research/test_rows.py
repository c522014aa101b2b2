"""Results are tidy rows: asked for by columns, with an error for what no row can have."""

import importlib
import json
from pathlib import Path

import pytest

from research.rows import NotMeasured, Results, ResultsFile, Table, written

ROOT = Path(__file__).parents[2]
COST = Table("made_up", "cost", {"n": (50, 100), "noise": ("on policy", "random pairs"), "seed": int})


@pytest.fixture
def results(results_folder: Path) -> Results:
    """Costs 1, 2, 3 of n = 50 with three seeds, 4 of n = 100."""
    made = Results()
    for n, seed, mean in ((50, 0, 1.0), (50, 1, 2.0), (50, 2, 3.0), (100, 0, 4.0)):
        made.file("made_up").replace(COST, {"n": n, "noise": "on policy", "seed": seed}, [{"mean": mean}])
    return made


def test_rows_should_be_selected_by_their_columns(results: Results) -> None:
    assert [row["mean"] for row in results.select(COST, n=50)] == [1.0, 2.0, 3.0]
    assert results.one(COST, n=50, seed=1) == {"table": "cost", "n": 50, "noise": "on policy", "seed": 1, "mean": 2.0}
    assert results.distinct(COST, "n") == [50, 100]


def test_a_legal_question_without_rows_should_not_be_measured(results: Results) -> None:
    assert results.select(COST, n=50, noise="random pairs") == []
    with pytest.raises(NotMeasured, match="'random pairs'"):
        results.require(COST, noise="random pairs")
    with pytest.raises(NotMeasured):
        results.one(COST, n=100, seed=7)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"size": 50}, "has no column 'size', only n, noise, seed"),
        ({"n": 51}, "n cannot be 51, expected one of"),
        ({"noise": "on-policy"}, "noise cannot be 'on-policy'"),
        ({"seed": "0"}, "seed cannot be '0', expected int"),
    ],
)
def test_a_column_or_value_that_no_row_can_have_should_be_an_error(
    results: Results, asked: dict[str, object], message: str
) -> None:
    for question in (results.select, results.require, results.one):
        with pytest.raises(ValueError, match=message):
            question(COST, **asked)


def test_one_row_should_be_asked_for_unmistakably(results: Results) -> None:
    with pytest.raises(ValueError, match="3 rows"):
        results.one(COST, n=50)
    with pytest.raises(ValueError, match="no column 'mean'"):
        results.distinct(COST, "mean")


def test_rows_of_a_case_should_be_replaced_together(results: Results) -> None:
    """What a measurement made before in any of its tables is gone, and nothing else."""
    file, path = results.file("made_up"), Table("made_up", "path", {"n": (50, 100), "m": int})
    for last in (3, 2):
        steps = [{"m": m} for m in range(last)]
        file.replace(path, {"n": 100, "steps": last}, [{"table": "end", "last": last}, *steps])
    assert [row["m"] for row in results.select(path)] == [0, 1]
    assert [row for row in file.rows if row["table"] == "end"] == [{"table": "end", "n": 100, "last": 2}]
    assert len(results.select(COST)) == 4


def test_a_file_should_come_back_as_it_was_saved(results: Results) -> None:
    file = results.file("made_up")
    file.head["seed"] = 3
    file.save("python -m research.made_up --full")
    again = ResultsFile("made_up", quick=False)
    assert again.rows == file.rows
    assert again.head["seed"] == 3
    assert again.head["command"] == "python -m research.made_up --full"
    assert {"learn2search", "python", "processor", "cores"} <= set(again.head["environment"])
    assert len(file.path.read_text().split('"rows": [\n')[1].splitlines()) == len(file.rows) + 2  # a line each


def test_a_file_without_rows_should_be_json(results_folder: Path) -> None:
    assert json.loads(written({"command": "none"}, [])) == {"command": "none", "rows": []}


def tables() -> list[Table]:
    """Every table of the package."""
    elsewhere = {"__init__", "peer_worker", "psiz_worker"}  # the workers run in environments of their own
    names = sorted({path.stem for path in (ROOT / "research").glob("*.py")} - elsewhere)
    modules = [importlib.import_module(f"research.{name}") for name in names]
    return list(
        dict.fromkeys(value for module in modules for value in vars(module).values() if isinstance(value, Table))
    )


def test_every_committed_row_should_be_one_of_a_table() -> None:
    """With all columns that name it, each with a legal value, and no two rows of one name."""
    declared = {(table.file, table.name): table for table in tables()}
    for path in sorted((ROOT / "research" / "results").glob("*.json")):
        if path.stem.endswith("-quick"):
            continue
        names = set()
        for row in json.loads(path.read_text())["rows"]:
            table = declared[path.stem, row["table"]]
            assert set(table.columns) <= set(row), f"{table} needs {set(table.columns) - set(row)}"
            names.add(json.dumps([table.name, table.names(row)]))
        assert len(names) == len(json.loads(path.read_text())["rows"]), f"{path.name} has two rows of one name"
