"""Statements about models: an embedding, the numbers of the items it covers, and how it came about."""

import hashlib
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, LargeBinary, RowMapping, Select, func, insert, select

from learn2search.embedding import Embedding
from learn2search.store.collections import lock, unused_id
from learn2search.store.enums import ModelOrigin
from learn2search.store.tables import model
from learn2search.typing import Items

_INFO = [column for column in model.c if column.name not in ("arrays", "checksum")]


class DamagedModelError(ValueError):
    """The arrays of a model are not as they were written: truncated, or other bits."""


@dataclass(frozen=True)
class ModelInfo:
    """A model without its arrays."""

    id: int
    collection_id: int
    version: int
    parent_id: int | None
    origin: ModelOrigin
    published: bool
    trained_up_to: int
    triplets: int
    noise: float
    metrics: dict[str, Any]
    created_at: float


@dataclass(frozen=True, eq=False)
class Model:
    """A model with its arrays: row i of the embedding is item `items[i]`; `items` `(n,)` ascend."""

    info: ModelInfo
    items: Items
    embedding: Embedding


def get(db: Connection, model_id: int) -> Model:
    """A model with its arrays.

    Raises
    ------
    DamagedModelError
        If its arrays are not as they were written.
    """
    row = db.execute(select(model).where(model.c.id == model_id)).mappings().one()
    items, embedding = _whole(row)
    return Model(_info(row), items, embedding)


def info(db: Connection, model_id: int) -> ModelInfo:
    """A model without its arrays."""
    return _infos(db, select(*_INFO).where(model.c.id == model_id))[0]


def size(db: Connection, model_id: int) -> int:
    """The bytes of the arrays of a model, which are not read for it."""
    return int(db.execute(select(func.length(model.c.arrays)).where(model.c.id == model_id)).scalar_one())


def checked(db: Connection, model_id: int) -> str | None:
    """The checksum of a model's arrays, which the database has compared with them; None where it has no checksum.

    Raises
    ------
    DamagedModelError
        If its arrays are not as they were written.
    """
    found = func.sha256(model.c.arrays, type_=LargeBinary)
    checksum, digest = db.execute(select(model.c.checksum, found).where(model.c.id == model_id)).one()
    if checksum is not None and checksum != digest.hex():
        raise _other_checksum(info(db, model_id))
    return None if checksum is None else str(checksum)


def newest_published(db: Connection, count: int) -> set[int]:
    """The ids of the newest published models of every collection, so many of each."""
    place = func.row_number().over(partition_by=model.c.collection_id, order_by=model.c.version.desc())
    placed = select(model.c.id, place.label("place")).where(model.c.published).subquery()
    return {int(found) for found in db.execute(select(placed.c.id).where(placed.c.place <= count)).scalars()}


def history(db: Connection, collection_id: int, limit: int = 1000) -> list[ModelInfo]:
    """The newest models first."""
    query = select(*_INFO).where(model.c.collection_id == collection_id)
    return _infos(db, query.order_by(model.c.version.desc()).limit(limit))


def stand_ins(db: Connection, damaged: ModelInfo) -> list[int]:
    """The ids of the models that can take the place of a damaged one, best first: published ones, newest first, those
    before it and then those after it; then those that were kept out."""
    others = [one for one in history(db, damaged.collection_id) if one.id != damaged.id]
    ordered = sorted(others, key=lambda one: (not one.published, one.version > damaged.version, -one.version))
    return [one.id for one in ordered]


def last_attempt(db: Connection, collection_id: int) -> ModelInfo | None:
    """The newest model that was trained, published or not."""
    query = select(*_INFO).where(model.c.collection_id == collection_id, model.c.origin == ModelOrigin.FIT)
    found = _infos(db, query.order_by(model.c.version.desc()).limit(1))
    return found[0] if found else None


def last_published(db: Connection, collection_id: int) -> int | None:
    """The id of the model that was published last."""
    query = select(model.c.id).where(model.c.collection_id == collection_id, model.c.published)
    return db.execute(query.order_by(model.c.version.desc()).limit(1)).scalar_one_or_none()


def get_last_of_origin(db: Connection, collection_id: int, origin: ModelOrigin) -> Model:
    """The newest model that came about in this way; there must be one."""
    query = select(model.c.id).where(model.c.collection_id == collection_id, model.c.origin == origin)
    return get(db, int(db.execute(query.order_by(model.c.version.desc()).limit(1)).scalar_one()))


def by_version(db: Connection, collection_id: int, version: int) -> Model | None:
    query = select(model.c.id).where(model.c.collection_id == collection_id, model.c.version == version)
    found = db.execute(query).scalar_one_or_none()
    return None if found is None else get(db, int(found))


def add(
    db: Connection,
    *,
    collection_id: int,
    parent_id: int | None,
    origin: ModelOrigin,
    published: bool,
    trained_up_to: int,
    triplets: int,
    noise: float,
    metrics: dict[str, Any],
    items: Items,
    embedding: Embedding,
    now: float,
) -> Model:
    """Write a model with the next version of its collection."""
    lock(db, collection_id)
    newest = select(func.coalesce(func.max(model.c.version), 0)).where(model.c.collection_id == collection_id)
    values: dict[str, Any] = {
        "collection_id": collection_id,
        "version": 1 + int(db.execute(newest).scalar_one()),
        "parent_id": parent_id,
        "origin": origin,
        "published": published,
        "trained_up_to": trained_up_to,
        "triplets": triplets,
        "noise": noise,
        "metrics": metrics,
        "created_at": now,
    }
    arrays = _packed(items, embedding)
    given = values | unused_id(db, model)
    statement = insert(model).values(arrays=arrays, checksum=_checksum(arrays), **given).returning(model.c.id)
    made = db.execute(statement).scalar_one()
    return Model(ModelInfo(id=int(made), **values), items, embedding)


def _infos(db: Connection, query: Select[Any]) -> list[ModelInfo]:
    return [_info(row) for row in db.execute(query).mappings()]


def _info(row: RowMapping) -> ModelInfo:
    return ModelInfo(**{name: value for name, value in row.items() if name not in ("arrays", "checksum")})


def _whole(row: RowMapping) -> tuple[Items, Embedding]:
    """The arrays of a row, compared with their checksum where there is one."""
    if row["checksum"] is not None and row["checksum"] != _checksum(row["arrays"]):
        raise _other_checksum(_info(row))
    try:
        return _unpacked(row["arrays"])
    except Exception as error:  # a damaged NPZ file raises anything
        raise DamagedModelError(f"{_name(_info(row))} is damaged: {type(error).__name__}: {error}") from error


def _other_checksum(info: ModelInfo) -> DamagedModelError:
    return DamagedModelError(
        f"{_name(info)} is damaged: its arrays do not have the checksum that they were written with"
    )


def _name(info: ModelInfo) -> str:
    return f"model {info.version} of collection {info.collection_id}"


def _checksum(arrays: bytes) -> str:
    return hashlib.sha256(arrays).hexdigest()


def _packed(items: Items, embedding: Embedding) -> bytes:
    """The arrays as an NPZ file, in float32: positions are never known to seven digits."""
    arrays = {"items": items, "mean": embedding.mean.astype(np.float32)}
    if embedding.var is not None:
        arrays["var"] = embedding.var.astype(np.float32)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpacked(data: bytes) -> tuple[Items, Embedding]:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return file["items"].astype(np.int64), Embedding(file["mean"], file["var"] if "var" in file.files else None)
