"""Files are written whole or not at all, whoever else writes them; NPZ files say what they are."""

import threading
from pathlib import Path

import numpy as np
import pytest

from learn2search.files import open_atomic, read_npz, write_atomic, write_npz
from learn2search.typing import Arrays


def test_text_and_bytes_should_be_written(tmp_path: Path) -> None:
    write_atomic(tmp_path / "text", "Grün\n")
    write_atomic(str(tmp_path / "bytes"), b"\x00\xff")
    assert (tmp_path / "text").read_bytes() == "Grün\n".encode()
    assert (tmp_path / "bytes").read_bytes() == b"\x00\xff"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_file_should_have_the_permissions_of_any_other(tmp_path: Path) -> None:
    write_atomic(tmp_path / "ours", b"")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_error_should_leave_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_atomic(tmp_path / "file", b"old")
    with pytest.raises(TypeError, match="bytes-like"), open_atomic(tmp_path / "file") as file:
        file.writelines([b"half of the new", None])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"file": b"old"}


def test_a_reader_should_see_the_old_file_until_the_new_one_is_whole(tmp_path: Path) -> None:
    write_atomic(tmp_path / "file", b"old")
    with open_atomic(tmp_path / "file") as file:
        file.write(b"new")
        assert (tmp_path / "file").read_bytes() == b"old"
    assert (tmp_path / "file").read_bytes() == b"new"


def test_concurrent_writers_should_not_clash(tmp_path: Path) -> None:
    contents = [bytes([number]) * 100_000 for number in range(8)]
    together = threading.Barrier(len(contents))

    def write(content: bytes) -> None:
        together.wait()
        for _ in range(20):
            write_atomic(tmp_path / "file", content)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_bytes() in contents


@pytest.mark.parametrize("compress", [False, True])
def test_arrays_should_come_back(tmp_path: Path, compress: bool) -> None:
    write_npz(tmp_path / "a", "soup", 3, {"x": np.arange(4), "text": np.array("hello")}, compress=compress)
    arrays = read_npz(tmp_path / "a", "soup", 3, "a soup", ("x",))
    assert arrays["x"].tolist() == [0, 1, 2, 3]
    assert str(arrays["text"]) == "hello"


def test_what_is_read_should_be_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    write_npz(path, "soup", 3, {"x": np.arange(4)})
    with pytest.raises(ValueError, match="a.npz is not a salad: it holds a soup"):
        read_npz(path, "salad", 3, "a salad", ("x",))
    with pytest.raises(ValueError, match="a soup of version 3, this release reads version 4"):
        read_npz(path, "soup", 4, "a soup", ("x",))
    with pytest.raises(ValueError, match="a soup without salt: it is damaged"):
        read_npz(path, "soup", 3, "a soup", ("x", "salt"))
    np.savez(path, format="soup", version=3, x=np.array([{}], object))
    with pytest.raises(ValueError, match="Object arrays cannot be loaded"):  # a pickle can run anything
        read_npz(path, "soup", 3, "a soup", ("x",))


def test_older_versions_should_be_brought_to_the_present_one(tmp_path: Path) -> None:
    def upgrade(arrays: Arrays) -> Arrays:
        return {**arrays, "version": np.array(4), "y": arrays["x"]}

    write_npz(tmp_path / "a.npz", "soup", 3, {"x": np.arange(4)})
    assert read_npz(tmp_path / "a.npz", "soup", 4, "a soup", ("y",), upgrade)["y"].tolist() == [0, 1, 2, 3]
