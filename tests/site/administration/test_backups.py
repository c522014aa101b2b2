"""A site as one file: everything comes back, on either database, or nothing is changed."""

import zipfile
from pathlib import Path

import pytest

from learn2search.site.administration import backups, exports
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind


def content(site: Site, collection: Collection, name: str) -> bytes:
    parts, _ = exports.export(site, collection, name)
    return b"".join(parts)


def test_a_backup_should_bring_everything_back(
    site: Site, learnt: Collection, tmp_path: Path, database_url: str
) -> None:
    running = searching.start(site, "colours")
    backups.backup(site, tmp_path / "site.zip")
    other = Site.open(Settings(home=tmp_path / "other", database_url=database_url))
    backups.restore(other, tmp_path / "site.zip")
    assert other.collection("colours") == learnt
    assert searching.state(other, running.row.id).question == running.question
    assert content(other, learnt, "clicks.jsonl") == content(site, learnt, "clicks.jsonl")
    assert {path.name for path in other.settings.media.rglob("*.webp")} == {
        path.name for path in site.settings.media.rglob("*.webp")
    }
    make_collection(other, "more", "More")  # ids go on where they were
    searching.answer(other, running.row.id, 1, AnswerKind.NONE)
    with pytest.raises(Conflict, match="empty LEARN2SEARCH_HOME"):
        backups.restore(other, tmp_path / "site.zip")
    (tmp_path / "no.zip").write_bytes(b"nothing")
    with pytest.raises(Invalid, match="not a backup"):
        backups.restore(other, tmp_path / "no.zip")
    other.close()


def test_a_backup_of_an_unknown_schema_should_be_refused(site: Site, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "later.zip", "w") as archive:
        archive.writestr("about.json", '{"format": "learn2search.backup", "revision": "9999"}')
        archive.writestr("rows.jsonl", "")
    with pytest.raises(Invalid, match="was made with schema 9999, this release has"):
        backups.restore(site, tmp_path / "later.zip")


def test_a_damaged_backup_should_change_nothing(site: Site, learnt: Collection, tmp_path: Path) -> None:
    backups.backup(site, tmp_path / "site.zip")
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(tmp_path / "site.zip") as good, zipfile.ZipFile(damaged, "w") as bad:
        bad.writestr("about.json", good.read("about.json"))
        bad.writestr("rows.jsonl", good.read("rows.jsonl")[:-20])
    other = Site.open(Settings(home=tmp_path / "other", database_url=None))
    with pytest.raises(Invalid, match="is damaged, nothing was restored"):
        backups.restore(other, damaged)
    assert backups.restore(other, tmp_path / "site.zip") > 0
    other.close()
