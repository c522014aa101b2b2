"""The tables of `known_features.py`, from its results file alone; its figure is `figure1.py`.

python -m research.known_features_report
"""

import json

from research.recording import RESULTS

PAPER = {"ig": {50: 4.9, 100: 6.47}, "gauss": {50: 6.7, 100: 8.47}}
LOOKS = {
    "ig": ("IG", "#7b6ca8", "s"),
    "eff": ("Eff", "#b08bb5", "D"),
    "sampled": ("sampled (ours)", "#c2811d", "o"),
    "gauss": ("GaussSearch", "#51305e", "o"),
    "random": ("Rand", "#8d8a91", "v"),
}


class Cells:
    """The results, looked up by the parts of their keys."""

    def __init__(self, cells: dict) -> None:
        self.cells = cells

    def __call__(self, *key: str):
        return self.cells.get(" | ".join(key))

    def text(self, *key: str) -> str:
        value = self(*key)
        return "" if value is None else f"{value['mean']:.2f} ± {value['se']:.2f}"

    def parts(self, head: str, place: int) -> list[str]:
        """Different values of one part of the keys that begin with `head`, in the order of measurement."""
        return list(dict.fromkeys(key.split(" | ")[place] for key in self.cells if key.startswith(f"{head} | ")))


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def questions(cells: Cells) -> None:
    for noise in cells.parts("questions", 2):
        for stop, words in (("mode", "most probable"), ("shown", "shown")):
            rows = []
            for n in cells.parts("questions", 1):
                sigma = cells("noise", f"uniform {n} d=5", noise)
                rows.append(
                    [f"{int(n[2:]):,}", f"{sigma:.3f}", *(cells.text("questions", n, noise, stop, s) for s in LOOKS)]
                )
            names = [label for label, *_ in LOOKS.values()]
            print_table(f"Questions until the target is {words}; noise: {noise}", ["n", "σ", *names], rows)


def conventions(cells: Cells) -> None:
    rows = [
        [convention, noise, *(cells.text("convention", n, noise, convention) for n in ("n=50", "n=100"))]
        for convention in cells.parts("convention", 3)
        for noise in cells.parts("convention", 2)
    ]
    print_table(
        "GaussSearch under several conventions (paper: 6.7 and 8.47)",
        ["prior, items", "noise", "n = 50", "n = 100"],
        rows,
    )


def pictures(cells: Cells) -> None:
    rows = [
        [points, noise, *(cells.text("pictures", points, noise, s) for s in ("sampled", "gauss", "random"))]
        for points in cells.parts("pictures", 1)
        for noise in cells.parts("pictures", 2)
    ]
    print_table(
        "Four pictures, n = 513: screens until shown", ["points", "noise", "sampled", "GaussSearch", "random"], rows
    )


def steps(cells: Cells) -> None:
    rows = []
    for size in cells.parts("step", 1):
        gauss, sampled, plain, tuned = (
            cells("step", size, s) for s in ("gauss", "sampled", "plain NumPy", "tuned NumPy")
        )
        times = [f"{gauss:,.1f}", f"{sampled:,.0f}", f"{plain:,.0f}", f"{tuned:,.0f}"]
        ratios = [f"{plain / gauss:,.0f}×", f"{tuned / gauss:,.0f}×", f"{plain / sampled:,.2g}×"]
        rows.append([size, *times, *ratios])
    columns = [
        "size",
        "GaussSearch",
        "sampled",
        "plain NumPy",
        "tuned NumPy",
        "plain / GaussSearch",
        "tuned / GaussSearch",
        "plain / sampled",
    ]
    print_table("Microseconds a step, one core", columns, rows)


def report(name: str = "known_features") -> None:
    cells = Cells(json.loads((RESULTS / f"{name}.json").read_text())["cells"])
    for table in (questions, conventions, pictures, steps):
        table(cells)
    for key, value in cells.cells.items():
        if key.startswith(("memory", "cores")):
            print(f"\n{key}: {value:.2f}")


if __name__ == "__main__":
    report()
