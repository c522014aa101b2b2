"""A participant's way through a study: agree, remember, search, rest, and the end.

Where a participant is, is read from what they have done: the trials that were planned when they agreed, and the
searches of these. So nothing is lost when a browser is closed, and no trial is done twice.
"""

import random
import secrets
from dataclasses import dataclass
from enum import StrEnum

from learn2search.site.catalogue.options import options_of
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound
from learn2search.site.learning.finished_searches import OF_STUDY
from learn2search.site.studies.study_design import StudyDesign, design_of
from learn2search.site.studies.trial_plan import plan_trials
from learn2search.site.visits import searching
from learn2search.site.visits.to_find import Ticket
from learn2search.store import collections, participants, searches
from learn2search.store.collections import Collection
from learn2search.store.enums import SearchStatus, TrialKind
from learn2search.store.participants import Participant, Study, TrialRow
from learn2search.store.searches import SearchRow

LONGEST_ID = 128
_ENDS = (SearchStatus.FOUND, SearchStatus.NOT_HERE)


class Stage(StrEnum):
    """What a participant does next."""

    AGREE = "agree"
    REST = "rest"
    REMEMBER = "remember"
    SEARCH = "search"
    DONE = "done"


@dataclass(frozen=True)
class Standing:
    """Where a participant is.

    Attributes
    ----------
    participant
        None before they have agreed.
    trial
        The one to do, None before the first and after the last.
    place, total
        Which of how many: of practice while that goes on, then of the others.
    counted
        How many trials and checks are behind them.
    """

    stage: Stage
    study: Study
    design: StudyDesign
    collection: Collection
    code: str
    participant: Participant | None = None
    trial: TrialRow | None = None
    place: int = 0
    total: int = 0
    counted: int = 0


def is_over(row: SearchRow | None) -> bool:
    """Has the search of a trial begun, and ended? One that was left can be gone on with."""
    return row is not None and row.status in _ENDS


def standing(site: Site, study_id: str, code: str) -> Standing:
    """Where the participant of this id is in a study.

    Raises
    ------
    NotFound
        If there is no such study, or it is closed and the participant has not begun.
    Invalid
        If the id is missing or too long.
    """
    code = code.strip()
    with site.database.read() as db:
        study = participants.get_study(db, study_id)
        if study is None:
            raise NotFound("There is no such study: its link may be incomplete.")
        collection = collections.by_id(db, study.collection_id)
        participant = participants.get_participant(db, study_id, code)
        trials = participants.trials_of(db, study_id, code)
        rows = searches.by_ids(db, [one.search_id for one in trials])
    _check_id(code)
    if participant is not None:
        return _standing_of(study, collection, participant, trials, rows)
    if not study.is_open:
        raise NotFound("This study is closed: it takes no new participants. Thank you for your interest.")
    return Standing(Stage.AGREE, study, design_of(study), collection, code)


def _check_id(code: str) -> None:
    if not code or not code.isprintable():
        raise Invalid("This link lacks your participant id: please use the whole link that you were given.")
    if len(code) > LONGEST_ID:
        raise Invalid(
            "A participant id has %(most)s characters at most, not %(count)s.", most=LONGEST_ID, count=len(code)
        )


def _standing_of(
    study: Study, collection: Collection, participant: Participant, trials: list[TrialRow], rows: dict[str, SearchRow]
) -> Standing:
    design = design_of(study)
    left = [one for one in trials if not is_over(rows.get(one.search_id))]
    practice = sum(one.kind is TrialKind.PRACTICE for one in trials)
    done = len(trials) - len(left)
    counted, total = max(done - practice, 0), len(trials) - practice
    if not left:
        return Standing(
            Stage.DONE, study, design, collection, participant.code, participant, None, total, total, counted
        )
    trial = left[0]
    if trial.search_id in rows:
        stage = Stage.SEARCH
    elif design.break_after and counted and counted % design.break_after == 0 and participant.rested < counted:
        stage = Stage.REST
    else:
        stage = Stage.REMEMBER
    place, of = (done + 1, practice) if trial.kind is TrialKind.PRACTICE else (counted + 1, total)
    return Standing(stage, study, design, collection, participant.code, participant, trial, place, of, counted)


def agree(site: Site, now: Standing) -> None:
    """Begin the study: what the participant will look for is drawn. Who has begun before changes nothing.

    Raises
    ------
    NotFound
        If the study was closed meanwhile.
    """
    active = site.models.covered(site.published_model_id(now.collection))
    with site.database.write() as db:
        study = participants.get_study(db, now.study.id, lock=True)
        if study is None or participants.get_participant(db, now.study.id, now.code) is not None:
            return
        if not study.is_open:
            raise NotFound("This study is closed: it takes no new participants. Thank you for your interest.")
        number = participants.count_participants(db, study.id)
        chance = random.Random(f"{study.id}:{number}")  # nosec B311 # the order of trials is no secret
        plan = plan_trials(now.design, active, participants.times_given(db, study.id), chance)
        trials = [
            TrialRow(study.id, now.code, place, kind, target, secrets.token_hex(16))
            for place, (kind, target) in enumerate(plan, 1)
        ]
        participants.add_participant(db, Participant(study.id, now.code, number, site.now()), trials)


def rest(site: Site, now: Standing) -> None:
    """End a break."""
    if now.stage is Stage.REST and now.participant is not None:
        with site.database.write() as db:
            participants.set_rested(db, now.participant, now.counted)


def ticket_of(now: Standing) -> Ticket:
    """What the trial at hand looks for, and how: strategies of the collection are given to participants in turn."""
    if now.trial is None or now.participant is None:
        raise Conflict("There is nothing to look for at the moment.")
    strategies = options_of(now.collection).strategies
    teaches = now.trial.kind is TrialKind.TRIAL and now.design.teaching == "ordinary"
    return Ticket(
        now.trial.search_id,
        now.trial.target,
        now.trial.kind,
        strategies[now.participant.number % len(strategies)],
        None if teaches else OF_STUDY,
    )


def begin_search(site: Site, now: Standing, visitor: str) -> str:
    """Begin the search of the trial at hand, or go on with it, in this browser; the id of the search."""
    ticket = ticket_of(now)
    if now.stage is Stage.REMEMBER:
        searching.start(site, now.collection.slug, visitor=visitor, show=now.design.show, ticket=ticket)
    elif now.stage is Stage.SEARCH and not searching.is_of(site, ticket.search_id, visitor):
        with site.database.write() as db:  # the participant came back with another browser
            searches.change(db, ticket.search_id, visitor=visitor)
    return ticket.search_id


def trial_of(site: Site, search_id: str) -> TrialRow | None:
    """The trial whose search this is; None where the study was deleted, or there was none."""
    with site.database.read() as db:
        return participants.trial_of_search(db, search_id)
