"""What an item shows: a picture, a sound or words. The database keeps it as JSON, and only this module reads that JSON.

`media_of(item)` gives the media of a stored item, `to_json(media)` what to store.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter

from learn2search.site.catalogue.waveforms import wave_name
from learn2search.store.items import Item


class MediaKind(StrEnum):
    """What a person sees or hears of an item."""

    PICTURE = "picture"
    VIDEO = "video"  # of a file: the item has a picture, the poster, and plays the video
    SOUND = "sound"
    TEXT = "text"


class _ItemMedia(BaseModel):
    """What all kinds have in common.

    Attributes
    ----------
    uploaded
        The owner sent it by the page, so an import of a folder must not miss it there.
    edited
        The owner wrote the title, the description or the group, so an import must not replace them.
    """

    model_config = ConfigDict(frozen=True)

    uploaded: bool = False
    edited: bool = False

    @property
    def files(self) -> dict[str, str]:
        """The names of its files in the collection's media folder, by what they are."""
        return {}


class Picture(_ItemMedia):
    """Two files of one picture.

    Attributes
    ----------
    width, height
        Of the large one, in pixels.
    thumbnail_colours
        8 × 8 colours as hexadecimal digits (see `picture_features`), None where they were not taken.
    video
        The file that is played, of which this picture is the poster; None where it is only a picture.
    thumbnail_gradients
        Gradient histograms as hexadecimal digits, for drawings; those of other pictures are computed from their file.
    """

    kind: Literal[MediaKind.PICTURE] = MediaKind.PICTURE
    large: str
    small: str
    width: int
    height: int
    thumbnail_colours: str | None = Field(
        default=None, validation_alias=AliasChoices("thumbnail_colours", "look"), serialization_alias="look"
    )
    thumbnail_gradients: str | None = None
    video: str | None = None

    @property
    def files(self) -> dict[str, str]:
        played = {} if self.video is None else {"video": self.video}
        return {"large": self.large, "small": self.small} | played


class Sound(_ItemMedia):
    """A file that the page plays.

    Attributes
    ----------
    seconds
        How long it is, None where that is not known.
    """

    kind: Literal[MediaKind.SOUND] = MediaKind.SOUND
    file: str
    seconds: float | None = None

    @property
    def wave(self) -> str | None:
        """The name of the file in which its wave is drawn, None where there is none."""
        return wave_name(self.file)

    @property
    def files(self) -> dict[str, str]:
        return {"file": self.file}


class TextCard(_ItemMedia):
    """Nothing but the title and the description."""

    kind: Literal[MediaKind.TEXT] = MediaKind.TEXT


Media = Picture | Sound | TextCard
_MEDIA: TypeAdapter[Media] = TypeAdapter(Annotated[Media, Field(discriminator="kind")])


def media_of(item: Item) -> Media:
    """The media of a stored item."""
    return _MEDIA.validate_python(item.media)


def to_json(media: Media) -> dict[str, Any]:
    """What the database keeps: the kind, and whatever differs from the defaults."""
    return {"kind": media.kind.value} | media.model_dump(by_alias=True, exclude_defaults=True)
