"""Claims of Theorem 1."""

import numpy as np

from research.claims import Claim, Found
from research.study import Cells
from research.theorem1 import TOLERANCE, integral, points


def best_is_the_top_eigenvector(cells: Cells) -> Found:
    variances, gains = points(cells)
    ahead = gains[:, -1:] - gains[:, :-1]
    best = gains.argmax(axis=1) == gains.shape[1] - 1
    close = variances[:, :-1] > 0.98 * variances[:, -1:]  # as good, up to the error of the samples
    text = f"the top eigenvector tells most in {best.sum()} of {len(best)} beliefs, against {gains.shape[1] - 1} others"
    return Found(text, [bool((ahead > 0)[~close].all())])


def gain_is_the_integral(cells: Cells) -> Found:
    variances, gains = points(cells)
    integrals = [integral(variance) for variance in variances.ravel()]
    worst = float(np.abs(gains.ravel() - integrals).max())
    return Found(f"largest difference {worst:.4f} bits over {gains.size:,} hyperplanes", [worst < TOLERANCE])


CLAIMS = (
    Claim(
        "Theorem 1",
        "the most informative hyperplane through μ is orthogonal to the direction of largest variance",
        "no other direction has a larger measured gain (those within 2% of the largest variance left out)",
        best_is_the_top_eigenvector,
    ),
    Claim(
        "Supplement, proof of Theorem 1",
        "the gain depends on w through wᵀΣw alone: 1 - E[H(Φ(z))]",
        f"gain on samples and integral differ by less than {TOLERANCE} bits",
        gain_is_the_integral,
    ),
)
