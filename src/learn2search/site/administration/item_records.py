"""Items by program: many at once, each named by its own key, so that the same records twice change nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from learn2search.site.administration.item_changes import restore_items, retire_items
from learn2search.site.catalogue.imports import finish_import, import_entries, known_items
from learn2search.site.catalogue.item_media import MediaKind, media_of, to_json
from learn2search.site.catalogue.sources import Entry
from learn2search.site.context import Site
from learn2search.site.errors import TooLarge
from learn2search.store import items
from learn2search.store.collections import Collection
from learn2search.store.enums import RetiredBy
from learn2search.store.items import Item

MOST = 5000  # records at once


class ItemRecord(BaseModel):
    """What is to be true of one item. What is left out stays as it is.

    Attributes
    ----------
    key
        The item's own name. An item with this key is changed; where there is none, a text card is made.
    title, description, group
        Its words.
    active
        False retires it, True restores it.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    key: Annotated[str, Field(min_length=1, max_length=255)]
    title: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    description: Annotated[str, Field(max_length=4000)] | None = None
    group: Annotated[str, Field(max_length=100)] | None = None
    active: bool | None = None


class Outcome(StrEnum):
    """What became of a record."""

    ADDED = "added"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True)
class RecordResult:
    """What became of one record: its item's number, or why it was refused."""

    key: str
    outcome: Outcome
    item: int | None = None
    message: str = ""


def put_items(site: Site, collection: Collection, given: Sequence[object]) -> list[RecordResult]:
    """Add, change, retire and restore items. A record that cannot be used is refused, and the others count.

    Parameters
    ----------
    given
        Records as JSON gives them.

    Returns
    -------
    list of RecordResult
        One for each record, in their order.

    Raises
    ------
    TooLarge
        If there are more than 5,000.
    """
    if len(given) > MOST:
        raise TooLarge(f"{len(given):,} records are too many: at most {MOST:,} at once.")
    known = known_items(site, collection)
    before = dict(known)
    read = _checked(given, before)
    records = [one for one in read if isinstance(one, ItemRecord)]
    new = [one for one in records if one.key not in before]
    if new:
        import_entries(site, collection, [_entry(one) for one in new], [], known, uploaded=True)
    _write_words(site, [_with_words(known[one.key], one) for one in records if one.key in before], known)
    if new:
        finish_import(site, collection)
    for active, change in ((False, retire_items), (True, restore_items)):
        change(site, collection, [known[one.key].number for one in records if one.active is active])
    site.forget()
    after = known_items(site, collection)
    return [_result(one, before, after) if isinstance(one, ItemRecord) else one for one in read]


def _checked(given: Sequence[object], known: dict[str, Item]) -> list[ItemRecord | RecordResult]:
    """Each record, or why it cannot be used."""
    read: list[ItemRecord | RecordResult] = []
    seen: set[str] = set()
    for one in given:
        key = str(one.get("key", ""))[:255] if isinstance(one, dict) else ""
        try:
            record = ItemRecord.model_validate(one)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            read.append(RecordResult(key, Outcome.REFUSED, None, f"{place}: {first['msg']}".removeprefix(": ")))
            continue
        message = _objection(record, known, seen)
        read.append(RecordResult(record.key, Outcome.REFUSED, None, message) if message else record)
        if not message:
            seen.add(record.key)
    return read


def _objection(record: ItemRecord, known: dict[str, Item], seen: set[str]) -> str:
    if record.key in seen:
        return "this key is there twice: the first record counts"
    if record.key not in known and record.title is None:
        return "there is no such item: a new one needs a title, and pictures are sent as files"
    if record.key in known and known[record.key].retired_by is RetiredBy.ERASED:
        return "this item was deleted for good: nothing of it can be changed"
    return ""


def _entry(record: ItemRecord) -> Entry:
    title, description, group = record.title or record.key, record.description or "", record.group or ""
    return Entry(record.key, MediaKind.TEXT, title, description, group, "|".join((title, description, group)), None)


def _with_words(old: Item, record: ItemRecord) -> Item:
    """The item with the words of the record, which an import then does not replace."""
    title = old.title if record.title is None else record.title
    description = old.description if record.description is None else record.description
    family = old.family if record.group is None else record.group
    if (title, description, family) == (old.title, old.description, old.family):
        return old
    media = to_json(media_of(old).model_copy(update={"edited": True}))
    return replace(old, title=title, description=description, family=family, media=media)


def _write_words(site: Site, wanted: list[Item], known: dict[str, Item]) -> None:
    changed = [one for one in wanted if one != known[one.key]]
    with site.database.write() as db:
        items.change(db, changed)
    known.update({one.key: one for one in changed})


def _result(record: ItemRecord, before: dict[str, Item], after: dict[str, Item]) -> RecordResult:
    old, new = before.get(record.key), after[record.key]
    outcome = Outcome.ADDED if old is None else Outcome.UNCHANGED if old == new else Outcome.CHANGED
    return RecordResult(record.key, outcome, new.number)
