"""How much a search can know, and what may therefore be said to its visitor."""

from enum import Enum

from learn2search.site.learning.metadata import ModelMetadata

_FEW = 10  # comparisons an item: with fewer, a search among 513 items takes more than a third of those at random
_LIKELIER = 2.0  # times more probable than an item drawn at random: clearly likelier than chance


class Familiarity(Enum):
    """How well the model of a search knows the items."""

    NOTHING = "nothing"  # no model has been fitted yet, and nothing was known beforehand
    LITTLE = "little"
    ENOUGH = "enough"


def familiarity_of(metadata: ModelMetadata, n_items: int) -> Familiarity:
    """How much a model knows: little with fewer than ten comparisons an item, unless the owner gave the positions."""
    if metadata.knows_nothing:
        return Familiarity.NOTHING
    if metadata.prior.features or metadata.triplets >= _FEW * n_items:
        return Familiarity.ENOUGH
    return Familiarity.LITTLE


def is_likelier_than_chance(fits: float, n_left: int) -> bool:
    """Is the likeliest item at least twice as probable as one drawn at random from those that are left?

    `fits` is 2^H, with H the entropy of the belief in bits. The largest probability is at least 2^-H = 1 / fits, since
    H is the mean of -log₂ p and no -log₂ p is below that of the likeliest. So fits ≤ n / 2 is sufficient.
    """
    return n_left > 0 and _LIKELIER * fits <= n_left
