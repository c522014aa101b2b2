"""Data sets: the real files where they are, and downloads from a real server on this machine."""

import hashlib
import io
import os
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.datasets.download import DataFile, DataUnavailable, folders

DATA = os.environ.get("LEARN2SEARCH_DATA")
# Never skipped in CI: there a missing data set fails.
needs_data = pytest.mark.skipif(
    not DATA and os.environ.get("CI") != "true", reason="real data: set LEARN2SEARCH_DATA to the folder that has it"
)


def test_real_data_should_be_there_in_ci() -> None:
    """In CI the tests below must not be skipped."""
    assert DATA or os.environ.get("CI") != "true", "set LEARN2SEARCH_DATA"


@needs_data
def test_music_artists_should_have_the_papers_counts() -> None:
    data = l2s.fetch_music_artists()
    assert data.triplets.shape == (9090, 3)
    assert data.n_items == len(data.names) == 400
    assert set(np.unique(data.triplets)) == set(range(400))
    assert len(np.unique(data.triplets, axis=0)) == 9090
    assert len(data.groups) == 9090
    asked = data.names.index("beach boys"), data.names.index("the beatles")
    assert data.names[:3] == ("112", "311", "3 doors down")
    assert set(data.encode(["beach boys", "the beatles"])) == set(asked)


@needs_data
def test_food_should_have_the_published_counts() -> None:
    data = l2s.fetch_food()
    assert data.triplets.shape == (250_320, 3)
    assert data.n_items == len(data.names) == 100
    assert len(np.unique(data.groups)) == 15_320  # 19,150 screens less 3,830 catch trials
    for group in (0, 100, 15_000):
        assert len(np.unique(data.triplets[data.groups == group, 0])) == 1  # one probe a screen
    assert len(np.unique(data.participants)) == 243
    for group in (0, 100, 15_000):
        assert len(np.unique(data.participants[data.groups == group])) == 1  # one worker a screen
    assert "Slow Cooker Barbacoa Beef" in data.names
    assert len(set(data.names)) == 100
    unique = l2s.fetch_food(unique=True)
    assert unique.triplets.shape == (190_376, 3)
    assert len(np.unique(unique.triplets, axis=0)) == 190_376


