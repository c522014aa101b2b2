"""Small files with huge pictures in them, and ZIP files with many members."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from learn2search.site.catalogue import media
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.catalogue.sources import entries
from learn2search.site.catalogue.uploads import import_upload
from learn2search.site.context import Site


def png(size: int, shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (size, size), shade).save(buffer, "PNG")
    return buffer.getvalue()


def test_an_upload_with_too_many_pixels_should_be_taken_as_far_as_it_goes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media, "UPLOAD_PIXELS", 25_000)
    made = make_collection(site, "grey", "Grey", warm_start="nothing")
    sent = [(f"{shade}.png", io.BytesIO(png(100, shade))) for shade in range(4)]
    report = import_upload(site, sent, made, 10**6)
    assert report.added == 2
    assert [problem.message for problem in report.problems] == [
        "this upload has too many pixels in all: please send the rest separately"
    ] * 2
    assert import_upload(site, [("2.png", io.BytesIO(png(100, 2)))], made, 10**6).added == 1  # separately


def test_the_directory_of_a_zip_file_should_be_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was read again for each member: quadratic in their number."""
    path = tmp_path / "cards.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(50):
            archive.writestr(f"{number:02}.txt", f"card {number}")
    opened = []
    really: Any = zipfile.ZipFile.__init__

    def count(self: zipfile.ZipFile, *given: Any, **named: Any) -> None:
        opened.append(1)
        really(self, *given, **named)

    monkeypatch.setattr(zipfile.ZipFile, "__init__", count)
    found, problems = entries(path)
    texts = [entry.read() for entry in found if entry.read is not None]
    assert texts == [f"card {number}".encode() for number in range(50)]
    assert problems == []
    assert len(opened) == 1
