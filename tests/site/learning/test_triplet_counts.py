"""Triplets are counted as they come, and all of them now and then."""

import numpy as np

from learn2search.site.administration import owners
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors
from learn2search.site.learning.triplet_counts import triplet_count
from learn2search.store import lessons
from learn2search.store.collections import Collection


def counted(site: Site, collection: Collection) -> int:
    with site.database.read() as db:
        return lessons.count(db, collection.id)


def test_the_count_should_follow_new_lessons_and_those_set_aside(
    site: Site, learnt: Collection, features: np.ndarray
) -> None:
    assert triplet_count(site, learnt) == counted(site, learnt) > 0
    simulated_visitors.run(site, "colours", features, 0.1, 3, seed=2)
    more = site.collection("colours")
    assert more.lessons > learnt.lessons
    assert triplet_count(site, more) == counted(site, more)
    owners.set_aside(site, owners.latest_searches(site, more, 1)[0].row.id)
    assert triplet_count(site, more) == counted(site, more)
