"""Compile what searches, simulations and fits run before anybody waits for it."""

from collections.abc import Callable, Iterable

import numpy as np

from learn2search.compiled import say_nothing
from learn2search.embed.gauss_embed import GaussEmbed
from learn2search.embed.online import online_step
from learn2search.embedding import Embedding
from learn2search.learn.evidence import Crowd, weigh_searches
from learn2search.oracle import ProbitOracle
from learn2search.progress import bar
from learn2search.search.simulate import simulate
from learn2search.search.strategies import make_search

_POINTS = np.random.default_rng(0).standard_normal((24, 3))
_KNOWN, _LEARNT = Embedding(_POINTS), Embedding(_POINTS, np.full(_POINTS.shape, 0.5))
_TRIPLETS = np.array([[0, 1, 2], [1, 2, 3], [2, 3, 4]])


def _search() -> None:
    for strategy in ("sampled", "random"):
        search = make_search(strategy, _LEARNT, 1.0, seed=0)
        for shown in (4, 2):
            search.tell(search.ask(k=shown)[0])
        search.ask(k=2)
        search.top(3)
    known = make_search("sampled", _KNOWN, 1.0, seed=0)  # as with `--features`, until answers refine them
    for shown in (4, 2):
        known.tell(known.ask(k=shown)[0])
    weigh_searches(online_step(_LEARNT, _TRIPLETS), [(0, [((1, 2, 3, 4), 1)])], fitted=[0], crowd=Crowd())


def _search_known_positions() -> None:
    for strategy in ("sampled", "gauss"):
        search = make_search(strategy, _KNOWN, 1.0, seed=0)
        for shown in (4, 2):
            search.tell(search.ask(k=shown)[0])
        search.top(3)


def _simulate() -> None:
    for strategy in ("sampled", "gauss"):
        simulate(strategy, _KNOWN, ProbitOracle(_KNOWN, noise=1.0), [0, 1], progress=False)


def _fit() -> None:
    GaussEmbed(2, epochs=1).fit(np.tile(_TRIPLETS, (20, 1)))


def _learn() -> None:
    GaussEmbed(2, epochs=1, lapse=0.0).fit(np.tile(_TRIPLETS, (20, 1)), n_items=24, features=_POINTS)
    weigh_searches(_LEARNT, [(0, [((1, 2, 3, 4), 1)]), (1, [((2, 3, 4), 2)])])


_PARTS: dict[str, Callable[[], None]] = {
    "search": _search,
    "known positions": _search_known_positions,
    "simulate": _simulate,
    "fit": _fit,
    "learn": _learn,
}


def warm_up(parts: Iterable[str] = tuple(_PARTS), *, progress: bool | None = None) -> None:
    """Compile, or load what was compiled before, so that the first call of each kind does not wait.

    The machine code is kept on disk, for this machine and version: the next time it is loaded within seconds.

    Parameters
    ----------
    parts
        What is wanted: "search" (in learnt positions or among known features, and to learn from a finished search:
        what a site does), "known positions" (to search in them, by GaussSearch too), "simulate", "fit", "learn" (from
        many finished searches, weighed against each other, and from features). By default all.
    progress
        Show a bar: by default where standard error is a terminal.

    Raises
    ------
    ValueError
        If a part has another name.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.warm_up(["search"])
    """
    parts = [parts] if isinstance(parts, str) else list(parts)
    for part in parts:
        if part not in _PARTS:
            raise ValueError(f"a part to warm up is one of {', '.join(_PARTS)}, not {part!r}")
    with say_nothing(), bar("Getting ready", len(parts), progress, transient=True) as show:
        for done, part in enumerate(parts):
            show(done, part)
            _PARTS[part]()
