"""Many items are retired, restored and deleted; of a deleted one only its number is left."""

import io
from collections.abc import Callable

import numpy as np
import pytest

from learn2search.site.administration import item_changes, owners
from learn2search.site.catalogue.item_features import PICTURES, item_features
from learn2search.site.catalogue.item_media import media_of
from learn2search.site.catalogue.uploads import import_upload
from learn2search.site.context import Site
from learn2search.site.visits import searching
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
from learn2search.store.items import ERASED


def covered(site: Site) -> list[int]:
    return site.newest_embedding(site.collection("colours")).items.tolist()


def test_items_should_be_retired_and_restored_together(site: Site, collection: Collection) -> None:
    assert item_changes.retire_items(site, collection, [3, 5, 5, 99]) == 2
    assert item_changes.retire_items(site, collection, [3, 4]) == 1
    assert covered(site) == [number for number in range(30) if number not in (3, 4, 5)]
    assert item_changes.restore_items(site, collection, range(30)) == 3
    assert covered(site) == list(range(30))


def test_nothing_but_the_number_should_be_left_of_a_deleted_item(site: Site, learnt: Collection) -> None:
    item_features(site, learnt, PICTURES)
    old = owners.items_by_number(site, learnt)[7]
    files = [site.settings.media / "colours" / name for name in media_of(old).files.values()]
    assert all(path.exists() for path in files)
    assert item_changes.delete_items(site, learnt, [7]) == 1
    assert not any(path.exists() for path in files)
    now = owners.items_by_number(site, learnt)[7]
    assert (now.title, now.key, now.digest, now.active) == (ERASED, f"{ERASED} 7", "", False)
    assert old.key not in str(now)
    cached = b"".join(path.read_bytes() for path in site.settings.features.rglob("*.npz"))
    assert media_of(old).files["small"].encode() not in cached
    assert 7 not in covered(site)
    assert item_changes.restore_items(site, learnt, [7]) == 0, "it cannot come back"
    assert item_changes.delete_items(site, learnt, [7]) == 0
    assert np.isfinite(item_features(site, learnt, PICTURES)).all()


def test_a_file_that_another_item_shows_should_stay(
    site: Site, collection: Collection, make_png: Callable[..., bytes]
) -> None:
    for name in ("a.png", "b.png"):
        import_upload(site, [(name, io.BytesIO(make_png(1, 2, 3)))], collection, 10**6)
    name = media_of(owners.items_by_number(site, collection)[30]).files["large"]
    item_changes.delete_items(site, collection, [30])
    assert (site.settings.media / "colours" / name).exists()
    item_changes.delete_items(site, collection, [31])
    assert not (site.settings.media / "colours" / name).exists()


def test_searches_should_go_on_when_an_item_is_deleted(site: Site, collection: Collection) -> None:
    begun = searching.start(site, "colours")
    item_changes.delete_items(site, collection, begun.question.shown[:1])
    now = searching.state(site, begun.row.id)
    assert now.items[begun.question.shown[0]].title == ERASED
    assert searching.answer(site, begun.row.id, 1, AnswerKind.NONE).question is not None


@pytest.mark.parametrize("change", [item_changes.retire_items, item_changes.delete_items])
def test_all_items_may_go(site: Site, collection: Collection, change: Callable[..., int]) -> None:
    assert change(site, collection, range(30)) == 30
    assert site.collection("colours").model_id is None
