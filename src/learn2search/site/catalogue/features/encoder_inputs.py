"""From pictures, texts and sounds to the arrays that a network takes."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from learn2search.site.catalogue.features.encoder_description import PictureDescription, SoundDescription
from learn2search.site.catalogue.features.sound_features import read_wav
from learn2search.typing import Array


def pixels(picture: Image.Image, wanted: PictureDescription) -> Array:
    """One picture as the network takes it, `(3, size, size)` or `(size, size, 3)`."""
    values = np.asarray(_fitted(picture.convert("RGB"), wanted), float) / 255.0
    if wanted.colours == "BGR":
        values = values[..., ::-1]
    values = (values - wanted.mean) / wanted.std
    return values.transpose(2, 0, 1) if wanted.layout == "NCHW" else values


def _fitted(picture: Image.Image, wanted: PictureDescription) -> Image.Image:
    size = wanted.size
    if not wanted.crop:
        return picture.resize((size, size), Image.Resampling.BICUBIC)
    shorter = max(size, wanted.resize or size)
    factor = shorter / min(picture.size)
    width, height = (max(size, round(side * factor)) for side in picture.size)
    resized = picture.resize((width, height), Image.Resampling.BICUBIC)
    left, top = (width - size) // 2, (height - size) // 2
    return ImageOps.crop(resized, (left, top, width - size - left, height - size - top))


def samples(path: Path, wanted: SoundDescription) -> Array:
    """One sound as the network takes it, `(rate × seconds,)`."""
    length = round(wanted.rate * wanted.seconds)
    heard = read_wav(path, wanted.rate, wanted.seconds)[:length]
    return np.pad(heard, (0, length - len(heard)))


def strings(texts: Sequence[str]) -> NDArray[np.object_]:
    """Texts as a network takes them that takes strings, `(n,)`."""
    return np.array(list(texts), dtype=object)
