"""Files that are made to harm: bombs, archives in archives, links, files that are two things at once."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from learn2search.site.catalogue import sources
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.catalogue.uploads import import_upload
from learn2search.site.context import Site
from learn2search.site.errors import Invalid

MakePng = Callable[..., bytes]


def archive_of(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def upload(site: Site, content: bytes, name: str = "a.zip") -> list[str]:
    """What is said about the files that were not taken."""
    made = make_collection(site, "hostile", "Hostile")
    report = import_upload(site, [(name, io.BytesIO(content))], made, 500_000_000)
    return [f"{problem.name}: {problem.message}" for problem in report.problems]


def test_a_zip_file_in_a_zip_file_should_not_be_unpacked(site: Site, make_png: MakePng) -> None:
    inner = archive_of(("deep.png", make_png(1, 2, 3)))
    (problem,) = upload(site, archive_of(("inner.zip", inner), ("good.png", make_png(4, 5, 6))))
    assert "inner.zip: .zip is not imported" in problem


def test_what_is_huge_when_unpacked_should_not_be_unpacked(site: Site, make_png: MakePng) -> None:
    """51 MB of zeros are 50 KB in a ZIP file: as a text, as a sound, and as a picture of that name."""
    zeros = bytes(51_000_000)
    bomb = archive_of(("a.txt", zeros), ("b.mp3", zeros), ("c.png", zeros), ("good.png", make_png(1, 2, 3)))
    assert len(bomb) < 1_000_000
    problems = upload(site, bomb)
    assert len(problems) == 3
    assert all("too large" in one for one in problems)


def test_a_zip_file_with_very_much_in_it_should_be_refused(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file small enough, all together days of work."""
    monkeypatch.setattr(sources, "MOST_UNPACKED", 1_000_000)
    with pytest.raises(Invalid, match="unpacked it would have 2 MB"):
        upload(site, archive_of(*[(f"{number}.txt", bytes(500_000)) for number in range(4)]))


def test_a_size_that_is_a_lie_should_not_be_believed(site: Site, make_png: MakePng) -> None:
    """The directory says ten bytes, the file has millions."""
    bomb = bytearray(archive_of(("lie.txt", b"a" * 5_000_000), ("good.png", make_png(1, 2, 3))))
    place = bomb.index(b"PK\x01\x02")
    bomb[place + 24 : place + 28] = struct.pack("<I", 10)
    (problem,) = upload(site, bytes(bomb))
    assert problem.startswith("lie.txt")


def test_a_link_in_a_zip_file_should_be_no_link(site: Site, tmp_path: Path, make_png: MakePng) -> None:
    """What an unpacking program would make a link to another file is, here, a bad picture."""
    secret = tmp_path / "secret.png"
    secret.write_bytes(make_png(1, 2, 3))
    link = zipfile.ZipInfo("link.png")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    (problem,) = upload(site, archive_of((link, str(secret).encode()), ("good.png", make_png(4, 5, 6))))
    assert problem.startswith("link.png")


def test_a_picture_that_is_also_a_page_should_be_a_picture_alone(site: Site, make_png: MakePng) -> None:
    """Scripts after a picture, in its comments, and a ZIP file behind it: what is served is encoded anew."""
    script = b"<html><script>alert(document.domain)</script></html>"
    gif = io.BytesIO()
    Image.new("P", (40, 50)).save(gif, "GIF", comment=script)
    png = make_png(1, 2, 3)
    text = struct.pack(">I", len(script) + 8) + b"tEXtnote\0xxx"[:12] + script
    text = struct.pack(">I", 4 + 1 + len(script)) + b"tEXt" + b"note\0" + script
    text += struct.pack(">I", zlib.crc32(text[4:]))
    polyglots = [(png[:33] + text + png[33:], "a.png"), (png + script, "b.png"), (gif.getvalue(), "c.gif")]
    made = make_collection(site, "hostile", "Hostile")
    for content, name in polyglots:
        import_upload(site, [(name, io.BytesIO(content))], made, 1_000_000)
    stored = [path for path in site.settings.media.rglob("*") if path.is_file()]
    assert len(stored) >= 4
    for path in stored:
        assert b"script" not in path.read_bytes()
        assert path.suffix == ".webp"


def test_a_page_by_another_name_should_not_be_taken(site: Site, make_png: MakePng) -> None:
    """HTML, SVG and a program under the names of a picture and a sound."""
    page, svg = (
        b"<html><script>alert(1)</script></html>",
        b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
    )
    files = {"a.png": page, "b.jpg": svg, "c.mp3": page, "d.wav": b"MZ" + bytes(100), "e.svg": svg, "f.html": page}
    problems = upload(site, archive_of(*files.items(), ("good.png", make_png(1, 2, 3))))
    assert len(problems) == len(files)


def test_a_zip_file_behind_a_picture_should_be_one_or_the_other(site: Site, tmp_path: Path, make_png: MakePng) -> None:
    """Programs that look at the end of a file see a ZIP file, others a picture."""
    both = tmp_path / "both.png"
    both.write_bytes(make_png(1, 2, 3) + archive_of(("../../x.png", make_png(4, 5, 6))))
    import_source(site, both, make_collection(site, "hostile", "Hostile"))
    assert not (tmp_path.parent / "x.png").exists()
    assert all(path.suffix == ".webp" for path in site.settings.media.rglob("*.*") if path.is_file())
