"""Something to look for: a fair draw, a signed ticket, one search a ticket, and ends that tell right from wrong."""

import random

import numpy as np
import pytest
from scipy import stats

from learn2search.site.administration import dashboard, owners
from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, NotFound
from learn2search.site.visits import figures, searching, to_find
from learn2search.site.visits.search_state import SearchState
from learn2search.site.visits.to_find import Ticket
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
from learn2search.store.searches import WRONG_END
from tests.site.conftest import Clock
from tests.site.visits.clicks import choose, end


def begin(site: Site, collection: Collection, number: int = 0) -> SearchState:
    """A search for an item, begun with its ticket."""
    item = to_find.draw(site, collection, random.Random(number)).item
    return searching.start(site, collection.slug, ticket=Ticket(f"{number:032x}", item))


def find(site: Site, now: SearchState, item: int | None) -> SearchState:
    assert now.question is not None
    return searching.answer(site, now.row.id, now.question.number, AnswerKind.FOUND, item)


def test_every_active_item_should_be_as_probable_as_any_other(site: Site, collection: Collection) -> None:
    owners.change_item(site, collection, 3, active=False)
    collection = site.collection(collection.slug)
    chance = random.Random(0)
    drawn = np.bincount([to_find.draw(site, collection, chance).item for _ in range(2900)], minlength=30)
    assert drawn[3] == 0
    assert stats.chisquare(np.delete(drawn, 3)).pvalue > 0.01


def test_a_ticket_should_be_read_only_where_it_was_written(site: Site, collection: Collection) -> None:
    ticket = to_find.draw(site, collection)
    text = to_find.write(site, collection, ticket)
    assert to_find.read(site, collection, text) == ticket
    search_id, item, signature = text.split("-")
    for forged in (f"{search_id}-{(int(item) + 1) % 30}-{signature}", f"{search_id}-{item}", "x", text + "0"):
        with pytest.raises(NotFound, match="ask for another"):
            to_find.read(site, collection, forged)


def test_the_owner_should_be_able_to_turn_it_off(site: Site, collection: Collection) -> None:
    options = options_of(collection).model_copy(update={"to_find": False})
    owners.change_collection(site, collection, "Colours", options)
    with pytest.raises(NotFound, match="think of something"):
        to_find.draw(site, site.collection("colours"))


def test_a_ticket_should_begin_one_search(site: Site, collection: Collection) -> None:
    first = choose(site, begin(site, collection))
    again = begin(site, collection)
    assert (again.row.id, again.number, again.question) == (first.row.id, 2, first.question)


def test_nothing_should_name_the_item_before_the_end(site: Site, collection: Collection) -> None:
    now = begin(site, collection)
    assert now.item_to_find is None
    assert now.row.to_find not in set(now.items) - {*now.question.shown, *now.question.likely}
    assert find(site, now, now.row.to_find).item_to_find is not None


def test_a_right_end_should_teach_as_any(site: Site, collection: Collection) -> None:
    now = choose(site, begin(site, collection))
    ended = find(site, now, now.row.to_find)
    assert (ended.row.lesson, ended.row.quarantine, ended.row.is_wrong_end) == (1, None, False)
    assert searching.shared(site, ended.row.id[:16]).found_item == ended.item_to_find


def test_a_wrong_end_should_teach_nothing_and_stay(site: Site, collection: Collection) -> None:
    now = choose(site, begin(site, collection))
    assert now.row.to_find is not None
    ended = find(site, now, (now.row.to_find + 1) % 30)
    assert (ended.row.lesson, ended.row.quarantine, ended.row.is_wrong_end) == (None, WRONG_END, True)
    assert site.collection("colours").lessons == 0
    with pytest.raises(NotFound):
        searching.shared(site, ended.row.id[:16])
    with pytest.raises(Conflict, match="which one it was"):
        searching.correct(site, ended.row.id)
    with pytest.raises(Conflict, match="cannot teach"):
        owners.release(site, ended.row.id)
    owners.set_aside(site, ended.row.id)
    with pytest.raises(Conflict, match="cannot teach"):
        owners.release(site, ended.row.id)


def test_a_search_should_be_compared_with_enough_others_of_its_kind(site: Site, collection: Collection) -> None:
    for number in range(figures.ENOUGH_TO_FIND):
        assert figures.distribution(site, collection, 4, 2, to_find=True) is None
        now = begin(site, collection, number)
        for _ in range(number % 3):
            now = choose(site, now)
        find(site, now, now.row.to_find)
    spread = figures.distribution(site, collection, 4, 2, to_find=True)
    assert spread is not None
    assert (spread.counts[:3], spread.median, spread.longer) == ((4, 3, 3), 2, 0.3)
    assert figures.distribution(site, collection, 4, 2) is None


def test_the_owner_should_see_how_well_given_items_are_found(site: Site, collection: Collection, clock: Clock) -> None:
    assert dashboard.overview(site, collection).measured is None
    end(site, searching.start(site, "colours"))  # of something in mind: it is not known what
    for number, item in enumerate([0, 0, 0, 1, None]):
        now = choose(site, begin(site, collection, number))
        assert now.row.to_find is not None
        if item is None:
            searching.leave(site, now.row.id)
        else:
            find(site, now, (now.row.to_find + item) % 30)
    begin(site, collection, 99)  # is still under way
    clock.step = 0.001
    for number, item in ((100, 0), (101, 1)):  # without looking
        now = begin(site, collection, number)
        for _ in range(5):
            now = choose(site, now)
        assert now.row.to_find is not None
        find(site, now, (now.row.to_find + item) % 30)
    seen = dashboard.overview(site, collection).measured
    assert seen is not None
    assert (seen.total, seen.found.count, seen.wrong.count, seen.given_up.count) == (5, 3, 1, 1)
    assert seen.questions is not None
    assert (seen.questions.low, seen.questions.median, seen.questions.high) == (2, 2, 2)
