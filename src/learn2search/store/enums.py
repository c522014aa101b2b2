"""The values that some columns can have. All code above the database uses these enumerations, never the bare words."""

from enum import StrEnum


class AnswerKind(StrEnum):
    """What a person said about the items shown."""

    CHOICE = "choice"  # this one is most like it
    NONE = "none"  # can't tell
    FOUND = "found"  # this is it
    UNDO = "undo"  # take the last answer back
    NOT_HERE = "not-here"  # the collection does not have it
    REPLACED = "replaced"  # no answer: another number of items was asked for, and another question took its place


class SearchStatus(StrEnum):
    """Whether a search goes on, and if not, how it ended."""

    OPEN = "open"
    FOUND = "found"
    ABANDONED = "abandoned"  # the visitor left
    NOT_HERE = "not-here"


class SearchOrigin(StrEnum):
    """Who searched."""

    PAGE = "page"  # a visitor of the site
    API = "api"  # a program
    SIMULATED = "simulated"  # a simulated visitor, which only the owner can send


class TrialKind(StrEnum):
    """What a search of a study is for."""

    PRACTICE = "practice"  # not counted
    TRIAL = "trial"
    CHECK = "check"  # of attention: what is to be found is among the first items shown


class ModelOrigin(StrEnum):
    """How a model came about."""

    START = "start"  # the first one, before any answer
    ITEMS = "items"  # the model before it, for the items that are active now
    FIT = "fit"
    FEATURES = "features"  # positions that the owner gave
    ROLLBACK = "rollback"


class RetiredBy(StrEnum):
    """Who took an item out of the searches."""

    IMPORT = "import"  # its file is gone
    OWNER = "owner"
    ERASED = "erased"  # the owner deleted it for good: only its number is left
