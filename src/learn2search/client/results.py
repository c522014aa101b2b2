"""What a site says, as frozen values. Fields that this version does not know are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self


class _FromJson:
    """A dataclass that can be made from what the JSON API sends."""

    @classmethod
    def from_json(cls, sent: Mapping[str, Any]) -> Self:
        known = {one.name for one in fields(cls)}  # type: ignore[arg-type]
        return cls(**{name: value for name, value in sent.items() if name in known})


@dataclass(frozen=True)
class CollectionResult(_FromJson):
    """A collection, and how long searches in it take.

    Attributes
    ----------
    slug
        Its name in addresses.
    title
        For people.
    items
        How many can be looked for.
    median_questions
        Of the latest searches; None while there are few.
    first_median_questions
        Of the first ones.
    """

    slug: str
    title: str
    items: int
    median_questions: int | None = None
    first_median_questions: int | None = None


@dataclass(frozen=True)
class ItemResult(_FromJson):
    """An item.

    Attributes
    ----------
    item
        Its number in the collection, which never changes.
    key
        What it is called where it comes from.
    title, description, group
        For people.
    active
        Whether it can be looked for.
    media
        The addresses of what it shows, from the root of the site, by what they are: large, small, file, video.
    """

    item: int
    key: str
    title: str
    description: str = ""
    group: str = ""
    active: bool = True
    media: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class QuestionResult(_FromJson):
    """The items shown.

    Attributes
    ----------
    step
        An answer names it.
    shown
        Which is most like it?
    still_fit
        How many items still fit, None before the first fit.
    """

    step: int
    shown: tuple[ItemResult, ...]
    still_fit: float | None = None

    @classmethod
    def from_json(cls, sent: Mapping[str, Any]) -> Self:
        shown = tuple(ItemResult.from_json(one) for one in sent["shown"])
        return cls(sent["step"], shown, sent.get("still_fit"))


@dataclass(frozen=True)
class SearchResult(_FromJson):
    """A search as it was when the site answered.

    Attributes
    ----------
    id, secret
        Who has both can go on with it.
    collection
        The slug of the collection.
    status
        open, found, not-here, or abandoned.
    number
        Of the current question, or of the last one.
    question
        None when the search has ended.
    target
        What was found.
    """

    id: str
    collection: str
    status: str
    number: int
    question: QuestionResult | None = None
    target: ItemResult | None = None
    secret: str = ""

    @classmethod
    def from_json(cls, sent: Mapping[str, Any]) -> Self:
        question, target = sent.get("question"), sent.get("target")
        return cls(
            sent["id"],
            sent["collection"],
            sent["status"],
            sent["number"],
            None if question is None else QuestionResult.from_json(question),
            None if target is None else ItemResult.from_json(target),
            sent.get("secret") or "",
        )


@dataclass(frozen=True)
class ModelResult(_FromJson):
    """A model of a collection.

    Attributes
    ----------
    version
        From 1.
    origin
        How it came about: start, items, fit, features, rollback.
    published, in_use
        Whether it was ever used, and whether it is now.
    triplets
        How many comparisons it was fitted to.
    metrics
        How well it predicts held-out searches, among others.
    created_at
        In seconds since 1970.
    """

    version: int
    origin: str
    published: bool
    in_use: bool
    triplets: int
    metrics: Mapping[str, Any]
    created_at: float


@dataclass(frozen=True)
class ItemOutcome(_FromJson):
    """What became of a record that was sent.

    Attributes
    ----------
    key
        Of the item.
    outcome
        added, changed, unchanged, or refused.
    item
        Its number, None where the record was refused.
    message
        Why it was refused.
    """

    key: str
    outcome: str
    item: int | None = None
    message: str = ""


@dataclass(frozen=True)
class FilesOutcome(_FromJson):
    """What became of files that were sent.

    Attributes
    ----------
    added, changed, unchanged
        How many.
    problems
        `{"name": ..., "message": ...}` of those that were not taken.
    """

    added: int
    changed: int
    unchanged: int
    problems: tuple[Mapping[str, str], ...] = ()
