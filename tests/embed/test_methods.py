"""Names for embedding methods."""

import pytest

import learn2search as l2s
from learn2search.embed.methods import EMBEDDINGS

pytestmark = pytest.mark.usefixtures("forgotten_names")


def test_ours_should_have_names() -> None:
    assert EMBEDDINGS.names() == ("ckl", "gauss", "tste")
    assert EMBEDDINGS.get("tste") is l2s.TSTE
    assert EMBEDDINGS.group == "learn2search.embeddings"


def test_one_of_ones_own_should_be_registered_once() -> None:
    class Mine(l2s.TSTE):
        pass

    assert l2s.register_embedding("mine")(Mine) is Mine
    assert l2s.Recipe(embedding="mine").embedding == "mine"
    with pytest.raises(ValueError, match='name "mine" of .*CKL is taken by .*Mine'):
        EMBEDDINGS.register("mine", type("CKL", (l2s.CKL,), {}))
    with pytest.raises(ValueError, match='name "ckl" of .*Mine is taken by Learn2Search itself'):
        l2s.register_embedding("ckl")(Mine)


def test_what_cannot_be_fitted_should_be_refused() -> None:
    with pytest.raises(ValueError, match="has no fit"):
        l2s.register_embedding("mine")(dict)  # type: ignore[type-var]
    with pytest.raises(ValueError, match="embedding must be one of ckl, gauss, tste, true, got 'unknown'"):
        l2s.Recipe(embedding="unknown")
