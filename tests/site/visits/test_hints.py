"""Searches that begin near something: the hint is stored, replays, and says where to begin."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from learn2search.site.administration import owners
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound
from learn2search.site.visits import hints, searching
from learn2search.store import searches
from learn2search.store.collections import Collection
from tests.site.conftest import colours, png
from tests.site.visits.clicks import choose, end


@pytest.fixture
def pictured(site: Site, pictures: Path) -> Collection:
    """The thirty colours, placed by their pictures."""
    made = make_collection(site, "pictured", "Pictured", noun="colour", nouns="colours", show=4, warm_start="pictures")
    import_source(site, pictures, made)
    return site.collection("pictured")


def test_a_hint_should_be_stored_and_replay_the_same(site: Site, learnt: Collection) -> None:
    now = choose(site, searching.start(site, "colours", near=[7, 7, 12]))
    assert now.row.near == (7, 12)
    kept = site.beliefs.at(now.row, now.answers, now.question)
    replayed = site.beliefs.replay(now.row, now.answers, now.question)
    assert kept is not replayed
    np.testing.assert_allclose(replayed.search.probability(), kept.search.probability(), atol=1e-12)
    site.forget()
    following = choose(site, now, 1)
    site.forget()
    assert searching.state(site, now.row.id).question == following.question


def test_a_hint_should_say_where_to_begin(site: Site, pictured: Collection) -> None:
    plain, hinted = searching.start(site, "pictured"), searching.start(site, "pictured", near=[7])
    first = [site.beliefs.begin(one.row) for one in (plain, hinted)]
    seven = first[0].known.row(7)
    assert first[1].search.probability()[seven] > 2 * first[0].search.probability()[seven]
    assert first[1].top(1)[0][0] == 7


@pytest.mark.parametrize(("near", "message"), [([99], "no item 99"), (list(range(9)), "8 items at most")])
def test_a_hint_that_makes_no_sense_should_be_refused(
    site: Site, collection: Collection, near: list[int], message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        searching.start(site, "colours", near=near)


def test_a_hinted_search_should_not_count_in_how_long_searches_take(site: Site, collection: Collection) -> None:
    end(site, searching.start(site, "colours", near=[3]))
    end(site, choose(site, searching.start(site, "colours")))
    with site.database.read() as db:
        assert searches.latest_costs(db, collection.id, 4, 10) == [2]
        assert [one.questions for one in searches.finished(db, collection.id)] == [2]
    assert site.collection("colours").lessons == 2, "but it teaches"


def test_items_should_be_offered_page_by_page(site: Site, collection: Collection) -> None:
    owners.change_item(site, collection, 5, active=False)
    collection = site.collection("colours")
    pages = [[item.number for item in hints.some_items(site, collection, page)] for page in range(3)]
    assert [len(page) for page in pages] == [24, 5, 0]
    assert sorted(number for page in pages for number in page) == [number for number in range(30) if number != 5]
    assert [item.number for item in hints.items_with_words(site, collection, " colour 1\0", 0)] == [*range(10, 20)]
    assert hints.items_with_words(site, collection, "colour 05", 0) == []


def test_a_picture_should_find_what_looks_like_it(site: Site, pictured: Collection) -> None:
    red, green, blue = colours(30)[11]
    sent = png(red, min(green + 3, 255), blue, (300, 200))
    found = [item.number for item in hints.items_like(site, pictured, sent)]
    assert len(found) == hints.NEAREST
    assert found[0] == 11
    before = sorted(path for path in site.settings.home.rglob("*") if path.is_file())
    hints.items_like(site, pictured, sent)
    assert sorted(path for path in site.settings.home.rglob("*") if path.is_file()) == before, "nothing is kept"
    owners.change_item(site, pictured, 11, active=False)
    assert 11 not in [item.number for item in hints.items_like(site, site.collection("pictured"), sent)]


def test_only_pictures_within_limits_should_be_taken(site: Site, pictured: Collection) -> None:
    huge = io.BytesIO()
    Image.new("1", (9000, 7000)).save(huge, "PNG")
    cases = ((b"<svg/>", "not a picture"), (b"", "choose a picture"), (huge.getvalue(), "too many"))
    for data, message in cases:
        with pytest.raises(Invalid, match=message):
            hints.items_like(site, pictured, data)


def test_without_picture_features_no_picture_should_be_taken(site: Site, collection: Collection) -> None:
    assert not hints.takes_pictures(site, collection)
    with pytest.raises(NotFound, match="cannot be compared"):
        hints.items_like(site, collection, png(1, 2, 3))
