"""Claims of Theorem 2."""

from collections.abc import Callable

from research.claims import Claim, Found
from research.study import Cells
from research.theorem2 import DIMENSIONS, SLOPE, curves, exponents


def goes_to_zero(part: str, expected: float) -> Callable[[Cells], Found]:
    """`part` falls in every search, as m to the power of `expected`."""

    def judge(cells: Cells) -> Found:
        told, checks = [], []
        for d in DIMENSIONS:
            m, values = curves(cells, d, part)
            slope = exponents(cells, d, part)
            allowed = max(SLOPE, 2 * (slope.error or 0))
            checks += [bool((values[:, -1] < values[:, 0]).all()), abs(slope.value - expected) < allowed]
            told.append(f"d = {d}: {values[:, -1].mean():.3g}, exponent {slope}")
        return Found(f"after {m[-1]:,} answers, {len(values)} searches each: {'; '.join(told)}", checks)

    return judge


CLAIMS = (
    Claim(
        "Theorem 2 (i)",
        "Tr(Σ_m) → 0",
        f"smaller at the end than after one answer in every search, and as 1/m (exponent -1 ± {SLOPE}, last decade)",
        goes_to_zero("trace", -1.0),
    ),
    Claim(
        "Theorem 2 (ii)",
        "μ_m → x_t almost surely",
        f"nearer at the end than after one answer in every search, and as 1/√m (exponent -1/2 ± {SLOPE} or 2 errors)",
        goes_to_zero("error", -0.5),
    ),
)
