"""The pictures of the guides; `python -m docs.website.pictures` draws them anew.

A belief that shrinks: one real search for a colour among 1,000, answered by a simulated person. And what the noise is.
"""

from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np

import learn2search as l2s
from docs.website.links import ROOT
from learn2search.play.colors import Palette, thousand_colors
from learn2search.typing import Array

IMAGES = ROOT / "docs" / "images"
SEED, TARGET, NOISE = 4, 300, 0.05
PAPER, INK, SOFT, GOLD = "#f7f5f4", "#261b2d", "#625768", "#f4b73b"


class Moment(NamedTuple):
    """The belief when a question is asked. still_fit: 2 to the power of its entropy."""

    question: tuple[int, ...]
    chosen: int | None
    probability: Array
    still_fit: float


def play(palette: Palette) -> list[Moment]:
    """A whole search, question by question; the last one shows the target."""
    person = l2s.ProbitOracle(palette.features, noise=NOISE, seed=SEED)
    search = l2s.PosteriorSearch(l2s.Embedding(palette.features), noise=NOISE, seed=SEED)
    moments = []
    while not search.done:
        query = search.ask(4)
        chosen = TARGET if TARGET in query else person.choose(query, TARGET)
        moments.append(Moment(query, chosen, search.probability(), 2.0**search.entropy))
        if TARGET in query:
            return moments
        search.tell(chosen)
    return moments


def draw_belief(palette: Palette, moments: list[Moment], path: Path) -> None:
    """The belief at each question: a colour is as large as it is probable."""
    figure, axes = _figure(len(moments), 2.9)
    for number, (ax, moment) in enumerate(zip(axes, moments, strict=True), start=1):
        share = moment.probability / moment.probability.max()
        _cloud(ax, palette, 3 + 80 * share**0.5 * min(1.0, 120 / moment.still_fit), np.maximum(0.12, share**0.4))
        _shown(ax, palette, moment)
        ax.set_title(f"question {number}\n{round(moment.still_fit):,} still fit", fontsize=9, color=INK)
    figure.savefig(path, dpi=160, facecolor=PAPER, bbox_inches="tight", pad_inches=0.12)


def draw_cut(palette: Palette, moment: Moment, after: Moment, path: Path) -> None:
    """One answer: what was shown, what was clicked, and what is probable before and after."""
    figure, axes = _figure(2, 3.4)
    for ax, shown, title in ((axes[0], moment, "before the click"), (axes[1], after, "after it")):
        share = shown.probability / shown.probability.max()
        _cloud(ax, palette, 4 + 50 * share * min(1.0, 200 / shown.still_fit), np.maximum(0.1, share**0.5))
        _shown(ax, palette, moment)
        ax.set_title(f"{title}: {round(shown.still_fit):,} still fit", fontsize=10, color=INK)
    figure.savefig(path, dpi=160, facecolor=PAPER, bbox_inches="tight", pad_inches=0.12)


def draw_noise(path: Path) -> None:
    """The probability of the nearer item, against the margin, for three noises."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.2, 2.9))
    margins = np.linspace(0, 0.5, 200)
    for noise, colour in ((0.05, "#17716f"), (0.1, "#5d2e6e"), (0.3, "#8f5700")):
        nearer = l2s.choice_probability(np.zeros((200, 1)), np.ones((200, 1)), 0.5 - margins[:, None], noise)
        ax.plot(margins, nearer, color=colour, linewidth=2.2, label=f"σ = {noise}")
    ax.set(
        xlabel="margin: how clearly it is nearer", ylabel="the nearer one is clicked", xlim=(0, 0.5), ylim=(0.5, 1.01)
    )
    ax.legend(frameon=False, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_facecolor(PAPER)
    figure.savefig(path, facecolor=PAPER, bbox_inches="tight", metadata={"Date": None})


def _figure(columns: int, size: float) -> tuple[Any, list[Any]]:
    import matplotlib.pyplot as plt

    across = min(columns, 3)
    rows = -(-columns // across)
    figure, axes = plt.subplots(rows, across, figsize=(size * across, 1.12 * size * rows), squeeze=False)
    for ax in axes.flat:
        ax.set_axis_off()
        ax.set_aspect("equal")
    return figure, list(axes.flat)[:columns]


def _cloud(ax: Any, palette: Palette, sizes: Array, alphas: Array) -> None:
    order = np.argsort(sizes)
    rgb = np.array([matplotlib.colors.to_rgb(palette.hexes[item]) for item in order])
    a, b = palette.features[order, 1], palette.features[order, 2]
    ax.scatter(a, b, s=sizes[order], c=np.column_stack([rgb, alphas[order]]), linewidths=0)


def _shown(ax: Any, palette: Palette, moment: Moment) -> None:
    for item in moment.question:
        clicked = item == moment.chosen
        at = palette.features[item, 1:]
        edge, width = (GOLD, 3.2) if clicked else (INK, 1.2)
        ax.scatter(*at, s=150, c=[palette.hexes[item]], edgecolors=edge, linewidths=width, zorder=5)
    ax.scatter(*palette.features[TARGET, 1:], marker="x", s=45, c=INK, linewidths=1.6, zorder=6)


def main() -> None:
    palette = thousand_colors()
    moments = play(palette)
    draw_belief(palette, moments, IMAGES / "belief-shrinks.webp")
    draw_cut(palette, moments[0], moments[1], IMAGES / "belief-one-click.webp")
    draw_noise(IMAGES / "noise.svg")


if __name__ == "__main__":
    main()
