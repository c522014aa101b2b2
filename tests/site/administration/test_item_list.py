"""The owner's list of items: filters, and the order of how little is known."""

from learn2search.site.administration import item_changes, owners
from learn2search.site.administration.item_list import ItemFilter, groups_of, list_items, matching_numbers
from learn2search.site.context import Site
from learn2search.store import lessons
from learn2search.store.collections import Collection


def test_filters_should_hold_together(site: Site, collection: Collection) -> None:
    owners.change_item(site, collection, 3, family="warm")
    owners.change_item(site, collection, 13, family="warm", active=False)
    assert groups_of(site, collection) == ["warm"]
    assert matching_numbers(site, collection, ItemFilter(group="warm")) == [3, 13]
    assert matching_numbers(site, collection, ItemFilter(group="warm", shown="retired")) == [13]
    assert matching_numbers(site, collection, ItemFilter(words="colour_0", shown="shown")) == list(range(10))
    item_changes.delete_items(site, collection, [3])
    assert matching_numbers(site, collection, ItemFilter(group="warm", shown="shown")) == []
    assert 3 not in matching_numbers(site, collection, ItemFilter())


def test_a_filter_should_come_back_from_its_address() -> None:
    wanted = ItemFilter("a&b c", "g/ü", "retired", "comparisons")
    assert ItemFilter.from_query(wanted.query(60)) == wanted
    assert ItemFilter().query() == ""
    assert ItemFilter.from_query("sort=magic&words=x&other=1") == ItemFilter(words="x")


def test_the_least_known_should_come_first(site: Site, learnt: Collection) -> None:
    with site.database.read() as db:
        triplets = lessons.usable_triplets(db, learnt.id)[:, :3].ravel().tolist()
        assert lessons.count_by_item(db, learnt.id) == {number: triplets.count(number) for number in set(triplets)}
    total, found = list_items(site, learnt, ItemFilter(sort="comparisons"), 0, 30)
    counts = [one.comparisons for one in found]
    assert total == 30
    assert counts == sorted(triplets.count(number) for number in range(30))
    _, uncertain = list_items(site, learnt, ItemFilter(sort="uncertainty"), 0, 30)
    spread = [one.uncertainty for one in uncertain]
    assert spread == sorted(spread, reverse=True)
    assert list_items(site, learnt, ItemFilter(sort="uncertainty"), 10, 5)[1] == uncertain[10:15]
    item_changes.retire_items(site, learnt, [uncertain[0].item.number])
    _, again = list_items(site, site.collection("colours"), ItemFilter(sort="uncertainty"), 0, 30)
    assert again[-1].uncertainty is None, "what is in no search has no place"
