"""What the pixels of a picture say: where which colours are, and where edges run in which direction."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from learn2search.oklab import to_oklab
from learn2search.typing import Array

GRID = 8  # colours are those of GRID × GRID fields
SIDE, CELL, DIRECTIONS = 64, 8, 8  # of the grey picture and of a cell in pixels; bins of a histogram
N_GRADIENTS = (SIDE // CELL) ** 2 * DIRECTIONS
_FAINT = 2.0  # grey levels from pixel to pixel: what encoding leaves in a plain surface
_LEVELS = 1000  # gradients are stored in thousandths, at most 255 of them


def thumbnail_colours(picture: Image.Image) -> str:
    """The mean colours of 8 × 8 fields of a picture, as hexadecimal digits."""
    return picture.convert("RGB").resize((GRID, GRID), Image.Resampling.BOX).tobytes().hex()


def colour_features(colours: Sequence[str]) -> Array:
    """The colours of thumbnails in OKLab, where distances are about those that eyes see, `(n, 3 GRID²)`."""
    rgb = np.frombuffer(bytes.fromhex("".join(colours)), np.uint8)
    return to_oklab(rgb.reshape(len(colours), -1, 3) / 255.0).reshape(len(colours), -1)


def gradient_histograms(picture: Image.Image) -> Array:
    """Where edges run in which direction, `(512,)`: histograms of oriented gradients (HOG; Dalal and Triggs, 2005).

    Each 8 × 8 cell of the picture, reduced to 64 × 64 grey pixels, has a histogram of 8 directions, in which a pixel
    counts by the length of its gradient above two grey levels. A direction between two bins counts for both. The
    features are square roots of shares, √(h / (Σh + 64²)): a stronger contrast of the whole picture changes little, and
    one with hardly any edges has hardly any features.

    Examples
    --------
    >>> from PIL import Image
    >>> half = Image.new("L", (64, 64))
    >>> half.paste(255, (30, 0, 64, 64))  # an edge from top to bottom, in the fourth column of cells
    >>> cells = gradient_histograms(half).reshape(8, 8, 8)
    >>> int(cells.sum(axis=(0, 2)).argmax()), int(cells.sum(axis=(0, 1)).argmax())
    (3, 0)
    """
    grey = np.asarray(picture.convert("L").resize((SIDE, SIDE), Image.Resampling.BILINEAR), float)
    down, right = np.gradient(grey)
    length = np.maximum(np.hypot(right, down) - _FAINT, 0.0)
    position = np.arctan2(down, right) % np.pi / np.pi * DIRECTIONS  # an edge has no front and back: 0° is 180°
    lower = np.floor(position).astype(int)
    rows, columns = np.indices(grey.shape) // CELL
    cells = np.zeros((SIDE // CELL, SIDE // CELL, DIRECTIONS))
    np.add.at(cells, (rows, columns, lower % DIRECTIONS), length * (lower + 1 - position))
    np.add.at(cells, (rows, columns, (lower + 1) % DIRECTIONS), length * (position - lower))
    return np.asarray(np.sqrt(cells.ravel() / (cells.sum() + SIDE**2)))


def gradients_to_hex(features: Array) -> str:
    """Gradient histograms in thousandths, as hexadecimal digits."""
    return np.clip(np.round(_LEVELS * features), 0, 255).astype(np.uint8).tobytes().hex()


def gradients_from_hex(digits: str) -> Array:
    """What `gradients_to_hex` wrote, `(512,)`."""
    return np.frombuffer(bytes.fromhex(digits), np.uint8) / _LEVELS
