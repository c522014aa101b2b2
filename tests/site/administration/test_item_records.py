"""Records by key; the HTTP side is in tests/web/test_owner_api.py."""

from pathlib import Path

from learn2search.site.administration.item_changes import delete_items
from learn2search.site.administration.item_records import Outcome, put_items
from learn2search.site.catalogue.imports import import_source, known_items, make_collection
from learn2search.site.context import Site
from learn2search.store.collections import Collection


def test_words_of_a_program_should_survive_an_import(site: Site, collection: Collection, pictures: Path) -> None:
    (result,) = put_items(site, collection, [{"key": "colour_03.png", "title": "A fine colour", "group": "fine"}])
    assert (result.outcome, result.item) == (Outcome.CHANGED, 3)
    import_source(site, pictures, collection, replace=True)
    item = known_items(site, collection)["colour_03.png"]
    assert (item.title, item.family, item.active) == ("A fine colour", "fine", True)


def test_cards_of_a_program_should_not_be_missed_by_a_folder(
    site: Site, collection: Collection, pictures: Path
) -> None:
    put_items(site, collection, [{"key": "card", "title": "A card"}])
    assert import_source(site, pictures, collection, replace=True).retired == 0


def test_what_was_deleted_for_good_should_stay_deleted(site: Site) -> None:
    made = make_collection(site, "cards", "Cards", warm_start="nothing")
    put_items(site, made, [{"key": str(number), "title": f"Card {number}"} for number in range(3)])
    delete_items(site, made, [1])
    (result,) = put_items(site, made, [{"key": "(deleted) 1", "title": "Back", "active": True}])
    assert (result.outcome, "deleted for good" in result.message) == (Outcome.REFUSED, True)
