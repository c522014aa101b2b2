"""An embedding is fitted to a file of triplets by a command."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import learn2search as l2s
from learn2search.cli.main import app


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    features = 2 * np.random.default_rng(0).normal(size=(30, 2))
    l2s.write_triplets(tmp_path / "answers.csv", l2s.make_triplets(l2s.ProbitOracle(features, noise=0.5), 30, 1500))
    return tmp_path / "answers.csv"


def run(*arguments: object, status: int = 0) -> str:
    done = CliRunner().invoke(app, ["train", *map(str, arguments)], prog_name="learn2search")
    assert done.exit_code == status, done.output
    return done.output


def test_a_file_of_triplets_should_become_an_embedding(answers: Path, tmp_path: Path) -> None:
    said = run(answers, "--axes", 2, "--epochs", 30, "--out", tmp_path / "model.npz", "--seed", 1, "--device", "cpu")
    assert "triplets of 30 items" in said
    assert "2 axes, 30 epochs" in said
    assert float(said.split("held-out triplets: ")[1].split("%")[0]) > 80
    assert l2s.Embedding.load(tmp_path / "model.npz").mean.shape == (30, 2)


def test_names_should_be_said_to_be_numbered(tmp_path: Path) -> None:
    rows = [("apple", "pear", "car"), ("pear", "apple", "bus"), ("car", "bus", "apple"), ("bus", "car", "pear")]
    (tmp_path / "named.csv").write_text("anchor,near,far\n" + "".join(f"{','.join(row)}\n" for row in 5 * rows))
    said = run(tmp_path / "named.csv", "--axes", 1, "--epochs", 2, "--held-out", 0, "--out", tmp_path / "model.npz")
    assert "in the order of their names" in said
    assert "held-out triplets" not in said


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("nowhere.csv",), 2, "There is no file nowhere.csv"),
        (("{}", "--axes", "many"), 1, "--axes takes a whole number"),
        (("--hosts", "auto"), 2, "name one"),
    ],
)
def test_wrong_options_should_be_told(answers: Path, arguments: tuple[str, ...], status: int, message: str) -> None:
    assert message in run(*(one.format(answers) for one in arguments), status=status)
