"""Triplets: validated, converted, expanded and split; examples by hand, properties by hypothesis."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import learn2search as l2s
from learn2search import triplets as t
from learn2search.typing import Triplets

ROWS = np.array([[0, 1, 2], [3, 2, 1], [0, 2, 4]])
random_rows = st.builds(
    lambda seed, m, n: np.random.default_rng(seed).integers(0, n, (m, 3)),
    st.integers(0, 10**6),
    st.integers(1, 60),
    st.integers(2, 12),
)


def test_answers_should_swap_or_drop_rows() -> None:
    np.testing.assert_array_equal(t.as_triplets(ROWS, [1, -1, 0]), [[0, 1, 2], [3, 1, 2]])
    np.testing.assert_array_equal(t.as_triplets(ROWS, [True, False, True]), [[0, 1, 2], [3, 1, 2], [0, 2, 4]])
    np.testing.assert_array_equal(t.as_triplets(ROWS.astype(float)), ROWS)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([1, 2, 3], {}, r"shape \(m, 3\), columns anchor, near, far; got shape \(3,\)"),
        ([[1, 2]], {}, r"got shape \(1, 2\)"),
        (np.empty((0, 3), int), {}, "there are no triplets"),
        ([[0, 1, 2], [0, 1.5, 2]], {}, r"whole numbers, row 1 is \[0.0, 1.5, 2.0\]"),
        ([["a", "b", "c"]], {}, "whole numbers, got an array of"),
        ([[0, 1, np.nan]], {}, "whole numbers, row 0 is"),
        ([[0, 1, 2], [0, -1, 2]], {}, r"numbered from 0, but row 1 is \[0, -1, 2\]"),
        ([[1, 2, 3]], {"n_items": 3}, "name item 3, but n_items is 3 .*: subtract 1"),
        (
            [[0, 2, 9]],
            {"n_items": 5},
            r"name item 9, but n_items is 5 \(items are numbered from 0, so the last is 4\)$",
        ),
        (ROWS.astype(complex), {}, "whole numbers, got an array of complex128: take the real part"),
        (ROWS > 0, {}, "whole numbers, got an array of bool: answers, true or false, go to y"),
        ([["a", "b", "c"]], {}, "triplets.from_labels numbers them, and read_triplets those of files and tables"),
        ({"far": [2], "near": [1], "probe": [0]}, {}, "the table must have the columns anchor, near, far or .*probe"),
        (ROWS, {"y": [1, 1]}, r"one answer a triplet, shape \(3,\), got \(2,\)"),
        (np.ma.masked_equal([[0, 1, 2], [0, 2, 9]], 9), {}, "got masked values: drop those rows"),
        (
            ROWS,
            {"y": np.ma.masked_equal([1, 1, 9], 9)},
            "y must hold an answer .* 0 stands for undecided",
        ),
        (ROWS, {"y": [1, 2, 3]}, r"y must be boolean, or 1, -1, 0 \(undecided\), got \[1, 2, 3\]"),
    ],
)
def test_bad_triplets_should_be_refused(rows: ArrayLike, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        t.as_triplets(rows, **options)


def test_a_table_should_be_read_by_its_names() -> None:
    """Columns in another order used to be fitted as they stood."""
    table: Any = {"far": [2, 1], "participant": [7, 7], "near": [1, 2], "anchor": [0, 3]}
    np.testing.assert_array_equal(t.as_triplets(table), [[0, 1, 2], [3, 2, 1]])
    structured = np.array([(2, 1, 0)], dtype=[("loser", int), ("winner", int), ("head", int)])
    np.testing.assert_array_equal(t.as_triplets(structured), [[0, 1, 2]])
    model = l2s.TSTE(1, epochs=1, random_state=0)
    assert (model.fit(table).embedding_ == model.fit([(0, 1, 2), (3, 2, 1)]).embedding_).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda rows: l2s.GaussEmbed(2).fit(rows),
        lambda rows: l2s.GaussEmbed(2).partial_fit(rows),
        lambda rows: l2s.CKL(2).fit(rows),
        lambda rows: t.count_items(rows),
        lambda rows: l2s.TableOracle(rows),
    ],
)
def test_ids_with_huge_gaps_should_be_an_error_not_a_billion_rows(call: Callable[[ArrayLike], object]) -> None:
    with pytest.raises(ValueError, match="name item 1000000000, but only 4 different ones: .*triplets.from_labels"):
        call([[0, 1, 10**9], [0, 1, 2]])


def test_labels_of_any_kind_should_be_numbered() -> None:
    rows, names = t.from_labels([("b", "a", "c"), ("c", "b", "a")])
    assert (rows.tolist(), names) == ([[1, 0, 2], [2, 1, 0]], ("a", "b", "c"))
    labels = [(1, 2), "x", frozenset({3})]
    rows, names = t.from_labels([labels])
    assert [names[item] for item in rows[0]] == labels
    assert t.from_labels(np.array([[7.0, 9.0, 5.0]]))[1] == (5, 7, 9)
    assert t.from_labels([("311", "3lw", "aaliyah")])[1] == ("311", "3lw", "aaliyah")  # names, one like a number
    with pytest.raises(ValueError, match="row 1 is .*: 'x' is no whole number, as most items are"):
        t.from_labels([("0", "1", "2"), ("0", "x", "2")])
    with pytest.raises(ValueError, match="row 1 has no near: drop it"):
        t.from_labels([(0, 1, 2), (0, float("nan"), 2)])


def test_contradictions_should_be_allowed() -> None:
    np.testing.assert_array_equal(t.as_triplets([[0, 1, 2], [0, 2, 1]]), [[0, 1, 2], [0, 2, 1]])


def test_rows_that_say_nothing_should_be_dropped() -> None:
    np.testing.assert_array_equal(t.drop_degenerate([[0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]), [[0, 1, 2]])
    with pytest.raises(ValueError, match="all 1 triplets name the same item twice"):
        t.drop_degenerate([[0, 0, 1]])


def test_items_should_be_counted_in_any_column() -> None:
    np.testing.assert_array_equal(t.count_items(ROWS, 6), [2, 2, 3, 1, 1, 0])


@given(random_rows)
def test_other_orders_should_come_back(rows: Triplets) -> None:
    np.testing.assert_array_equal(t.from_near_far_anchor(t.to_near_far_anchor(rows)), rows)
    np.testing.assert_array_equal(t.to_near_far_anchor(rows), rows[:, [1, 2, 0]])
    np.testing.assert_array_equal(t.as_triplets(*t.to_answers(rows, 3)), rows)
    np.testing.assert_array_equal(t.from_one_based(rows + 1), rows)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([[1, 2, np.nan]], "whole numbers"), ([[1.9, 2.2, 3.5]], "whole numbers"), ([[0, 1, 2]], "numbered from 0?")],
)
def test_items_that_are_not_numbered_from_one_should_be_refused(rows: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        t.from_one_based(rows)


def test_a_click_should_be_one_triplet_for_each_item_passed_over() -> None:
    np.testing.assert_array_equal(t.from_choice(9, (4, 5, 6, 7), 5), [[9, 5, 4], [9, 5, 6], [9, 5, 7]])
    assert t.from_choice(9, (4, 5), None).shape == (0, 3)
    assert t.from_choice(9, (9, 5), 9).shape == (0, 3)  # the target itself was clicked
    np.testing.assert_array_equal(t.from_choice(9, (9, 5, 6), 5), [[9, 5, 6]])
    with pytest.raises(ValueError, match=r"item 3 was not shown: the items shown are \(4, 5\)"):
        t.from_choice(9, (4, 5), 3)


def test_a_finished_search_should_become_triplets() -> None:
    features = np.random.default_rng(0).random((50, 3))
    oracle = l2s.ProbitOracle(features, 0.05, seed=1)
    run = l2s.simulate("sampled", l2s.Embedding(features), oracle, [7], k=4, seed=0, keep_logs=True)
    rows = t.from_search(7, run.logs[0])
    assert (rows[:, 0] == 7).all()
    assert not t.is_degenerate(rows).any()
    clicks = [step for step in run.logs[0] if 7 not in step.query]
    assert len(rows) >= 3 * len(clicks)
    assert t.from_search(7, []).shape == (0, 3)


def test_the_odd_one_out_should_be_far_from_both_others() -> None:
    np.testing.assert_array_equal(
        t.from_odd_one_out([[1, 2, 3], [4, 5, 6]], [2, 6]), [[1, 3, 2], [3, 1, 2], [4, 5, 6], [5, 4, 6]]
    )
    with pytest.raises(ValueError, match="trial 0 is .1, 2, 3., odd 9"):
        t.from_odd_one_out([[1, 2, 3]], [9])


def test_rank_trials_should_expand() -> None:
    np.testing.assert_array_equal(t.from_rank_trials([[1, 5, 6, 7]]), [[0, 4, 5], [0, 4, 6]])
    ranked = t.from_rank_trials([[1, 5, 6, 7, 0]], n_select=2)
    np.testing.assert_array_equal(ranked, [[0, 4, 5], [0, 4, 6], [0, 5, 6]])
    unranked = t.from_rank_trials([[1, 5, 6, 7, 0]], n_select=2, ranked=False)
    np.testing.assert_array_equal(unranked, [[0, 4, 6], [0, 5, 6]])
    with pytest.raises(ValueError, match="n_select"):
        t.from_rank_trials([[1, 2, 3]], n_select=2)


def test_groups_should_be_connected_for_each_anchor() -> None:
    rows = [[0, 1, 2], [0, 2, 3], [0, 4, 5], [1, 2, 3], [0, 5, 4], [0, 3, 9]]
    groups = t.infer_groups(rows)
    assert groups[0] == groups[1] == groups[5]
    assert groups[2] == groups[4]
    assert len(set(groups)) == 3


@given(st.integers(0, 10**6), st.integers(2, 40))
def test_the_triplets_of_a_screen_should_fall_into_one_group(seed: int, n_screens: int) -> None:
    generator = np.random.default_rng(seed)
    screens, rows = [], []
    for number in range(n_screens):
        target, *query = generator.choice(30, 5, replace=False).tolist()
        expanded = t.from_choice(target, query, query[0])
        rows.append(expanded)
        screens += [number] * len(expanded)
    groups = t.infer_groups(np.concatenate(rows))
    for number in range(n_screens):
        assert len(set(groups[np.array(screens) == number])) == 1


@given(random_rows, st.integers(2, 5), st.integers(0, 100))
def test_folds_should_cover_every_row_once_and_keep_groups_together(rows: Triplets, n_folds: int, seed: int) -> None:
    groups = rows[:, 0]
    if len(set(groups)) < n_folds:
        return
    tested = []
    for train, test in t.folds(len(rows), n_folds, seed, groups):
        assert sorted([*train, *test]) == list(range(len(rows)))
        assert not set(groups[train]) & set(groups[test])
        tested += test.tolist()
    assert sorted(tested) == list(range(len(rows)))


def test_folds_without_groups_should_be_of_equal_size() -> None:
    sizes = [len(test) for _, test in t.folds(103, 10, 0)]
    assert set(sizes) == {10, 11}


def test_a_split_should_have_about_the_share() -> None:
    train, test = t.split(1000, 0.2, 0)
    assert len(test) == 200
    assert sorted([*train, *test]) == list(range(1000))
    groups = np.arange(1000) // 7
    train, test = t.split(1000, 0.2, 0, groups)
    assert 190 <= len(test) <= 210
    assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="cannot be split"):
        t.split(10, 0.2, 0, np.zeros(10))
    with pytest.raises(ValueError, match="groups must name a group for each triplet"):
        t.split(10, 0.2, 0, np.zeros(9))
    with pytest.raises(ValueError, match="4 groups can make 2 to 4 folds, got n_folds=10"):
        next(t.folds(8, 10, 0, np.arange(8) // 2))


def test_a_subsample_should_be_different_rows() -> None:
    rows = np.random.default_rng(0).integers(0, 1000, (500, 3))
    part = t.subsample(rows, 100, 0)
    assert len(np.unique(part, axis=0)) == 100
    with pytest.raises(ValueError, match="600 of 500 triplets asked for"):
        t.subsample(rows, 600, 0)


def test_rows_of_one_click_should_share_its_bits() -> None:
    """k - 1 rows of weight log₂ k / (k - 1): together at most the bits of one choice among k."""
    steps = [((4, 2), 2), ((1, 5, 6, 7), 6), ((8, 3, 0), 3)]
    rows = l2s.triplets.from_search(9, steps)
    weights = l2s.triplets.click_weights(rows)
    for query, chosen in steps:
        assert weights[rows[:, 1] == chosen].sum() == pytest.approx(np.log2(len(query)))


def test_clicks_of_two_searches_should_be_two_clicks() -> None:
    """The last click of a search and the first of the next may be on one item, for one target."""
    one = l2s.triplets.from_search(9, [((4, 2, 1), 2)])
    both = np.concatenate([one, one])
    expected = np.concatenate([l2s.triplets.click_weights(one)] * 2)
    np.testing.assert_array_equal(l2s.triplets.click_weights(both, [0, 0, 1, 1]), expected)
