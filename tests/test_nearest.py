"""Nearest items, always equal to brute force."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import learn2search as l2s
from learn2search.nearest import Nearest, best_form, twins_of
from learn2search.search.places import count_places
from learn2search.typing import Array, Blocked


def brute_force(embedding: l2s.Embedding, metric: str, point: Array, blocked: Blocked) -> int:
    """Sums in the order of the coordinates, the lowest item among equals."""
    distances = np.zeros(embedding.n_items)
    for k in range(embedding.dim):
        square = (embedding.mean[:, k] - point[k]) ** 2
        distances = distances + (square / embedding.var[:, k] if metric == "mahalanobis" else square)
    distances[blocked > 0] = np.inf
    return int(np.argmin(distances)) if np.isfinite(distances).any() else -1


def make(seed: int, n: int, d: int, rounded: bool) -> tuple[l2s.Embedding, np.random.Generator]:
    """Rounded coordinates make ties and duplicates frequent."""
    generator = np.random.default_rng(seed)
    mean = generator.normal(size=(n, d)) * 10.0 ** generator.integers(-3, 4)
    if rounded:
        mean = np.round(generator.normal(size=(n, d)) * 2)
        mean[0] = mean[1] + 1
    return l2s.Embedding(mean, generator.gamma(0.5, 1, size=(n, d)) + 1e-3), generator


@settings(max_examples=150)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 400),
    d=st.integers(1, 25),
    metric=st.sampled_from(["euclidean", "mahalanobis"]),
    form=st.sampled_from(["tree", "pass"]),
    rounded=st.booleans(),
    share_blocked=st.sampled_from([0.0, 0.5, 0.98, 1.0]),
)
def test_nearest_should_equal_brute_force(
    seed: int, n: int, d: int, metric: str, form: str, rounded: bool, share_blocked: float
) -> None:
    embedding, generator = make(seed, n, d, rounded)
    nearest = Nearest(embedding, metric, form)
    blocked = (generator.random(n) < share_blocked).astype(np.uint8)
    for _ in range(5):
        item = generator.integers(n)
        point = embedding.mean[item] if rounded else embedding.mean[item] + generator.normal(size=d)
        assert nearest.query(point, blocked) == brute_force(embedding, metric, point, blocked)


@pytest.mark.parametrize("form", ["tree", "pass"])
def test_points_that_float32_cannot_tell_apart_should_still_be_told_apart(form: str) -> None:
    generator = np.random.default_rng(0)
    mean = 1000.0 + generator.normal(size=(3000, 3)) * 1e-6  # float32 resolves 6e-5 here
    nearest = Nearest(l2s.Embedding(mean), form=form)
    free = np.zeros(3000, np.uint8)
    for item in range(0, 3000, 37):
        assert nearest.query(mean[item] + 1e-10, free) == item


def test_blocking_should_need_no_rebuilding() -> None:
    embedding, _ = make(3, 500, 4, rounded=False)
    nearest, blocked = Nearest.of(embedding), np.zeros(500, np.uint8)
    seen = []
    for _ in range(500):
        seen.append(nearest.query([0.0, 0.0, 0.0, 0.0], blocked))
        blocked[seen[-1]] = 1
    assert sorted(seen) == list(range(500))
    assert nearest.query([0.0, 0.0, 0.0, 0.0], blocked) == -1
    distances = np.linalg.norm(embedding.mean[seen], axis=1)
    assert (np.diff(distances) >= 0).all()


def test_an_index_should_be_built_once_and_shared_by_threads() -> None:
    embedding, generator = make(4, 5000, 5, rounded=False)
    points, free = generator.normal(size=(400, 5)), np.zeros(5000, np.uint8)
    with ThreadPoolExecutor(8) as pool:
        indexes = list(pool.map(lambda _: Nearest.of(embedding), range(16)))
        assert len({id(index) for index in indexes}) == 1
        found = list(pool.map(lambda point: indexes[0].query(point, free), points))
    assert found == [brute_force(embedding, "euclidean", point, free) for point in points]


def test_the_form_should_follow_from_n_and_d() -> None:
    assert [best_form(100, 5), best_form(10_000, 5), best_form(10_000, 10), best_form(10**6, 10)] == [
        "pass",
        "tree",
        "pass",
        "tree",
    ]
    assert best_form(10**6, 20) == "pass"
    assert best_form(10**6, 4096) == "pass"


def test_bad_metrics_should_be_refused() -> None:
    embedding = l2s.Embedding([[0.0], [1.0]])
    with pytest.raises(ValueError, match='"mahalanobis" metric needs an Embedding with variances'):
        Nearest(embedding, "mahalanobis")
    with pytest.raises(ValueError, match="metric must be"):
        Nearest(embedding, "cosine")


def test_twins_should_form_rings_of_items_at_the_same_place() -> None:
    generator = np.random.default_rng(0)
    mean = np.round(generator.normal(size=(300, 2)))
    mean[5] = [-0.0, 0.0]
    mean[6] = [0.0, 0.0]
    ring = twins_of(l2s.Embedding(mean))
    for item in range(300):
        members, other = [item], int(ring[item])
        while other != item:
            members.append(other)
            other = int(ring[other])
        assert sorted(members) == np.flatnonzero((mean == mean[item]).all(axis=1)).tolist()


def test_bad_questions_should_be_refused() -> None:
    nearest, free = Nearest(l2s.Embedding(np.random.default_rng(0).random((40, 3)))), np.zeros(40, np.uint8)
    with pytest.raises(ValueError, match="the point must be 3 finite numbers"):
        nearest.query([0.1, 0.2], free)
    with pytest.raises(ValueError, match="the point must be 3 finite numbers"):
        nearest.query([0.1, 0.2, np.nan], free)
    with pytest.raises(ValueError, match="each of the 40 items, got shape .3,."):
        nearest.query([0.1, 0.2, 0.3], free[:3])
    with pytest.raises(ValueError, match='form must be "tree" or "pass"'):
        Nearest(l2s.Embedding([[0.0], [1.0]]), form="treee")


@pytest.mark.parametrize("scale", [1e-20, 1e-6, 1e6, 1e20])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("form", ["tree", "pass"])
def test_scale_and_offset_should_not_matter(scale: float, offset: float, form: str) -> None:
    generator = np.random.default_rng(1)
    mean = (generator.normal(size=(2000, 4)) + offset) * scale
    nearest, free = Nearest(l2s.Embedding(mean), form=form), np.zeros(2000, np.uint8)
    for point in mean[generator.integers(0, 2000, 20)] + generator.normal(size=(20, 4)) * 0.3 * scale:
        distances = np.zeros(2000)
        for k in range(4):
            distances += (mean[:, k] - point[k]) ** 2
        assert nearest.query(point, free) == np.argmin(distances)


def test_many_items_at_one_place_should_be_no_trouble() -> None:
    mean = np.zeros((200_000, 2))
    mean[-1] = 1
    assert count_places(twins_of(l2s.Embedding(mean))) == 2
