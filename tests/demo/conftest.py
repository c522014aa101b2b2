"""The whole collection, written once for all tests that look at it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from learn2search.demo.__main__ import app


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `python -m learn2search.demo write` makes."""
    folder = tmp_path_factory.mktemp("faces")
    result = CliRunner().invoke(app, ["write", str(folder)])
    assert result.exit_code == 0, result.output
    assert str(folder / "collection.csv") in result.output.replace("\n", "")
    return folder
