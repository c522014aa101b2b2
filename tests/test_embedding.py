"""Embedding: a frozen value that refuses what cannot be searched."""

import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

import learn2search as l2s


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([1.0, 2.0, 3.0], r"must be 2-D.*got shape \(3,\): one feature per item\? reshape"),
        (np.zeros((2, 2, 2)), r"must be 2-D.*got shape \(2, 2, 2\)"),
        ([[1.0, np.nan], [2.0, 3.0], [np.inf, 0.0]], "2 of 3 rows hold NaN or infinity .the first is row 0."),
        ([[1.0, 2.0]] * 4, "all 4 items have the same features"),
        ([[1.0, 2.0]], "at least 2 items"),
        (np.empty((5, 0)), "at least 2 items and 1 feature"),
        ([[1e31, 0.0], [0.0, 1.0]], r"must lie within .1e\+30, got 0 to 1e\+31: rescale them"),
        ([[1e-40], [0.0]], "differ by less than 1e-30: rescale them"),
        ([["red", "green"], ["blue", "white"]], "must be numbers"),
        ([[1.0, 2.0], [3.0]], "must be numbers"),
        ([[1.0, 2j], [3.0, 4.0]], "must be numbers, one row an item: got complex numbers"),
        (np.ma.masked_invalid([[1.0, np.nan], [3.0, 4.0]]), "got masked values: fill or drop them"),
    ],
)
def test_features_that_cannot_be_searched_should_be_refused(features: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.Embedding(features)


@pytest.mark.parametrize(
    ("var", "message"),
    [
        (np.ones((2, 3)), r"the shape of mean, \(2, 2\), got \(2, 3\)"),
        ([[1.0, 0.0], [1.0, 1.0]], "variances must be positive, item 0"),
        ([[1.0, np.nan], [1.0, 1.0]], "var must be finite"),
    ],
)
def test_bad_variances_should_be_refused(var: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.Embedding([[0.0, 1.0], [1.0, 0.0]], var)


def test_an_embedding_should_be_frozen() -> None:
    features = np.random.default_rng(0).random((5, 2))
    space = l2s.Embedding(features)
    features[0, 0] = 99
    assert space.mean[0, 0] != 99
    with pytest.raises(ValueError, match="read-only"):
        space.mean[0, 0] = 1
    with pytest.raises(AttributeError):
        space.mean = features  # type: ignore[misc]


def test_the_fingerprint_should_change_with_every_part() -> None:
    mean, var = np.random.default_rng(0).random((2, 5, 2))
    prints = {
        l2s.Embedding(mean).fingerprint,
        l2s.Embedding(mean, var).fingerprint,
        l2s.Embedding(mean, var + 1).fingerprint,
    }
    assert len(prints) == 3
    assert l2s.Embedding(mean, var).fingerprint == l2s.Embedding(mean.copy(), var.copy()).fingerprint


def test_what_follows_from_an_embedding_should_be_made_once() -> None:
    space, numbers = l2s.Embedding([[0.0], [1.0]]), itertools.count(1)
    assert space.derived("thing", numbers.__next__) == 1
    assert space.derived("thing", numbers.__next__) == 1
    assert space.derived("thing", numbers.__next__, version=2) == 2  # only one version is kept
    assert pickle.loads(pickle.dumps(space)).fingerprint == space.fingerprint


@pytest.mark.parametrize("with_var", [False, True])
def test_saving_and_loading_should_give_the_same_embedding(tmp_path: Path, with_var: bool) -> None:
    mean, var = np.random.default_rng(0).random((2, 5, 2))
    space = l2s.Embedding(mean, var if with_var else None)
    space.save(tmp_path / "space.npz")
    assert l2s.Embedding.load(tmp_path / "space.npz").fingerprint == space.fingerprint


def test_a_file_of_another_kind_version_or_damaged_should_be_refused(tmp_path: Path) -> None:
    space = l2s.Embedding([[0.0], [1.0]])
    path = tmp_path / "space.npz"
    space.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="not an embedding file .or is damaged."):
        l2s.Embedding.load(path)
    np.savez(path, something=np.zeros(3))
    with pytest.raises(ValueError, match=r"it holds \['something'\]"):
        l2s.Embedding.load(path)
    np.savez(path, format="learn2search.embedding", version=99, mean=space.mean)
    with pytest.raises(ValueError, match="version 99, this release reads version 1"):
        l2s.Embedding.load(path)
    np.savez(path, format="learn2search.embedding", mean=space.mean)
    with pytest.raises(ValueError, match="version None"):
        l2s.Embedding.load(path)
    with pytest.raises(FileNotFoundError):
        l2s.Embedding.load(tmp_path / "nothing.npz")
    (tmp_path / "space.csv").write_text("x,y\n0.5,1\n")
    with pytest.raises(ValueError, match="space.csv is not an embedding file.*: it is text, 'x,y'.*np.loadtxt"):
        l2s.Embedding.load(tmp_path / "space.csv")
    np.save(tmp_path / "space.npy", space.mean)
    with pytest.raises(ValueError, match="space.npy is not an embedding file.*: it is one array, np.load reads it"):
        l2s.Embedding.load(tmp_path / "space.npy")
