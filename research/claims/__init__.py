"""A claim of the paper, and how it is judged: always by comparisons of numbers, never by hand.

Each claim is one or more checks. All pass: it holds. Some pass: it holds in part. None passes: it does not hold. Where
a number that a check needs has not been measured, the claim has not been judged yet.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Cells = dict[str, Any]
HOLDS, IN_PART, FAILS, MISSING = "holds", "holds in part", "does not hold", "not measured yet"
ERRORS = 2.0  # standard errors within which two means count as equal
ALONE = 0.05  # what one repetition is given as its error, a share of the mean


class Mean(NamedTuple):
    """A mean and its standard error, None where there was one repetition."""

    value: float
    error: float | None

    def __str__(self) -> str:
        digits = 2 if abs(self.value) < 100 else 1
        error = "" if self.error is None else f" ± {self.error:.{digits}f}"
        return f"{self.value:.{digits}f}{error}"

    def __sub__(self, other: "Mean") -> "Mean":
        return Mean(self.value - other.value, math.hypot(self._error, other._error))

    @property
    def _error(self) -> float:
        return ALONE * abs(self.value) if self.error is None else self.error

    def below(self, other: "Mean") -> bool:
        """Smaller by more than two standard errors of the difference."""
        difference = other - self
        return difference.value > ERRORS * (difference.error or 0.0)


class Found(NamedTuple):
    """What we measured, in words and numbers, and the checks that it passes or fails."""

    ours: str
    checks: Sequence[bool]


@dataclass(frozen=True)
class Claim:
    """where: in the paper. paper: what it says. rule: what is checked. judge: of the results. why: it came out so."""

    where: str
    paper: str
    rule: str
    judge: Callable[[Cells], Found]
    why: str = ""

    def found(self, cells: Cells) -> tuple[str, str]:
        """What we measured, and the verdict."""
        try:
            ours, checks = self.judge(cells)
        except KeyError:
            return "", MISSING
        return ours, verdict(checks)


def verdict(checks: Sequence[bool]) -> str:
    """All, some or none."""
    if not checks:
        return MISSING
    return HOLDS if all(checks) else IN_PART if any(checks) else FAILS


def mean_over(values: Sequence[float]) -> Mean:
    """Mean and standard error of repetitions."""
    if not values:
        raise KeyError("no repetition has been measured")
    middle = sum(values) / len(values)
    if len(values) == 1:
        return Mean(middle, None)
    spread = sum((value - middle) ** 2 for value in values) / (len(values) - 1)
    return Mean(middle, math.sqrt(spread / len(values)))
