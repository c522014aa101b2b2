"""Supplement, first figure: held-out triplets satisfied against the number of axes D, on Music artists and Food.

The paper: by 10 folds, D from 2 to 30, GaussEmb is similar to t-STE, between 83% and 85%, and better than CKL; so the
noise model reflects people's behaviour well. Folds by row as published, and by screen; a lookup table that knows no
embedding is a line in the figure. On rows it beats every embedding on Food: published accuracies by row measure the
repetition of screens as much as the embedding.

The cells are those of `research/embeddings.py` and `research/peers.py`, measured here where they are missing.
"""

from pathlib import Path
from typing import Any

from research.study import Cells, Study, main

SOURCES = ("embeddings", "peers")
DIMENSIONS = (2, 5, 10, 20, 30)  # the supplement: "between 2 and 30"
ENOUGH = (5, 10, 20, 30)  # in two dimensions every method is far below
SETS = ("artists", "food")
NAMES = ("gauss, paper", "tste", "ckl", "gauss, empirical", "gauss, ratio")
SIMILAR = 1.0  # points of accuracy
RANGE = (83.0, 85.0)  # the supplement
SLACK = 0.5  # points, to either side


def fixed(dataset: str, split: str, number: int, name: str, d: int) -> dict[str, Any]:
    from research.embeddings import fixed_cell

    return fixed_cell(dataset, split, number, name, d)


def lookup(dataset: str, split: str, number: int) -> dict[str, Any]:
    from research.peers import lookup_cell

    return lookup_cell(dataset, split, number)


def run(study: Study) -> None:
    """Fold by fold, so that what is missing in the end is missing for all."""
    folds = [
        (dataset, split, number)
        for dataset in SETS[: 1 if study.quick else 2]
        for number in range(study.repetitions or (2 if study.quick else 10))
        for split in ("row", "screen")
    ]
    dimensions, names = ((2, 5), NAMES[:3]) if study.quick else (DIMENSIONS, NAMES)
    tables = {
        f"{dataset} | {split} | lookup | fold {number}": {"dataset": dataset, "split": split, "number": number}
        for dataset, split, number in folds
    }
    study.measure(study.benchmark("peers", *tables), lookup, tables)
    fits = {
        f"{dataset} | {split} | {name} | D={d} | fold {number}": {
            "dataset": dataset, "split": split, "number": number, "name": name, "d": d
        }
        for dataset, split, number in folds
        for name in names
        for d in dimensions
    }  # fmt: skip
    study.measure(study.benchmark("embeddings", *fits), fixed, fits)


def plot(cells: Cells, path: Path) -> None:
    from research.embeddings_report import draw

    draw(cells, path)


if __name__ == "__main__":
    main("supplement_dimension")
