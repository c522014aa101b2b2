import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from learn2search.demo.outline import Pen, above, curves, evenly, number, smoothstep, symmetric, through
from learn2search.typing import Array

ZIGZAG = [(0.0, 0.0), (10.0, 8.0), (20.0, -4.0), (35.0, 2.0)]


def test_smoothstep_should_start_and_stop_without_a_kink() -> None:
    assert smoothstep(-3, 0, 2) == 0
    assert smoothstep(1, 0, 2) == 0.5
    assert smoothstep(5, 0, 2) == 1
    step = 1e-5
    for edge in (0.0, 2.0):
        assert abs(smoothstep(edge + step, 0, 2) - smoothstep(edge - step, 0, 2)) / step < 1e-3


def test_through_should_meet_its_knots() -> None:
    knots = ((-1, 4), (0, -2), (1, 3))
    assert [through(at, *knots) for at, _ in knots] == [4, -2, 3]
    assert through(0.5, *knots) == 0.5
    assert through(2, *knots) == 3


def bezier(pieces: Sequence[Sequence[tuple[float, float]]], piece: int, t: float) -> Array:
    a, b, c, d = (np.array(point) for point in pieces[piece])
    return (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d


@pytest.mark.parametrize("closed", [False, True])
def test_a_spline_should_be_the_catmull_rom_polynomial(closed: bool) -> None:
    """Between p and q, with neighbours o and r: half of (1, t, t², t³) times the basis matrix."""
    basis = np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]]) / 2
    starts = [*ZIGZAG, ZIGZAG[0]]
    pieces = [(start, *piece) for start, piece in zip(starts, curves(ZIGZAG, closed), strict=False)]
    inner = range(len(ZIGZAG)) if closed else range(1, len(ZIGZAG) - 2)
    for piece, t in itertools.product(inner, (0.0, 0.3, 0.8, 1.0)):
        around = np.array([ZIGZAG[(piece + offset) % len(ZIGZAG)] for offset in (-1, 0, 1, 2)])
        np.testing.assert_allclose(bezier(pieces, piece, t), t ** np.arange(4) @ basis @ around, atol=1e-12)


def test_points_should_be_spread_evenly_along_a_line() -> None:
    points = evenly([(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (3.0, 5.0)], 9)
    assert points[0] == (0, 0)
    assert points[-1] == (3, 5)
    assert [math.dist(a, b) for a, b in itertools.pairwise(points)] == pytest.approx([1] * 8)


def test_a_line_should_be_cut_where_it_crosses() -> None:
    hill = [(0.0, 10.0), (1.0, 0.0), (2.0, -5.0), (3.0, 10.0)]
    np.testing.assert_allclose(above(hill, 5.0), [(0.5, 5), (1, 0), (2, -5), (2 + 2 / 3, 5)])
    assert above(hill, 10.0) == hill


def test_an_outline_should_mirror_its_right_half() -> None:
    assert symmetric([(0, -2), (3, 0), (0, 2)]) == [(0, -2), (3, 0), (0, 2), (-3, 0)]


@pytest.mark.parametrize(("value", "text"), [(3, "3"), (-0.25, "-0.2"), (10.04, "10"), (0.16, "0.2"), (100, "100")])
def test_coordinates_should_be_short(value: float, text: str) -> None:
    assert number(value) == text


def test_a_pen_should_write_path_data() -> None:
    pen = Pen().move((1, 2)).line((3.25, 4)).bend((0, 0), (10, 20)).close().disc((5, 5), 2)
    assert pen.data == "M1 2L3.2 4Q0 0 10 20ZM3 5a2 2 0 1 1 4 0a2 2 0 1 1 -4 0"
    assert Pen().spline([(0, 0), (6, 0)]).spline([(6, 6), (0, 6)]).close().data == ("M0 0C1 0 5 0 6 0L6 6C5 6 1 6 0 6Z")
