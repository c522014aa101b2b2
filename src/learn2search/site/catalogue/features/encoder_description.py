"""What an encoder takes and gives: read from the TOML file beside it, `model.toml` for `model.onnx`."""

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from learn2search.site.catalogue.item_media import MediaKind
from learn2search.site.errors import Invalid

Colour = tuple[float, float, float]


class _Description(BaseModel):
    """What all kinds have in common.

    Attributes
    ----------
    input, output
        Names in the network; by default its first ones.
    pool
        What to take of an output with a row for each part of an item, `(batch, parts, f)`: the first row, or the mean.
    unit_length
        Whether each item's numbers are scaled to length 1, so that distances are those of the angles.
    batch
        How many items the network gets at once, unless it says so itself.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: str | None = None
    output: str | None = None
    pool: Literal["first", "mean"] | None = None
    unit_length: bool = True
    batch: int = Field(default=16, ge=1, le=4096)


class PictureDescription(_Description):
    """The picture, its shorter side brought to `resize` pixels (by default `size`), the middle of it cut out; with
    `crop = false` all of it, stretched. Values are (value / 255 - mean) / std, for each colour."""

    kind: Literal[MediaKind.PICTURE]
    size: int = Field(ge=1, le=4096)
    resize: int | None = Field(default=None, ge=1, le=8192)
    crop: bool = True
    mean: Colour = (0.0, 0.0, 0.0)
    std: Colour = (1.0, 1.0, 1.0)
    layout: Literal["NCHW", "NHWC"] = "NCHW"
    colours: Literal["RGB", "BGR"] = "RGB"


class TextDescription(_Description):
    """The title and the description, as strings or as numbers of word pieces.

    Attributes
    ----------
    tokens
        "strings" for a network that takes strings, "wordpiece" for one of the BERT family.
    vocabulary
        The file of the pieces, beside the network.
    longest
        Of a text, in pieces.
    mask, types
        The names of the inputs that say where there is a piece, and which sentence it belongs to (always 0); given to
        the network where it has them.
    """

    kind: Literal[MediaKind.TEXT]
    tokens: Literal["strings", "wordpiece"]
    vocabulary: str = "vocab.txt"
    lowercase: bool = True
    longest: int = Field(default=128, ge=3, le=4096)
    mask: str = "attention_mask"
    types: str = "token_type_ids"


class SoundDescription(_Description):
    """The samples in [-1, 1], `(batch, rate × seconds)`: longer sounds are cut, shorter ones end in silence."""

    kind: Literal[MediaKind.SOUND]
    rate: int = Field(ge=1000, le=192_000)
    seconds: float = Field(gt=0, le=600)


EncoderDescription = PictureDescription | TextDescription | SoundDescription
_DESCRIPTION: TypeAdapter[EncoderDescription] = TypeAdapter(Annotated[EncoderDescription, Field(discriminator="kind")])


def read_description(path: Path) -> EncoderDescription:
    """The description in a TOML file.

    Raises
    ------
    Invalid
        If the file is not there, is not TOML, or says something that is not understood.
    """
    try:
        return _DESCRIPTION.validate_python(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise Invalid(
            f'{path} is not there: it has to say what the encoder takes, at least kind = "picture" and size = 224.'
        ) from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Invalid(f"{path} cannot be read as TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:]) or "kind"
        raise Invalid(f"{path}: {place}: {first['msg']}") from error
