"""What a stored search looks like, and whether what was given is one: the log and the options as plain JSON values."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from learn2search.embedding import Embedding

MAX_SHOWN = 12
FORMAT = "learn2search.search"
VERSION = 2  # 2: candidates, near, found
_READABLE = (1, 2)


class Step(NamedTuple):
    """One question and its answer.

    Attributes
    ----------
    query : tuple of int
        The items shown.
    chosen : int or None
        The item chosen, None for "can't tell".

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.Step((4, 7), chosen=7).query
    (4, 7)
    """

    query: tuple[int, ...]
    chosen: int | None


def plain(value: Any, name: str) -> Any:
    """An option as JSON holds it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part, name) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"the option {name} is a {type(value).__name__}, which cannot be stored: give numbers or text")


def check_state(state: Mapping[str, Any], embedding: Embedding) -> None:
    """An error that says what is wrong, where this is no search on this embedding that `to_dict` made."""
    if state.get("format") != FORMAT:
        raise ValueError(f'not a stored search: expected format "{FORMAT}", got {state.get("format")!r}')
    if state.get("version") not in _READABLE:
        raise ValueError(
            f"the stored search has version {state.get('version')!r}, this release reads version 1 and 2: "
            "finish it with the release that began it, or begin a new one"
        )
    missing = {"strategy", "embedding", "options", "key", "log", "pending"} - set(state)
    if missing:
        raise ValueError(f"the stored search is incomplete: {', '.join(sorted(missing))} missing")
    if state["embedding"] != embedding.fingerprint:
        raise ValueError(
            f"the stored search was made on embedding {state['embedding']}, this one is {embedding.fingerprint}: "
            "load the embedding that it began with"
        )
    key, log = state["key"], state["log"]
    if not (isinstance(key, list) and len(key) == 2 and all(re.fullmatch("[0-9a-f]{16}", str(word)) for word in key)):
        raise ValueError(f"the stored search has a bad key: expected two words of 16 hex digits, got {key!r}")
    if not (isinstance(log, list) and all(isinstance(entry, list | tuple) and len(entry) == 2 for entry in log)):
        raise ValueError("the stored search has a bad log: expected a list of [query, chosen]")


def checked_step(query: Any, chosen: Any, embedding: Embedding, least: int = 2) -> Step:
    """A question and its answer as they were stored or given, or an error that says what is wrong with them."""
    items = checked_items(query, embedding, "a query")
    if not least <= len(set(items)) == len(items) <= MAX_SHOWN:
        raise ValueError(f"a query must be 2 to {MAX_SHOWN} different items, got {query!r}")
    if chosen is not None and (not is_item(chosen) or chosen not in items):
        raise ValueError(f"the answer {chosen!r} is not an item of its query {query!r}")
    return Step(items, None if chosen is None else int(chosen))


def checked_items(items: Any, embedding: Embedding, what: str) -> tuple[int, ...]:
    """Items of the embedding, whole numbers; `what` they are is said in the errors."""
    if isinstance(items, str) or not isinstance(items, Sequence | np.ndarray) or not all(map(is_item, items)):
        raise ValueError(f"{what} is a list of items, whole numbers, got {items!r}")
    unknown = [item for item in items if not 0 <= item < embedding.n_items]
    if unknown:
        raise ValueError(f"{what} names item {unknown[0]}, but the items are 0..{embedding.n_items - 1}")
    return tuple(int(item) for item in items)


def is_item(value: Any) -> bool:
    """Is it a whole number?"""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
