"""What pixels say, against a second form of each formula."""

import io
import math

import numpy as np
import pytest
from PIL import Image

from learn2search.site.catalogue.features.picture_features import (
    N_GRADIENTS,
    colour_features,
    gradient_histograms,
    gradients_from_hex,
    gradients_to_hex,
    thumbnail_colours,
)


def noise(seed: int) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (64, 64), np.uint8))


def ramp(degrees: float) -> Image.Image:
    """Grey that grows by three levels a pixel in one direction, from zero."""
    down, right = np.indices((64, 64))
    grey = 3 * (math.cos(math.radians(degrees)) * right + math.sin(math.radians(degrees)) * down)
    return Image.fromarray(np.round(grey - grey.min()).clip(0, 255).astype(np.uint8))


def plain_histograms(picture: Image.Image) -> np.ndarray:
    """The same pixel by pixel, with differences written out."""
    grey = np.asarray(picture, float)
    cells = np.zeros((8, 8, 8))
    for row in range(64):
        for column in range(64):
            above, below = max(row - 1, 0), min(row + 1, 63)
            left, right = max(column - 1, 0), min(column + 1, 63)
            dy = (grey[below, column] - grey[above, column]) / (below - above)
            dx = (grey[row, right] - grey[row, left]) / (right - left)
            length = max(math.sqrt(dx * dx + dy * dy) - 2, 0)
            bins = (math.degrees(math.atan2(dy, dx)) % 180) / 22.5
            share = bins - int(bins)
            cells[row // 8, column // 8, int(bins) % 8] += (1 - share) * length
            cells[row // 8, column // 8, (int(bins) + 1) % 8] += share * length
    return np.sqrt(cells.ravel() / (cells.sum() + 4096))


def test_gradients_should_be_those_of_a_loop_over_pixels() -> None:
    np.testing.assert_allclose(gradient_histograms(noise(0)), plain_histograms(noise(0)), atol=1e-12)


@pytest.mark.parametrize("direction", range(8))
def test_a_ramp_should_have_one_direction(direction: int) -> None:
    cells = gradient_histograms(ramp(22.5 * direction)).reshape(8, 8, 8)
    assert (cells.sum(axis=(0, 1)).argmax()) == direction


def test_an_edge_should_be_in_its_cells_alone() -> None:
    half = Image.new("L", (64, 64))
    half.paste(255, (30, 0, 64, 64))  # from top to bottom, in the fourth column of cells
    cells = gradient_histograms(half).reshape(8, 8, 8)
    assert set(zip(*np.nonzero(cells.sum(axis=0)), strict=True)) == {(3, 0)}
    np.testing.assert_allclose(cells[:, 3, 0], cells[0, 3, 0])


def test_contrast_should_matter_little_and_a_plain_surface_have_no_gradients() -> None:
    faint = Image.fromarray((np.asarray(noise(1)) // 2).astype(np.uint8))
    strong, weak = gradient_histograms(noise(1)), gradient_histograms(faint)
    assert np.linalg.norm(strong - weak) < 0.1 * np.linalg.norm(strong)
    encoded = io.BytesIO()
    Image.new("RGB", (40, 50), (200, 90, 31)).save(encoded, "WEBP", quality=76)
    assert not gradient_histograms(Image.open(encoded)).any()


def test_gradients_should_be_kept_as_digits() -> None:
    features = gradient_histograms(noise(2))
    digits = gradients_to_hex(features)
    assert len(digits) == 2 * N_GRADIENTS
    np.testing.assert_allclose(gradients_from_hex(digits), features, atol=0.0005)


def test_colours_should_be_means_of_fields() -> None:
    """Two halves, black and white: lightness 0 and 1, and no hue."""
    halves = Image.new("RGB", (80, 40), "black")
    halves.paste((255, 255, 255), (40, 0, 80, 40))
    lab = colour_features([thumbnail_colours(halves)]).reshape(8, 8, 3)
    np.testing.assert_allclose(lab[:, :4], 0, atol=1e-6)
    np.testing.assert_allclose(lab[:, 4:], np.broadcast_to([1.0, 0, 0], (8, 4, 3)), atol=1e-6)
