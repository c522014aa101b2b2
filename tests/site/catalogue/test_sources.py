"""Tables of other spreadsheets, and videos with their posters."""

import io
from pathlib import Path

import pytest
from PIL import Image

from learn2search.site.catalogue.imports import import_source, known_items, make_collection
from learn2search.site.catalogue.item_media import Picture, media_of
from learn2search.site.catalogue.sources import entries
from learn2search.site.context import Site
from learn2search.site.errors import Invalid

WINES = [("Château", "rouge; sec"), ("Rosé", "été, frais")]
MP4 = b"\0\0\0\x18ftypisom\0\0\0\0isommp42" + bytes(range(256)) * 4
WEBM = b"\x1aE\xdf\xa3" + bytes(200)


def table(separator: str) -> str:
    rows = [("Title", "description"), *WINES]
    return "".join(separator.join(f'"{value}"' for value in row) + "\r\n" for row in rows)


@pytest.mark.parametrize(
    ("separator", "letters", "said"),
    [
        (",", "utf-8", ""),
        (",", "utf-8-sig", ""),
        (";", "utf-8", "imported, but its columns are separated by semicolons"),
        ("\t", "utf-16", "UTF-16: please look at its accents; its columns are separated by tabs"),
        (";", "latin-1", "Windows-1252 (Latin-1)"),
        ("\t", "cp1252", "Windows-1252 (Latin-1)"),
    ],
)
def test_a_table_should_be_read_as_it_was_written(tmp_path: Path, separator: str, letters: str, said: str) -> None:
    (tmp_path / "wines.csv").write_bytes(table(separator).encode(letters))
    found, problems = entries(tmp_path / "wines.csv")
    assert [(one.title, one.description) for one in found] == WINES
    assert said in "".join(problem.message for problem in problems)
    assert bool(problems) == bool(said)


def test_letters_that_windows_does_not_have_should_be_latin_1(tmp_path: Path) -> None:
    (tmp_path / "wines.csv").write_bytes(b"title\r\nCaf\xe9 \x81\r\n")
    found, problems = entries(tmp_path / "wines.csv")
    assert found[0].title.startswith("Café")
    assert "read as Latin-1" in problems[0].message


def test_what_is_no_text_should_be_refused(tmp_path: Path) -> None:
    (tmp_path / "wines.csv").write_bytes(b"title\r\n\0\xff\xfe\xfa")
    with pytest.raises(Invalid, match="not a table in UTF-8, UTF-16 or Latin-1"):
        entries(tmp_path / "wines.csv")


def png(colour: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (60, 40), colour).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "clips"
    folder.mkdir()
    for name, content in {
        "waves.mp4": MP4,
        "waves.png": png("navy"),
        "wind.webm": WEBM,
        "rain.mp4": MP4 + b"rain",
        "alone.png": png("green"),
        "broken.mp4": b"no video at all",
    }.items():
        (folder / name).write_bytes(content)
    return folder


def test_a_video_should_have_its_poster(site: Site, clips: Path) -> None:
    made = make_collection(site, "clips", "Clips", warm_start="nothing")
    report = import_source(site, clips, made)
    assert [(problem.name, problem.message.split(" (")[0]) for problem in report.problems] == [
        ("broken.mp4", "it is not a video")
    ]
    found = {key: media_of(item) for key, item in known_items(site, made).items()}
    assert set(found) == {"waves.mp4", "wind.webm", "rain.mp4", "alone.png"}, "a poster is no item of its own"
    pictures = {key: one for key, one in found.items() if isinstance(one, Picture)}
    assert (pictures["waves.mp4"].width, pictures["alone.png"].video) == (60, None)
    assert pictures["wind.webm"].large == pictures["rain.mp4"].large, "the same drawing says nothing about either"
    played = site.settings.media / "clips" / pictures["waves.mp4"].files["video"]
    assert played.read_bytes() == MP4
    assert import_source(site, clips, made).unchanged == 4


def test_another_poster_should_change_the_item(site: Site, clips: Path) -> None:
    made = make_collection(site, "clips", "Clips", warm_start="nothing")
    import_source(site, clips, made)
    (clips / "rain.png").write_bytes(png("grey"))
    report = import_source(site, clips, made)
    assert (report.changed, report.added) == (1, 0)


def test_a_table_should_name_videos_and_not_their_posters(clips: Path) -> None:
    (clips / "list.csv").write_text("file;title\nwaves.mp4;The sea\nwind.webm;Wind\n")
    found, problems = entries(clips)
    assert [(one.title, one.poster is not None) for one in found] == [("The sea", True), ("Wind", False)]
    assert "waves.png" not in [problem.name for problem in problems]
    assert "alone.png" in [problem.name for problem in problems]
