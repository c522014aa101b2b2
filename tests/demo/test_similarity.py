from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from learn2search.demo import FEATURES, NAMES, WEIGHTS, faces, similarity_features
from learn2search.demo.similarity import checked_row


def test_the_collection_should_have_513_faces_of_18_features() -> None:
    features = faces()
    assert features.shape == (513, 18)
    assert np.abs(features).max() <= 1.0
    assert len(set(NAMES)) == len(FEATURES) == len(WEIGHTS) == 18


def test_every_feature_should_be_spread_evenly() -> None:
    """A Latin hypercube: each of the 513 slices of each feature holds one face."""
    slices = np.floor((faces() + 1) / 2 * 513).astype(int)
    assert (np.sort(slices, axis=0) == np.arange(513)[:, None]).all()


def test_features_should_not_go_together() -> None:
    between = np.asarray(np.corrcoef(faces().T))[np.triu_indices(18, 1)]
    assert np.abs(between).max() < 0.2  # chance alone: sd 1/sqrt(513) = 0.044


def test_the_same_seed_should_give_the_same_faces() -> None:
    np.testing.assert_array_equal(faces(20, seed=3), faces(20, seed=3))
    assert (faces(20, seed=3) != faces(20, seed=4)).all()


def test_nearest_faces_should_be_siblings_not_twins() -> None:
    """The nearest two of all 131,328 pairs are about half as far apart as two faces are on average."""
    distances = pdist(similarity_features(faces()))
    assert distances.min() > 0.45 * distances.mean()


@pytest.mark.parametrize("count", [1, 2, 3, 2001])
def test_collections_of_any_size_should_be_spread_evenly(count: int) -> None:
    slices = np.floor((faces(count, seed=1) + 1) / 2 * count).astype(int)
    assert (np.sort(slices, axis=0) == np.arange(count)[:, None]).all()


def test_the_table_in_the_documentation_should_be_up_to_date() -> None:
    page = (Path(__file__).parents[2] / "docs" / "faces.md").read_text(encoding="utf-8")
    for feature in FEATURES:
        assert f"| `{feature.name}` | {feature.low} | {feature.high} | {feature.weight} |" in page


def test_visitors_should_see_features_times_weights() -> None:
    features = faces(5, seed=0)
    np.testing.assert_allclose(similarity_features(features), features @ np.diag(WEIGHTS))


@pytest.mark.parametrize("count", [0, -3])
def test_an_empty_collection_should_be_refused(count: int) -> None:
    with pytest.raises(ValueError, match="at least one face"):
        faces(count)


def test_wrong_shapes_should_be_refused() -> None:
    with pytest.raises(ValueError, match=r"18 features each, shape \(n, 18\), got shape \(3, 17\)"):
        similarity_features(np.zeros((3, 17)))
    with pytest.raises(ValueError, match=r"18 features, shape \(18,\), got shape \(1, 18\)"):
        checked_row(np.zeros((1, 18)))


@pytest.mark.parametrize(("value", "shown"), [(1.01, "1.01"), (-2, "-2"), (np.nan, "nan"), (np.inf, "inf")])
def test_values_outside_the_range_should_be_named(value: float, shown: str) -> None:
    features = np.zeros((4, 18))
    features[2, NAMES.index("nose")] = value
    with pytest.raises(ValueError, match=rf"lie in \[-1, 1\], but nose of face 2 is {shown}"):
        similarity_features(features)
