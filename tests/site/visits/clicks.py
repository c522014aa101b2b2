"""A visitor's clicks on the question that is open."""

from learn2search.site.context import Site
from learn2search.site.visits.search_state import SearchState
from learn2search.site.visits.searching import answer
from learn2search.store.enums import AnswerKind


def choose(site: Site, now: SearchState, place: int = 0) -> SearchState:
    assert now.question is not None
    return answer(site, now.row.id, now.question.number, AnswerKind.CHOICE, now.question.shown[place])


def end(site: Site, now: SearchState, place: int = 0) -> SearchState:
    assert now.question is not None
    return answer(site, now.row.id, now.question.number, AnswerKind.FOUND, now.question.shown[place])
