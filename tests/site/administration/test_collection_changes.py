"""Collections are made, renamed, moved, archived and deleted; nothing is left of what was deleted."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

from learn2search.site.administration import collection_changes as changes
from learn2search.site.administration import owners
from learn2search.site.catalogue import import_jobs
from learn2search.site.catalogue.imports import import_source
from learn2search.site.catalogue.options import checked, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound
from learn2search.site.learning import trainer
from learn2search.site.visits import figures, searching
from learn2search.store.collections import Collection
from learn2search.store.tables import metadata


def titles(site: Site) -> list[str]:
    return [one.title for one, _ in owners.collections_of(site)]


def rows(site: Site) -> dict[str, int]:
    with site.database.read() as db:
        counts = {
            name: db.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in metadata.tables.items()
        }
    counts.pop("setting")
    return counts


def test_a_collection_should_be_made_with_an_address_of_its_own(site: Site) -> None:
    assert changes.create_collection(site, "  Old   wines ").slug == "old-wines"
    assert changes.create_collection(site, "Old wines").slug == "old-wines-2"
    with pytest.raises(Conflict, match="old-wines"):
        changes.create_collection(site, "Others", slug="old-wines")
    with pytest.raises(Invalid, match="1 to 100 characters"):
        changes.create_collection(site, " ")
    with pytest.raises(Invalid, match="a-z"):
        changes.create_collection(site, "Others", slug="Ünder")


def test_collections_should_be_renamed_and_moved(site: Site) -> None:
    first, second, third = (changes.create_collection(site, title) for title in ("One", "Two", "Three"))
    assert changes.rename_collection(site, second, "Zwei").slug == "two"
    changes.move_collection(site, third, -1)
    assert titles(site) == ["One", "Three", "Zwei"]
    changes.move_collection(site, first, 99)
    assert titles(site) == ["Three", "Zwei", "One"]
    changes.move_collection(site, third, -1)
    assert titles(site) == ["Three", "Zwei", "One"]


def test_an_unlisted_or_archived_collection_should_not_be_offered(site: Site, collection: Collection) -> None:
    def offered() -> list[str]:
        return [one.collection.slug for one in figures.summaries(site)]

    assert offered() == ["colours"]
    changes.list_collection(site, collection, False)
    assert offered() == []
    assert figures.summaries_of(site, "colours")[0].size == 30
    open_search = searching.start(site, "colours")
    changes.list_collection(site, collection, True)
    changes.archive_collection(site, collection)
    assert offered() == []
    with pytest.raises(Conflict, match="archived: no new search"):
        searching.start(site, "colours")
    assert searching.state(site, open_search.row.id).question is not None, "those under way go on"
    changes.archive_collection(site, collection, False)
    assert searching.start(site, "colours").question is not None


def test_other_strategies_should_be_dated(site: Site, collection: Collection) -> None:
    options = options_of(collection)
    owners.change_collection(site, collection, "Colours", options)
    assert options_of(site.collection("colours")).strategies_since is None
    both = checked(options.model_dump() | {"strategies": ("sampled", "gauss")})
    owners.change_collection(site, collection, "Colours", both)
    since = options_of(site.collection("colours")).strategies_since
    assert since is not None
    owners.change_collection(site, collection, "Colours!", both.model_copy(update={"strategies_since": None}))
    assert options_of(site.collection("colours")).strategies_since == since, "the same strategies go on"


def test_nothing_should_be_left_of_a_deleted_collection(site: Site, learnt: Collection, pictures: Path) -> None:
    trainer.ask_for(site, learnt)
    with pytest.raises(Invalid, match="nothing was deleted"):
        changes.delete_collection(site, learnt, "Colors")
    assert rows(site)["item"] == 30
    old_model = learnt.model_id
    changes.delete_collection(site, learnt, " Colours ")
    assert set(rows(site).values()) == {0}
    assert not (site.settings.media / "colours").exists()
    with pytest.raises(NotFound):
        site.collection("colours")
    again = changes.create_collection(site, "Colours", warm_start="nothing")
    assert again.id > learnt.id, "other workers may still know the old id"
    import_source(site, pictures, again)
    assert site.collection("colours").model_id > old_model
    assert import_jobs.jobs_of(site, again) == []


def test_an_import_should_say_how_far_it_is_and_what_came_of_it(
    site: Site, make_png: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = changes.create_collection(site, "Reds", warm_start="nothing")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for red in range(3):
            archive.writestr(f"{red}.png", make_png(80 * red, 0, 0))
        archive.writestr("broken.jpg", b"no")
    packed.seek(0)
    seen: list[tuple[str, int, int]] = []
    keep = import_jobs._keep

    def spy(site: Site, collection: Collection, job: import_jobs.ImportJob) -> None:
        seen.append((job.step, job.done, job.total))
        keep(site, collection, job)

    monkeypatch.setattr(import_jobs, "_keep", spy)
    work = import_jobs.begin_import(site, [("reds.zip", packed)], made, 10**6)
    (waiting,) = import_jobs.jobs_of(site, made)
    assert (waiting.finished, waiting.what, waiting.share) == (False, "reds.zip", 0)
    assert waiting.is_interrupted(waiting.changed_at + 1000)
    with pytest.raises(Conflict, match="import into “Reds” is under way"):
        changes.delete_collection(site, made, "Reds")
    work()
    (job,) = import_jobs.jobs_of(site, made)
    assert (job.finished, job.added, job.n_problems, job.share) == (True, 3, 1, 100)
    assert job.problems[0][0] == "broken.jpg"
    assert ("Importing into Reds", 2, 4) in seen
    assert not [path for path in site.settings.home.iterdir() if path.name.startswith("tmp")], "no upload is left"


def test_an_import_that_fails_should_say_why(site: Site) -> None:
    made = changes.create_collection(site, "Table", warm_start="nothing")
    import_jobs.begin_import(site, [("items.csv", io.BytesIO(b"a,b\n1,2\n"))], made, 10**6)()
    (job,) = import_jobs.jobs_of(site, made)
    assert job.finished
    assert "needs a column file or title" in (job.error or "")
