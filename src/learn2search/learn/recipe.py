"""How a loop searches, embeds and refits: one frozen value, with two presets.

preset="paper"   the paper to the letter: GaussSearch with the Mahalanobis rule, prior N(0, I), a fresh fit after
                 search 1, 2, 4, 8, ...
preset="best"    ours: the exact posterior, an empirical prior, refits after every fifth more searches, warm when
                 there is enough data, and an online step after every search
"""

import math
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from learn2search.embed.methods import EMBEDDINGS
from learn2search.registry import definition_of
from learn2search.search.strategies import Strategy, known_strategy, strategy_names

DOUBLING = "doubling"
ESTIMATED, AUTO = "estimated", "auto"
FITTED = "fit"
_AMOUNTS = ("scarce_below", "warm_from", "online_from", "refine_from", "explore_below", "learning_rate", "batches")
# What recipes did that version 0.1 stored: it used every fit.
_VERSION_0_1: dict[str, Any] = {
    "held_out": 0.0,
    "retry": 1.1,
    "refine_from": 6.0,
    "scarce_below": 0.0,
    "untaught_strategy": "sampled",
    "weigh_searches": False,
    "lapse": 0.0,
    "one_choice": False,
}


@dataclass(frozen=True)
class Recipe:
    """The choices of a learning loop; all plain values, so that a state can be saved. docs/learning.md explains them.

    Parameters
    ----------
    strategy : str or callable, optional
        How is searched: "sampled", "gauss", ..., or what else `make_search` takes. One without a name cannot be saved.
    untaught_strategy : str or callable, optional
        How is searched while nothing is known.
    embedding : str, optional
        What learns: "gauss", "tste", "ckl", or a name of `register_embedding`; "true" takes the oracle's own features
        and learns nothing.
    n_components : int, "estimated" or "auto", optional
        The number of axes D. "estimated" is the paper's: 100 until there are 10,000 triplets, then as many as hold 98%
        of the energy.
    prior : str or float, optional
        Of `GaussEmbed`.
    metric : str, optional
        Of `GaussSearch`.
    refit : "doubling", float or sequence of int, optional
        When to fit: after search 1, 2, 4, ...; when `refit_by` grew by this factor since the last fit; or at these
        searches.
    refit_by : {"searches", "triplets"}, optional
        What must have grown.
    scarce_below : float, optional
        With fewer triplets an item, answers are scarce: see `policy.while_scarce`. 0 = never.
    warm_from, online_from : float, optional
        How many triplets an item there must be before fits begin at the one before, and before each search is followed
        by an online step; infinity = never.
    epochs : int or (int, int), optional
        Of a cold and of a warm fit.
    batches : int, optional
        Steps an epoch.
    learning_rate : float, optional
        The first step of a fit.
    held_out : float, optional
        The share of the lessons, the newest, that judge a fit: it is used only if it predicts them better than what is
        in use. 0 = every fit is used.
    retry : float, optional
        In place of the factor `refit`, after a fit that was not used.
    refine_from : float, optional
        Features that are given as exact are refined from so many triplets an item on.
    explore_below : int, optional
        An item with fewer triplets is unknown; while there are such items, each search shows some of them in its first
        query.
    weigh_searches : bool, optional
        Does each search teach as much as it looks like a person's? For visitors whom nobody knows; a fit takes three
        to nine times as long.
    lapse : float or "fit", optional
        The share of answers that say nothing, which fits and searches then expect. "fit" learns it from the lessons
        that judge a fit.
    one_choice : bool, optional
        Do the k - 1 triplets of a click count as one choice of log₂ k bits (`triplets.click_weights`), and not as k - 1
        answers?

    Raises
    ------
    ValueError
        If a choice cannot be used.

    Examples
    --------
    >>> import learn2search as l2s
    >>> recipe = l2s.Recipe(strategy="gauss", refit=1.5)
    >>> l2s.Recipe.from_dict(recipe.to_dict()) == recipe
    True
    """

    strategy: Strategy = "sampled"
    untaught_strategy: Strategy = "random"
    embedding: str = "gauss"
    n_components: int | str = AUTO
    prior: str | float = "ard"
    metric: str | None = "euclidean"
    refit: float | str | tuple[int, ...] = 1.2
    refit_by: str = "searches"
    scarce_below: float = 0.0
    warm_from: float = 2.0
    online_from: float = 8.0
    epochs: tuple[int, int] = (100, 60)
    batches: int = 100
    learning_rate: float = 0.05
    held_out: float = 0.1
    retry: float = 1.1
    refine_from: float = 6.0
    explore_below: int = 0
    weigh_searches: bool = False
    lapse: float | str = 0.0
    one_choice: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.untaught_strategy, str):
            _check_choice("untaught_strategy", self.untaught_strategy, strategy_names())
        for name in ("strategy", "untaught_strategy"):
            object.__setattr__(self, name, known_strategy(getattr(self, name)))
        _check_choice("embedding", self.embedding, (*EMBEDDINGS.names(), "true"))
        _check_choice("refit_by", self.refit_by, ("searches", "triplets"))
        _check_components(self.n_components)
        object.__setattr__(self, "refit", _checked_refit(self.refit))
        object.__setattr__(self, "epochs", _checked_epochs(self.epochs))
        for name in _AMOUNTS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
                raise ValueError(f"{name} must be a number, 0 or more, got {value!r}")
            if name in ("learning_rate", "batches") and value == 0:
                raise ValueError(f"{name} must be above 0")
        for name in ("weigh_searches", "one_choice"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if not 0 <= self.held_out < 1:
            raise ValueError(f"held_out is a share of the lessons, from 0 to below 1, got {self.held_out!r}")
        _check_lapse(self.lapse)
        if not self.retry > 1:
            raise ValueError(f"retry is a factor above 1, got {self.retry!r}")
        for name in ("n_components", "lapse", *_AMOUNTS):
            value = getattr(self, name)
            if isinstance(value, np.generic):  # a plain number, as a file holds it
                object.__setattr__(self, name, value.item())

    def check_storable(self) -> None:
        """Can the recipe be stored?

        Raises
        ------
        ValueError
            If its strategy has no name.

        Examples
        --------
        >>> import learn2search as l2s
        >>> l2s.Recipe(strategy="gauss").check_storable()
        """
        for strategy in (self.strategy, self.untaught_strategy):
            if not isinstance(strategy, str):
                raise ValueError(
                    f"a loop can only be stored when its strategy has a name: give {definition_of(strategy)} one by "
                    "register_strategy"
                )

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain JSON values.

        Returns
        -------
        dict
            Values by name, infinity as null.

        Raises
        ------
        ValueError
            If the strategy has no name.
        """
        self.check_storable()
        return {name: None if value == math.inf else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> "Recipe":
        """The recipe that `to_dict` wrote.

        Parameters
        ----------
        stored : dict
            Values by name.

        Returns
        -------
        Recipe
            The same choices.

        Raises
        ------
        ValueError
            If there is a field that this release does not know, or one is missing.
        """
        known = {field.name for field in fields(cls)}
        stored = _VERSION_0_1 | stored
        if set(stored) != known:
            raise ValueError(f"a stored recipe has the fields {sorted(known)}, got {sorted(stored)}")
        never = {name: math.inf for name in ("warm_from", "online_from") if stored[name] is None}
        lists = {name: tuple(value) for name, value in stored.items() if isinstance(value, list)}
        return cls(**{**stored, **lists, **never})


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")


def _check_lapse(value: object) -> None:
    is_share = isinstance(value, int | float | np.number) and not isinstance(value, bool) and 0 <= float(value) < 1
    if value != FITTED and not is_share:
        raise ValueError(f'lapse must be "fit" or a share of the answers, from 0 to below 1, got {value!r}')


def _check_components(value: int | str) -> None:
    if value in (ESTIMATED, AUTO):
        return
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f'n_components must be a whole number from 1, "estimated" or "auto", got {value!r}')


def _checked_refit(refit: Any) -> float | str | tuple[int, ...]:
    if refit == DOUBLING or (isinstance(refit, int | float) and not isinstance(refit, bool) and refit > 1):
        return DOUBLING if refit == DOUBLING else float(refit)
    if isinstance(refit, list | tuple | range | np.ndarray) and all(int(number) == number > 0 for number in refit):
        return tuple(int(number) for number in refit)
    raise ValueError(f'refit must be "doubling", a factor above 1, or the numbers of searches, got {refit!r}')


def _checked_epochs(epochs: Any) -> tuple[int, int]:
    pair = (epochs, epochs) if isinstance(epochs, int) else tuple(epochs)
    if len(pair) != 2 or not all(isinstance(count, int) and count > 0 for count in pair):
        raise ValueError(f"epochs must be a whole number, or one for cold and one for warm refits, got {epochs!r}")
    return pair[0], pair[1]


# --- presets ---------------------------------------------------------------------------------------

PRESETS = {
    "paper": Recipe(
        strategy="gauss",
        n_components=ESTIMATED,
        prior="standard",
        metric="mahalanobis",
        refit=DOUBLING,
        warm_from=math.inf,
        online_from=math.inf,
        epochs=(40, 40),
        batches=40,
        learning_rate=0.1,
        held_out=0.0,
        untaught_strategy="gauss",
    ),
    "best": Recipe(),
}
_FOUR_PICTURES = {"refit": 1.3, "refit_by": "triplets", "online_from": 2.0, "prior": "empirical", "one_choice": True}


def make_recipe(preset: str, k: int = 2, **changes: Any) -> Recipe:
    """A preset with some choices changed. With more than two pictures "best" refits by triplets, not by searches,
    goes online earlier, has one prior variance for all axes, and takes a click for one choice."""
    if preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}")
    known = [field.name for field in fields(Recipe)]
    for name in changes:
        if name not in known:
            raise TypeError(f"{name!r} is no choice of a learning loop: it has {', '.join(known)}")
    ours = _FOUR_PICTURES if preset == "best" and k > 2 else {}
    return replace(PRESETS[preset], **{**ours, **changes})
