"""sRGB and OKLab: colours as screens mix them, and as eyes compare them.

Equal distances in OKLab look about equally different, which makes its coordinates good features for a search
by likeness. The matrices are Björn Ottosson's (2020).
"""

from __future__ import annotations

import numpy as np

from learn2search.typing import Array, Mask

LMS_FROM_RGB = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB_FROM_LMS = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# Inverted here rather than copied, so that the way there and back is exact.
RGB_FROM_LMS = np.linalg.inv(LMS_FROM_RGB)
LMS_FROM_LAB = np.linalg.inv(LAB_FROM_LMS)


def to_oklab(rgb: Array) -> Array:
    """OKLab coordinates (..., 3) of sRGB colours (..., 3) with channels in [0, 1]."""
    return np.asarray(np.cbrt(_linear(rgb) @ LMS_FROM_RGB.T) @ LAB_FROM_LMS.T)


def to_rgb(lab: Array) -> Array:
    """sRGB channels (..., 3) of OKLab colours (..., 3); outside [0, 1] where no screen shows it."""
    return _companded((lab @ LMS_FROM_LAB.T) ** 3 @ RGB_FROM_LMS.T)


def in_gamut(lab: Array) -> Mask:
    """Which of the colours (..., 3) an sRGB screen can show."""
    rgb = to_rgb(lab)
    return np.asarray(((rgb >= 0) & (rgb <= 1)).all(axis=-1))


def luminance(rgb: Array) -> Array:
    """Relative luminance (...) of sRGB colours (..., 3), from 0 (black) to 1 (white), as WCAG 2 defines it."""
    return np.asarray(_linear(rgb) @ np.array([0.2126, 0.7152, 0.0722]))


def contrast(one: Array, other: Array) -> float:
    """How well one sRGB colour (3,) is read on another: (Y + 0.05) / (y + 0.05), 1 to 21; words need 4.5 (WCAG 2)."""
    low, high = sorted((float(luminance(one)), float(luminance(other))))
    return (high + 0.05) / (low + 0.05)


def _linear(rgb: Array) -> Array:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((np.maximum(rgb, 0) + 0.055) / 1.055) ** 2.4)


def _companded(linear: Array) -> Array:
    curve = 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055
    return np.where(linear <= 0.0031308, 12.92 * linear, curve)
