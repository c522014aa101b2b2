"""A site that an older version made opens in this one: its database, on SQLite and PostgreSQL, and its backup.

`tests/fixtures/version_0.1.0/README.md` says what is in it; `expected.json` there is what that version said of it.
"""

import gzip
import itertools
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from learn2search.site.administration import backups, exports, owners
from learn2search.site.catalogue.item_media import Picture, media_of
from learn2search.site.context import Site
from learn2search.site.learning import publishing, trainer
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.site.visits.search_state import SearchState
from learn2search.store import dump, items, lessons
from learn2search.store import models as stored
from learn2search.store.database import Database, newest_revision
from learn2search.store.enums import AnswerKind
from learn2search.store.searches import page_of_ids

OLD = Path(__file__).parents[1] / "fixtures" / "version_0.1.0"
EXPECTED: dict[str, Any] = json.loads((OLD / "expected.json").read_text())
NAMED: dict[str, str] = EXPECTED["named"]
SLUGS = tuple(EXPECTED["collections"])
OPEN = [name for name, search_id in NAMED.items() if EXPECTED["searches"][search_id]["status"] == "open"]


@pytest.fixture(params=["database", "backup"])
def site(request: pytest.FixtureRequest, tmp_path: Path, database_url: str) -> Iterator[Site]:
    """The old site: its database brought up to date, or its backup restored into an empty one."""
    settings = Settings(home=tmp_path / "home", database_url=database_url, seed=0)
    if request.param == "database":
        load_database(database_url)
        load_media(settings.home)
    site = Site.open(settings, itertools.count(1_800_000_000.0).__next__)  # years later; visitors take a second
    if request.param == "backup":
        assert backups.restore(site, OLD / "backup.zip") == EXPECTED["rows"]
    yield site
    site.close()


def load_database(url: str) -> None:
    if url.startswith("sqlite:///"):
        Path(url.removeprefix("sqlite:///")).write_bytes(gzip.decompress((OLD / "site.db.gz").read_bytes()))
    else:
        with psycopg.connect(url) as connection:
            connection.execute(gzip.decompress((OLD / "site.sql.gz").read_bytes()))


def load_media(home: Path) -> None:
    with zipfile.ZipFile(OLD / "backup.zip") as archive:
        archive.extractall(home, [name for name in archive.namelist() if name.startswith("media/")])


# --- nothing is lost -------------------------------------------------------------------------------


def test_the_old_database_should_have_the_old_schema(database_url: str) -> None:
    """Else the other tests would prove nothing."""
    load_database(database_url)
    database = Database(database_url)
    assert (database.revision(), EXPECTED["version"]) == (EXPECTED["schema"], "0.1.0")
    assert newest_revision() != EXPECTED["schema"]
    database.close()


def test_everything_should_be_as_the_older_version_said(site: Site) -> None:
    check_rows(site)
    check_owner(site)
    for slug in SLUGS:
        check_collection(site, slug)
    check_searches(site)
    check_pictures(site)


def check_rows(site: Site) -> None:
    """None is missing, and a second migration changes none."""
    before = rows_of(site)
    assert len(before) == EXPECTED["rows"]
    again = Site.open(site.settings)
    assert again.database.revision() == newest_revision()
    assert rows_of(again) == before
    again.close()


def check_owner(site: Site) -> None:
    owner, visitor = EXPECTED["owner"], EXPECTED["visitor"]
    assert site.is_owner(owner["token"])
    assert site.sign(owner["text"]) == owner["signature"]
    assert site.visitor_hash(visitor["cookie"]) == visitor["hash"]


def check_collection(site: Site, slug: str) -> None:
    expected = EXPECTED["collections"][slug]
    changed = ("models", "due")  # models are compared below; when a fit is due is the policy of this version
    assert facts_of_collection(site, slug) == {name: value for name, value in expected.items() if name not in changed}
    assert [facts_of_model(model) for model in history(site, slug)] == [
        {name: value for name, value in model.items() if name != "parent"} for model in expected["models"]
    ]
    assert parents(site, slug) == [model["parent"] for model in expected["models"]]


