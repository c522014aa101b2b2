"""A site is made, exported and moved by commands."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from learn2search.cli.main import app
from learn2search.site.administration.exports import EXPORTS
from tests.site.catalogue.features import networks

RunCommand = Callable[..., str]


def test_export_should_list_the_files_that_there_are(tmp_path: Path, run_command: RunCommand) -> None:
    lines = run_command("export", "colours", home=tmp_path).splitlines()
    assert [line.split()[0] for line in lines] == list(EXPORTS)
    (triplets,) = (line for line in lines if line.startswith("triplets.csv"))
    assert triplets.split()[1:] == ["anchor,", "near,", "far"]


def test_a_site_should_be_made_exported_and_moved(tmp_path: Path, pictures: Path, run_command: RunCommand) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    assert "30 added" in run_command("import", str(pictures), "--slug", "colours", "--noun", "colour", home=home)
    assert "30 as they were" in run_command("import", str(pictures), "--slug", "colours", home=home)
    assert "nothing to learn from yet" in run_command("train", home=home)
    run_command("export", "colours", "items.csv", "--out", str(tmp_path / "items.csv"), home=home)
    assert (tmp_path / "items.csv").read_text().startswith("item,key,title")
    assert "wrote" in run_command("backup", str(tmp_path / "site.zip"), home=home)
    assert "restored" in run_command("restore", str(tmp_path / "site.zip"), home=copy)
    assert "30 items" in run_command("doctor", home=copy)


def test_nothing_should_be_retired_unless_that_is_said(tmp_path: Path, pictures: Path, run_command: RunCommand) -> None:
    home, here = tmp_path / "home", ("--slug", "colours", "--warm-start", "nothing")
    run_command("import", str(pictures), *here, home=home)
    (pictures / "colour_00.png").unlink()
    kept = run_command("import", str(pictures), *here, home=home)
    assert "0 retired" in kept
    assert "1 item is not in" in kept
    assert "would retire 1 of 30 items" in run_command(
        "import", str(pictures), *here, "--replace", "--dry-run", home=home
    )
    assert "1 retired" in run_command("import", str(pictures), *here, "--replace", home=home)
    for path in sorted(pictures.iterdir())[4:]:
        path.unlink()
    replace = ["import", str(pictures), *here, "--replace"]
    refused = CliRunner().invoke(app, replace, env={"LEARN2SEARCH_HOME": str(home)})
    assert refused.exit_code == 1
    assert "more than a tenth" in refused.output
    assert "30 items" not in run_command("doctor", home=home)
    assert "29 items" in run_command("doctor", home=home)
    assert "25 retired" in run_command(*replace, "--yes", home=home)


def test_a_source_that_fails_should_leave_no_collection(
    tmp_path: Path, pictures: Path, run_command: RunCommand
) -> None:
    (tmp_path / "empty").mkdir()
    environment = {"LEARN2SEARCH_HOME": str(tmp_path / "home")}
    done = CliRunner().invoke(app, ["import", str(tmp_path / "empty")], env=environment)
    assert done.exit_code == 1
    assert "There is nothing to import" in done.output
    assert "Empty" not in run_command("doctor", home=tmp_path / "home")


def test_what_items_show_should_place_them(tmp_path: Path, pictures: Path, run_command: RunCommand) -> None:
    placed = "30 of 30 items are placed by what they show"
    assert placed in run_command("import", str(pictures), "--slug", "first", home=tmp_path)
    off = run_command("import", str(pictures), "--slug", "second", "--warm-start", "nothing", home=tmp_path)
    assert "placed" not in off
    network = networks.mean_colour(tmp_path / "model.onnx")
    given = ("import", str(pictures), "--slug", "third", "--encoder", str(network))
    assert placed in run_command(*given, home=tmp_path)
    assert len(list((tmp_path / "features" / "third").glob("encoder-*/*.npz"))) == 1
    np.savetxt(tmp_path / "known.csv", np.random.default_rng(0).normal(size=(30, 2)), delimiter=",")
    known = run_command(
        "import", str(pictures), "--slug", "fourth", "--features", str(tmp_path / "known.csv"), home=tmp_path
    )
    assert "Positions are those of known.csv" in known
    assert "placed" not in known


def test_an_encoder_and_another_warm_start_should_not_be_given_at_once(tmp_path: Path) -> None:
    arguments = ["import", str(tmp_path), "--encoder", "model.onnx", "--warm-start", "pictures"]
    done = CliRunner().invoke(app, arguments, env={"LEARN2SEARCH_HOME": str(tmp_path)})
    assert done.exit_code == 2
    assert "leave --warm-start" in done.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "nowhere"], "does not exist"),
        (["import", "nowhere", "--strategies", "sampled,magic"], "choose from sampled, gauss, not “magic”"),
        (["import", "nowhere", "--encoder", "none.onnx"], "none.onnx is not there: an encoder is an ONNX file"),
        (["export", "nothing", "items.csv"], "no collection"),
        (["restore", "nothing.zip"], "not a backup"),
        (["simulate", "ftp://x"], "not the address of a site"),
        (["simulate", "--features", "missing.npy"], "missing.npy does not hold features"),
        (["backup", "missing/site.zip"], "No such file or directory"),
    ],
)
@pytest.mark.usefixtures("forgotten_names")
def test_mistakes_should_be_said_in_a_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(app, arguments, env={"LEARN2SEARCH_HOME": str(tmp_path)})
    assert done.exit_code == 1
    assert words in str(done.exception) + done.output
