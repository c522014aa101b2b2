"""Media in an object store: two machines see the same files, and each of them keeps copies only for a while."""

import os
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from learn2search.cli.doctor import examine
from learn2search.site.administration import backups, collection_changes, item_changes
from learn2search.site.catalogue import duplicates, media_bucket
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.catalogue.item_features import PICTURES, item_features
from learn2search.site.catalogue.item_media import media_of
from learn2search.site.catalogue.media_bucket import FRESH_SECONDS, MediaBucket
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, Unavailable
from learn2search.site.settings import Settings
from learn2search.store import items
from tests.s3_server import BUCKET, S3Server, s3_running

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    with s3_running() as server:
        yield server


@pytest.fixture
def s3(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture
def prefix(s3: S3Server) -> str:
    """Of its own for each test."""
    return f"s3://{BUCKET}/{os.urandom(6).hex()}"


@pytest.fixture
def machines(prefix: str, tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    """Two machines with one database and one bucket, and folders of their own."""
    settings = Settings(home=tmp_path / "one", database_url=f"sqlite:///{tmp_path / 'site.db'}", media_url=prefix)
    first, second = Site.open(settings), Site.open(settings.model_copy(update={"home": tmp_path / "two"}))
    yield first, second
    first.close()
    second.close()


def names_of(site: Site) -> list[str]:
    with site.database.read() as db:
        found = items.all_items(db, site.collection("colours").id)
    return sorted({name for item in found for name in media_of(item).files.values()})


def make_old(path: Path) -> None:
    before = path.stat().st_mtime - FRESH_SECONDS - 1
    os.utime(path, (before, before))


def test_what_one_machine_imports_the_other_should_show_and_delete(
    machines: tuple[Site, Site], pictures: Path, tmp_path: Path
) -> None:
    first, second = machines
    import_source(first, pictures, make_collection(first, "colours", "Colours"))
    names, collection = names_of(first), second.collection("colours")
    assert names
    assert second.media.names("colours") == set(names)
    assert not (tmp_path / "two" / "media" / "colours").exists()
    for name in names:
        assert second.media.path("colours", name).read_bytes() == first.media.path("colours", name).read_bytes()
    assert item_features(second, collection, PICTURES).any(axis=1).all()
    assert duplicates.find_duplicates(second, collection).compared == 30
    assert all(finding.good for finding in examine(second.settings) if not finding.what.startswith("Port"))

    with second.database.read() as db:
        gone = media_of(items.all_items(db, collection.id)[0]).files
    item_changes.delete_items(second, collection, [0])
    for name in gone.values():
        assert second.media.path("colours", name) is None
        copy = first.settings.media / "colours" / name
        assert first.media.path("colours", name) == copy  # for ten minutes
        make_old(copy)
        assert first.media.path("colours", name) is None
        assert not copy.exists()

    collection_changes.delete_collection(first, first.collection("colours"), "Colours")
    assert list(second.media.all_names()) == []


def test_a_backup_should_hold_what_the_bucket_holds_and_be_restored_into_another(
    machines: tuple[Site, Site], pictures: Path, tmp_path: Path
) -> None:
    first, second = machines
    import_source(first, pictures, make_collection(first, "colours", "Colours"))
    backups.backup(second, tmp_path / "site.zip")
    settings = second.settings.model_copy(
        update={"home": tmp_path / "three", "database_url": None, "media_url": f"{second.settings.media_url}-other"}
    )
    other = Site.open(settings)
    backups.restore(other, tmp_path / "site.zip")
    assert list(other.media.all_names()) == list(first.media.all_names()) != []
    other.close()
    folder = Site.open(settings.model_copy(update={"home": tmp_path / "four", "media_url": None}))
    backups.restore(folder, tmp_path / "site.zip")
    assert list(folder.media.all_names()) == list(first.media.all_names())
    folder.close()


def test_copies_should_serve_while_the_store_is_away(machines: tuple[Site, Site], s3: S3Server) -> None:
    first, second = machines
    for name in ("a", "b"):
        (first.media.folder("colours")).mkdir(parents=True, exist_ok=True)
        (first.media.folder("colours") / name).write_bytes(name.encode())
        first.media.keep("colours", [name])
    copy = second.media.path("colours", "a")
    assert (first.media.trouble(), second.media.path("colours", "c")) == (None, None)
    make_old(copy)
    s3.stop()
    try:
        assert second.media.path("colours", "a") == copy
        assert isinstance(second.media, MediaBucket)
        second.media._rest_until = 0.0
        with pytest.raises(Unavailable, match="does not answer"):
            second.media.path("colours", "b")
        assert "does not answer" in second.media.trouble()
        assert [finding.good for finding in examine(second.settings) if finding.what == "Media"] == [False]
    finally:
        s3.start()


def test_a_store_that_hangs_should_keep_few_waiting_and_not_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(media_bucket._CLIENT, "timeout", "1s")
    monkeypatch.setattr(media_bucket, "_REST_SECONDS", 60.0)
    monkeypatch.setattr(media_bucket, "_FETCHED_AT_ONCE", 2)
    with socket.create_server(("127.0.0.1", 0)) as mute:  # takes connections, and answers nothing
        for name, value in S3Server(mute.getsockname()[1]).environment.items():
            monkeypatch.setenv(name, value)
        media = MediaBucket(f"s3://{BUCKET}/mute", tmp_path, 0)
        assert "does not answer" in media.trouble()
        with ThreadPoolExecutor(8) as pool:
            asked = [pool.submit(media.path, "colours", f"{number}") for number in range(8)]
        assert [type(one.exception()) for one in asked] == [Unavailable] * 8
        monkeypatch.setattr(media, "read", None)  # it rests: nobody asks the store now
        with pytest.raises(Unavailable):
            media.path("colours", "a")


def test_copies_should_have_no_more_bytes_than_are_allowed(
    prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_bucket, "_PRUNE_SECONDS", 0.0)
    media = MediaBucket(prefix, tmp_path, 25)
    folder = media.folder("colours")
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}").write_bytes(bytes(10))
        media.keep("colours", [f"{number}"])
        make_old(folder / f"{number}")
    (folder / "new").write_bytes(bytes(10))
    media.keep("colours", ["new"])
    assert sorted(path.name for path in folder.iterdir()) == ["4", "new"]
    assert media.names("colours") == {"0", "1", "2", "3", "4", "new"}


def test_a_bucket_that_cannot_be_used_should_say_why(s3: S3Server, tmp_path: Path) -> None:
    assert "404" in MediaBucket("s3://no-such-bucket/site", tmp_path, 0).trouble()
    with pytest.raises(ValueError, match="s3://bucket/prefix"):
        Settings(media_url="https://example.org/pictures")
    with pytest.raises(Invalid, match="cannot be used"):
        MediaBucket("s3:///", tmp_path, 0)
