"""From files to a collection: what comes in, what does not and why, and what a second run changes."""

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

from learn2search.site.administration import owners
from learn2search.site.catalogue import imports
from learn2search.site.catalogue.imports import import_source, make_collection, preview_import, read_source
from learn2search.site.catalogue.item_media import MediaKind, Picture, Sound, TextCard, media_of
from learn2search.site.catalogue.options import options_of
from learn2search.site.catalogue.sources import is_link
from learn2search.site.catalogue.uploads import import_upload
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning import publishing
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.items import Item


def everything(site: Site, collection: Collection) -> list[Item]:
    with site.database.read() as db:
        return items.all_items(db, collection.id)


def picture_of(item: Item) -> Picture:
    media = media_of(item)
    assert isinstance(media, Picture)
    return media


def reasons(report: imports.Report) -> dict[str, str]:
    return {problem.name: problem.message for problem in report.problems}


def test_a_folder_should_become_a_collection(site: Site, collection: Collection) -> None:
    found = everything(site, collection)
    assert len(found) == 30
    assert found[0].title == "Colour 00"
    assert (site.settings.media / "colours" / picture_of(found[0]).large).exists()
    assert options_of(collection).shape == "tall"
    assert collection.model_id is not None


def test_a_second_run_should_change_nothing(site: Site, collection: Collection, pictures: Path) -> None:
    before = everything(site, collection)
    report = import_source(site, pictures, collection)
    assert (report.added, report.changed, report.unchanged, report.retired) == (0, 0, 30, 0)
    assert everything(site, collection) == before
    assert site.collection("colours").model_id == collection.model_id


