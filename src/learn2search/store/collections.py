"""Statements about collections and the settings of the site."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, Table, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from learn2search.store.tables import collection, item, model, screen, search, setting, step, triplet


@dataclass(frozen=True)
class Collection:
    """The items of one search page, and which model is in use."""

    id: int
    slug: str
    title: str
    options: dict[str, Any]
    model_id: int | None
    lessons: int
    created_at: float


_BY_ID = select(collection).where(collection.c.id == bindparam("of_id"))


def _collection(row: RowMapping) -> Collection:
    return Collection(**row)


def all_collections(db: Connection) -> list[Collection]:
    rows = db.execute(select(collection).order_by(collection.c.id)).mappings()
    return [_collection(row) for row in rows]


def by_slug(db: Connection, slug: str) -> Collection | None:
    row = db.execute(select(collection).where(collection.c.slug == slug)).mappings().first()
    return None if row is None else _collection(row)


def by_id(db: Connection, collection_id: int) -> Collection:
    return _collection(db.execute(_BY_ID, {"of_id": collection_id}).mappings().one())


def add(db: Connection, slug: str, title: str, options: dict[str, Any], now: float) -> Collection:
    values = {"slug": slug, "title": title, "options": options, "lessons": 0, "created_at": now}
    values |= unused_id(db, collection)
    made = db.execute(insert(collection).values(values).returning(collection.c.id)).scalar_one()
    return Collection(int(made), slug, title, options, None, 0, now)


def change(db: Connection, collection_id: int, title: str, options: dict[str, Any]) -> None:
    db.execute(update(collection).where(collection.c.id == collection_id).values(title=title, options=options))


def remove(db: Connection, collection_id: int) -> None:
    """Delete a collection with all its rows, and the settings whose names end with its id. Its ids stay used."""
    for table in (collection, model):
        newest = db.execute(select(func.max(table.c.id))).scalar_one_or_none()
        put_setting(db, _last_id(table), str(max(newest or 0, int(get_setting(db, _last_id(table)) or 0))))
    searches = select(search.c.id).where(search.c.collection_id == collection_id)
    db.execute(delete(triplet).where(triplet.c.collection_id == collection_id))
    db.execute(delete(step).where(step.c.search_id.in_(searches)))
    for table in (screen, search, model, item):
        db.execute(delete(table).where(table.c.collection_id == collection_id))
    db.execute(delete(setting).where(setting.c.name.endswith(f":{collection_id}", autoescape=True)))
    db.execute(delete(collection).where(collection.c.id == collection_id))


def unused_id(db: Connection, table: Table) -> dict[str, int]:
    """The id that a new row has to have, if the database might give it one that a deleted row had.

    SQLite gives ids of deleted rows again; workers may still know the old row by it. PostgreSQL never does.
    """
    last = None if db.dialect.name == "postgresql" else get_setting(db, _last_id(table))
    if last is None:
        return {}
    newest = db.execute(select(func.max(table.c.id))).scalar_one_or_none()
    return {"id": 1 + max(int(last), newest or 0)}


def _last_id(table: Table) -> str:
    return f"last id of {table.name}"


def swap_model(db: Connection, collection_id: int, expected: int | None, model_id: int | None) -> bool:
    """Publish a model if `expected` is still the published one; False if another came first."""
    same = collection.c.model_id.is_(None) if expected is None else collection.c.model_id == expected
    done = db.execute(update(collection).where(collection.c.id == collection_id, same).values(model_id=model_id))
    return done.rowcount == 1


def lock(db: Connection, collection_id: int) -> None:
    """Keep others from numbering items or models of the collection until the end of the transaction.

    SQLite has one writer at a time, and nothing to lock.
    """
    db.execute(select(collection.c.id).where(collection.c.id == collection_id).with_for_update())


def next_lesson(db: Connection, collection_id: int) -> int:
    """Count one more lesson; its number. The row stays locked until the commit, so that numbers have no gaps."""
    one = collection.c.id == collection_id
    db.execute(update(collection).where(one).values(lessons=collection.c.lessons + 1))
    return int(db.execute(select(collection.c.lessons).where(one)).scalar_one())


def set_lessons(db: Connection, collection_id: int, lessons: int) -> None:
    db.execute(update(collection).where(collection.c.id == collection_id).values(lessons=lessons))


def sizes(db: Connection) -> dict[int, int]:
    """The number of active items of each collection."""
    counted = select(item.c.collection_id, func.count()).where(item.c.active).group_by(item.c.collection_id)
    return {int(row[0]): int(row[1]) for row in db.execute(counted)}


def get_setting(db: Connection, name: str) -> str | None:
    return db.execute(select(setting.c.value).where(setting.c.name == name)).scalar_one_or_none()


def put_setting(db: Connection, name: str, value: str) -> None:
    """Write a setting, new or not. Of several writers at the same moment, the last one wins."""
    change = update(setting).where(setting.c.name == name).values(value=value)
    if db.execute(change).rowcount == 0:
        try:
            with db.begin_nested():
                db.execute(insert(setting).values(name=name, value=value))
        except IntegrityError:
            db.execute(change)
