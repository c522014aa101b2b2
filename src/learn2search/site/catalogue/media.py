"""Pictures, sounds and videos from outside: decoded with limits, and pictures encoded again. Nothing else is served."""

import hashlib
import io
import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageOps, UnidentifiedImageError

from learn2search.files import open_atomic, write_atomic
from learn2search.site.catalogue.features.picture_features import thumbnail_colours
from learn2search.site.catalogue.item_media import Media, MediaKind, Picture, Sound, TextCard
from learn2search.site.catalogue.sound_length import sound_seconds
from learn2search.site.catalogue.sources import LARGEST, Entry
from learn2search.site.catalogue.waveforms import wave_file

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF", "TIFF", "BMP")
_HEIF = (b"ftyphei", b"ftyphev", b"ftypmif1", b"ftypmsf1")  # from the fifth byte on
_POSTER = (640, 360)  # pixels of a drawn one
MOST_PIXELS = 60_000_000
UPLOAD_PIXELS = 3_000_000_000  # of all pictures of one upload, as they are decoded: JPEG pictures are made smaller then
_MANY_PIXELS = 16_000_000  # pictures with more are decoded one at a time: each needs hundreds of megabytes
_LARGE_PICTURES = threading.Lock()
LARGE, SMALL = 900, 240  # pixels, the longer side
_SOUND_STARTS = {
    b"ID3": "mp3",
    b"\xff\xfb": "mp3",
    b"\xff\xf3": "mp3",
    b"\xff\xf2": "mp3",
    b"OggS": "ogg",
    b"fLaC": "flac",
}


class Unreadable(Exception):
    """Why a file cannot be imported."""


class PixelBudget:
    """How many pixels of one upload are decoded: small files can have huge pictures in them."""

    def __init__(self, pixels: int | None = None) -> None:
        self._left = UPLOAD_PIXELS if pixels is None else pixels
        self._lock = threading.Lock()

    def take(self, pixels: int) -> None:
        """Raises `Unreadable` when there are not so many left; smaller pictures may still fit."""
        with self._lock:
            if pixels > self._left:
                raise Unreadable("this upload has too many pixels in all: please send the rest separately")
            self._left -= pixels


@dataclass(frozen=True)
class StoredMedia:
    """What an item shows, its files written; `text` is the content of a text file, which becomes the item's words."""

    media: Media
    text: str = ""


def store_media(entry: Entry, folder: Path, budget: PixelBudget | None = None) -> StoredMedia:
    """Write what an item shows into a folder, under names made from its content.

    Parameters
    ----------
    budget
        How many pixels may be decoded, of this and other items.

    Raises
    ------
    Unreadable
        If the file is too large, damaged, or not of the kind that its name says.
    """
    data = entry.read() if entry.read is not None else b""
    if len(data) > LARGEST:
        raise Unreadable(f"unpacked it is larger than {LARGEST / 1e6:.0f} MB")
    if entry.kind is MediaKind.PICTURE:
        return StoredMedia(_store_picture(data, folder, budget))
    if entry.kind is MediaKind.VIDEO:
        return StoredMedia(_store_video(data, entry.poster, folder))
    if entry.kind is MediaKind.SOUND:
        return StoredMedia(_store_sound(data, folder))
    return StoredMedia(TextCard(), _text(data))


def _store_picture(data: bytes, folder: Path, budget: PixelBudget | None = None) -> Picture:
    name = hashlib.sha256(data).hexdigest()[:32]
    large, small = folder / f"{name}.webp", folder / f"{name}-s.webp"
    if not (large.exists() and small.exists()):
        picture = decode(data, budget=budget)
        _write(_reduced(picture, LARGE), large, 82)
        _write(_reduced(picture, SMALL), small, 76)
    with Image.open(large) as made:
        width, height = made.size
    with Image.open(small) as made:
        colours = thumbnail_colours(made)
    return Picture(large=large.name, small=small.name, width=width, height=height, thumbnail_colours=colours)


def _store_video(data: bytes, poster: Callable[[], bytes] | None, folder: Path) -> Picture:
    """A video is kept as it is, as sounds are. Its poster is the picture given for it, or a drawing."""
    kind = "mp4" if data[4:8] == b"ftyp" else "webm" if data.startswith(b"\x1aE\xdf\xa3") else None
    if kind is None:
        raise Unreadable("it is not a video (MP4 or WebM), whatever its name says")
    picture = _store_picture(_drawn_poster() if poster is None else poster(), folder)
    path = folder / f"{hashlib.sha256(data).hexdigest()[:32]}.{kind}"
    write_atomic(path, data)
    return picture.model_copy(update={"video": path.name})


