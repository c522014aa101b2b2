"""Where the site keeps its state when no setting says so."""

import sys
from pathlib import Path

import pytest

from learn2search.site.settings import Settings


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_the_state_should_be_where_linux_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEARN2SEARCH_HOME", "LEARN2SEARCH_DATABASE_URL", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/ann")
    assert Settings().home == Path("/home/ann/.local/share/learn2search")
    assert Settings().database == "sqlite:////home/ann/.local/share/learn2search/site.db"
    monkeypatch.setenv("XDG_DATA_HOME", "/data/ann")
    assert Settings().home == Path("/data/ann/learn2search")
    monkeypatch.setenv("LEARN2SEARCH_HOME", "/srv/search")
    assert Settings().home == Path("/srv/search")
