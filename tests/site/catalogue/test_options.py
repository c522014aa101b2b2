"""What an owner can choose."""

import numpy as np
import pytest

import learn2search as l2s
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.catalogue.options import checked, offered_strategies, options_of
from learn2search.site.context import Site
from learn2search.site.errors import Invalid, Unavailable
from learn2search.site.visits.searching import answer, gallery, start
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind
from learn2search.typing import Items
from tests.site.visits.clicks import choose, end

pytestmark = pytest.mark.usefixtures("forgotten_names")


class Shuffled(l2s.Search):
    def propose(self, k: int, generator: np.random.Generator) -> Items:
        return generator.permutation(self.free)[:k]


def test_strategies_of_other_packages_should_be_offered_beside_ours() -> None:
    assert offered_strategies() == ("sampled", "gauss")
    l2s.register_strategy("shuffled")(Shuffled)
    assert offered_strategies() == ("sampled", "gauss", "shuffled")
    assert checked({"strategies": ["gauss", "shuffled"]}).strategies == ("gauss", "shuffled")


@pytest.mark.parametrize("strategies", [[], ["magic"], ["ig"], ["sampled", "two words"]])
def test_a_strategy_that_cannot_serve_should_be_refused(strategies: list[str]) -> None:
    with pytest.raises(Invalid, match="strategies"):
        checked({"strategies": strategies})


def test_strategies_can_be_given_later(site: Site, collection: Collection) -> None:
    assert options_of(make_collection(site, "colours", "Colours", noun="hue")).strategies == ("sampled",)
    make_collection(site, "colours", "Colours", strategies=["gauss", "sampled"])
    options = options_of(site.collection("colours"))
    assert (options.strategies, options.noun) == (("gauss", "sampled"), "colour")


def test_visitors_should_be_split_between_strategies_that_all_serve(site: Site, learnt: Collection) -> None:
    l2s.register_strategy("shuffled")(Shuffled)
    make_collection(site, learnt.slug, learnt.title, strategies=["sampled", "shuffled"])
    seen = set()
    for visitor in range(8):
        now = start(site, learnt.slug, visitor=f"visitor {visitor}")
        seen.add(now.row.strategy)
        now = choose(site, choose(site, now), 1)
        assert now.question is not None
        now = answer(site, now.row.id, now.question.number, AnswerKind.UNDO)
        site.beliefs.forget()
        now = choose(site, now, 2)
        assert gallery(site, now.row.id)[1].items
        assert end(site, now).row.target is not None
    assert seen == {"sampled", "shuffled"}


def test_a_strategy_that_is_gone_should_be_said(
    site: Site, learnt: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    from learn2search.search.base import STRATEGIES

    l2s.register_strategy("shuffled")(Shuffled)
    make_collection(site, learnt.slug, learnt.title, strategies=["shuffled"])
    now = start(site, learnt.slug)
    monkeypatch.delitem(STRATEGIES._things, "shuffled")
    site.beliefs.forget()
    with pytest.raises(Unavailable, match="“shuffled”, which is not installed"):
        choose(site, now)
    with pytest.raises(Unavailable, match="“shuffled”, which is not installed"):
        start(site, learnt.slug)
