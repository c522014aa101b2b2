"""Means with their standard errors, exponents, and Markdown tables of them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from research.rows import NotMeasured, Row

ERRORS = 2.0  # standard errors within which two means count as equal
ALONE = 0.05  # what one repetition is given as its error, a share of the mean


class Mean(NamedTuple):
    """A mean and its standard error, None where there was one repetition."""

    value: float
    error: float | None

    def __str__(self) -> str:
        return self.text(2 if abs(self.value) < 100 else 1)

    def text(self, digits: int) -> str:
        error = "" if self.error is None else f" ± {self.error:.{digits}f}"
        return f"{self.value:.{digits}f}{error}"

    def __sub__(self, other: "Mean") -> "Mean":
        return Mean(self.value - other.value, math.hypot(self._error, other._error))

    @property
    def _error(self) -> float:
        return ALONE * abs(self.value) if self.error is None else self.error

    def below(self, other: "Mean") -> bool:
        """Smaller by more than two standard errors of the difference."""
        return other.value - self.value > ERRORS * math.hypot(self._error, other._error)


def mean_over(values: Sequence[float]) -> Mean:
    """Mean and standard error of repetitions."""
    if not values:
        raise NotMeasured("no repetition has been measured")
    middle = float(np.mean(values))
    return Mean(middle, float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else None)


def exponent(times: Mapping[int, float]) -> float:
    """The slope of log seconds against log size."""
    if len(times) < 2:
        raise NotMeasured("too few sizes have been measured")
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def rounded(values: Iterable[float], digits: int = 6) -> list[float]:
    """As they are worth writing down."""
    return [float(f"{value:.{digits}g}") for value in values]


def print_rows(rows: Iterable[Row]) -> None:
    """A line for each, for what has no better table."""
    for row in rows:
        values = (
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()
        )
        print("\n" + ", ".join(values))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """In Markdown; nothing where there are no rows."""
    if not rows:
        return
    print(f"\n{title}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
