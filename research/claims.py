"""A claim of the paper, and how it is judged: always by comparisons of numbers, never by hand.

Each claim is one or more checks. All pass: it holds. Some pass: it holds in part. None passes: it does not hold. Where
rows that a check needs have not been measured, the claim has not been judged yet. A check that asks for a column or a
value that no row can have is an error.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from research.rows import NotMeasured, Results

HOLDS, IN_PART, FAILS, MISSING = "holds", "holds in part", "does not hold", "not measured yet"


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
    judge: Callable[[Results], Found]
    why: str = ""

    def found(self, results: Results) -> tuple[str, str]:
        """What we measured, and the verdict."""
        try:
            ours, checks = self.judge(results)
        except NotMeasured:
            return "", MISSING
        return ours, verdict(checks)


def verdict(checks: Sequence[bool]) -> str:
    """All, some or none."""
    if not checks:
        raise ValueError("a claim needs at least one check")
    return HOLDS if all(checks) else IN_PART if any(checks) else FAILS