def test_new_files_should_join_and_missing_ones_retire(
    site: Site, collection: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    (pictures / "colour_00.png").unlink()
    (pictures / "new.png").write_bytes(make_png(1, 2, 3))
    report = import_source(site, pictures, collection)
    assert (report.added, report.unchanged, report.retired) == (1, 29, 0)  # it only adds

    report = import_source(site, pictures, collection, replace=True)
    assert (report.added, report.unchanged, report.retired) == (0, 30, 1)
    model = site.models.model(site.collection("colours").model_id or 0)
    assert 0 not in model.items
    assert 30 in model.items

    (pictures / "colour_00.png").write_bytes(make_png(9, 9, 9))
    assert import_source(site, pictures, collection).changed == 1
    assert 0 in site.models.model(site.collection("colours").model_id or 0).items


def test_what_the_owner_retired_should_stay_retired(site: Site, collection: Collection, pictures: Path) -> None:
    owners.change_item(site, collection, 3, active=False)
    os.utime(pictures / "colour_03.png", (1, 1))
    import_source(site, pictures, collection)
    assert not everything(site, collection)[3].active


def test_what_the_owner_wrote_should_stay(
    site: Site, collection: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    owners.change_item(site, collection, 3, title="Brick", description="A red.", active=True)
    os.utime(pictures / "colour_03.png", (1, 1))
    (pictures / "colour_04.png").write_bytes(make_png(9, 9, 9))
    report = import_source(site, pictures, collection)
    assert (report.changed, report.unchanged) == (1, 29)  # of the other only the time is new, as after a copy
    found = everything(site, collection)
    assert (found[3].title, found[3].description, found[4].title) == ("Brick", "A red.", "Colour 04")


def test_words_for_an_item_whose_file_is_gone_should_not_keep_it_out(
    site: Site, collection: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    (pictures / "colour_00.png").unlink()
    import_source(site, pictures, collection, replace=True)
    owners.change_item(site, collection, 0, title="Gone for now", description="", active=False)
    (pictures / "colour_00.png").write_bytes(make_png(9, 9, 9))
    import_source(site, pictures, collection)
    found = everything(site, collection)[0]
    assert (found.active, found.title) == (True, "Gone for now")


def test_what_was_uploaded_should_outlive_an_import(
    site: Site, collection: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    import_upload(site, [("mine.png", io.BytesIO(make_png(5, 5, 5)))], collection, 10**6)
    (pictures / "colour_00.png").unlink()
    report = import_source(site, pictures, collection, replace=True)
    assert (report.retired, report.unchanged) == (1, 29)
    assert [item.key for item in everything(site, collection) if item.active][-1] == "mine.png"


def test_the_same_picture_under_many_names_should_be_many_items(
    site: Site, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    """They are encoded at the same time and end in the same file."""
    folder = tmp_path / "copies"
    folder.mkdir()
    for number in range(24):
        (folder / f"copy ({number}).png").write_bytes(make_png(1, 2, 3, (600, 600)))
    report = import_source(site, folder, make_collection(site, "copies", "Copies"))
    assert (report.added, report.problems) == (24, [])
    assert sorted(path.suffix for path in (site.settings.media / "copies").iterdir()) == [".webp", ".webp"]


def test_a_bad_member_of_a_zip_file_should_be_named_and_the_rest_imported(
    site: Site, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    source = tmp_path / "mixed.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for name in ("a.png", "b.png", "encrypted.png", "flipped.png"):
            archive.writestr(name, make_png(len(name), 2, 3))
    data = bytearray(source.read_bytes())
    for mark in (b"PK\x01\x02", b"PK\x03\x04"):  # encrypted.png is the third, in the directory and before its content
        at = [place for place in range(len(data)) if data.startswith(mark, place)][2]
        data[at + (8 if mark == b"PK\x01\x02" else 6)] |= 1
    data[data.index(b"flipped.png") + 40] ^= 1
    source.write_bytes(data)
    report = import_source(site, source, make_collection(site, "mixed", "Mixed"))
    assert report.added == 2
    assert set(reasons(report)) == {"encrypted.png", "flipped.png"}
    assert "encrypted" in reasons(report)["encrypted.png"]


def test_a_table_that_is_none_should_be_refused(site: Site, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("title\n" + "x" * 200_000 + "\n")
    with pytest.raises(Invalid, match="table.csv is not a table: field larger than"):
        import_source(site, tmp_path / "table.csv", make_collection(site, "table", "Table"))


def test_an_interrupted_import_should_go_on(site: Site, pictures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make_collection(site, "colours", "Colours")
    monkeypatch.setattr(imports, "_BATCH", 8)

    def interrupted(steps: Iterable[Any], label: str, total: int) -> Iterator[Any]:
        for number, step in enumerate(steps):
            if number == 20:
                raise KeyboardInterrupt
            yield step

    with pytest.raises(KeyboardInterrupt):
        import_source(site, pictures, made, interrupted)
    report = import_source(site, pictures, made)
    assert (report.added, report.unchanged) == (14, 16)


def png_that_claims(width: int, height: int) -> bytes:
    """A tiny PNG file whose header promises a huge picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_bad_files_should_be_named_and_the_rest_imported(
    site: Site, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "good.png").write_bytes(make_png(1, 2, 3))
    (folder / "good too.png").write_bytes(make_png(3, 2, 1))
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "damaged.png").write_bytes(make_png(1, 2, 3, (300, 300))[:90])
    (folder / "bomb.png").write_bytes(png_that_claims(60_000, 60_000))
    (folder / "text.png").write_bytes(b"hello")
    (folder / "script.svg").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (folder / "svg.png").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    (folder / "noise.mp3").write_bytes(b"not a sound")
    (folder / "program.exe").write_bytes(b"MZ")
    report = import_source(site, folder, make_collection(site, "mixed", "Mixed"))
    assert report.added == 2
    found = reasons(report)
    assert set(found) == {
        *("empty.jpg", "damaged.png", "bomb.png", "text.png"),
        *("script.svg", "svg.png", "noise.mp3", "program.exe"),
    }
    assert "empty" in found["empty.jpg"]
    assert "damaged" in found["damaged.png"]
    assert "too many" in found["bomb.png"]
    assert "not a picture" in found["svg.png"]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
def test_all_kinds_of_pictures_should_be_encoded_anew(site: Site, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / kind
    folder.mkdir()
    for name in ("a", "b"):
        Image.new("RGB", (1500, 1000), "red" if name == "a" else "blue").save(folder / f"{name}.{kind.lower()}", kind)
    made = make_collection(site, kind.lower(), kind)
    assert import_source(site, folder, made).added == 2
    media = picture_of(everything(site, made)[0])
    assert (media.width, media.height) == (900, 600)
    with Image.open(site.settings.media / kind.lower() / media.large) as written:
        assert written.format == "WEBP"


def test_hidden_data_in_a_picture_should_not_be_published(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "secret"
    folder.mkdir()
    exif = Image.Exif()
    exif[0x010E] = "my home address"
    for name in ("a", "b"):
        Image.new("RGB", (50, 50), "red" if name == "a" else "blue").save(folder / f"{name}.jpg", exif=exif)
    made = make_collection(site, "secret", "Secret")
    import_source(site, folder, made)
    written = (site.settings.media / "secret" / picture_of(everything(site, made)[0]).large).read_bytes()
    assert b"my home address" not in written


def test_a_zip_file_should_be_read_without_unpacking_its_names(
    site: Site, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    source = tmp_path / "faces.zip"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("../../escape.png", make_png(1, 2, 3))
        archive.writestr("/absolute.png", make_png(4, 5, 6))
        archive.writestr("group/inside.png", make_png(7, 8, 9))
    made = make_collection(site, "zip", "Zip")
    assert import_source(site, source, made).added == 3
    assert not (tmp_path.parent / "escape.png").exists()
    assert {item.family for item in everything(site, made)} == {"", "group"}
    stored = {path.name for path in site.settings.media.rglob("*.webp")}
    assert all(name.split(".")[0].removesuffix("-s").isalnum() for name in stored)


def test_a_table_should_give_titles_and_text_cards(site: Site, tmp_path: Path, make_png: Callable[..., bytes]) -> None:
    folder = tmp_path / "table"
    folder.mkdir()
    (folder / "one.png").write_bytes(make_png(1, 2, 3))
    rows = "file,title,description,group\none.png,One,The first,red\n,A card,Only words,red\nlost.png,Lost,,\n,,,\n"
    (folder / "list.csv").write_text(rows)
    made = make_collection(site, "table", "Table")
    report = import_source(site, folder / "list.csv", made)
    assert report.added == 2
    assert [item.title for item in everything(site, made)] == ["One", "A card"]
    assert media_of(everything(site, made)[1]) == TextCard()
    assert set(reasons(report)) == {"list.csv, line 4", "list.csv, line 5"}


def test_links_should_be_kept_with_their_items(site: Site, tmp_path: Path) -> None:
    table, made = tmp_path / "list.csv", make_collection(site, "linked", "Linked")
    table.write_text("title,link\nOne,https://example.org/1?a=b&c=d\nTwo,\nBad,javascript:alert(1)\n")
    report = import_source(site, table, made)
    assert [(item.title, item.link) for item in everything(site, made)] == [
        ("One", "https://example.org/1?a=b&c=d"),
        ("Two", ""),
    ]
    assert "http://" in reasons(report)["list.csv, line 4"]
    table.write_text("title,link\nOne,https://example.org/2\nTwo,\n")
    again = import_source(site, table, made)
    assert (again.changed, again.unchanged) == (1, 1)
    assert everything(site, made)[0].link == "https://example.org/2"


@pytest.mark.parametrize(
    "text", ["ftp://a.org", "//a.org", "https:a", "http:// a", "data:text/html,x", 'http://a"b', "x"]
)
def test_only_addresses_of_pages_should_be_links(text: str) -> None:
    assert not is_link(text)
    assert is_link("http://localhost:8000/ä")


def test_text_files_and_sounds_should_be_items_too(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "poem.txt").write_text("The title\nThe first line of many\n")
    (folder / "note.txt").write_text("Another")
    (folder / "beep.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    made = make_collection(site, "other", "Other")
    assert import_source(site, folder, made).added == 3
    beep, _, poem = everything(site, made)
    assert (poem.title, poem.description) == ("The title", "The first line of many")
    assert media_of(beep).kind is MediaKind.SOUND
    buffer = io.BytesIO()
    wavfile.write(buffer, 8000, np.ones(12_000, np.int16))
    (folder / "tone.wav").write_bytes(buffer.getvalue())
    import_source(site, folder, made)
    tone = media_of(everything(site, made)[3])
    assert isinstance(tone, Sound)
    assert tone.seconds == 1.5
    assert tone.wave is not None
    assert (site.settings.media / "other" / tone.wave).is_file()


def test_sources_that_make_no_sense_should_be_refused(site: Site, tmp_path: Path) -> None:
    made = make_collection(site, "none", "None")
    (tmp_path / "file.bin").write_bytes(b"x")
    (tmp_path / "bad.csv").write_text("name,colour\na,b\n")
    for source, words in (
        ("missing", "does not exist"),
        ("file.bin", "neither a folder"),
        ("bad.csv", "file or title"),
    ):
        with pytest.raises(Invalid, match=words):
            import_source(site, tmp_path / source, made)
    with pytest.raises(Invalid, match="a-z"):
        make_collection(site, "../up", "Up")


def test_a_link_out_of_the_folder_should_not_be_followed(
    site: Site, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    (tmp_path / "outside.png").write_bytes(make_png(1, 2, 3))
    folder = tmp_path / "linked"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    with pytest.raises(Invalid, match="There is nothing to import in .*linked, it is empty"):
        import_source(site, folder, make_collection(site, "linked", "Linked"))


def test_too_few_items_should_not_be_searched_and_come_back_as_they_were(
    site: Site, collection: Collection, pictures: Path
) -> None:
    kept = {path: path.read_bytes() for path in sorted(pictures.iterdir())}
    for path in list(kept)[1:]:
        path.unlink()
    import_source(site, pictures, collection, replace=True)
    assert site.collection("colours").model_id is None
    for path, data in kept.items():
        path.write_bytes(data)
    import_source(site, pictures, collection)
    now = site.collection("colours")
    assert now.model_id is not None
    assert len(site.models.model(now.model_id).items) == 30
    assert publishing.cover(site, now.id) is not None


def test_a_preview_should_tell_what_an_import_would_do(
    site: Site, collection: Collection, pictures: Path, make_png: Callable[..., bytes]
) -> None:
    before = everything(site, collection)
    (pictures / "colour_00.png").unlink()
    (pictures / "new.png").write_bytes(make_png(1, 2, 3))
    (pictures / "colour_01.png").write_bytes(make_png(1, 2, 3))
    found = preview_import(site, read_source(pictures), "colours")
    assert (found.new, found.changed, found.unchanged, found.active) == (1, 1, 28, 30)
    assert [item.key for item in found.gone] == ["colour_00.png"]
    assert everything(site, collection) == before
    assert preview_import(site, read_source(pictures), "another").new == 30


def test_files_that_a_table_does_not_name_should_be_named(
    site: Site, tmp_path: Path, make_png: Callable[..., bytes]
) -> None:
    folder = tmp_path / "some"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / f"{name}.png").write_bytes(make_png(1, 2, 3))
    (folder / "notes.md").write_text("not an item")
    made = make_collection(site, "some", "Some")
    assert import_source(site, folder, made).added == 3
    (folder / "list.csv").write_text("file,title\na.png,First\nb.png,Second\n")
    report = import_source(site, folder, made, replace=True)
    assert [(one.name, one.message) for one in report.problems] == [("c.png", "list.csv does not name it")]
    assert [item.active for item in everything(site, made)] == [True, True, False]


def test_sixteen_bits_of_grey_should_stay_grey(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "grey"
    folder.mkdir()
    for number, level in enumerate((16, 128, 250)):
        Image.fromarray(np.full((40, 40), level * 256 + 7, np.uint16)).save(folder / f"{number}.png")
    made = make_collection(site, "grey", "Grey")
    import_source(site, folder, made)
    for item, level in zip(everything(site, made), (16, 128, 250), strict=True):
        with Image.open(site.settings.media / "grey" / picture_of(item).large) as shown:
            assert np.abs(np.asarray(shown.convert("L"), float) - level).max() < 4
