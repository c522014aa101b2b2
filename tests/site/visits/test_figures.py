"""The figures of the visitors' pages come from the log, and say nothing before there is enough of it."""

from learn2search.site.context import Site
from learn2search.site.visits import figures
from learn2search.store.collections import Collection


def test_a_fresh_collection_should_promise_nothing(site: Site, collection: Collection) -> None:
    (summary,) = figures.summaries(site)
    assert (summary.size, summary.median, summary.first_median, summary.trend) == (30, None, None, ())
    assert figures.band(site, collection, 4) is None
    assert figures.distribution(site, collection, 4, 5) is None


def test_figures_should_come_from_the_log(site: Site, learnt: Collection) -> None:
    (summary,) = figures.summaries(site)
    assert summary.median is not None
    assert len(summary.sample) == 12
    band = figures.band(site, learnt, 4)
    assert band is not None
    assert 1 <= band.low < band.high
    spread = figures.distribution(site, learnt, 4, summary.median)
    assert spread is not None
    assert sum(spread.counts) == 40
    assert spread.median == summary.median
    assert figures.distribution(site, learnt, 4, 1000).longer == 0.0
    assert figures.band(site, learnt, 12) is None, "searches with other numbers say nothing about these"
    assert figures.distribution(site, learnt, 12, 5) is None


def test_the_example_should_end_with_what_was_found(site: Site, learnt: Collection) -> None:
    (summary,) = figures.summaries(site)
    questions = [question for question, _ in summary.example]
    assert questions == sorted(questions)


def test_first_searches_should_count_only_once_there_are_later_ones() -> None:
    assert figures.first_median([30] * 100 + [8] * 199) is None
    assert figures.first_median([30] * 100 + [8] * 200) == 30


def test_medians_should_be_rounded_to_whole_questions() -> None:
    assert [figures.rounded_median(costs) for costs in ([3], [3, 4], [3, 3, 9])] == [3, 4, 3]
