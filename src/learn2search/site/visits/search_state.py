"""A search as its visitor sees it: read from the log, never stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from learn2search.site.catalogue.options import Options
from learn2search.site.visits.familiarity import Familiarity, is_likelier_than_chance
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
from learn2search.store.items import Item
from learn2search.store.searches import SearchRow, StepRow


@dataclass(frozen=True)
class SearchState:
    """A search at this moment.

    Attributes
    ----------
    answers
        The answers that count: those that were not undone.
    question
        The open question, None when the search has ended.
    items
        The items that the answers and the question name, by number.
    size
        How many items the search chooses from.
    stale
        True when the last answer came from an old page and was not counted.
    familiarity
        What its model knows about the items.
    is_taught
        False while its model was fitted to no answers, so that nobody knows how noisy they are.
    """

    collection: Collection
    options: Options
    row: SearchRow
    answers: tuple[StepRow, ...]
    question: StepRow | None
    items: dict[int, Item]
    size: int = 0
    stale: bool = False
    familiarity: Familiarity = Familiarity.ENOUGH
    is_taught: bool = True

    @property
    def number(self) -> int:
        """The number of the current question, or of the last one when the search has ended."""
        return len(self.answers) + (self.question is not None)

    @property
    def found_item(self) -> Item | None:
        """What was looked for, once it was found."""
        return None if self.row.target is None else self.items[self.row.target]

    @property
    def is_over(self) -> bool:
        """Has it ended?"""
        return self.question is None

    @property
    def item_to_find(self) -> Item | None:
        """What the visitor was asked to find, once the search has ended; None where they had something in mind."""
        return None if self.row.to_find is None or not self.is_over else self.items[self.row.to_find]

    @property
    def exhausted(self) -> bool:
        """Every item has been shown, and none was the one."""
        return self.question is not None and not self.question.shown

    @property
    def still_fit(self) -> float | None:
        """How many items still fit the answers, None before the first model that was fitted to answers."""
        return self.question.fits if self.question is not None and self.is_taught else None

    @property
    def can_guess(self) -> bool:
        """Is the likeliest item clearly likelier than one drawn at random from those not shown yet?"""
        if self.question is None or self.familiarity is Familiarity.NOTHING:
            return False
        seen = {number for step in self.answers for number in step.shown}
        return is_likelier_than_chance(self.question.fits, self.size - len(seen))


def answers_that_count(steps: Sequence[StepRow]) -> list[StepRow]:
    """The answered steps without those that were undone or replaced, and without the undoing itself."""
    kept: list[StepRow] = []
    for step in steps:
        if step.kind is AnswerKind.UNDO:
            del kept[-1:]
        elif step.kind not in (None, AnswerKind.REPLACED):
            kept.append(step)
    return kept
