"""Claims of section 4 about complexity."""

from collections.abc import Callable

from research.claims import Claim, Found
from research.scaling import LOGARITHMIC, SLACK, by_dimension, by_items, epochs, exponent
from research.study import Cells


def query_in_items(cells: Cells) -> Found:
    found = {d: exponent(by_items(cells, d)) for d in (5, 20)}
    told = ", ".join(f"{value:.2f} at d = {d}" for d, value in found.items())
    return Found(f"exponent in n {told} (n from 1,000 to 1,000,000)", [value < LOGARITHMIC for value in found.values()])


def in_dimension(part: str) -> Callable[[Cells], Found]:
    def judge(cells: Cells) -> Found:
        times = by_dimension(cells, part)
        value = exponent(times)
        return Found(f"exponent {value:.2f} (d from {min(times)} to {max(times)})", [value < 2 + SLACK])

    return judge


def epoch_is_linear(cells: Cells) -> Found:
    found = {name: exponent(epochs(cells, fixed)) for name, fixed in (("|T|", "d=10"), ("d", "m=100000"))}
    told = ", ".join(f"{value:.2f} in {name}" for name, value in found.items())
    return Found(f"exponents {told}", [value < 1 + SLACK for value in found.values()])


BOUND = f"the measured exponent is at most {SLACK} above"
CLAIMS = (
    Claim(
        "4.1",
        "a query takes O(log n) on average in n, with a k-d tree",
        f"an exponent below {LOGARITHMIC}, at d = 5 and at d = 20",
        query_in_items,
        "in 20 dimensions a k-d tree visits nearly everything, and one pass over all items is faster",
    ),
    Claim(
        "4.1",
        "a query takes O(d²) in d, with the power method",
        BOUND,
        in_dimension("ask"),
        "sampling needs a root of Σ, which is updated with Σ, in O(d²); the power method takes more steps in more axes",
    ),
    Claim("4.2", "an update takes O(d²)", BOUND, in_dimension("tell")),
    Claim("5.1", "an epoch takes O(|T| d)", BOUND, epoch_is_linear),
)
