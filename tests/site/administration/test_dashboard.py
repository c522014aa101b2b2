"""The figures of the owner's first page."""

import numpy as np

from learn2search.site.administration import dashboard, item_changes
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.learning import publishing
from learn2search.store.collections import Collection
from learn2search.store.enums import SearchStatus
from learn2search.store.searches import Finished


def test_a_fresh_collection_should_have_no_curve(site: Site, collection: Collection) -> None:
    figures = dashboard.overview(site, collection)
    assert (figures.size, figures.curve, figures.recent_median, figures.seconds) == (30, None, None, None)
    empty = dashboard.overview(site, make_collection(site, "empty", "Empty"))
    assert (empty.size, empty.embedding, empty.little_known_below) == (0, None, 0.0)


def test_figures_should_come_from_the_log(site: Site, learnt: Collection) -> None:
    figures = dashboard.overview(site, learnt)
    assert figures.by_status == {SearchStatus.FOUND: 40}
    assert figures.curve is not None
    assert figures.curve.total == 40
    assert figures.triplets == figures.triplets_per_item.sum() / 3
    assert [count for _, count in figures.least_known] == sorted(figures.triplets_per_item)[:4]


def test_curves_should_split_by_how_well_the_target_is_known() -> None:
    done = [Finished(float(at), 10 if at % 2 else 2, at % 2, "sampled", at + 2) for at in range(100)]
    learnt = np.array([[0, 2, 3, 1], [0, 2, 3, 1], [1, 2, 3, 200]])
    known = dashboard.well_known_targets(done, learnt)
    assert known.tolist() == [True, False] * 50
    curve = dashboard.curve(done, known, [])
    assert curve is not None
    assert set(curve.well_known) == {2.0}
    assert set(curve.little_known) == {10.0}


def test_models_that_only_follow_items_should_be_one_row(site: Site, learnt: Collection) -> None:
    for number in (1, 2):
        item_changes.retire_items(site, learnt, [number])
    publishing.roll_back(site, site.collection("colours"), 1)
    rows = dashboard.overview(site, site.collection("colours")).models
    words = [(row.what, row.times) for row in rows]
    assert words[:2] == [("rolled back to 1", 1), ("now 28 items", 2)]
    assert words[2][0].startswith("fitted to")
    assert words[-1] == ("the first", 1)
