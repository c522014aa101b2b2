"""What the processes of a site are told."""

import os
from pathlib import Path

import pytest

from learn2search.cli.serving import _export
from learn2search.site.settings import Settings


@pytest.mark.parametrize("origins", [(), ("https://shop.example", "https://blog.example")])
def test_workers_should_read_the_settings_that_the_site_was_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origins: tuple[str, ...]
) -> None:
    given = Settings(home=tmp_path, embed_origins=origins, workers=2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "environ", dict(os.environ))
        _export(given)
        written = {name: value for name, value in os.environ.items() if name.startswith("LEARN2SEARCH_")}
    for name, value in written.items():
        monkeypatch.setenv(name, value)
    assert Settings() == given
