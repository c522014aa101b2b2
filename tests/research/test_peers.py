"""The comparison with other libraries: the folds, the peers' likelihoods, the order of the run."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import learn2search as l2s
from learn2search.typing import Triplets
from research import embedding_folds as folds
from research import embeddings, peer_worker, peers
from research import embeddings_tables as tables
from research.rows import Results
from research.study import Study


@pytest.fixture
def small_sets(monkeypatch: pytest.MonkeyPatch) -> Iterator[l2s.TripletData]:
    """Data sets of the same shape, without the files."""
    generator = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), generator.integers(1, 9, 30))
    triplets = np.array([generator.permutation(12)[:3] for _ in groups])
    data = l2s.TripletData(triplets, 12, groups, tuple("abcdefghijkl"))
    monkeypatch.setattr(l2s, "fetch_music_artists", lambda: data)
    monkeypatch.setattr(l2s, "fetch_food", lambda *, unique: data)
    for cached in (folds.load, folds.row_numbers):
        cached.cache_clear()
    yield data
    for cached in (folds.load, folds.row_numbers):
        cached.cache_clear()


@pytest.mark.parametrize("dataset", ["artists", "food"])
def test_folds_should_hold_out_every_row_once_and_never_cut_a_screen(small_sets: l2s.TripletData, dataset: str) -> None:
    for split in folds.SPLITS:
        tests = [test for _, test in folds.row_numbers(dataset, split)]
        assert sorted(np.concatenate(tests)) == list(range(len(small_sets.triplets)))
    for train, test in folds.row_numbers(dataset, "screen"):
        assert not set(small_sets.groups[train]) & set(small_sets.groups[test])


def test_a_fold_should_come_back_from_its_file(small_sets: l2s.TripletData, tmp_path: Path) -> None:
    part = folds.load_fold("artists", "screen", 3)
    part.write(tmp_path / "fold.npz")
    with np.load(tmp_path / "fold.npz") as stored:
        assert (stored["train"] == part.train).all()
        assert (stored["test"] == part.test).all()
        assert stored["n_items"] == 12
    assert len(part.train_groups) == len(part.train)


def test_folds_should_name_the_sets_there_are() -> None:
    with pytest.raises(ValueError, match="expected one of .*'artists', 'food'.* got 'wine' and 'row'"):
        folds.load("wine", "row")


@pytest.mark.parametrize("n_components", [1, 2, 10])
def test_tste_losses_should_equal_the_ratio_of_student_kernels(n_components: int) -> None:
    near, far = np.random.default_rng(1).gamma(1.0, 3.0, (2, 50))
    alpha = max(n_components - 1, 1)
    kernel_near, kernel_far = ((1 + d2 / alpha) ** (-(alpha + 1) / 2) for d2 in (near, far))
    expected = -np.log(kernel_near / (kernel_near + kernel_far))
    np.testing.assert_allclose(peer_worker.tste_losses(near, far, n_components), expected, rtol=1e-9)


@pytest.mark.parametrize("mu", [0.0, 0.1])
def test_ckl_losses_should_equal_the_ratio_of_distances(mu: float) -> None:
    near, far = np.random.default_rng(2).gamma(1.0, 3.0, (2, 50))
    expected = -np.log((mu + far) / (mu + far + mu + near))
    np.testing.assert_allclose(peer_worker.ckl_losses(near, far, mu), expected, rtol=1e-9, atol=1e-15)


class TSTE:
    """An estimator in cblearn's shape that always finds the same points on a line."""

    n_components, max_iter, n_iter_ = 1, 1000, 7

    def fit(self, triplets: Triplets, n_objects: int) -> None:
        self.embedding_ = np.arange(n_objects, dtype=float)[:, None] ** 2


class SOE(TSTE):
    """The same; by its name it has no probabilities."""


def test_a_measurement_should_score_the_fitted_points() -> None:
    measure = peer_worker.measure
    train, test = np.array([(0, 1, 2)]), np.array([(0, 1, 3), (3, 0, 2), (1, 0, 2)])  # items at 0, 1, 4, 9
    result = measure(TSTE(), train, test, 4)
    assert result["accuracy"] == pytest.approx(2 / 3)
    probabilities = [(1 / 2) / (1 / 2 + 1 / 82), (1 / 82) / (1 / 82 + 1 / 26), (1 / 2) / (1 / 2 + 1 / 10)]
    assert result["nll"] == pytest.approx(-np.mean(np.log(probabilities)))
    assert (result["iterations"], result["max_iterations"], result["train"], result["test"]) == (7, 1000, 1, 3)
    assert measure(SOE(), train, test, 4)["nll"] is None


def test_the_plan_should_name_each_fit_once_and_cover_the_grid() -> None:
    cases = peers.plan()
    assert max(Counter(tuple(case.values()) for case in cases).values()) == 1
    fast = [case for case in cases if case["method"] in peers.FAST]
    grid = Counter((case["dataset"], case["split"], case["method"], case["d"]) for case in fast)
    assert set(grid.values()) == {10}
    assert len(grid) == 2 * 2 * len(peers.FAST) * len(folds.DIMENSIONS)
    assert {case["method"] for case in cases} == set(peers.METHODS)


def test_a_peers_results_should_not_pass_for_ours(
    results_folder: Path, small_sets: l2s.TripletData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The versions of the peers are at the head; ours and theirs are different tables, and different lines."""
    worker = SimpleNamespace(
        versions={"cblearn": "0"}, fit=lambda *_: {"accuracy": 0.5, "nll": None, "cpu_seconds": 40.0}
    )
    monkeypatch.setattr(peers, "worker", lambda: worker)
    peers.run(Study("peers"))
    results = Results(quick=True)
    assert results.file("peers").head["peers"] == {"cblearn": "0"}
    assert len(results.select(peers.PEER_FIT)) == len(peers.plan(quick=True))
    assert not results.select(embeddings.FIT)
    assert {tables.name_of(row) for row in results.select(peers.PEER_FIT)} == {
        "cblearn tste, D=2",
        "cblearn soe, one start, D=2",
    }
    assert tables.fold_row("tste", results.select(peers.PEER_FIT, method="tste"))[1:] == ["50.00 ± 0.00", "", "40", "4"]
