"""What came of a study: each trial, and the figures of all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from learn2search.site.context import Site
from learn2search.site.learning.finished_searches import triplets_of
from learn2search.site.studies.study_design import design_of
from learn2search.site.studies.taking_part import is_over
from learn2search.site.visits.search_state import answers_that_count
from learn2search.store import participants, searches
from learn2search.store.enums import SearchStatus, TrialKind
from learn2search.store.participants import Participant, Study, Trial
from learn2search.store.searches import SearchRow, StepRow

RIGHT, WRONG, GAVE_UP = "right", "wrong", "gave up"
_CHUNK = 200  # searches whose steps are read at a time


@dataclass(frozen=True)
class TrialResult:
    """A trial with its search, None before it has begun, and the answers that count."""

    trial: Trial
    row: SearchRow | None
    answers: tuple[StepRow, ...] = ()

    @property
    def found(self) -> str:
        """How it ended: with the right item, with a wrong one, or given up; empty while it goes on."""
        if self.row is None or not is_over(self.row):
            return ""
        if self.row.status is SearchStatus.NOT_HERE:
            return GAVE_UP
        return WRONG if self.row.is_wrong_end else RIGHT


@dataclass(frozen=True)
class Figures:
    """Of participants or of one of them: only trials that count and have ended.

    Attributes
    ----------
    share_found
        Of the trials that ended, None before one has.
    median_questions
        Of the trials that ended with the right item.
    checks, failed_checks
        Checks that ended, and those of them that did not end with the right item.
    """

    trials: int
    share_found: float | None
    median_questions: float | None
    checks: int
    failed_checks: int


@dataclass(frozen=True)
class ParticipantResult:
    """One participant, how many of their trials have ended, and what came of them."""

    participant: Participant
    ended: int
    total: int
    figures: Figures

    @property
    def is_finished(self) -> bool:
        return self.ended == self.total


@dataclass(frozen=True)
class StudyOverview:
    """A study as its owner sees it."""

    participants: list[ParticipantResult]
    figures: Figures

    @property
    def finished(self) -> int:
        """How many participants have done all."""
        return sum(one.is_finished for one in self.participants)


def overview(site: Site, study: Study) -> StudyOverview:
    """Who has begun and finished, and how well it went."""
    with site.database.read() as db:
        people = participants.participants_of(db, study.id)
        trials = participants.trials_of(db, study.id)
        rows = searches.by_ids(db, [one.search_id for one in trials])
    results = [TrialResult(one, rows.get(one.search_id)) for one in trials]
    by_code: dict[str, list[TrialResult]] = {}
    for result in results:
        by_code.setdefault(result.trial.code, []).append(result)
    each = [_of_participant(person, by_code[person.code]) for person in people]
    return StudyOverview(each, figures_of(results))


def _of_participant(person: Participant, results: list[TrialResult]) -> ParticipantResult:
    return ParticipantResult(person, sum(bool(one.found) for one in results), len(results), figures_of(results))


def figures_of(results: Sequence[TrialResult]) -> Figures:
    """The figures of some trials; practice is not counted."""
    ended = [one for one in results if one.found]
    trials = [one for one in ended if one.trial.kind is TrialKind.TRIAL]
    checks = [one for one in ended if one.trial.kind is TrialKind.CHECK]
    right = [one.row.questions for one in trials if one.found == RIGHT and one.row and one.row.questions is not None]
    return Figures(
        len(trials),
        len(right) / len(trials) if trials else None,
        median(right) if right else None,
        len(checks),
        sum(one.found != RIGHT for one in checks),
    )


def results_of(site: Site, study: Study) -> list[TrialResult]:
    """Every trial of every participant in their order, also those not begun, with the answers."""
    with site.database.read() as db:
        trials = participants.trials_of(db, study.id)
        rows = searches.by_ids(db, [one.search_id for one in trials])
        steps: dict[str, list[StepRow]] = {}
        for first in range(0, len(trials), _CHUNK):
            steps |= searches.steps_of(db, [one.search_id for one in trials[first : first + _CHUNK]])
    return [
        TrialResult(one, rows.get(one.search_id), tuple(answers_that_count(steps[one.search_id]))) for one in trials
    ]


def trial_rows(site: Site, studies: Sequence[Study]) -> list[list[object]]:
    """One trial a row, for an export: study, participant, trial, kind, target, found, questions, milliseconds of each
    answer, when it started and ended, model, strategy, search."""
    return [_row(result) for study in studies for result in results_of(site, study)]


def _row(result: TrialResult) -> list[object]:
    trial, row = result.trial, result.row
    asked = [trial.study_id, trial.code, trial.number, str(trial.kind), trial.target, result.found]
    if row is None:
        return [*asked, *[None] * 7]
    times = " ".join(str(step.milliseconds) for step in result.answers if step.milliseconds is not None)
    done = [row.questions or len(result.answers), times, row.started_at, row.ended_at if result.found else None]
    return [*asked, *done, row.model_id, row.strategy, row.id]


def triplet_rows(site: Site, studies: Sequence[Study]) -> list[list[object]]:
    """The comparisons of the trials that ended with the right item: study, participant, trial, anchor, near, far.

    Not those of studies that are to teach nothing.
    """
    rows: list[list[object]] = []
    for study in (one for one in studies if design_of(one).teaching != "nothing"):
        for result in results_of(site, study):
            trial = result.trial
            if trial.kind is TrialKind.TRIAL and result.found == RIGHT:
                parts = [part for _, part in triplets_of(result.answers, trial.target)]
                rows += [[study.id, trial.code, trial.number, *map(int, one)] for part in parts for one in part]
    return rows
