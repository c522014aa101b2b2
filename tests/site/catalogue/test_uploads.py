"""Files that the owner sends: beside what there is, under names that are only names."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from learn2search.site.catalogue.uploads import _saved, import_upload
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, TooLarge
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item


def everything(site: Site, collection: Collection) -> list[Item]:
    with site.database.read() as db:
        return items.all_items(db, collection.id)


def test_an_upload_should_retire_nothing(site: Site, collection: Collection, make_png: Callable[..., bytes]) -> None:
    sent = [("../../my picture.png", io.BytesIO(make_png(5, 5, 5)))]
    report = import_upload(site, sent, collection, 10**6)
    assert (report.added, report.retired) == (1, 0)
    assert everything(site, collection)[-1].key == "my picture.png"
    with pytest.raises(TooLarge, match="At most 1 MB"):
        import_upload(site, [("big.png", io.BytesIO(bytes(10**6 + 1)))], collection, 10**6)


def test_several_files_should_be_uploaded_at_once(
    site: Site, collection: Collection, make_png: Callable[..., bytes]
) -> None:
    """Also two of the same name, as from two folders, and one that cannot be read."""
    names = ["a.png", "a.png", "b.png", "broken.png"]
    contents = [make_png(1, 1, 1), make_png(2, 2, 2), make_png(3, 3, 3), b"no"]
    report = import_upload(site, list(zip(names, map(io.BytesIO, contents), strict=True)), collection, 10**6)
    assert (report.added, report.retired) == (3, 0)
    assert [problem.name for problem in report.problems] == ["broken.png"]
    assert {item.key for item in everything(site, collection)} >= {"a.png", "2 a.png", "b.png"}


def test_an_upload_should_replace_nothing(site: Site, collection: Collection, make_png: Callable[..., bytes]) -> None:
    """Phones call every picture image.png: another one is another item, the same one again is nothing new."""
    for colour, added in ((1, 1), (2, 1), (1, 0)):
        sent = [("image.png", io.BytesIO(make_png(colour, colour, colour)))]
        report = import_upload(site, sent, collection, 10**6)
        assert (report.added, report.changed, report.unchanged) == (added, 0, 1 - added)
    assert [item.key for item in everything(site, collection)][-2:] == ["image.png", "2 image.png"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [("ä" * 300 + ".png", "ä" * 100 + ".png"), ("C:\\fotos\\a (1).png", "a (1).png"), ("..", "upload"), ("", "upload")],
)
def test_uploaded_names_should_be_names(tmp_path: Path, name: str, kept: str) -> None:
    assert _saved(tmp_path, name, io.BytesIO(b"x")).name == kept


def test_a_zip_file_should_be_uploaded_alone(
    site: Site, collection: Collection, make_png: Callable[..., bytes]
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a.png", make_png(1, 1, 1))
    archive.seek(0)
    with pytest.raises(Invalid, match="send it alone"):
        import_upload(site, [("a.zip", archive), ("b.png", io.BytesIO(b"x"))], collection, 10**6)
