"""Pictures from outside are decoded to plain ones."""

import io
from collections.abc import Callable

from PIL import Image

from learn2search.site.catalogue.media import decode


def test_pictures_should_keep_their_size(make_png: Callable[..., bytes]) -> None:
    assert decode(make_png(1, 2, 3, (64, 32))).size == (64, 32)


def test_transparent_pictures_should_stand_on_white() -> None:
    buffer = io.BytesIO()
    Image.new("RGBA", (10, 10), (255, 0, 0, 0)).save(buffer, "PNG")
    assert decode(buffer.getvalue()).getpixel((5, 5)) == (255, 255, 255)
