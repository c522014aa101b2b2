"""How figures look."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COLOURS = {"ours": "#c2811d", "paper": "#51305e", "third": "#2a7f86", "fourth": "#8d8a91", "light": "#b98ab3"}
LOOK: dict[Any, Any] = {
    "svg.fonttype": "none",
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.fontsize": 8,
    "lines.markersize": 4,
}


@contextmanager
def figure(path: Path, columns: int = 2, rows: int = 1, height: float = 4.0, **options: Any) -> Iterator[Any]:
    """The axes of a new figure, `columns` of them (or `rows` × `columns`); drawn, they become a small SVG file."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit(
            "Results are there, but figures need matplotlib: pip install 'learn2search[figures]'"
        ) from None

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context(LOOK | {"svg.hashsalt": path.stem}):
        made, axes = plt.subplots(rows, columns, figsize=(5 * columns, height * rows), layout="constrained", **options)
        yield axes
        path.parent.mkdir(exist_ok=True)
        made.savefig(path, metadata={"Date": None})
        plt.close(made)


@contextmanager
def small_png(path: Path, columns: int = 2, rows: int = 1, height: float = 4.0) -> Iterator[Any]:
    """The same as a PNG file of few colours beside `path`, where many lines and ellipses would make a large SVG."""
    png = path.with_suffix(".png")
    with figure(png, columns, rows, height) as axes:
        yield axes
    from PIL import Image

    with Image.open(png) as drawn:
        few = drawn.convert("RGB").quantize(64)
    few.save(png, optimize=True)
