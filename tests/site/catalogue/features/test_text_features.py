"""What words say, against scikit-learn."""

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from learn2search.site.catalogue.features import text_features as module
from learn2search.site.catalogue.features.text_features import text_features

WORDS = ("red", "white", "dry", "sweet", "oak", "fruit", "Porto", "Rioja", "cherry", "plum", "stone", "smoke", "Été")


def texts(count: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(count)]


def products(features: np.ndarray) -> np.ndarray:
    """Inner products, which do not depend on the signs of the axes."""
    return features @ features.T


@pytest.mark.parametrize("dense", [0, 300])  # both ways to the singular vectors
def test_texts_should_be_where_scikit_learn_places_them(dense: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DENSE", dense)
    table = TfidfVectorizer(min_df=2).fit_transform(texts(60))
    expected = TruncatedSVD(5, algorithm="arpack", random_state=0).fit_transform(table)
    np.testing.assert_allclose(products(text_features(texts(60), axes=5)), products(expected), atol=1e-8)


def test_with_all_axes_distances_should_be_those_of_the_words() -> None:
    table = TfidfVectorizer(min_df=2).fit_transform(texts(60)).toarray()
    np.testing.assert_allclose(products(text_features(texts(60))), products(table), atol=1e-8)


def test_later_texts_should_not_move_the_first() -> None:
    first = text_features(texts(40))
    both = text_features([*texts(40), "something new", *texts(20, seed=1)], np.arange(61) < 40)
    np.testing.assert_allclose(both[:40], first, atol=1e-12)
    assert not both[40].any()  # no word of it was known
    assert both[41:].any(axis=1).all()


def test_texts_that_share_no_word_should_say_nothing() -> None:
    assert text_features(["one", "two", "three"]).shape == (3, 0)
    assert text_features([]).shape == (0, 0)
