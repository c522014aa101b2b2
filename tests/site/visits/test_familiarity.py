"""What may be said to a visitor depends on what is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn2search.site.context import Site
from learn2search.site.learning import simulated_visitors
from learn2search.site.learning.metadata import ModelMetadata, ModelPrior
from learn2search.site.visits.familiarity import Familiarity, familiarity_of, is_likelier_than_chance
from learn2search.site.visits.searching import gallery, start
from learn2search.store.collections import Collection
from tests.site.visits.clicks import choose


def test_little_should_be_fewer_than_ten_comparisons_an_item() -> None:
    untaught = ModelMetadata(is_taught=False)
    assert familiarity_of(untaught, 100) is Familiarity.NOTHING
    assert familiarity_of(ModelMetadata(triplets=999), 100) is Familiarity.LITTLE
    assert familiarity_of(ModelMetadata(triplets=1000), 100) is Familiarity.ENOUGH
    given_positions = ModelMetadata(is_taught=False, prior=ModelPrior(features=True))
    assert familiarity_of(given_positions, 100) is Familiarity.ENOUGH


@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=40))
def test_likelier_than_chance_should_mean_that_the_likeliest_is_twice_as_probable(weights: list[float]) -> None:
    """2^-H is a lower bound of the largest probability, so the rule never says more than is so."""
    p = np.array(weights) / np.sum(weights)
    fits = float(2.0 ** -(p * np.log2(p)).sum())
    if is_likelier_than_chance(fits, len(p)):
        assert p.max() >= 2 / len(p) * (1 - 1e-9)


def test_a_belief_that_is_even_should_not_count_as_a_guess() -> None:
    assert not is_likelier_than_chance(100.0, 100)
    assert not is_likelier_than_chance(51.0, 100)
    assert is_likelier_than_chance(50.0, 100)
    assert not is_likelier_than_chance(0.5, 0)


def test_an_untaught_collection_should_claim_nothing(site: Site, collection: Collection) -> None:
    now = choose(site, choose(site, start(site, "colours")), 1)
    assert now.familiarity is Familiarity.NOTHING
    assert now.still_fit is None
    assert not now.is_taught
    assert not now.can_guess
    _, shown = gallery(site, now.row.id)
    assert not shown.likeliest
    assert now.question is not None
    latest = [now.question, *reversed(now.answers)]
    assert [item.number for item in shown.items] == [number for step in latest for number in step.shown]


def test_a_taught_collection_should_guess_once_the_belief_is_uneven(
    site: Site, learnt: Collection, features: np.ndarray
) -> None:
    """Answers of a person who looks for item 7 and makes no mistakes."""
    simulated_visitors.run(site, learnt.slug, features, 0.05, 300, seed=2)
    far = np.linalg.norm(features - features[7], axis=1)
    now = start(site, learnt.slug)
    assert now.familiarity is Familiarity.ENOUGH
    assert now.still_fit == pytest.approx(now.question.fits)
    guessed = []
    for _ in range(4):
        _, shown = gallery(site, now.row.id)
        left = now.size - len({number for step in now.answers for number in step.shown})
        assert shown.likeliest is now.can_guess is (2 * now.still_fit <= left)
        guessed.append(shown.likeliest)
        now = choose(site, now, int(np.argmin(far[list(now.question.shown)])))
    assert guessed[0] is False, "nothing has been answered"
    assert guessed[-1] is True
