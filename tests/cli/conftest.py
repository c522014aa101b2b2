"""Commands as a user types them, and pictures to put on a site."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from learn2search.cli.main import app


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()):
        Image.new("RGB", (40, 50), tuple(colour)).save(folder / f"colour_{number:02}.png")
    return folder


@pytest.fixture
def run_command() -> Callable[..., str]:
    """What a command prints; it must end with this status."""

    def run(*arguments: str, home: Path, status: int = 0) -> str:
        done = CliRunner().invoke(app, list(arguments), env={"LEARN2SEARCH_HOME": str(home)}, prog_name="learn2search")
        assert done.exit_code == status, done.output
        return done.output

    return run
