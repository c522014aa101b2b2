"""The whole way on SQLite and on PostgreSQL: import, search, learn, search on."""

from pathlib import Path

import numpy as np
import pytest

from learn2search.site.administration import collection_changes, dashboard, item_changes, owners
from learn2search.site.administration.item_list import SORTS, ItemFilter, list_items
from learn2search.site.catalogue import imports
from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors, trainer
from learn2search.site.settings import Settings
from learn2search.site.visits import figures, searching
from learn2search.store.enums import AnswerKind, SearchOrigin, SearchStatus
from learn2search.store.searches import SearchFilter
from tests.site.conftest import Clock

FEATURES = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


@pytest.mark.parametrize("database_url", [pytest.param("sqlite", marks=pytest.mark.heavy), "postgresql"], indirect=True)
def test_a_collection_should_learn_on_either_database(
    tmp_path: Path, pictures: Path, database_url: str, clock: Clock
) -> None:
    site = Site.open(Settings(home=tmp_path / "home", database_url=database_url, seed=0), clock)
    made = imports.make_collection(site, "colours", "Colours")
    assert imports.import_source(site, pictures, made).added == 30
    simulated_visitors.run(site, "colours", FEATURES, 0.1, 24, seed=0)
    trainer.ask_for(site, site.collection("colours"))
    assert trainer.train_due(site)

    now = searching.start(site, "colours")
    for kind in (AnswerKind.CHOICE, AnswerKind.NONE, AnswerKind.UNDO):
        chosen = now.question.shown[0] if kind is AnswerKind.CHOICE else None
        now = searching.answer(site, now.row.id, now.question.number, kind, chosen)
    now = searching.answer(site, now.row.id, now.question.number, AnswerKind.FOUND, now.question.shown[1])
    assert (now.row.status, now.number, now.row.lesson) == ("found", 2, 25)
    assert searching.correct(site, now.row.id).row.status == "open"
    owners.change_item(site, site.collection("colours"), 7, active=False)
    assert dashboard.overview(site, site.collection("colours")).size == 29
    assert figures.summaries(site)[0].size == 29
    _change_and_delete(site)
    site.close()


def _change_and_delete(site: Site) -> None:
    """What an owner does on the pages."""
    known = site.collection("colours")
    for sort in SORTS:
        total, found = list_items(site, known, ItemFilter(words="colour_1", sort=sort), 0, 5)
        assert (total, len(found)) == (10, 5)
    wanted = SearchFilter(quarantined=False, status=SearchStatus.FOUND, origin=SearchOrigin.SIMULATED)
    assert len(owners.latest_searches(site, known, 50, 0, wanted)) == 24
    assert item_changes.delete_items(site, known, [3]) == 1
    assert item_changes.restore_items(site, known, range(30)) == 1
    collection_changes.delete_collection(site, known, "Colours")
    assert owners.collections_of(site) == []
    assert collection_changes.create_collection(site, "Colours").id > known.id
