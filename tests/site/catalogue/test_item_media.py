"""An item's media is typed, and stored as the JSON that version 0.1.0 wrote."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from learn2search.site.catalogue.item_media import Media, Picture, Sound, TextCard, media_of, to_json
from learn2search.store.items import Item

BARE = Item(1, 0, "key", "Title", "", "", {}, "digest", True, None, 0.0)
PICTURE: dict[str, Any] = {"kind": "picture", "large": "a.webp", "small": "a-s.webp", "width": 40, "height": 50}
STORED = [
    (PICTURE, Picture(large="a.webp", small="a-s.webp", width=40, height=50)),
    (PICTURE | {"look": "00ff"}, Picture(**PICTURE, thumbnail_colours="00ff")),
    (PICTURE | {"uploaded": True, "edited": True}, Picture(**PICTURE, uploaded=True, edited=True)),
    ({"kind": "sound", "file": "b.mp3"}, Sound(file="b.mp3")),
    ({"kind": "text"}, TextCard()),
]


@pytest.mark.parametrize(("stored", "media"), STORED)
def test_stored_media_should_be_read_and_written_as_it_was(stored: dict[str, object], media: Media) -> None:
    assert media_of(replace(BARE, media=stored)) == media
    assert to_json(media) == stored


def test_media_should_name_its_files() -> None:
    assert [list(media.files.values()) for _, media in STORED[2:]] == [["a.webp", "a-s.webp"], ["b.mp3"], []]


def test_unknown_media_should_be_refused() -> None:
    with pytest.raises(ValidationError):
        media_of(replace(BARE, media={"kind": "smell"}))
