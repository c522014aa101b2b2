"""Tables of answers, read by the names of their columns, whatever their order.

    ours                      anchor, near, far
    Salmon                    head, winner, loser
    NEXT                      Center, Left, Right, Answer: the answer is the item on the left or the one on the right
    NEXT's algorithms         center, winner, loser
    psiz-collect              q_idx, c1_idx, c2_idx, ...: the query and its references, the n_select chosen ones first
    metric learning           anchor, positive, negative

cblearn has no names: its `(X, y)` are arrays, which `triplets.as_triplets(X, y)` takes. A table is a dictionary, a
structured array, or anything with `columns` (pandas, polars) or `column_names` (pyarrow) and a column at `[name]`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from learn2search.typing import Integers

TRIPLES = (
    ("anchor", "near", "far"),
    ("head", "winner", "loser"),
    ("center", "winner", "loser"),
    ("anchor", "positive", "negative"),
)
QUESTION = ("center", "left", "right", "answer")
_QUERY, _REFERENCE = "q_idx", "c{}_idx"
_ONE_QUESTION_A_ROW = TRIPLES[1:3]
PARTICIPANT = (
    *("participant", "participant_id", "participant_uid", "puid", "subject", "subject_id"),
    *("worker", "worker_id", "agent_id", "user", "user_id"),
)
SESSION = ("session", "session_id", "assignment_id", "block")
SCREEN = ("screen", "screen_id", "search", "search_id", "group", "trial", "trial_id", "trial_index")
_NUMBERED = re.compile(r"column_\d+")  # polars' names for the columns of an array
_NOTHING = ("", "na", "nan", "null", "none", "-1")  # an empty place of a psiz trial

Labels = NDArray[np.object_]  # what stands in a table: names or numbers
Columns = dict[str, Labels]


class Answers(NamedTuple):
    """Triplets of labels `(m, 3)`, the row of the table that each comes from, and whether each row is one question."""

    labels: Labels
    rows: Integers
    one_question_a_row: bool


def is_table(value: Any) -> bool:
    """Has columns with names."""
    return bool(_names(value))


def has_default_names(table: Any) -> bool:
    """Columns that are only numbered, as pandas and polars do with an array: their order is all there is."""
    return all(isinstance(name, int | np.integer) or _NUMBERED.fullmatch(str(name)) for name in _names(table))


def columns_of(table: Any) -> Columns:
    """The columns, their names in small letters with _ for a space."""
    names = {plain_name(str(name)): name for name in _names(table)}
    if len(names) < len(_names(table)):
        raise ValueError(f"two columns have one name: {', '.join(map(str, _names(table)))}")
    return {plain: _values(table[name]) for plain, name in names.items()}


def plain_name(name: str) -> str:
    """As a column is looked for."""
    return "_".join(name.strip().lower().split())


def knows(names: Sequence[str]) -> bool:
    """Whether `read_answers` can read a table with these (plain) names."""
    kinds = (*TRIPLES, QUESTION, (_QUERY, _REFERENCE.format(1), _REFERENCE.format(2)))
    return any(set(kind) <= set(names) for kind in kinds)


def read_answers(columns: Columns, where: str) -> Answers:
    """The triplets of a table; where: its name, for messages."""
    for names in TRIPLES:
        if set(names) <= set(columns):
            labels = np.column_stack([columns[name] for name in names])
            return Answers(labels, np.arange(len(labels)), names in _ONE_QUESTION_A_ROW)
    if set(QUESTION) <= set(columns):
        return _from_questions(columns, where)
    if knows(list(columns)):
        return _from_rank_trials(columns, where)
    raise ValueError(
        f"{where} must have the columns {' or '.join(', '.join(names) for names in (*TRIPLES, QUESTION))}, in any "
        f"order, found: {', '.join(columns) or 'none'}"
    )


def first_of(columns: Columns, names: Sequence[str]) -> Labels | None:
    """The first of these columns that is there."""
    return next((columns[name] for name in names if name in columns), None)


def _from_questions(columns: Columns, where: str) -> Answers:
    """NEXT: the answer is the chosen item itself."""
    center, left, right, answer = (columns[name] for name in QUESTION)
    is_left = answer == left
    neither = np.flatnonzero(~(is_left | (answer == right)))
    if len(neither):
        row = int(neither[0])
        raise ValueError(
            f"{where}, row {row}: the answer {answer[row]!r} is neither left, {left[row]!r}, nor right, {right[row]!r}"
        )
    labels = np.column_stack([center, answer, np.where(is_left, right, left)])
    return Answers(labels, np.arange(len(labels)), True)


def _from_rank_trials(columns: Columns, where: str) -> Answers:
    """psiz-collect: chosen references first, in order where they are ranked. Catch trials are left out."""
    places = [name for at in range(1, 100) if (name := _REFERENCE.format(at)) in columns]
    count = len(columns[_QUERY])
    n_select, is_ranked, is_catch = (
        [_number(value, where) for value in columns.get(name, [default] * count)]
        for name, default in (("n_select", 1), ("is_ranked", 1), ("is_catch_trial", 0))
    )
    labels, rows = [], []
    for row in np.flatnonzero(np.array(is_catch) == 0).tolist():
        shown = [columns[name][row] for name in places]
        shown = [item for item in shown if str(item).strip().lower() not in _NOTHING]
        for place, near in enumerate(shown[: n_select[row]]):
            farther = shown[place + 1 if is_ranked[row] else n_select[row] :]
            labels += [(columns[_QUERY][row], near, far) for far in farther]
            rows += [row] * len(farther)
    return Answers(np.array(labels, object).reshape(-1, 3), np.array(rows, np.int64), True)


def _number(value: Any, where: str) -> int:
    text = str(value).strip().lower()
    if text in _NOTHING:
        return 0
    try:
        return int(float({"true": "1", "false": "0"}.get(text, text)))
    except ValueError:
        raise ValueError(f"{where}: n_select, is_ranked and is_catch_trial are whole numbers, got {value!r}") from None


def is_missing(value: Any) -> bool:
    """None, NaN, and the gaps of pandas: NaT is not itself, and whether NA is cannot be said."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _names(table: Any) -> list[Any]:
    if hasattr(type(table), "collect") and hasattr(type(table), "collect_schema"):
        raise ValueError(f"a {type(table).__name__} has not been computed yet: give its collect()")
    if isinstance(table, Mapping):
        return list(table)
    if isinstance(table, np.ndarray):
        return list(table.dtype.names or ())
    names = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", None)
    return [] if names is None or callable(names) or not hasattr(table, "__getitem__") else list(names)


def _values(column: Any) -> Labels:
    """A column as Python's own values, None where there is none; text without space around it."""
    for listed in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, listed):
            column = getattr(column, listed)()
            break
    found = np.empty(len(column), object)
    for row, value in enumerate(column):
        found[row] = value.strip() if isinstance(value, str) else None if is_missing(value) else value
    return found
