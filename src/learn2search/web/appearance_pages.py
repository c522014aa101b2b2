"""The site in the owner's clothes: the page where they are chosen, the logo, and the accent colour."""

import base64
import re
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Request, UploadFile
from fastapi.responses import RedirectResponse, Response

from learn2search.site.administration.appearance import (
    OUR_NAME,
    Appearance,
    appearance_of,
    change_appearance,
    encoded_logo,
)
from learn2search.site.context import Site
from learn2search.site.errors import NotFound
from learn2search.web.accent import accent_css, light_shades
from learn2search.web.media_files import FOREVER
from learn2search.web.rendering import render, site_of
from learn2search.web.security import must_be_owner

router = APIRouter(include_in_schema=False)
OurSite = Annotated[Site, Depends(site_of)]
PAGE = "/owner/_site"  # no collection has this address: theirs begin with a letter or a digit
OWNER = [Depends(must_be_owner)]


@router.get(PAGE, dependencies=OWNER)
def appearance(request: Request, site: OurSite) -> Response:
    """The looks of the site: name, logo, accent."""
    return render(request, "owner/appearance.html", our_name=OUR_NAME, adjusted=_adjusted(appearance_of(site)))


def _adjusted(chosen: Appearance) -> str:
    """The shade in place of a colour on which words could not be read; empty where the colour is used as it is."""
    shade = light_shades(chosen.accent).fill if chosen.accent else ""
    return "" if shade == chosen.accent else shade


@router.post(PAGE, dependencies=OWNER)
def change(
    site: OurSite,
    name: Annotated[str, Form()] = "",
    accent: Annotated[str, Form()] = "",
    advertised: Annotated[str, Form()] = "",
    without_logo: Annotated[str, Form()] = "",
    logo: Annotated[UploadFile | None, File()] = None,
) -> Response:
    """Keep the looks of the site."""
    changes = {"name": name.strip() or OUR_NAME, "accent": accent.strip().lower(), "advertised": bool(advertised)}
    sent = logo.file.read() if logo is not None else b""
    if sent or without_logo:
        changes["logo"] = encoded_logo(sent) if sent else ""
    change_appearance(site, **changes)
    return RedirectResponse(PAGE, 303)


@router.get("/logo/{name}")
def logo(site: OurSite, name: str) -> Response:
    """The owner's logo. Its name is made from its content, so it never changes."""
    known = appearance_of(site)
    if not known.logo or name != known.logo_name:
        raise NotFound("There is no such file.")
    return Response(base64.b64decode(known.logo), media_type="image/webp", headers={"Cache-Control": FOREVER})


@router.get("/accent/{colour}.css")
def accent(colour: str) -> Response:
    """The shades of a colour: the same for everybody, for ever."""
    if not re.fullmatch(r"[0-9a-f]{6}", colour):
        raise NotFound("There is no such file.")
    return Response(accent_css(f"#{colour}"), media_type="text/css", headers={"Cache-Control": FOREVER})
