"""A site is made, exported and moved by commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from learn2search.cli.main import app
from learn2search.site.administration.exports import EXPORTS

RunCommand = Callable[..., str]


def test_export_should_list_the_files_that_there_are(tmp_path: Path, run_command: RunCommand) -> None:
    lines = run_command("export", "colours", home=tmp_path).splitlines()
    assert [line.split()[0] for line in lines] == list(EXPORTS)
    assert lines[1].split()[1:] == ["anchor,", "near,", "far"]


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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "nowhere"], "does not exist"),
        (["import", "nowhere", "--strategies", "sampled,magic"], "choose from sampled, gauss, not “magic”"),
        (["export", "nothing", "items.csv"], "no collection"),
        (["restore", "nothing.zip"], "not a backup"),
        (["simulate", "ftp://x"], "not the address of a site"),
        (["simulate", "--features", "missing.npy"], "missing.npy does not hold features"),
        (["backup", "missing/site.zip"], "No such file or directory"),
    ],
)
def test_mistakes_should_be_said_in_a_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(app, arguments, env={"LEARN2SEARCH_HOME": str(tmp_path)})
    assert done.exit_code == 1
    assert words in str(done.exception) + done.output
