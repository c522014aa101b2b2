"""Simulated visitors who teach a collection, without HTTP: how the demo learns before its first visitor.

They search as visitors do, with the model of the moment, and the trainer runs when it would. The compiled simulator
plays a few searches at a time; each such block becomes searches, steps and lessons like any other.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from learn2search import ProbitOracle, Step, simulate
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.learning import trainer
from learn2search.site.learning.model_cache import EmbeddingAt
from learn2search.store import collections, lessons, searches
from learn2search.store.collections import Collection
from learn2search.store.searches import SearchRow, StepRow
from learn2search.triplets import from_choice
from learn2search.typing import Array, Items

_APART = 45.0  # seconds between searches, in the time that they tell


def teach(
    site: Site,
    slug: str,
    features: Array,
    noise: float,
    n_searches: int,
    seed: int,
    told: Callable[[int], Any] | None = None,
) -> None:
    """n_searches visitors, who perceive `features` (n, d) with this noise, each look for a random item."""
    targets_seed, people_seed, search_seed = np.random.SeedSequence(seed).spawn(3)
    targets = np.random.default_rng(targets_seed).integers(0, len(features), n_searches)
    done = 0
    while done < n_searches:
        block = targets[done : done + _block(done)]
        done += len(block)
        collection = site.collection(slug)
        person = ProbitOracle(features, noise, people_seed.spawn(1)[0])
        write_searches(site, collection, _play(site, collection, person, block, search_seed), n_searches - done)
        trainer.train_due(site)
        if told is not None:
            told(done)


def _play(
    site: Site, collection: Collection, person: ProbitOracle, targets: Items, seed: np.random.SeedSequence
) -> list[tuple[SearchRow, list[StepRow]]]:
    """Searches for the targets with what is known now. All items of the collection must be active."""
    known = _now_known(site, collection)
    strategy = "random" if known.metadata.knows_nothing else "sampled"
    run = simulate(
        strategy,
        known.embedding,
        person,
        np.searchsorted(known.items, targets),
        k=options_of(collection).show,
        noise=known.model.info.noise,
        seed=seed.spawn(1)[0],
        keep_logs=True,
        progress=False,
    )
    assert run.logs is not None
    told = [(target, _told(known, target, log)) for target, log in zip(targets.tolist(), run.logs, strict=True)]
    found = [(target, steps) for target, steps in told if steps and steps[-1].kind == "found"]
    start = (collection, known.model.info.id, known.lessons)
    return [(finished_row(*start, target, len(steps), strategy), steps) for target, steps in found]


def _block(done: int) -> int:
    """Few searches at a time while there is most to learn."""
    return 8 if done < 200 else 24


def _now_known(site: Site, collection: Collection) -> EmbeddingAt:
    assert collection.model_id is not None
    return site.models.embedding_at(collection.model_id, site.models.newest(collection.model_id, collection.lessons))


def _told(known: EmbeddingAt, target: int, log: tuple[Step, ...]) -> list[StepRow]:
    """The steps of a search in the numbers of the items; the last one shows the target."""
    return [_asked(number, step, target, known) for number, step in enumerate(log, start=1)]


def _asked(number: int, step: Step, target: int, known: EmbeddingAt) -> StepRow:
    shown = known.numbers(step.query)
    chosen = None if step.chosen is None else int(known.items[step.chosen])
    kind = "found" if target in shown else "none" if chosen is None else "choice"
    return StepRow(number, shown, kind, target if kind == "found" else chosen, None, 0.0, 0.0, ())


def finished_row(
    collection: Collection, model_id: int, known: int, target: int, questions: int, strategy: str
) -> SearchRow:
    """A simulated search that was found; its number and its times come when it is written."""
    return SearchRow(
        id=secrets.token_hex(16),
        collection_id=collection.id,
        model_id=model_id,
        lessons=known,
        strategy=strategy,
        show=options_of(collection).show,
        status="found",
        target=target,
        questions=questions,
        lesson=None,
        quarantine=None,
        visitor=None,
        origin="simulated",
        started_at=0.0,
        changed_at=0.0,
        ended_at=0.0,
    )


def write_searches(
    site: Site, collection: Collection, told: list[tuple[SearchRow, list[StepRow]]], to_come: int = 0
) -> None:
    """Write whole searches as lessons, one after the other; the last would be now if none were to come."""
    rows: list[SearchRow] = []
    steps: list[tuple[str, StepRow]] = []
    taught = []
    first = site.now() - _APART * (len(told) + to_come)
    for place, (row, asked) in enumerate(told):
        lesson, begin = collection.lessons + place + 1, first + _APART * place
        end = begin + _APART
        rows.append(replace(row, lesson=lesson, started_at=begin, changed_at=end, ended_at=end))
        steps += [(row.id, replace(one, shown_at=begin)) for one in asked]
        assert row.target is not None
        clicks = [one for one in asked if one.kind == "choice"]
        taught.append(
            (lesson, row.id, [(one.number, from_choice(row.target, one.shown, one.chosen)) for one in clicks])
        )
    with site.database.write() as db:
        searches.add_many(db, rows, steps)
        lessons.add_many(db, collection.id, taught)
        collections.set_lessons(db, collection.id, collection.lessons + len(told))
