"""How far a belief can be trusted: one power for it, chosen by searches whose target is known.

The posterior takes the answers of a search as independent given the target. Where positions are learnt they are not:
the same error of a position shows in every answer about it, and the belief becomes too sure of itself. With the power τ

    p_τ(i) ∝ p(i)^τ

each answer counts as τ answers. τ = 1 is the belief as it is. It changes what is said, not which items are likelier.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learn2search.typing import Array

POWERS = np.geomspace(0.25, 1.0, 25)
_SPREAD = 0.5  # of log τ about 0, before any search tells


def temper_belief(belief: ArrayLike, trust: float) -> Array:
    """The belief with each answer counting as `trust` answers.

    Parameters
    ----------
    belief : (..., n) array_like
        Probabilities of the items, as `Search.probability` gives them.
    trust : float
        τ, from 0 (nothing is known of the items that are left) to 1 (the belief as it is).

    Returns
    -------
    (..., n) array
        Probabilities; an item that was ruled out stays so.

    Raises
    ------
    ValueError
        If the trust is not from 0 to 1.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.temper_belief([0.8, 0.2, 0.0], 0.5).round(2).tolist()
    [0.67, 0.33, 0.0]
    """
    if not 0 <= trust <= 1:
        raise ValueError(f"trust is a power from 0 to 1, got {trust!r}")
    p = np.asarray(belief, float)
    powers = np.where(p > 0, np.maximum(p, 1e-300) ** trust, 0.0)
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def fit_trust(beliefs: ArrayLike, targets: ArrayLike) -> float:
    """The trust τ under which what was believed makes the targets most probable.

    log τ ~ N(0, ½²) is its prior: a few searches hardly move it.

    Parameters
    ----------
    beliefs : (m, n) array_like
        Beliefs before the target was found, one row each: after each answer of some searches, say.
    targets : (m,) array_like of int
        The target of each.

    Returns
    -------
    float
        τ, from 0.25 to 1.

    Raises
    ------
    ValueError
        If there is not one target a belief.

    Examples
    --------
    >>> import numpy as np
    >>> import learn2search as l2s
    >>> sure = np.tile([0.8, 0.1, 0.1], (300, 1))  # but only half of them are right
    >>> 0.3 < l2s.fit_trust(sure, [0, 1] * 150) < 0.5
    True
    """
    p, at = np.asarray(beliefs, float), np.asarray(targets, np.int64)
    if p.ndim != 2 or at.shape != (len(p),):
        raise ValueError(f"beliefs need one row a target, got shapes {p.shape} and {at.shape}")
    scores = [_score(p, at, power) - 0.5 * (np.log(power) / _SPREAD) ** 2 for power in POWERS]
    return float(POWERS[int(np.argmax(scores))])


def _score(p: Array, targets: NDArray[np.int64], power: float) -> float:
    """Σ log p_τ(target)."""
    likelihood = temper_belief(p, power)[np.arange(len(p)), targets]
    return float(np.log(np.maximum(likelihood, 1e-300)).sum())