def check_searches(site: Site) -> None:
    found: dict[str, dict[str, Any]] = {}
    for slug in SLUGS:
        with site.database.read() as db:
            rows = page_of_ids(db, site.collection(slug).id, "", 1000)
        found |= {row.id: facts_of_search(searching.state(site, row.id)) for row in rows}
    assert found == EXPECTED["searches"]


def check_pictures(site: Site) -> None:
    with site.database.read() as db:
        shown = [media_of(item) for item in items.all_items(db, site.collection("colours").id)]
    assert len(shown) == 32
    for media in shown:
        assert isinstance(media, Picture)
        assert media.thumbnail_colours is not None
        assert len(media.thumbnail_colours) == 6 * 8 * 8
        for name in media.files.values():
            assert (site.settings.media / "colours" / name).stat().st_size > 0


# --- and it goes on --------------------------------------------------------------------------------


def test_old_searches_should_go_on(site: Site) -> None:
    take_up_again(site)
    assert len(OPEN) == 6
    for name in OPEN:
        finish(site, searching.state(site, NAMED[name]))


def finish(site: Site, now: SearchState) -> None:
    """Answer an open search, unless everything was shown, and find the item."""
    lessons_before = site.collection(now.collection.slug).lessons
    if not now.exhausted:
        before, now = now, choose(site, now)
        assert now.question is not None
        assert (now.number, now.stale) == (before.number + 1, False)
        assert set(now.question.shown) <= active(site, now.collection.slug)
        assert len(now.question.shown) == now.row.show
    done = find(site, now)
    assert (done.row.status, done.row.lesson) == ("found", lessons_before + 1)


def take_up_again(site: Site) -> None:
    """Searches that were left, that ended with the wrong item, or that the owner trusts after all."""
    left = searching.state(site, NAMED["left without a word"])
    assert choose(site, left).row.status == "open"
    ended = searching.state(site, NAMED["found by visitor 0"])
    with site.database.read() as db:
        before = lessons.count(db, ended.collection.id)
    assert searching.correct(site, ended.row.id).row.status == "open"
    with site.database.read() as db:
        assert lessons.count(db, ended.collection.id) < before
    owners.release(site, NAMED["too quick"])
    assert searching.state(site, NAMED["too quick"]).row.lesson == EXPECTED["collections"]["colours"]["lessons"] + 1


@pytest.mark.heavy
def test_the_trainer_should_go_on_from_the_old_models(site: Site) -> None:
    """The owner asked the older version for a model, and this one makes it, from old lessons and new ones."""
    for name in ("open, in the middle", "open, two at a time", "a wine, open"):
        find(site, choose(site, searching.state(site, NAMED[name])))
    colours = site.collection("colours")
    made = [info for info in trainer.train_due(site) if info.collection_id == colours.id]
    assert [(info.version, info.origin) for info in made] == [(11, "fit")]
    assert not trainer.is_due(site, site.collection("colours"))
    assert trainer.train(site, site.collection("wines")) is not None


def test_a_rollback_to_an_old_model_should_be_possible(site: Site) -> None:
    """To the first model, to one that was fitted and published, and to one that was kept out."""
    for old in [model for model in history(site, "colours") if model.info.version in (1, 5, 8)]:
        made = publishing.roll_back(site, site.collection("colours"), old.info.version)
        assert (made.origin, made.noise) == ("rollback", old.info.noise)
        now = site.models.model(made.id)
        both, here, there = np.intersect1d(now.items, old.items, return_indices=True)
        assert len(both) >= 29
        assert (now.embedding.mean[here] == old.embedding.mean[there]).all()
        assert find(site, choose(site, searching.start(site, "colours"))).row.status == "found"


def test_visitors_and_items_should_come_to_old_collections(site: Site) -> None:
    for slug in SLUGS:
        now = searching.start(site, slug, visitor=site.visitor_hash("a new visitor"))
        assert (now.row.strategy == "random") == (slug == "animals")
        assert now.size == EXPECTED["collections"][slug]["active"]
        assert find(site, choose(site, now)).row.status == "found"
    owners.change_item(site, site.collection("colours"), 7, active=True)
    assert 7 in site.models.covered(site.published_model_id(site.collection("colours")))


