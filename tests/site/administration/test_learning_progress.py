"""How far a collection has learnt, in words."""

import pytest

from learn2search import growth_curve
from learn2search.site.administration.dashboard import overview
from learn2search.site.administration.learning_progress import about, learning_progress
from learn2search.site.context import Site
from learn2search.store.collections import Collection


def test_a_collection_should_say_how_far_it_is() -> None:
    needed = about(growth_curve(300, 4).enough)
    progress = learning_progress(300, 4, 24)
    assert progress.in_words == f"Still learning: 24 of about {needed:,} searches until it is as good as it will get."
    assert "of at most" in learning_progress(300, 4, 24, known_before=True).in_words
    assert learning_progress(300, 4, needed).in_words.startswith("It has learnt: after")
    assert learning_progress(19, 4, 24) is None


@pytest.mark.parametrize(("number", "rounded"), [(0.4, 0), (7.6, 8), (87.4, 87), (874.0, 870), (123_456.0, 120_000)])
def test_about_should_keep_two_digits(number: float, rounded: int) -> None:
    assert about(number) == rounded


def test_the_overview_should_count_the_searches_that_taught(site: Site, learnt: Collection) -> None:
    progress = overview(site, learnt).progress
    assert (progress.searches, progress.curve.n_items, progress.curve.k) == (40, 30, 4)
