"""Simulated visitors of a running site, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from learn2search import ProbitOracle
from learn2search.client import Client, SearchResult
from learn2search.typing import Array


@dataclass(frozen=True)
class Visitors:
    """Simulated people.

    Attributes
    ----------
    features
        What they perceive, `(n, d)`, row i for item i.
    noise
        How noisily they perceive it, in units of the features.
    skew
        Item i is looked for in proportion to 1/(i + 1)^skew; with 0 all items are equally popular.
    """

    features: Array
    noise: float
    seed: int
    skew: float = 0.0

    def search(self, client: Client, slug: str, number: int, show: int | None) -> int:
        """Search for an item drawn by popularity; how many questions it took, 0 when it was not found."""
        draw = np.random.default_rng([self.seed, number])
        target = self._target(draw)
        person = ProbitOracle(self.features, self.noise, seed=draw)
        now = client.start(slug, show, simulated=True)
        while now.status == "open":
            now = self._answer(client, person, now, target)
        return now.number if now.status == "found" else 0

    def _target(self, draw: np.random.Generator) -> int:
        if not self.skew:
            return int(draw.integers(len(self.features)))
        popularity = np.arange(1, len(self.features) + 1) ** -self.skew
        return int(draw.choice(len(self.features), p=popularity / popularity.sum()))

    def _answer(self, client: Client, person: ProbitOracle, now: SearchResult, target: int) -> SearchResult:
        shown = [] if now.question is None else [one.item for one in now.question.shown]
        if target in shown or not shown:  # when everything was shown, the gallery has it
            return client.found(now, target)
        return client.answer(now, person.choose(shown, target))


def visit(
    client: Client, slug: str, visitors: Visitors, searches: int, at_once: int, show: int | None
) -> Iterator[int]:
    """Search so many times, with `at_once` visitors at a time; the questions that each search took, in order."""
    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(lambda number: visitors.search(client, slug, number, show), range(searches))
