"""The owner's name, logo and colour for the site."""

import base64
import io
from pathlib import Path

import pytest
from PIL import Image

from learn2search.site.administration.appearance import (
    Appearance,
    appearance_of,
    change_appearance,
    encoded_logo,
)
from learn2search.site.administration.backups import backup, restore
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.settings import Settings


def png(size: tuple[int, int]) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGBA", size, (200, 0, 0, 128)).save(buffer, "PNG")
    return buffer.getvalue()


def opened(home: Path) -> Site:
    return Site.open(Settings(home=home, database_url=None))


def test_what_is_chosen_should_be_kept_also_in_a_backup(tmp_path: Path) -> None:
    site = opened(tmp_path / "one")
    assert appearance_of(site) == Appearance()
    change_appearance(site, name=" Cellar ", accent="#8a1538", logo=encoded_logo(png((40, 40))))
    chosen = change_appearance(site, advertised=False)
    assert (chosen.name, chosen.accent, chosen.advertised) == ("Cellar", "#8a1538", False)
    assert chosen.logo_name.endswith(".webp")
    backup(site, tmp_path / "site.zip")
    site.close()
    other = opened(tmp_path / "two")
    restore(other, tmp_path / "site.zip")
    assert appearance_of(other) == chosen
    other.close()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"accent": "red"}, "a colour such as #8a1538 was expected, not 'red'"),
        ({"accent": "#12345"}, "not '#12345'"),
        ({"name": "x" * 41}, "name: 1 to 40 characters"),
    ],
)
def test_what_cannot_be_used_should_be_refused_with_a_sentence(
    tmp_path: Path, changes: dict[str, str], said: str
) -> None:
    site = opened(tmp_path)
    with pytest.raises(Invalid, match=said):
        change_appearance(site, **changes)
    assert appearance_of(site) == Appearance()
    site.close()


def test_a_logo_should_be_small_and_keep_what_is_transparent() -> None:
    with Image.open(io.BytesIO(base64.b64decode(encoded_logo(png((2000, 500)))))) as made:
        assert made.format == "WEBP"
        assert made.size == (448, 112)
        assert made.mode == "RGBA"
    for wrong in (b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"no picture"):
        with pytest.raises(Invalid, match="The logo cannot be used: it is not a picture"):
            encoded_logo(wrong)
