"""What a collection has learnt, in a file: a copy of the collection begins where it was."""

from pathlib import Path

import pytest

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.errors import Invalid
from learn2search.site.learning import snapshot
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.store import lessons, searches
from learn2search.store.collections import Collection


def test_a_copy_should_begin_where_the_collection_was(
    site: Site, learnt: Collection, pictures: Path, tmp_path: Path
) -> None:
    snapshot.save(site, "colours", tmp_path / "snapshot.npz")
    copy = Site.open(Settings(home=tmp_path / "copy", database_url=None))
    import_source(copy, pictures, make_collection(copy, "colours", "Colours"))
    snapshot.load(copy, "colours", tmp_path / "snapshot.npz")
    loaded = copy.collection("colours")
    assert loaded.lessons == learnt.lessons
    with site.database.read() as ours, copy.database.read() as theirs:
        assert lessons.usable_triplets(theirs, loaded.id).tolist() == lessons.usable_triplets(ours, learnt.id).tolist()
        costs = [one.questions for one in searches.finished(ours, learnt.id)]
        assert [one.questions for one in searches.finished(theirs, loaded.id)] == costs
        weights = [one.weight for one in searches.latest_found(ours, learnt.id, 100)]
        assert None not in weights
        assert [one.weight for one in searches.latest_found(theirs, loaded.id, 100)] == pytest.approx(weights)
    assert searching.start(copy, "colours").row.strategy == searching.start(site, "colours").row.strategy
    with pytest.raises(Invalid, match="does not fit"):
        snapshot.load(copy, "colours", tmp_path / "snapshot.npz")
    copy.close()


def test_a_file_that_is_no_snapshot_should_be_refused(site: Site, collection: Collection, tmp_path: Path) -> None:
    (tmp_path / "other.npz").write_bytes(b"something else")
    with pytest.raises(Invalid, match="is not a snapshot"):
        snapshot.load(site, "colours", tmp_path / "other.npz")
