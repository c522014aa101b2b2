"""Triplets in the tables that people have: DataFrames of pandas and polars, the real ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas
import polars
import pytest

import learn2search as l2s

MakeFrame = Callable[[dict[str, Any]], Any]
PACKAGES = pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame], ids=["pandas", "polars"])
NUMBERED = {"far": [2, 4], "anchor": [0, 3], "near": [1, 2]}
NAMED = {"far": ["tea", "pie"], "anchor": ["soup", "cake"], "near": ["stew", "tart"]}


@PACKAGES
def test_items_should_be_read_by_the_names_of_the_columns(frame: MakeFrame) -> None:
    table = frame(NUMBERED | {"screen": [1, 1], "subject": ["x", "y"]})
    data = l2s.read_triplets(table)
    assert data.triplets.tolist() == [[0, 1, 2], [3, 2, 4]]
    assert data.groups.tolist() == [0, 1]  # screens are numbered anew for each participant
    assert data.participants.tolist() == ["x", "y"]
    np.testing.assert_array_equal(l2s.triplets.as_triplets(table), data.triplets)
    assert l2s.TSTE(1, epochs=1).fit(table).n_items_ == 5


@PACKAGES
def test_names_should_stand_for_items(frame: MakeFrame) -> None:
    data = l2s.read_triplets(frame(NAMED))
    assert [[data.names[item] for item in row] for row in data.triplets] == [
        ["soup", "stew", "tea"],
        ["cake", "tart", "pie"],
    ]


@PACKAGES
def test_answers_of_next_and_trials_of_psiz_should_be_read(frame: MakeFrame) -> None:
    answers = frame({"Center": ["a"], "Left": ["b"], "Right": ["c"], "Answer": ["c"]})
    assert l2s.read_triplets(answers).triplets.tolist() == [[0, 2, 1]]
    trials = frame({"q_idx": [0, 3], "c1_idx": [1, 2], "c2_idx": [2, 1], "c3_idx": [None, 0], "n_select": [1, 1]})
    assert l2s.read_triplets(trials).triplets.tolist() == [[0, 1, 2], [3, 2, 1], [3, 2, 0]]


@PACKAGES
@pytest.mark.parametrize("gap", [{"far": [2, None]}, {"far": ["tea", None], "anchor": ["a", "b"], "near": ["c", "d"]}])
def test_a_gap_should_be_an_error_that_names_its_row(frame: MakeFrame, gap: dict[str, Any]) -> None:
    for read in (l2s.read_triplets, l2s.triplets.as_triplets):
        with pytest.raises(ValueError, match="row 1 has no far: drop it"):
            read(frame(NUMBERED | gap))


@PACKAGES
def test_nobody_known_should_be_nobody(frame: MakeFrame) -> None:
    assert l2s.read_triplets(frame(NUMBERED | {"participant": ["x", None]})).participants.tolist() == ["x", None]


@PACKAGES
def test_wrong_names_should_be_an_error_that_shows_them(frame: MakeFrame) -> None:
    with pytest.raises(ValueError, match="must have the columns anchor, near, far .* found: left, right, up"):
        l2s.read_triplets(frame({"left": [0], "right": [1], "up": [2]}))


def test_columns_without_names_should_be_taken_in_their_order() -> None:
    rows = np.array([[0, 1, 2], [3, 2, 4]])
    for table in (pandas.DataFrame(rows), polars.DataFrame(rows)):
        assert l2s.triplets.as_triplets(table).tolist() == rows.tolist()


def test_kinds_of_columns_should_make_no_difference() -> None:
    named, numbered = pandas.DataFrame(NAMED), pandas.DataFrame(NUMBERED)
    expected = l2s.read_triplets(NAMED)
    for table in (named.astype("category"), polars.DataFrame(NAMED).cast(polars.Categorical)):
        found = l2s.read_triplets(table)
        assert (found.triplets.tolist(), found.names) == (expected.triplets.tolist(), expected.names)
    for table in (numbered.astype("Int64"), numbered.astype(float), polars.DataFrame(NUMBERED).cast(polars.Float32)):
        assert l2s.read_triplets(table).triplets.tolist() == [[0, 1, 2], [3, 2, 4]]


def test_rows_chosen_from_a_frame_should_be_read_without_its_index() -> None:
    table = pandas.DataFrame(NUMBERED, index=[7, 7])
    assert l2s.read_triplets(table[table.far > 2]).triplets.tolist() == [[3, 2, 4]]


def test_a_gap_that_pandas_calls_na_should_be_one() -> None:
    with pytest.raises(ValueError, match="row 0 has no far: drop it"):
        l2s.read_triplets(pandas.DataFrame(NUMBERED).astype("Int64").replace({"far": {2: pandas.NA}}))


def test_two_columns_of_one_name_should_be_an_error() -> None:
    with pytest.raises(ValueError, match="two columns have one name: anchor, near, far, far"):
        l2s.read_triplets(pandas.DataFrame([[0, 1, 2, 3]], columns=["anchor", "near", "far", "far"]))


def test_a_lazy_frame_should_be_an_error_that_says_collect() -> None:
    lazy = polars.LazyFrame(NUMBERED)
    with pytest.raises(ValueError, match="a LazyFrame has not been computed yet: give its collect\\(\\)"):
        l2s.read_triplets(lazy)
    assert l2s.read_triplets(lazy.collect()).triplets.tolist() == [[0, 1, 2], [3, 2, 4]]
