"""How many cores to use."""

import os

import numpy as np


def core_count(wanted: int | None, name: str) -> int:
    """A number of threads or processes as it was given; None stands for one a core. name: of the option."""
    there = os.cpu_count() or 1
    if wanted is None:
        return there
    whole = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)
    if not whole or wanted < 1:
        raise ValueError(f"{name} must be a whole number from 1, or None for all {there} cores, got {wanted!r}")
    return int(wanted)
