"""Figures, exports and backups: what the pages tell, and what can be taken away."""

import csv
import io
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from learn2search import Embedding, read_triplets
from learn2search.site.administration import backups, exports, owners, statistics
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound, Unavailable
from learn2search.site.learning import simulated_visitors, snapshot
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.store import items, lessons
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
from learn2search.store.searches import Finished

FEATURES = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


@pytest.fixture
def learnt(site: Site, collection: Collection) -> Collection:
    simulated_visitors.run(site, "colours", FEATURES, 0.1, 40, seed=1)
    return site.collection("colours")


def text(site: Site, collection: Collection, name: str) -> bytes:
    parts, _ = exports.export(site, collection, name)
    return b"".join(parts)


def test_a_fresh_collection_should_promise_nothing(site: Site, collection: Collection) -> None:
    (summary,) = statistics.summaries(site)
    assert (summary.size, summary.median, summary.trend) == (30, None, ())
    assert statistics.band(site, collection) is None
    assert statistics.distribution(site, collection, 5) is None
    assert statistics.overview(site, collection).curve is None


def test_figures_should_come_from_the_log(site: Site, learnt: Collection) -> None:
    (summary,) = statistics.summaries(site)
    assert summary.median is not None
    assert len(summary.sample) == 12
    band = statistics.band(site, learnt)
    assert band is not None
    assert 1 <= band.low < band.high
    spread = statistics.distribution(site, learnt, summary.median)
    assert spread is not None
    assert sum(spread.counts) == 40
    figures = statistics.overview(site, learnt)
    assert figures.by_status == {"found": 40}
    assert figures.curve is not None
    assert figures.curve.total == 40
    assert figures.comparisons == figures.seen.sum() / 3


def test_curves_should_split_by_how_well_the_target_is_known() -> None:
    done = [Finished(float(at), 10 if at % 2 else 2, at % 2, "sampled", at + 2) for at in range(100)]
    taught = np.array([[0, 2, 3, 1], [0, 2, 3, 1], [1, 2, 3, 200]])
    known = statistics.known_before(done, taught)
    assert known.tolist() == [True, False] * 50
    curve = statistics.curve(done, known, [])
    assert curve is not None
    assert set(curve.well_known) == {2.0}
    assert set(curve.little_known) == {10.0}


def test_strategies_should_be_compared_with_intervals() -> None:
    done = [Finished(0.0, 5 + at % 3, 0, "sampled", 1) for at in range(100)]
    assert statistics.compare(done) == []
    both = statistics.compare([*done, *(Finished(0.0, 9, 0, "gauss", 1) for _ in range(50))])
    assert [one.strategy for one in both] == ["gauss", "sampled"]
    assert both[1].low <= both[1].median == 6 <= both[1].high


def test_exports_should_be_readable_by_the_library(site: Site, learnt: Collection, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(text(site, learnt, "triplets.csv"))
    (tmp_path / "t.npz").write_bytes(text(site, learnt, "triplets.npz"))
    rows = read_triplets(tmp_path / "t.csv")
    assert (rows == read_triplets(tmp_path / "t.npz")).all()
    with site.database.read() as db:
        assert len(rows) == lessons.count(db, learnt.id)
    (tmp_path / "e.npz").write_bytes(text(site, learnt, "embedding.npz"))
    assert Embedding.load(tmp_path / "e.npz").n_items == 30
    table = list(csv.DictReader(io.StringIO(text(site, learnt, "embedding.csv").decode())))
    assert len(table) == 30
    told = [json.loads(line) for line in text(site, learnt, "clicks.jsonl").splitlines()]
    assert len(told) == 40
    assert "visitor" not in told[0]
    assert told[0]["steps"][-1]["kind"] == "found"


def test_row_i_of_the_exported_positions_should_be_item_i(site: Site, learnt: Collection, tmp_path: Path) -> None:
    owners.change_item(site, learnt, 3, active=False)
    now = site.collection("colours")
    known = site.models.embedding_at(now.model_id or 0, now.lessons)
    (tmp_path / "e.npz").write_bytes(text(site, now, "embedding.npz"))
    told = Embedding.load(tmp_path / "e.npz")
    assert 3 not in known.items
    assert told.n_items == 30
    assert (told.mean[known.items] == known.embedding.mean).all()


def test_a_format_whose_package_is_missing_should_be_said(site: Site, learnt: Collection, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(Unavailable, match="pyarrow"):
        exports.export(site, learnt, "triplets.parquet")


def test_tables_should_be_harmless_in_a_spreadsheet(site: Site, learnt: Collection) -> None:
    with site.database.write() as db:
        first = items.by_number(db, learnt.id, [0])[0]
        items.change(db, [items.Item(**(vars(first) | {"title": "=1+1"}))])
    assert b"'=1+1" in text(site, learnt, "items.csv")


def test_missing_exports_should_be_named(site: Site, collection: Collection) -> None:
    with pytest.raises(NotFound, match="triplets.csv"):
        exports.export(site, collection, "everything.xlsx")
    with pytest.raises(Unavailable, match="No search"):
        exports.export(site, collection, "triplets.csv")


def test_a_backup_should_bring_everything_back(
    site: Site, learnt: Collection, tmp_path: Path, database_url: str
) -> None:
    running = searching.start(site, "colours")
    backups.backup(site, tmp_path / "site.zip")
    other = Site.open(Settings(home=tmp_path / "other", database_url=database_url))
    backups.restore(other, tmp_path / "site.zip")
    assert other.collection("colours") == learnt
    assert searching.state(other, running.row.id).question == running.question
    assert text(other, learnt, "clicks.jsonl") == text(site, learnt, "clicks.jsonl")
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


def test_what_was_taught_should_fit_in_a_file(site: Site, learnt: Collection, pictures: Path, tmp_path: Path) -> None:
    snapshot.save(site, "colours", tmp_path / "snapshot.npz")
    copy = Site.open(Settings(home=tmp_path / "copy", database_url=None))
    import_source(copy, pictures, make_collection(copy, "colours", "Colours"))
    snapshot.load(copy, "colours", tmp_path / "snapshot.npz")
    assert text(copy, learnt, "triplets.csv") == text(site, learnt, "triplets.csv")
    assert copy.collection("colours").lessons == learnt.lessons
    assert searching.start(copy, "colours").row.strategy == searching.start(site, "colours").row.strategy
    with pytest.raises(Invalid, match="does not fit"):
        snapshot.load(copy, "colours", tmp_path / "snapshot.npz")
    copy.close()


def test_the_owners_token_should_be_kept_as_a_hash(site: Site) -> None:
    token = site.first_token()
    assert token is not None
    assert site.first_token() is None
    assert site.is_owner(token)
    assert not site.is_owner(token + "x")
    assert token.encode() not in (site.settings.home / "site.db").read_bytes()
    before = site.sign("owner:1")
    site.new_token()
    assert not site.is_owner(token)
    assert site.sign("owner:1") != before  # a new token ends old sessions


def test_pictures_can_be_made_small(make_png: Callable[..., bytes]) -> None:
    from learn2search.site.catalogue.media import decode

    assert decode(make_png(1, 2, 3, (64, 32))).size == (64, 32)
