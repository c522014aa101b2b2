"""Triplets from files and tables: the columns of other tools, names, screens and participants."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import learn2search as l2s

ROWS = np.array([[0, 1, 2], [3, 2, 1], [0, 2, 4]])


@pytest.mark.parametrize("ending", ["csv", "tsv", "npz", "parquet"])
def test_files_should_give_the_triplets_back(tmp_path: Path, ending: str) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    l2s.write_triplets(tmp_path / f"t.{ending}", ROWS)
    data = l2s.read_triplets(tmp_path / f"t.{ending}")
    np.testing.assert_array_equal(data, ROWS)
    assert (data.n_items, data.names) == (5, (0, 1, 2, 3, 4))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("header", [["near", "who cares", "Far", " anchor"], None])
def test_separators_and_headers_should_be_found(tmp_path: Path, separator: str, header: list[str] | None) -> None:
    rows = [["pear", "1", "car", "apple"]] if header else [["apple", "pear", "car"], ["car", "pear", "apple"]]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(f" {separator} ".join(row) for row in ([header] if header else []) + rows))
    data = l2s.read_triplets(path)
    assert data.decode(data.triplets[0]) == ["apple", "pear", "car"]
    assert data.encode(["apple", "car"]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="there is no item 'plum': the 3 items are 'apple', 'car', 'pear'"):
        data.encode(["plum"])


def test_quoted_names_should_keep_their_commas_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('anchor,near,far\n"Rice, Oat, and Nut",Burger,"two\nlines"\n')
    assert l2s.read_triplets(path).names == ("Burger", "Rice, Oat, and Nut", "two\nlines")


def test_salmons_answers_should_be_one_screen_each(tmp_path: Path) -> None:
    path = tmp_path / "salmon.csv"
    path.write_text("time,head,winner,loser,puid\n1.5,0,1,2,abc\n\n2.5,0,2,1,abc\n3,0,1,2,def\n")
    data = l2s.read_triplets(path)
    np.testing.assert_array_equal(data, [[0, 1, 2], [0, 2, 1], [0, 1, 2]])
    assert data.participants.tolist() == ["abc", "abc", "def"]
    assert data.groups.tolist() == [0, 1, 2]


def test_nexts_answers_should_be_the_chosen_item(tmp_path: Path) -> None:
    path = tmp_path / "participant-responses.csv"
    head = "Participant ID,Timestamp,Center,Left,Right,Answer,Alg Label\n"
    path.write_text(head + "oe,2016,b.png,a.png,c.png,c.png,Test\noe,2016,a.png,b.png,c.png,b.png,Test\n")
    data = l2s.read_triplets(path)
    assert data.triplets.tolist() == [[1, 2, 0], [0, 1, 2]]
    assert data.names == ("a.png", "b.png", "c.png")
    path.write_text(head + "oe,2016,b.png,a.png,c.png,d.png,Test\n")
    with pytest.raises(ValueError, match="row 0: the answer 'd.png' is neither left, 'a.png', nor right, 'c.png'"):
        l2s.read_triplets(path)


def test_psiz_trials_should_be_expanded_within_their_screen(tmp_path: Path) -> None:
    path = tmp_path / "trial.csv"
    path.write_text(
        "trial_id,assignment_id,n_select,is_ranked,q_idx,c1_idx,c2_idx,c3_idx,c4_idx,is_catch_trial\n"
        "1,9,2,1,0,1,2,3,NULL,0\n"
        "2,9,2,0,4,0,1,2,3,0\n"
        "3,9,1,1,0,0,1,,,1\n"
    )
    data = l2s.read_triplets(path)
    ranked, unranked = [[0, 1, 2], [0, 1, 3], [0, 2, 3]], [[4, 0, 2], [4, 0, 3], [4, 1, 2], [4, 1, 3]]
    assert data.triplets.tolist() == ranked + unranked
    assert data.groups.tolist() == [0] * 3 + [1] * 4


class Frame:
    """What pandas and polars have in common."""

    def __init__(self, **columns: list[Any]) -> None:
        self.content, self.columns = columns, list(columns)

    def __getitem__(self, name: str) -> list[Any]:
        return self.content[name]


def test_a_frame_should_be_read_by_its_names() -> None:
    frame: Any = Frame(far=[2, 4], screen=[1, 1], anchor=[0, 3], subject=["x", "y"], near=[1, 2])
    data = l2s.read_triplets(frame)
    np.testing.assert_array_equal(data, [[0, 1, 2], [3, 2, 4]])
    assert data.groups.tolist() == [0, 1]  # screens are numbered anew for each participant
    assert data.participants.tolist() == ["x", "y"]
    np.testing.assert_array_equal(l2s.triplets.as_triplets(frame), data)
    arrow = pytest.importorskip("pyarrow")
    np.testing.assert_array_equal(l2s.read_triplets(arrow.table(frame.content)), data)


def test_unknown_screens_should_be_inferred_but_never_cross_participants() -> None:
    same = {"anchor": [0, 0, 0], "near": [1, 1, 1], "far": [2, 3, 2]}
    assert l2s.read_triplets(same).groups.tolist() == [0, 0, 0]
    assert l2s.read_triplets(same | {"worker_id": [5, 5, 6]}).groups.tolist() == [0, 0, 1]


def test_ids_with_gaps_should_be_numbered_anew() -> None:
    data = l2s.read_triplets({"anchor": [10**9, 5], "near": [4711, 10**9], "far": [5, 4711]})
    assert data.names == (5, 4711, 10**9)
    assert data.triplets.tolist() == [[2, 1, 0], [0, 2, 1]]
    assert l2s.TSTE(1, epochs=1).fit(data).n_items_ == 3


def test_two_files_should_have_one_numbering() -> None:
    first = l2s.read_triplets({"anchor": ["b"], "near": ["c"], "far": ["d"]})
    more: Any = {"anchor": ["d"], "near": ["b"], "far": ["c"]}
    assert l2s.read_triplets(more, names=first.names).triplets.tolist() == [[2, 0, 1]]
    assert l2s.read_triplets(more, names="abcd").n_items == 4
    with pytest.raises(ValueError, match="the table has the item 'd', which is not among the 3 given names"):
        l2s.read_triplets(more, names="abc")


def test_a_part_should_keep_what_belongs_to_it() -> None:
    data = l2s.TripletData(ROWS, 9, np.array([0, 1, 1]), tuple("abcdefghi"), np.array(["x", "y", "y"]))
    part = data[data.participants == "y"]
    assert (len(part), part.groups.tolist(), part.n_items) == (2, [1, 1], 9)
    assert l2s.CKL(1, epochs=1).fit(part).n_items_ == 9  # also items that these rows do not name
    assert [row.tolist() for row in part] == ROWS[1:].tolist()


def test_damaged_and_foreign_files_should_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("anchor,near,far\n0,1,2\n0,x,2\n")
    with pytest.raises(ValueError, match="row 1 is .*'x' is no whole number"):
        l2s.read_triplets(path)
    path.write_text("anchor,near,far\n0,1,2\n0,2\n")
    with pytest.raises(ValueError, match=r"t.csv, line 3: expected 3 columns, got 2: \['0', '2'\]"):
        l2s.read_triplets(path)
    path.write_text("a,b,c\n0,1,2\n")
    with pytest.raises(
        ValueError, match="must have the columns anchor, near, far or head, winner, loser or .*, found: a, b, c"
    ):
        l2s.read_triplets(path)
    path.write_text("anchor,near,far\n")
    with pytest.raises(ValueError, match="there are no triplets"):
        l2s.read_triplets(path)
    path.write_text("anchor,near,near,far\n0,1,2,3\n")
    with pytest.raises(ValueError, match="two columns have one name: anchor, near, near, far"):
        l2s.read_triplets(path)
    path.write_bytes("anchor,near,far\nKäse,Brot,Öl\n".encode("latin-1"))
    with pytest.raises(ValueError, match="is not UTF-8 text .*: save it as CSV in UTF-8"):
        l2s.read_triplets(path)
    path.write_text("\n")
    with pytest.raises(ValueError, match="is empty: expected a header"):
        l2s.read_triplets(path)
    with pytest.raises(ValueError, match=r"\.npz or \.parquet files, got 't.xlsx'"):
        l2s.read_triplets(tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match="expected a path or a table with named columns, got list"):
        l2s.read_triplets([(0, 1, 2)])
    with pytest.raises(FileNotFoundError):
        l2s.read_triplets(tmp_path / "none.npz")


def test_npz_files_of_another_kind_should_be_refused(tmp_path: Path) -> None:
    whole = tmp_path / "t.npz"
    l2s.write_triplets(whole, ROWS)
    whole.write_bytes(whole.read_bytes()[:100])
    with pytest.raises(ValueError, match="not a file of triplets .or is damaged."):
        l2s.read_triplets(whole)
    np.savez(whole, format="learn2search.triplets", version=9, triplets=ROWS)
    with pytest.raises(ValueError, match="a file of triplets of version 9, this release reads version 1"):
        l2s.read_triplets(whole)