def test_everything_should_be_exported(site: Site, tmp_path: Path) -> None:
    for slug in SLUGS:
        expected = EXPECTED["collections"][slug]
        content = {name: export(site, slug, name) for name in exports.EXPORTS}
        assert content.pop("teaching.jsonl") == b""  # nobody taught in those days
        assert all(content.values())
        assert content["triplets.csv"].count(b"\n") == expected["triplets"] + 1
        assert content["items.csv"].count(b"\r\n") == len(expected["items"]) + 1
        clicks = [json.loads(line) for line in content["clicks.jsonl"].splitlines()]
        assert {click["id"] for click in clicks} == {
            search_id for search_id, one in EXPECTED["searches"].items() if one["collection"] == slug
        }
    assert backups.backup(site, tmp_path / "new.zip") == EXPECTED["rows"]


# --- reading and answering -------------------------------------------------------------------------


def facts_of_collection(site: Site, slug: str) -> dict[str, Any]:
    collection = site.collection(slug)
    with site.database.read() as db:
        known = items.all_items(db, collection.id)
        triplets = lessons.count(db, collection.id)
    return {
        "title": collection.title,
        "options": collection.options,
        "lessons": collection.lessons,
        "triplets": triplets,
        "active": len(active(site, slug)),
        "model": site.models.model(site.published_model_id(collection)).info.version,
        "items": [facts_of_item(item) for item in known],
    }


def facts_of_item(item: items.Item) -> dict[str, Any]:
    names = ("number", "key", "title", "description", "family", "active", "retired_by")
    return {name: getattr(item, name) for name in names} | {"kind": media_of(item).kind}


def facts_of_model(model: stored.Model) -> dict[str, Any]:
    names = ("version", "origin", "published", "trained_up_to", "triplets", "noise", "metrics")
    space = model.embedding
    return {name: getattr(model.info, name) for name in names} | {
        "items": model.items.tolist(),
        "shape": list(space.mean.shape),
        "mean": round(float(np.abs(space.mean).mean()), 6),
        "variance": None if space.var is None else round(float(space.var.mean()), 6),
    }


def facts_of_search(now: SearchState) -> dict[str, Any]:
    names = ("strategy", "show", "status", "target", "questions", "lesson", "quarantine", "visitor", "origin")
    return {name: getattr(now.row, name) for name in names} | {
        "collection": now.collection.slug,
        "number": now.number,
        "answers": [[list(step.shown), step.kind, step.chosen] for step in now.answers],
        "step": None if now.question is None else now.question.number,
        "shown": None if now.question is None else list(now.question.shown),
    }


def rows_of(site: Site) -> list[str]:
    with site.database.read() as db:
        return sorted(json.dumps(row, sort_keys=True) for row in dump.rows(db))


def history(site: Site, slug: str) -> list[stored.Model]:
    """The models of a collection, the newest first."""
    with site.database.read() as db:
        return [stored.get(db, info.id) for info in stored.history(db, site.collection(slug).id)]


def parents(site: Site, slug: str) -> list[int | None]:
    """The version of each model's parent."""
    known = [model.info for model in history(site, slug)]
    version_of = {info.id: info.version for info in known}
    return [None if info.parent_id is None else version_of[info.parent_id] for info in known]


def active(site: Site, slug: str) -> set[int]:
    with site.database.read() as db:
        return set(items.active_numbers(db, site.collection(slug).id))


def export(site: Site, slug: str, name: str) -> bytes:
    parts, _ = exports.export(site, site.collection(slug), name)
    return b"".join(parts)


def choose(site: Site, now: SearchState) -> SearchState:
    assert now.question is not None
    return searching.answer(site, now.row.id, now.question.number, AnswerKind.CHOICE, now.question.shown[0])


def find(site: Site, now: SearchState) -> SearchState:
    """Found: an item that is shown, or any when everything was."""
    assert now.question is not None
    target = now.question.shown[-1] if now.question.shown else 0
    return searching.answer(site, now.row.id, now.question.number, AnswerKind.FOUND, target)
