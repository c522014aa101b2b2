"""Statements about items."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    String,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)

from learn2search.store.enums import RetiredBy
from learn2search.store.tables import item

_MANY = 500  # names in one statement
ERASED = "(deleted)"  # the title of an item that was deleted for good


@dataclass(frozen=True)
class Item:
    """One thing that can be looked for.

    Attributes
    ----------
    number
        From 0 inside the collection; it never changes.
    key
        What the item is called at its source, such as the name of its file.
    family
        The group that it belongs to, or "".
    media
        What it shows, as JSON: `learn2search.site.catalogue.item_media` reads and writes it.
    digest
        A hash of what it was made from: unchanged sources are not read again.
    link
        An http(s) address that the item's end leads to, or "".
    """

    collection_id: int
    number: int
    key: str
    title: str
    description: str
    family: str
    media: dict[str, Any]
    digest: str
    active: bool
    retired_by: RetiredBy | None
    created_at: float
    link: str = ""


def _item(row: RowMapping) -> Item:
    return Item(**{name: value for name, value in row.items() if name != "id"})


def _items(db: Connection, query: Select[Any]) -> list[Item]:
    return [_item(row) for row in db.execute(query).mappings()]


def all_items(db: Connection, collection_id: int, *, active_only: bool = False) -> list[Item]:
    query = select(item).where(item.c.collection_id == collection_id).order_by(item.c.number)
    return _items(db, query.where(item.c.active) if active_only else query)


def by_number(db: Connection, collection_id: int, numbers: Iterable[int]) -> dict[int, Item]:
    """The items with these numbers; unknown numbers are left out."""
    wanted, found = sorted(set(numbers)), {}
    for start in range(0, len(wanted), _MANY):
        part = wanted[start : start + _MANY]
        query = select(item).where(item.c.collection_id == collection_id, item.c.number.in_(part))
        found.update({one.number: one for one in _items(db, query)})
    return found


def page(
    db: Connection, collection_id: int, words: str, offset: int, limit: int, *, active_only: bool = False
) -> list[Item]:
    """`limit` of the items with the words in their title, key or group, from `offset` on. The others are not read."""
    matches = _matches(collection_id, words, active=True if active_only else None)
    return _items(db, select(item).where(matches).order_by(item.c.number).offset(offset).limit(limit))


def matching(
    db: Connection, collection_id: int, words: str = "", family: str = "", active: bool | None = None
) -> list[int]:
    """The numbers of the items with the words in their title, key or group, of a group, in use or retired."""
    matches = _matches(collection_id, words, family, active)
    return [
        int(number) for number in db.execute(select(item.c.number).where(matches).order_by(item.c.number)).scalars()
    ]


def _matches(collection_id: int, words: str, family: str = "", active: bool | None = None) -> ColumnElement[bool]:
    """Items that were deleted for good match nothing."""
    matches = (item.c.collection_id == collection_id) & or_(
        item.c.retired_by.is_(None), item.c.retired_by != RetiredBy.ERASED
    )
    if active is not None:
        matches &= item.c.active if active else ~item.c.active
    if family:
        matches &= item.c.family == family
    if words:
        like = "%" + words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
        matches &= or_(*(column.ilike(like, escape="\\") for column in (item.c.title, item.c.key, item.c.family)))
    return matches


def families(db: Connection, collection_id: int, limit: int = 200) -> list[str]:
    """The groups that items have, in the order of the alphabet."""
    query = select(item.c.family).where(item.c.collection_id == collection_id, item.c.family != "").distinct()
    return [str(name) for name in db.execute(query.order_by(item.c.family).limit(limit)).scalars()]


def active_numbers(db: Connection, collection_id: int) -> list[int]:
    query = select(item.c.number).where(item.c.collection_id == collection_id, item.c.active).order_by(item.c.number)
    return [int(number) for number in db.execute(query).scalars()]


def next_number(db: Connection, collection_id: int) -> int:
    """The number of the next item. To add it, lock the collection first, in the same transaction."""
    largest = select(func.max(item.c.number)).where(item.c.collection_id == collection_id)
    found = db.execute(largest).scalar_one()
    return 0 if found is None else int(found) + 1


def add(db: Connection, rows: Sequence[Item]) -> None:
    if rows:
        db.execute(insert(item), [vars(row) for row in rows])


def erase(db: Connection, collection_id: int, numbers: Iterable[int], media: dict[str, Any]) -> None:
    """Leave nothing of these items but their numbers, which models and the log of searches name: every text goes."""
    texts = {column.name: "" for column in item.c if isinstance(column.type, String)}
    for number in numbers:
        same = (item.c.collection_id == collection_id, item.c.number == number)
        left = {"title": ERASED, "key": f"{ERASED} {number}", "media": media}
        out = {"active": False, "retired_by": RetiredBy.ERASED}
        db.execute(update(item).where(*same).values(texts | left | out))


def change(db: Connection, rows: Sequence[Item]) -> None:
    """Write items that exist already, found by collection and number."""
    if not rows:
        return
    same = (item.c.collection_id == bindparam("in_collection"), item.c.number == bindparam("with_number"))
    changed = ("title", "description", "family", "media", "digest", "active", "retired_by", "link")
    statement = update(item).where(*same).values({name: bindparam(f"new_{name}") for name in changed})
    db.execute(
        statement,
        [
            {"in_collection": row.collection_id, "with_number": row.number}
            | {f"new_{name}": getattr(row, name) for name in changed}
            for row in rows
        ],
    )
