"""A screen becomes a lesson of its own kind: its triplets, its weight, and taking it back."""

from itertools import product

import numpy as np
import pytest

from learn2search.site.administration import dashboard
from learn2search.site.administration.exports import EXPORTS, export
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, NotFound
from learn2search.site.learning import trainer
from learn2search.site.learning.fitting import read_lessons
from learn2search.site.teaching import access, taught_screens
from learn2search.site.teaching.next_screen import Screen, next_screen
from learn2search.store import lessons, screens
from learn2search.store.collections import Collection
from tests.site.conftest import Clock

SHOWN = (1, 2, 3, 4, 5, 6, 7, 8)


def teach(site: Site, screen: Screen, *chosen: int, visitor: str = "v", by_owner: bool = False) -> bool:
    collection = site.collection("colours")
    ticket = taught_screens.read(site, collection, taught_screens.ask(site, collection, screen))
    return taught_screens.answer(site, collection, ticket, list(chosen), visitor, by_owner=by_owner)


def usable(site: Site, collection: Collection) -> list[list[int]]:
    with site.database.read() as db:
        return lessons.usable_triplets(db, collection.id).tolist()


@pytest.mark.parametrize("chosen", [(3,), (5, 2), (8, 1, 4)])
def test_the_triplets_of_a_screen_should_be_all_pairs_of_chosen_and_left(
    site: Site, collection: Collection, chosen: tuple[int, ...]
) -> None:
    assert teach(site, Screen(0, SHOWN), *chosen)
    expected = {(0, near, far) for near, far in product(SHOWN, SHOWN) if near in chosen and far not in chosen}
    rows = usable(site, collection)
    assert {tuple(row[:3]) for row in rows} == expected
    assert len(rows) == len(expected) == len(chosen) * (8 - len(chosen))
    assert {row[3] for row in rows} == {1}  # the screen is the group
    with site.database.read() as db:
        assert lessons.count(db, collection.id) == len(rows)
        assert sum(lessons.count_by_item(db, collection.id).values()) == 3 * len(rows)
        np.testing.assert_array_equal(lessons.between(db, collection.id, 0, 1)[0], np.array(rows)[:, :3])
    taught = read_lessons(site, site.collection("colours"))
    places = [SHOWN.index(row[1]) for row in rows]
    assert taught.places is not None
    assert taught.places.tolist() == places


def test_none_of_these_and_all_of_these_should_teach_nothing_and_be_counted(site: Site, collection: Collection) -> None:
    teach(site, Screen(0, SHOWN))
    teach(site, Screen(0, SHOWN), *SHOWN)
    assert usable(site, collection) == []
    assert site.collection("colours").lessons == 0
    with site.database.read() as db:
        assert screens.count(db, collection.id) == (2, 1)


def test_an_answer_should_count_once_and_only_for_what_was_asked(site: Site, collection: Collection) -> None:
    text = taught_screens.ask(site, collection, Screen(0, SHOWN))
    ticket = taught_screens.read(site, collection, text)
    assert taught_screens.answer(site, collection, ticket, [2], "v", by_owner=False)
    assert not taught_screens.answer(site, collection, ticket, [3], "v", by_owner=False)
    assert site.collection("colours").lessons == 1
    for wrong in ("", text.replace("-0.1.2", "-9.1.2"), text[:-1]):
        with pytest.raises(Invalid, match="not asked here"):
            taught_screens.read(site, collection, wrong)
    with pytest.raises(Invalid, match="Item 20 was not shown"):
        teach(site, Screen(0, SHOWN), 20)


def test_an_answer_taken_back_should_teach_no_fit(site: Site, collection: Collection) -> None:
    teach(site, Screen(0, SHOWN), 3)
    teach(site, Screen(9, SHOWN), 4)
    teach(site, Screen(9, SHOWN), 5, visitor="another")
    last = taught_screens.undo(site, collection, "v")
    assert last is not None
    assert taught_screens.taken_back(site, collection, last, "v") == Screen(9, SHOWN)
    with pytest.raises(NotFound):
        taught_screens.taken_back(site, collection, last, "another")
    assert {(row[0], row[1]) for row in usable(site, collection)} == {(0, 3), (9, 5)}
    with site.database.read() as db:
        assert len(lessons.between(db, collection.id, 0, 3)[0]) == 21  # what online steps may have learnt stays
    assert taught_screens.undo(site, collection, "v") is not None
    assert taught_screens.undo(site, collection, "v") is None


def test_who_does_not_look_should_teach_nothing_but_the_owner(site: Site, collection: Collection, clock: Clock) -> None:
    clock.step = 0.01
    for _ in range(4):
        teach(site, Screen(0, SHOWN), 3)
        teach(site, Screen(9, SHOWN), 3, visitor="owner", by_owner=True)
    with site.database.read() as db:
        quick = screens.latest(db, collection.id, "v", 9)
        trusted = screens.latest(db, collection.id, "owner", 9)
    assert [one.quarantine for one in quick] == ["answered too quickly"] * 2 + [None] * 2  # it takes three to say so
    assert [(one.quarantine, one.trusted) for one in trusted] == [(None, True)] * 4
    assert len(usable(site, collection)) == 6 * 7


def test_a_taught_collection_should_be_fitted_weighed_and_told_apart(
    site: Site, collection: Collection, features: np.ndarray
) -> None:
    before = site.newest_embedding(collection)
    for number in range(60):
        screen = next_screen(site, site.collection("colours"))
        far = np.linalg.norm(features[list(screen.shown)] - features[screen.anchor], axis=1)
        teach(site, screen, screen.shown[int(np.argmin(far))], visitor=f"v{number % 3}")
    trainer.ask_for(site, collection)
    (made,) = trainer.train_due(site)
    now = site.collection("colours")
    assert made.published
    assert site.newest_embedding(now).model.info.id != before.model.info.id
    with site.database.read() as db:
        weights = [row.weight for _, row in screens.lessons_of(db, collection.id)]
    assert len(weights) == 60
    assert all(weight is not None and 0 < weight <= 1 for weight in weights)
    figures = dashboard.overview(site, now)
    assert (figures.taught, sum(figures.by_status.values())) == ((60, 3), 0)  # no searches
    assert figures.models[0].what == "fitted to 0 searches, 60 screens"
    assert figures.progress is not None
    assert 0 < figures.progress.searches < 60
    parts, _ = export(site, now, "teaching.jsonl")
    assert len(b"".join(parts).splitlines()) == 60
    assert b"".join(export(site, now, "clicks.jsonl")[0]) == b""
    assert EXPORTS["teaching.jsonl"].columns[1:4] == ("anchor", "shown", "chosen")


def test_a_link_should_be_secret_and_gone_when_it_is_closed(site: Site, collection: Collection) -> None:
    def secret() -> str:
        return str(site.collection("colours").options["teaching_secret"])

    with pytest.raises(NotFound, match="turned off"):
        access.check_owner_teaches(collection)
    access.change_access(site, site.collection("colours"), "link", 12)
    first = secret()
    assert access.collection_of_link(site, first).id == collection.id
    access.change_access(site, site.collection("colours"), "link", 8)
    assert secret() == first
    access.change_access(site, site.collection("colours"), "owner", 8)
    access.check_owner_teaches(site.collection("colours"))
    for gone in (first, ""):
        with pytest.raises(NotFound, match="new link"):
            access.collection_of_link(site, gone)
    access.change_access(site, site.collection("colours"), "link", 8)
    assert secret() not in (first, "")
    with pytest.raises(Invalid, match="teaching"):
        access.change_access(site, site.collection("colours"), "everybody", 8)