@needs_data
def test_wines_and_tracks_should_be_standardised() -> None:
    for features, shape in ((l2s.fetch_red_wine(), (1599, 11)), (l2s.fetch_music_origin(), (1059, 68))):
        assert features.shape == shape
        np.testing.assert_allclose(features.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(features.std(axis=0), 1)
    assert len(np.unique(l2s.fetch_red_wine(), axis=0)) == 1359
    assert l2s.fetch_red_wine(standardise=False)[0, 0] == 7.4


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A real web server with a file, an archive and nothing else."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "plain.csv").write_bytes(b"1,2\r\n3,4\r\n")
    with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
        archive.writestr("release/data/inner.txt", "hello\r\n")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEARN2SEARCH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "data"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_download_should_be_checked_and_kept(server: str, empty_folder: Path) -> None:
    file = DataFile("plain.csv", digest(b"1,2\n3,4\n"), f"{server}/plain.csv")
    assert file.read() == b"1,2\n3,4\n"  # line ends are made equal
    offline = DataFile("plain.csv", file.sha256, "http://127.0.0.1:9/nothing")
    assert offline.read() == b"1,2\n3,4\n"
    assert [path.name for path in empty_folder.iterdir()] == ["plain.csv"]


def test_a_file_should_be_taken_out_of_its_archive(server: str, empty_folder: Path) -> None:
    file = DataFile("inner.txt", digest(b"hello\n"), f"{server}/packed.zip", archived=True)
    assert file.read() == b"hello\n"
    assert (empty_folder / "inner.txt").read_bytes() == b"hello\n"
    with pytest.raises(DataUnavailable, match="holds no other.txt"):
        DataFile("other.txt", "", f"{server}/packed.zip", archived=True).read()
    with pytest.raises(DataUnavailable, match="plain.csv is not a ZIP or tar archive"):
        DataFile("other.txt", "", f"{server}/plain.csv", archived=True).read()


def test_a_folder_that_cannot_be_written_should_not_matter(server: str, empty_folder: Path, tmp_path: Path) -> None:
    empty_folder.write_text("a file where the folder should be")
    file = DataFile("plain.csv", digest(b"1,2\n3,4\n"), f"{server}/plain.csv")
    assert file.read() == b"1,2\n3,4\n"
    assert (tmp_path / "cache" / "learn2search" / "plain.csv").exists()


def test_without_any_folder_to_write_to_a_file_should_be_read_all_the_same(
    server: str, empty_folder: Path, tmp_path: Path
) -> None:
    empty_folder.write_text("a file where the folder should be")
    (tmp_path / "cache").write_text("here too")
    file = DataFile("inner.txt", digest(b"hello\n"), f"{server}/packed.zip", archived=True)
    assert file.read() == b"hello\n"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_the_cache_should_be_where_linux_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEARN2SEARCH_DATA", raising=False)
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert folders() == [Path("/home/ann/.cache/learn2search")]
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/tmp/ann")
    assert folders() == [Path("/var/tmp/ann/learn2search")]
    monkeypatch.setenv("LEARN2SEARCH_DATA", "/data")
    assert folders() == [Path("/data"), Path("/var/tmp/ann/learn2search")]


def test_what_is_not_the_expected_file_should_be_refused(server: str, empty_folder: Path) -> None:
    with pytest.raises(DataUnavailable, match="is not the expected file: .* expected 0000 but got [0-9a-f]{64}"):
        DataFile("plain.csv", "0000", f"{server}/plain.csv").read()
    assert list(empty_folder.iterdir()) == []
    (empty_folder / "plain.csv").write_bytes(b"damaged")
    with pytest.raises(DataUnavailable, match="sha256 [0-9a-f]{64}, not .* delete it, and it is downloaded again"):
        DataFile("plain.csv", digest(b"1,2\n3,4\n"), f"{server}/plain.csv").read()


def test_an_address_that_cannot_be_reached_should_say_what_to_do(empty_folder: Path, server: str) -> None:
    for address in ("http://127.0.0.1:9/x.csv", f"{server}/missing.csv"):
        with pytest.raises(DataUnavailable, match="cannot be reached .* put it into .*, or set LEARN2SEARCH_DATA"):
            DataFile("x.csv", "", address).read()


def test_food_of_another_version_should_be_refused(empty_folder: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(
            "raw/a.json",
            '[{"HIT_screens": [{"probe": "images/a.jpg", "images": ["images/b.jpg", "images/c.jpg"],'
            ' "near_answer": ["images/b.jpg"], "is_catchtrial": false}]}]',
        )
        archive.writestr("raw/info.json", '{"something": 1}')
    empty_folder.mkdir()
    (empty_folder / "food100-dataset.zip").write_bytes(content.getvalue())
    with pytest.raises(DataUnavailable, match=r"this gives 1 \(1\) of 3: another version"):
        l2s.fetch_food()


def test_synthetic_triplets_should_follow_the_oracle() -> None:
    features = np.random.default_rng(0).random((30, 3))
    rows = l2s.make_triplets(l2s.ProbitOracle(features, 1e-6, seed=1), 30, 500, seed=2)
    anchor, near, far = features[rows.T]
    assert rows.shape == (500, 3)
    assert np.all(np.linalg.norm(anchor - near, axis=1) < np.linalg.norm(anchor - far, axis=1))
    assert not l2s.triplets.is_degenerate(rows).any()
    with pytest.raises(ValueError, match="is it always undecided"):
        l2s.make_triplets(l2s.ProbitOracle(features, 0.1, undecided=1e9), 30, 2)
    with pytest.raises(ValueError, match="at least 3 items"):
        l2s.make_triplets(l2s.ProbitOracle(features, 0.1), 2, 5)


def test_no_data_file_should_be_part_of_the_project() -> None:
    root = Path(__file__).parents[2]
    names = {"winequality-red.csv", "music_triplets.mat", "default_features_1059_tracks.txt", "food100-raw-json.tar.gz"}
    assert not [
        path
        for folder in ("src", "tests", "docs", "research")
        for path in (root / folder).rglob("*")
        if path.name in names
    ]
