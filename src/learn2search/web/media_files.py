"""Media and static files: their addresses, and how they are sent. Only the import makes names of media."""

import hashlib
import re
from functools import lru_cache
from pathlib import Path

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from learn2search.site.catalogue.media_folder import MediaFolder
from learn2search.site.catalogue.waveforms import WAVE, sound_name, wave_file
from learn2search.site.errors import NotFound

router = APIRouter(include_in_schema=False)

_STATIC = Path(__file__).parent / "static"
_NAME = re.compile(r"[0-9a-f]{32}(-[sw])?\.(webp|svg|mp3|ogg|wav|flac|m4a|mp4|webm)")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_TYPES = {
    "webp": "image/webp",
    "svg": "image/svg+xml",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "m4a": "audio/mp4",
    "mp4": "video/mp4",
    "webm": "video/webm",
}
FOREVER = "public, max-age=31536000, immutable"


@router.get("/media/{slug}/{name}")
async def media(request: Request, slug: str, name: str) -> Response:
    """A file that never changes, because its name is made from its content. A part of it may be asked for (Range).

    It has threads of its own: a store that is slow keeps no answer waiting.
    """
    if not _SLUG.fullmatch(slug) or not _NAME.fullmatch(name):
        raise NotFound("There is no such file.")
    state = request.app.state
    path = await to_thread.run_sync(_path, state.site.media, slug, name, limiter=state.media)
    if path is None:
        raise NotFound("There is no such file.")
    headers = {
        "Cache-Control": FOREVER,
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
        "ETag": f'"{name}"',  # the same of every worker on every machine
    }
    return FileResponse(path, media_type=_TYPES[name.rsplit(".", 1)[1]], headers=headers)


def _path(stored: MediaFolder, slug: str, name: str) -> Path | None:
    path = stored.path(slug, name)
    if path is None and name.endswith(WAVE) and stored.path(slug, sound_name(name)) is not None:
        return wave_file(stored.folder(slug), name)
    return path


@router.get("/favicon.ico")
def favicon() -> Response:
    """The mark of the site."""
    return FileResponse(_STATIC / "mark.svg", media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})


def media_url(slug: str, name: str) -> str:
    """The address of a file of a collection's media; the names are in `Media.files`."""
    return f"/media/{slug}/{name}"


@lru_cache
def static_url(name: str) -> str:
    """The address of a static file, with its version."""
    return f"/static/{name}?{hashlib.sha256((_STATIC / name).read_bytes()).hexdigest()[:8]}"
