"""What is wrong with a site is found."""

from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from learn2search.cli.main import app

RunCommand = Callable[..., str]


def test_doctor_should_find_what_is_wrong(tmp_path: Path, pictures: Path, run_command: RunCommand) -> None:
    run_command("import", str(pictures), "--slug", "colours", home=tmp_path)
    next((tmp_path / "media" / "colours").iterdir()).unlink()
    assert "BAD  Media of colours: 1 files are missing" in run_command("doctor", home=tmp_path, status=1)
    broken = CliRunner().invoke(app, ["doctor", "--home", str(tmp_path), "--database-url", "mysql://x"])
    assert broken.exit_code == 1
    assert "BAD  Database" in broken.output
