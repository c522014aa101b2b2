"""What can be taken away: the library reads it, and nothing leaves that is not listed."""

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from learn2search import Embedding, read_triplets
from learn2search.site.administration import exports, owners
from learn2search.site.administration.exports import EXPORTS
from learn2search.site.context import Site
from learn2search.site.errors import NotFound, Unavailable
from learn2search.store import items, lessons
from learn2search.store.collections import Collection

ROOT = Path(__file__).parents[3]


def content(site: Site, collection: Collection, name: str) -> bytes:
    parts, _ = exports.export(site, collection, name)
    return b"".join(parts)


def test_only_the_listed_columns_should_leave_the_site(site: Site, learnt: Collection) -> None:
    line = json.loads(content(site, learnt, "clicks.jsonl").splitlines()[0])
    assert tuple(line) == EXPORTS["clicks.jsonl"].columns
    assert tuple(line["steps"][0]) == exports.STEP_COLUMNS
    for name in ("triplets.csv", "items.csv"):
        assert tuple(next(csv.reader([content(site, learnt, name).decode().splitlines()[0]]))) == EXPORTS[name].columns
    header = content(site, learnt, "embedding.csv").decode().splitlines()[0].split(",")
    assert tuple(dict.fromkeys(re.sub(r"_\d+$", "_*", name) for name in header)) == EXPORTS["embedding.csv"].columns


def test_the_page_about_the_site_should_list_the_exports_and_their_columns() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \|.*\| (`.*`) \|$", (ROOT / "docs" / "site.md").read_text(), re.MULTILINE))
    assert {name: tuple(re.findall(r"`([^`]+)`", columns)) for name, columns in rows.items() if name in EXPORTS} == {
        name: export.columns for name, export in EXPORTS.items()
    }


def test_only_what_can_be_written_should_be_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exports.available_exports() == list(EXPORTS)
    monkeypatch.setattr(exports, "find_spec", lambda package: None)
    assert exports.available_exports() == [name for name in EXPORTS if name != "triplets.parquet"]


def test_exports_should_be_readable_by_the_library(site: Site, learnt: Collection, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content(site, learnt, "triplets.csv"))
    (tmp_path / "t.npz").write_bytes(content(site, learnt, "triplets.npz"))
    rows = read_triplets(tmp_path / "t.csv").triplets
    assert (rows == read_triplets(tmp_path / "t.npz").triplets).all()
    with site.database.read() as db:
        assert len(rows) == lessons.count(db, learnt.id)
    (tmp_path / "e.npz").write_bytes(content(site, learnt, "embedding.npz"))
    assert Embedding.load(tmp_path / "e.npz").n_items == 30
    table = list(csv.DictReader(io.StringIO(content(site, learnt, "embedding.csv").decode())))
    assert len(table) == 30
    lines = [json.loads(line) for line in content(site, learnt, "clicks.jsonl").splitlines()]
    assert len(lines) == 40
    assert "visitor" not in lines[0]
    assert lines[0]["steps"][-1]["kind"] == "found"


def test_row_i_of_the_exported_positions_should_be_item_i(site: Site, learnt: Collection, tmp_path: Path) -> None:
    owners.change_item(site, learnt, 3, active=False)
    now = site.collection("colours")
    known = site.newest_embedding(now)
    (tmp_path / "e.npz").write_bytes(content(site, now, "embedding.npz"))
    exported = Embedding.load(tmp_path / "e.npz")
    assert 3 not in known.items
    assert exported.n_items == 30
    assert (exported.mean[known.items] == known.embedding.mean).all()


def test_a_format_whose_package_is_missing_should_be_said(
    site: Site, learnt: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Unavailable, match="pyarrow"):
        exports.export(site, learnt, "triplets.parquet")


def test_tables_should_be_harmless_in_a_spreadsheet(site: Site, learnt: Collection) -> None:
    with site.database.write() as db:
        first = items.by_number(db, learnt.id, [0])[0]
        items.change(db, [items.Item(**(vars(first) | {"title": "=1+1"}))])
    assert b"'=1+1" in content(site, learnt, "items.csv")


def test_missing_exports_should_be_named(site: Site, collection: Collection) -> None:
    with pytest.raises(NotFound, match="triplets.csv"):
        exports.export(site, collection, "everything.xlsx")
    with pytest.raises(Unavailable, match="No search"):
        exports.export(site, collection, "triplets.csv")
