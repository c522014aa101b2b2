"""Do the answers that are in the log lead to the same questions again?"""

import numpy as np

from learn2search.site.context import Site
from learn2search.site.visits.search_state import answers_that_count
from learn2search.store import collections, searches
from learn2search.store.enums import AnswerKind
from learn2search.store.searches import SearchRow, StepRow


def differences(site: Site, slug: str, most: int = 100) -> tuple[int, list[str]]:
    """How many questions were asked again from the log, and those that are not as they were.

    Each is asked by a search that knows nothing but the answers before it, as after a restart.
    """
    collection, found, compared = site.collection(slug), [], 0
    with site.database.read() as db:
        rows = searches.latest(db, collection.id, 10 * most)
        steps = searches.steps_of(db, [row.id for row in rows])
        active = site.models.covered(collections.by_id(db, collection.id).model_id)
    draw = np.random.default_rng(0)
    for row in [rows[place] for place in draw.permutation(len(rows))[:most]]:
        for number in {len(steps[row.id]), int(draw.integers(1, len(steps[row.id]) + 1))}:
            asked = _asked(site, row, steps[row.id][:number], active)
            compared += 1
            if asked != steps[row.id][number - 1].shown:
                found.append(f"step {number} of {row.id}: {steps[row.id][number - 1].shown}, now {asked}")
    return compared, found


def _asked(site: Site, row: SearchRow, steps: list[StepRow], active: frozenset[int]) -> tuple[int, ...]:
    """What the last of these steps shows, by the answers before it."""
    *before, last = steps
    if before and before[-1].kind is AnswerKind.UNDO:  # the question that was undone is asked again
        return answers_that_count(before[:-1])[-1].shown
    belief = site.beliefs.replay(row, answers_that_count(before), None)
    return belief.ask(row.show, active, np.random.default_rng([int(row.id, 16), last.number]))
