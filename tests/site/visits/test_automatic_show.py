"""How many items are shown is chosen by the seconds of a search; people's own answers correct the guess."""

import numpy as np
import pytest

from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.show_counts import SHOW_COUNTS, ShowCount, checked_show
from learn2search.site.visits.automatic_show import (
    SMALL_SCREEN_MOST,
    automatic_show,
    fitted_seconds,
    prior_seconds,
    quickest_show,
    relative_questions,
)
from learn2search.site.visits.searching import start
from learn2search.store import collections
from learn2search.store.collections import Collection
from research.pictures_shown import N_ITEMS, ratios
from research.rows import Results
from tests.site.conftest import Clock
from tests.site.visits.clicks import choose


def test_the_guess_should_be_the_papers_five_seconds_for_four() -> None:
    assert prior_seconds(4) == 5.0
    assert fitted_seconds({}) == {k: pytest.approx(2 + 0.75 * k) for k in SHOW_COUNTS}


def test_the_pace_of_people_should_change_all_times_alike() -> None:
    """Answers to one number of items say how fast people are, and hardly how the time grows with the number."""
    slow = fitted_seconds({4: [15_000] * 400})
    assert slow == {k: pytest.approx(3 * prior_seconds(k)) for k in SHOW_COUNTS}


def test_many_answers_should_outweigh_the_guess() -> None:
    """The line through medians that do not grow with k at all, against the normal equations written out."""
    times = {4: [5000] * 10_000, 12: [5000] * 10_000}
    fitted = fitted_seconds(times)
    assert fitted[12] == pytest.approx(5.0, rel=0.05)
    assert fitted[9] < 0.75 * prior_seconds(9)
    few = fitted_seconds({4: [5000] * 3, 12: [5000] * 3})
    assert few[12] / few[4] == pytest.approx(prior_seconds(12) / prior_seconds(4), rel=0.05)


def test_the_fit_should_minimise_what_its_docstring_says() -> None:
    rng = np.random.default_rng(0)
    times = {
        k: rng.lognormal(8.5 + 0.1 * k, 0.6, count).astype(int).tolist() for k, count in ((2, 30), (4, 80), (9, 50))
    }
    r = {k: np.log(np.median(found) / 1000 / prior_seconds(k)) for k, found in times.items()}

    def loss(a: float, b: float) -> float:
        return float(sum(len(times[k]) * (r[k] - a - b * np.log(k / 4)) ** 2 for k in times) + 100 * b**2)

    logs = {k: np.log(seconds / prior_seconds(k)) for k, seconds in fitted_seconds(times).items()}
    a, b = logs[4], (logs[12] - logs[4]) / np.log(3)
    best = loss(a, b)
    for step in (-1e-3, 1e-3):
        assert loss(a + step, b) > best
        assert loss(a, b + step) > best


def test_outliers_should_not_matter() -> None:
    """Who goes to lunch before an answer does not change the median."""
    steady = [4000] * 60
    assert fitted_seconds({4: [*steady, *[3_600_000] * 20]}) == fitted_seconds({4: steady + [4000] * 20})


def test_more_items_should_spare_less_the_more_is_known() -> None:
    for k in (9, 12):
        shares = [relative_questions(searches, 513)[k] for searches in (0, 10, 50, 200, 900, 10_000)]
        assert shares == sorted(shares)
    assert relative_questions(50, 513)[4] == 1.0
    wide, narrow = relative_questions(1000, 5130), relative_questions(100, 513)
    assert wide == pytest.approx(narrow), "what counts is the searches an item"


def test_the_ratios_should_be_the_measured_ones() -> None:
    results = Results(quick=False)
    for k, (unknown, known) in ratios(results).items():
        show = checked_show(k)
        assert relative_questions(12, N_ITEMS)[show] == pytest.approx(unknown, rel=0.02)
        assert relative_questions(600, N_ITEMS)[show] == pytest.approx(known, rel=0.02)


def test_the_quickest_should_be_the_least_product() -> None:
    questions: dict[ShowCount, float] = {2: 40.0, 4: 20.0, 6: 12.0, 9: 10.0, 12: 9.0}
    seconds: dict[ShowCount, float] = {2: 1.0, 4: 2.0, 6: 3.0, 9: 4.0, 12: 5.0}
    assert quickest_show(questions, seconds) == 6
    assert quickest_show(questions, seconds, most=4) == 2, "of equals the smaller"
    assert quickest_show(questions, seconds, most=1) == 2


def test_more_should_be_shown_while_a_collection_is_unknown() -> None:
    shown = [automatic_show(searches, 513, {}) for searches in (0, 25, 100, 400, 2000)]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] >= 9
    assert shown[-1] == 4


def test_a_telephone_should_get_what_fits_it() -> None:
    assert automatic_show(0, 513, {}, small_screen=True) <= SMALL_SCREEN_MOST < automatic_show(0, 513, {})


def test_a_small_collection_should_not_be_shown_at_once() -> None:
    assert automatic_show(0, 10, {}) <= 4
    assert automatic_show(0, 30, {}) <= 6


def test_people_who_look_fast_should_be_shown_more() -> None:
    """In a collection that is well known, where four are quickest by the guess."""
    fast = {4: [5000] * 5000, 12: [5200] * 5000}
    assert automatic_show(5000, 513, fast) > automatic_show(5000, 513, {})


def test_a_new_collection_should_choose_by_itself(site: Site, collection: Collection, clock: Clock) -> None:
    made = make_collection(site, "new", "New")
    assert made.options["show"] == "automatic"
    assert collection.options["show"] == 4, "what the owner chose stays"
    with site.database.write() as db:
        collections.change(db, collection.id, collection.title, collection.options | {"show": "automatic"})
    now = start(site, "colours")
    assert now.row.show == automatic_show(0, 30, {}) == 6
    for _ in range(3):
        clock.time += 8
        now = choose(site, now)
    site.forget()
    assert start(site, "colours").row.show in SHOW_COUNTS
