"""How the owner dresses the site: its name, logo and accent colour, and whether it names this software."""

import base64
import hashlib
import io
from typing import Annotated, Any

from PIL import Image
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from learn2search.site.catalogue.media import Unreadable, decode
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.store import collections

OUR_NAME = "Learn2Search"
_SETTING, _SECONDS = "appearance", 2.0
_LOGO_SIZE = (480, 112)  # pixels: 56 high on the page, for screens that show two pixels a point


class Appearance(BaseModel):
    """What the owner chose for the whole site.

    Attributes
    ----------
    name
        In the head of the pages and in their titles.
    accent
        The colour of the main button and of what is found, as `#rrggbb`; empty for the site's own gold.
    logo
        A WebP picture in base64, in place of the mark; empty for none.
    advertised
        Whether visitors are told that they can put a collection here, and about the API.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)] = OUR_NAME
    accent: Annotated[str, StringConstraints(pattern=r"^(#[0-9a-f]{6})?$")] = ""
    logo: str = ""
    advertised: bool = True

    @property
    def logo_name(self) -> str:
        """The name of the logo's file, made from its content; empty without a logo."""
        return f"{hashlib.sha256(self.logo.encode()).hexdigest()[:32]}.webp" if self.logo else ""


def appearance_of(site: Site) -> Appearance:
    """What the owner chose, at most two seconds ago."""

    def read() -> Appearance:
        with site.database.read() as db:
            known = collections.get_setting(db, _SETTING)
        return Appearance() if known is None else Appearance.model_validate_json(known)

    return site.remember(_SETTING, _SECONDS, read)


def change_appearance(site: Site, **changes: Any) -> Appearance:
    """Keep another appearance; what is not named stays.

    Raises
    ------
    Invalid
        Says what is wrong with a name or a colour.
    """
    try:
        new = Appearance.model_validate(appearance_of(site).model_dump() | changes)
    except ValidationError as error:
        wrong = error.errors()[0]["loc"][0]
        if wrong == "accent":
            raise Invalid(f"accent: a colour such as #8a1538 was expected, not {changes['accent']!r}.") from error
        raise Invalid(f"{wrong}: 1 to 40 characters were expected.") from error
    with site.database.write() as db:
        collections.put_setting(db, _SETTING, new.model_dump_json())
    site.forget()
    return new


def encoded_logo(data: bytes) -> str:
    """A picture from outside as `Appearance.logo`: decoded with the limits of all media, made small, encoded anew.

    Raises
    ------
    Invalid
        If it is no picture.
    """
    try:
        picture = decode(data, transparent=True)
    except Unreadable as error:
        raise Invalid(f"The logo cannot be used: {error}.") from error
    picture.thumbnail(_LOGO_SIZE, Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    picture.save(buffer, "WEBP", quality=90, method=4)
    return base64.b64encode(buffer.getvalue()).decode()
