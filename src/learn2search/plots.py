"""Pictures of a map, of how many axes it needs, how far its probabilities can be trusted, and how fast it is learnt.

Each function takes an Axes (or makes one), draws into it and returns it. Needs matplotlib: pip install
'learn2search[figures]'. The colours are those of Okabe and Ito, which colour-blind people can tell apart.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learn2search.embed.axes import to_principal_axes
from learn2search.embed.dimension import DimensionCurve
from learn2search.embed.estimator import TripletEmbedding
from learn2search.embedding import Embedding
from learn2search.metrics import Calibration, calibration_curve
from learn2search.typing import Array

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#E69F00", "#009E73", "#777777"
COLOURS = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", "#D55E00")
_MARKERS = ("o", "s", "^", "D", "v", "P")  # beside the colour, for those who do not see it


def plot_map(
    model: TripletEmbedding | Embedding | ArrayLike,
    ax: Any = None,
    *,
    labels: Sequence[Any] | None = None,
    pictures: Sequence[Any] | None = None,
    uncertainty: float = 1.0,
    size: float = 32.0,
) -> Any:
    """Draw the items on their two principal axes, with labels or pictures, and how well each place is known.

    Parameters
    ----------
    model : fitted estimator, Embedding or (n, d) array_like
        The positions. More than two axes are turned to the principal ones, and the first two shown.
    ax : Axes, optional
        Where to draw; by default a new figure.
    labels : sequence, optional
        The name of each item; None or "" leaves one out.
    pictures : sequence of arrays, optional
        A picture of each item, as `matplotlib.pyplot.imread` gives it; None leaves one out.
    uncertainty : float, optional
        How many standard deviations an ellipse shows, where there are variances; 0 for no ellipses.
    size : float, optional
        The height of a picture, in points.

    Returns
    -------
    Axes
        What was drawn into.

    Raises
    ------
    ValueError
        If there is not a label, or a picture, for each item.

    Examples
    --------
    >>> import learn2search as l2s
    >>> space = l2s.Embedding([[0.0, 1.0], [2.0, 1.0], [2.0, 3.0]], var=[[0.1, 0.2]] * 3)
    >>> l2s.plot_map(space, labels=["apple", "pear", "car"]).get_title()
    ''
    """
    mean, variance = _two_axes(model)
    for given, name in ((labels, "label"), (pictures, "picture")):
        if given is not None and len(given) != len(mean):
            raise ValueError(f"expected a {name} for each of the {len(mean)} items, got {len(given)}")
    ax = _axes(ax)
    if variance is not None and uncertainty > 0:
        _draw_ellipses(ax, mean, uncertainty * np.sqrt(variance))
    ax.scatter(*mean.T, s=12, color=BLUE, zorder=3)
    for item, place in enumerate(mean):
        if pictures is not None and pictures[item] is not None:
            _draw_picture(ax, np.asarray(pictures[item]), place, size)
        if labels is not None and labels[item] not in (None, ""):
            ax.annotate(str(labels[item]), place, xytext=(3, 3), textcoords="offset points", fontsize=7, zorder=5)
    ax.margins(0.12)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def plot_dimension(curve: DimensionCurve, ax: Any = None) -> Any:
    """Draw how well held-out answers are predicted, by the number of axes.

    Parameters
    ----------
    curve : DimensionCurve
        What `dimension_curve` returned.
    ax : Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    Axes
        What was drawn into: means ± standard errors over folds, and the chosen number.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> curve = l2s.DimensionCurve(np.array([1, 2]), -np.array([[0.6, 0.7], [0.4, 0.5]]), np.ones((2, 2)))
    >>> l2s.plot_dimension(curve).get_xlabel()
    'axes'
    """
    ax = _axes(ax)
    ax.errorbar(curve.dimensions, curve.means, curve.errors, color=BLUE, marker="o", markersize=4, capsize=3)
    ax.axvline(curve.chosen, color=ORANGE, linestyle="--", linewidth=1, label=f"chosen: {curve.chosen}")
    ax.set_xscale("log")
    ax.set_xticks(curve.dimensions, [str(d) for d in curve.dimensions])
    ax.minorticks_off()
    ax.set_xlabel("axes")
    ax.set_ylabel("held-out log-likelihood")
    ax.legend(frameon=False)
    return ax


def plot_calibration(chances: ArrayLike | Calibration, ax: Any = None, *, n_bins: int = 10) -> Any:
    """Draw how often answers came that a model held for so probable.

    Parameters
    ----------
    chances : (m,) array_like or Calibration
        The probability of each answer that was given (`model.predict_proba(held_out)`), or what
        `metrics.calibration_curve` made of them.
    ax : Axes, optional
        Where to draw; by default a new figure.
    n_bins : int, optional
        Bins between 1/2 and 1.

    Returns
    -------
    Axes
        What was drawn into: on the diagonal a model says what is so. Bars are standard errors, as if the answers were
        independent.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.plot_calibration([0.9, 0.9, 0.1, 0.6], n_bins=2).get_xlabel()
    'predicted'
    """
    curve = chances if isinstance(chances, Calibration) else calibration_curve(chances, n_bins)
    ax = _axes(ax)
    ax.plot([0.5, 1], [0.5, 1], color=GREY, linestyle=":", linewidth=1)
    errors = np.sqrt(curve.predicted * (1 - curve.predicted) / curve.counts)
    ax.errorbar(curve.predicted, curve.observed, errors, color=BLUE, marker="o", markersize=4, capsize=3)
    ax.set_xlabel("predicted")
    ax.set_ylabel("observed")
    ax.set_title(f"mean error {curve.error:.3f}", fontsize=9)
    return ax


def plot_learning(curves: Mapping[str, tuple[ArrayLike, ArrayLike]], ax: Any = None) -> Any:
    """Draw how a score rises with the number of answers, a line for each way of asking.

    Parameters
    ----------
    curves : mapping
        For each name the numbers of answers `(k,)`, and the scores after them, `(k,)`, or `(k, repetitions)`, of which
        mean and standard error are drawn.
    ax : Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    Axes
        What was drawn into.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.plot_learning({"random": ([100, 200], [0.6, 0.7]), "information": ([100, 200], [0.6, 0.8])}).get_xlabel()
    'answers'
    """
    ax = _axes(ax)
    for place, (name, (answers, scores)) in enumerate(curves.items()):
        table = np.asarray(scores, float).reshape(len(np.asarray(answers)), -1)
        colour, marker = COLOURS[place % len(COLOURS)], _MARKERS[place % len(_MARKERS)]
        middle, repetitions = table.mean(axis=1), table.shape[1]
        few = max(1, len(middle) // 8)  # markers
        ax.plot(answers, middle, color=colour, marker=marker, markevery=few, markersize=4, linewidth=1.2, label=name)
        if repetitions > 1:
            error = table.std(axis=1, ddof=1) / np.sqrt(repetitions)
            ax.fill_between(answers, middle - error, middle + error, color=colour, alpha=0.2, linewidth=0)
    ax.set_xlabel("answers")
    ax.set_ylabel("held-out score")
    ax.legend(frameon=False)
    return ax


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("pictures need matplotlib: pip install 'learn2search[figures]'") from None
    return _new_figure(Figure).add_subplot()


def _new_figure(kind: Any) -> Any:
    """A figure that notebooks and `pyplot.show` know of, where pyplot is in use; else one of its own."""
    import sys

    pyplot = sys.modules.get("matplotlib.pyplot")
    return kind(layout="constrained") if pyplot is None else pyplot.figure(layout="constrained")


def _two_axes(model: Any) -> tuple[Array, Array | None]:
    """Positions `(n, 2)` on the principal axes and their variances; a line is drawn along the first axis."""
    if isinstance(model, TripletEmbedding):
        model = model.to_embedding()
    space = model if isinstance(model, Embedding) else Embedding(model)
    mean, variance = to_principal_axes(space.mean, space.var)
    if space.dim == 1:
        mean, variance = (np.column_stack([part, np.zeros(len(part))]) for part in (mean, variance))
    return mean[:, :2], None if space.var is None else variance[:, :2]


def _draw_ellipses(ax: Any, mean: Array, radius: Array) -> None:
    from matplotlib.collections import EllipseCollection

    ellipses = EllipseCollection(
        2 * radius[:, 0],
        2 * radius[:, 1],
        np.zeros(len(mean)),
        units="xy",
        offsets=mean,
        offset_transform=ax.transData,
        facecolor=BLUE,
        edgecolor=BLUE,
        alpha=0.12,
        linewidth=0.5,
    )
    ax.add_collection(ellipses)


def _draw_picture(ax: Any, picture: Array, place: Array, size: float) -> None:
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    image = OffsetImage(picture, zoom=size / picture.shape[0], cmap="gray")
    ax.add_artist(AnnotationBbox(image, (place[0], place[1]), frameon=False, pad=0, zorder=4))
