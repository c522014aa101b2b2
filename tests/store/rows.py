"""Rows to write into the tables."""

from dataclasses import replace
from typing import Any

import numpy as np
from sqlalchemy import Connection

from learn2search import Embedding
from learn2search.store import collections, items, models, searches
from learn2search.store.enums import AnswerKind

NOW = 1_700_000_000.0


def new_item(collection_id: int, number: int) -> items.Item:
    media = {"kind": "text"}
    return items.Item(collection_id, number, f"k{number}", f"T_{number}", "", "", media, "d", True, None, NOW)


def add_model(db: Connection, collection_id: int, parent: int | None, **changes: Any) -> models.Model:
    values: dict[str, Any] = {"origin": "start", "published": True, "trained_up_to": 0, "triplets": 0}
    values |= {"noise": 1.0, "metrics": {}} | changes
    space = Embedding(np.arange(10.0).reshape(5, 2), np.ones((5, 2)))
    numbers = np.arange(5)
    return models.add(
        db,
        collection_id=collection_id,
        parent_id=parent,
        items=numbers,
        embedding=space,
        now=NOW,
        **values,
    )


def new_search(faces: collections.Collection, search_id: str = "a" * 32, **changes: Any) -> searches.SearchRow:
    values: dict[str, Any] = {
        "lessons": 0,
        "strategy": "sampled",
        "show": 4,
        "status": "open",
        "target": None,
        "questions": None,
    }
    values |= {"lesson": None, "quarantine": None, "visitor": None, "origin": "page", "started_at": NOW}
    values |= {"changed_at": NOW, "ended_at": None} | changes
    assert faces.model_id is not None
    return searches.SearchRow(search_id, faces.id, faces.model_id, **values)


def question(number: int) -> searches.StepRow:
    return searches.StepRow(number, (0, 1, 2, 3), None, None, None, NOW + number, 5.0, (4,))


def closed(number: int, kind: AnswerKind, chosen: int, milliseconds: int) -> searches.StepRow:
    return replace(question(number), kind=kind, chosen=chosen, milliseconds=milliseconds)
