"""Pictures from outside are decoded to plain ones."""

import io
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PIL import Image

from learn2search.site.catalogue.media import Unreadable, decode, formats


def test_pictures_should_keep_their_size(make_png: Callable[..., bytes]) -> None:
    assert decode(make_png(1, 2, 3, (64, 32))).size == (64, 32)


def test_transparent_pictures_should_stand_on_white() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (10, 10), (255, 0, 0, 0)).save(buffer, "PNG")
    assert decode(buffer.getvalue()).getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize("kind", ["TIFF", "BMP"])
def test_pictures_of_scanners_and_old_programs_should_be_read(kind: str) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20), (200, 100, 50)).save(buffer, kind)
    assert decode(buffer.getvalue()).getpixel((5, 5)) == (200, 100, 50)


@pytest.mark.parametrize("mode", ["1", "L", "CMYK", "LAB", "I;16", "RGBA"])
def test_tiff_files_of_all_kinds_should_be_read(mode: str) -> None:
    buffer = io.BytesIO()
    Image.new(mode, (30, 20)).save(buffer, "TIFF")
    assert (decode(buffer.getvalue()).mode, decode(buffer.getvalue()).size) == ("RGB", (30, 20))


def test_numbers_of_any_size_should_go_from_black_to_white() -> None:
    buffer = io.BytesIO()
    Image.fromarray(np.linspace(-3.0, 9000.0, 100, dtype=np.float32).reshape(10, 10)).save(buffer, "TIFF")
    seen = np.asarray(decode(buffer.getvalue()))
    assert (seen[0, 0, 0], seen[-1, -1, 0]) == (0, 255)


def test_the_first_page_of_a_tiff_file_should_be_taken() -> None:
    buffer = io.BytesIO()
    pages = [Image.new("RGB", (10, 10), colour) for colour in ("red", "blue")]
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:])
    assert decode(buffer.getvalue()).getpixel((1, 1)) == (255, 0, 0)


HEIC = b"\0\0\0\x18ftypheic" + bytes(40)


@pytest.fixture
def forgotten_formats() -> Iterator[None]:
    formats.cache_clear()
    yield
    formats.cache_clear()


@pytest.mark.usefixtures("forgotten_formats")
def test_heic_without_its_package_should_say_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(Unreadable, match=r"pip install 'learn2search\[heic\]'"):
        decode(HEIC)


@pytest.mark.usefixtures("forgotten_formats")
def test_a_real_heic_picture_should_be_read() -> None:
    assert "HEIF" in formats()
    buffer = io.BytesIO()
    Image.new("RGB", (64, 64), (200, 100, 50)).save(buffer, "HEIF")
    assert np.abs(np.subtract(decode(buffer.getvalue()).getpixel((5, 5)), (200, 100, 50))).max() < 12
