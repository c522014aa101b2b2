"""Pictures: an Axes in, the same Axes out, with what was asked for drawn into it."""

import sys
from typing import Any

import numpy as np
import pytest

import learn2search as l2s

pytest.importorskip("matplotlib")
from matplotlib.collections import EllipseCollection
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox

SPACE = l2s.Embedding(np.random.default_rng(0).normal(size=(6, 3)), var=np.full((6, 3), 0.04))


def axes() -> Any:
    return Figure().add_subplot()


def test_a_map_should_have_names_pictures_and_ellipses_in_the_unit_of_the_positions() -> None:
    ax = axes()
    pictures = [np.zeros((8, 8)), *[None] * 5]
    assert l2s.plot_map(SPACE, ax, labels=["a", "b", None, "", "e", "f"], pictures=pictures, uncertainty=2) is ax
    assert [text.get_text() for text in ax.texts] == ["a", "b", "e", "f"]
    assert sum(isinstance(child, AnnotationBbox) for child in ax.get_children()) == 1
    (ellipses,) = [part for part in ax.collections if isinstance(part, EllipseCollection)]
    np.testing.assert_allclose(np.asarray(ellipses.get_widths()), 2 * 2 * 0.2)  # twice the radius, which is 2 σ
    ax.figure.canvas.draw()  # as a file would be


def test_a_map_should_show_the_axes_that_hold_most() -> None:
    wide = np.column_stack([np.zeros(5), np.arange(5.0), 0.1 * np.array([1, -1, 0, 1, -1])])
    shown = l2s.plot_map(wide, axes()).collections[0].get_offsets()
    np.testing.assert_allclose(np.abs(shown[:, 0] - shown[:, 0].mean()), np.abs(np.arange(5) - 2.0), atol=0.01)
    line = l2s.plot_map(np.arange(4.0)[:, None], axes())
    assert len(line.collections) == 1  # no ellipses without variances


def test_an_estimator_should_be_drawn_and_lists_of_another_length_refused() -> None:
    model = l2s.CKL(2, epochs=2, random_state=0).fit([(0, 1, 2), (2, 1, 0)])
    assert l2s.plot_map(model, labels="abc").texts[0].get_text() == "a"
    with pytest.raises(ValueError, match="expected a label for each of the 3 items, got 2"):
        l2s.plot_map(model, labels="ab")


def test_curves_should_show_means_and_errors() -> None:
    curve = l2s.DimensionCurve(np.array([1, 2, 5]), -np.array([[0.6, 0.7], [0.4, 0.5], [0.4, 0.5]]), np.ones((3, 2)))
    ax = axes()
    assert l2s.plot_dimension(curve, ax) is ax
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve.means)
    assert ax.get_legend().get_texts()[0].get_text() == "chosen: 2"
    ax = l2s.plot_learning({"one": ([1, 2], [[0.5, 0.7], [0.8, 0.8]]), "two": ([1, 2], [0.5, 0.6])}, axes())
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [0.6, 0.8])
    assert len(ax.collections) == 1  # a band where there are repetitions
    chances = np.random.default_rng(0).uniform(size=500)
    ax = l2s.plot_calibration(chances, axes(), n_bins=5)
    np.testing.assert_allclose(ax.lines[1].get_xdata(), l2s.metrics.calibration_curve(chances, 5).predicted)


def test_without_matplotlib_it_should_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"pip install 'learn2search\[figures\]'"):
        l2s.plot_map(SPACE)
