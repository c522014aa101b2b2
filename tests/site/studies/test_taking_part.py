"""A participant's way, on both databases, and what it teaches."""

from pathlib import Path

import pytest

from learn2search.site.administration import collection_changes, exports
from learn2search.site.catalogue import imports
from learn2search.site.context import Site
from learn2search.site.learning.finished_searches import OF_STUDY
from learn2search.site.settings import Settings
from learn2search.site.studies import study_results, study_setup, taking_part
from learn2search.site.studies.study_design import Teaching
from learn2search.site.studies.taking_part import Stage, Standing
from learn2search.site.visits import searching
from learn2search.site.visits.search_state import SearchState
from learn2search.store import collections
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, TrialKind
from learn2search.store.participants import Study
from tests.site.conftest import Clock


def made(site: Site, **values: object) -> Study:
    design = {"title": "s", "trials": 2, "practice": 0, "checks": 0} | values
    return study_setup.create_study(site, site.collection("colours"), design)


def begun(site: Site, study: Study, code: str) -> Standing:
    taking_part.agree(site, taking_part.standing(site, study.id, code))
    return taking_part.standing(site, study.id, code)


def search(site: Site, study: Study, code: str, *clicks: AnswerKind) -> SearchState:
    """The trial at hand, after these answers; without any, it is found at the second question."""
    now = taking_part.standing(site, study.id, code)
    found = searching.state(site, taking_part.begin_search(site, now, "v" * 32))
    for kind in clicks or (AnswerKind.CHOICE, AnswerKind.FOUND):
        assert found.question is not None
        chosen = {AnswerKind.CHOICE: found.question.shown[0], AnswerKind.FOUND: found.row.to_find}.get(kind)
        found = searching.answer(site, found.row.id, found.question.number, kind, chosen)
    return found


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
def test_a_participant_should_go_all_the_way_on_either_database(
    tmp_path: Path, pictures: Path, clock: Clock, database_url: str
) -> None:
    site = Site.open(Settings(home=tmp_path / "home", database_url=database_url, seed=0), clock)
    imports.import_source(site, pictures, imports.make_collection(site, "colours", "Colours", show=4))
    study = made(site, checks=1, break_after=2)
    assert begun(site, study, "A").stage is Stage.REMEMBER
    begun(site, study, "A")
    assert begun(site, study, "B").participant.number == 1
    search(site, study, "A")
    check = search(site, study, "A", AnswerKind.NONE)
    assert (check.row.trial, check.is_over) == (TrialKind.CHECK, True)
    now = taking_part.standing(site, study.id, "A")
    assert (now.stage, now.counted, now.total) == (Stage.REST, 2, 3)
    taking_part.rest(site, now)
    assert taking_part.standing(site, study.id, "A").stage is Stage.REMEMBER
    search(site, study, "A", AnswerKind.CHOICE, AnswerKind.NOT_HERE)
    assert taking_part.standing(site, study.id, "A").stage is Stage.DONE
    overview = study_results.overview(site, study)
    assert (len(overview.participants), overview.finished) == (2, 1)
    assert overview.figures == study_results.Figures(2, 0.5, 2, 1, 1)
    assert [row[5] for row in study_results.trial_rows(site, [study])] == ["right", "gave up", "gave up", "", "", ""]
    collection_changes.delete_collection(site, site.collection("colours"), "Colours")
    with pytest.raises(Exception, match="no such study"):
        taking_part.standing(site, study.id, "A")
    site.close()


@pytest.mark.parametrize(("teaching", "lessons", "triplets"), [("nothing", 0, 0), ("apart", 0, 3), ("ordinary", 1, 3)])
def test_a_study_should_teach_as_its_owner_chose(
    site: Site, collection: Collection, teaching: Teaching, lessons: int, triplets: int
) -> None:
    study = made(site, trials=1, practice=1, checks=1, teaching=teaching)
    begun(site, study, "A")
    rows = [search(site, study, "A").row]
    rows += [search(site, study, "A", AnswerKind.FOUND).row]
    rows += [search(site, study, "A").row]
    kinds = {row.trial: row.quarantine for row in rows}
    assert kinds[TrialKind.PRACTICE] == kinds[TrialKind.CHECK] == OF_STUDY
    assert kinds[TrialKind.TRIAL] == (None if lessons else OF_STUDY)
    assert site.collection("colours").lessons == lessons
    text = b"".join(exports.export(site, collection, "study_triplets.csv")[0]).decode().splitlines()
    assert tuple(text[0].split(",")) == exports.STUDY_TRIPLET_COLUMNS
    assert len(text) == 1 + triplets


def test_strategies_should_be_given_to_participants_in_turn(site: Site, learnt: Collection) -> None:
    known = site.collection("colours")
    with site.database.write() as db:
        collections.change(db, known.id, known.title, known.options | {"strategies": ["sampled", "gauss"]})
    study = made(site)
    for code, strategy in zip("ABC", ("sampled", "gauss", "sampled"), strict=True):
        begun(site, study, code)
        assert search(site, study, code, AnswerKind.CHOICE).row.strategy == strategy


def test_a_search_that_was_left_should_be_gone_on_with(site: Site, collection: Collection, clock: Clock) -> None:
    study = made(site)
    begun(site, study, "A")
    left = search(site, study, "A", AnswerKind.CHOICE)
    clock.time += 1e6
    assert searching.abandon_idle(site, 3600) == 1
    now = taking_part.standing(site, study.id, "A")
    assert (now.stage, now.trial.search_id) == (Stage.SEARCH, left.row.id)
    assert search(site, study, "A", AnswerKind.FOUND).row.status == "found"