@lru_cache
def _drawn_poster() -> bytes:
    """A sign that something is played. All videos without a poster have the same one: it says nothing about them."""
    picture = Image.new("RGB", _POSTER, "#e9e4ee")
    width, height = _POSTER
    x, y, size = width / 2, height / 2, height / 5
    draw = ImageDraw.Draw(picture)
    draw.ellipse((x - 1.6 * size, y - 1.6 * size, x + 1.6 * size, y + 1.6 * size), fill="#5b2a6b")
    draw.polygon([(x - 0.55 * size, y - 0.8 * size), (x - 0.55 * size, y + 0.8 * size), (x + 0.85 * size, y)], "white")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


@lru_cache
def formats() -> tuple[str, ...]:
    """What Pillow may open here; HEIC with the package pillow-heif alone."""
    try:
        import pillow_heif
    except ImportError:
        return FORMATS
    pillow_heif.register_heif_opener()
    return (*FORMATS, "HEIF")


def decode(data: bytes, *, transparent: bool = False, budget: PixelBudget | None = None) -> Image.Image:
    """The first frame, upright, in RGB on white, or in RGBA; what is not a harmless picture is `Unreadable`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=formats()) as picture:
                if picture.width * picture.height > MOST_PIXELS:
                    raise Unreadable(f"{picture.width} × {picture.height} pixels are too many: at most 60 million")
                picture.draft("RGB", (LARGE, LARGE))
                pixels = picture.width * picture.height
                if budget is not None:
                    budget.take(pixels)
                with _LARGE_PICTURES if pixels > _MANY_PIXELS else nullcontext():
                    return _decoded(picture, transparent)
    except Unreadable:
        raise
    except Image.DecompressionBombError as error:
        raise Unreadable("it has too many pixels") from error
    except UnidentifiedImageError as error:
        if data[4:12].startswith(_HEIF) and "HEIF" not in formats():
            raise Unreadable("HEIC pictures need a package: pip install 'learn2search[heic]'") from error
        known = "JPEG, PNG, WebP, GIF, AVIF, TIFF, BMP or HEIC"
        raise Unreadable(f"it is not a picture ({known}), whatever its name says") from error
    except Exception as error:
        raise Unreadable(f"it is damaged: {error}") from error


def _decoded(picture: Image.Image, transparent: bool) -> Image.Image:
    picture.load()
    upright = ImageOps.exif_transpose(picture)
    return upright.convert("RGBA") if transparent else _on_white(upright)


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode.startswith("I"):  # 16 bits of grey, which Pillow would cut at 255 instead of scaling
        picture = Image.fromarray((np.asarray(picture) >> 8).clip(0, 255).astype(np.uint8))
    if picture.mode == "F":  # numbers of any size, of scientific TIFF files: from the smallest to the largest
        numbers = np.nan_to_num(np.asarray(picture, float), posinf=0.0, neginf=0.0)
        scaled = (numbers - numbers.min()) / max(float(np.ptp(numbers)), 1e-300)
        picture = Image.fromarray((255 * scaled).astype(np.uint8))
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        layer = picture.convert("RGBA")
        white = Image.new("RGBA", layer.size, "white")
        return Image.alpha_composite(white, layer).convert("RGB")
    return picture.convert("RGB")


def _reduced(picture: Image.Image, longest: int) -> Image.Image:
    if max(picture.size) <= longest:
        return picture
    smaller = picture.copy()
    smaller.thumbnail((longest, longest), Image.Resampling.LANCZOS, reducing_gap=3.0)
    return smaller


def _write(picture: Image.Image, path: Path, quality: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomic(path) as file:
        picture.save(file, "WEBP", quality=quality, method=3)


def _store_sound(data: bytes, folder: Path) -> Sound:
    """Sounds are kept as they are, if they begin like one: browsers play them in a sandbox of their own."""
    kind = next((kind for start, kind in _SOUND_STARTS.items() if data.startswith(start)), None)
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        kind = "wav"
    if data[4:8] == b"ftyp":
        kind = "m4a"
    if kind is None:
        raise Unreadable("it is not a sound (MP3, OGG, Opus, WAV, FLAC or M4A), whatever its name says")
    path = folder / f"{hashlib.sha256(data).hexdigest()[:32]}.{kind}"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, data)
    seconds = sound_seconds(data, kind)
    sound = Sound(file=path.name, seconds=None if seconds is None else round(seconds, 2))
    if sound.wave is not None:
        wave_file(folder, sound.wave)
    return sound


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise Unreadable("it is not text in UTF-8") from error
    return text[:4000]
