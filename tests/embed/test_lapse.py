"""The lapse rate: its posterior mean, and that no default fit predicts worse than a coin. All people are simulated."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import learn2search as l2s
from learn2search.comparison import PROBIT
from learn2search.embed.lapse import (
    LEAST,
    STRENGTH,
    best_log_likelihoods,
    click_lapse,
    fit_lapse,
    likely_screens,
    with_lapses,
)
from learn2search.embed.variance_factor import HeldOut
from learn2search.typing import Array, Items, Triplets

COIN = np.log(2)


def answers(count: int, lapse: float, seed: int) -> tuple[Array, Triplets]:
    """Positions that are known, and answers of which a share is random."""
    x = 2 * np.random.default_rng(seed).normal(size=(30, 2))
    return x, l2s.make_triplets(l2s.ProbitOracle(x, 1.0, seed=seed + 1, lapse=lapse), 30, count, seed=seed + 2)


def held_out(x: Array, rows: Triplets, groups: Items | None = None) -> HeldOut:
    return HeldOut(x, np.zeros_like(x), rows, np.arange(len(rows)) if groups is None else groups)


def test_the_rate_should_be_the_posterior_mean() -> None:
    """Against quadrature, over answers that are each a group of their own."""
    x, rows = answers(40, 0.5, 0)
    p = l2s.answer_probabilities(l2s.Embedding(x), rows)
    prior = stats.beta(STRENGTH * LEAST, STRENGTH * (1 - LEAST))

    def integral(power: int) -> float:
        cells = np.linspace(0, 1, 101)  # the prior is steep at both ends: exact within each cell
        inside = [np.prod((1 - rate) * p + rate / 2) * rate**power for rate in (cells[1:] + cells[:-1]) / 2]
        return float(np.sum(np.diff(prior.cdf(cells)) * inside))

    assert fit_lapse([held_out(x, rows)], PROBIT) == pytest.approx(integral(1) / integral(0), abs=0.02)


@pytest.mark.parametrize("lapse", [0.0, 0.3, 0.8, 1.0])
def test_many_answers_should_tell_the_rate(lapse: float) -> None:
    parts = [held_out(*answers(3000, lapse, seed)) for seed in (10, 20)]
    assert fit_lapse(parts, PROBIT) == pytest.approx(lapse, abs=0.05)


def test_rows_of_few_screens_should_tell_less() -> None:
    """Sure answers that are all wrong: 40 of them are strong evidence, one screen of 40 is weak."""
    x, rows = answers(40, 0.0, 3)
    wrong = rows[:, [0, 2, 1]]
    each = fit_lapse([held_out(x, wrong)], PROBIT)
    right = fit_lapse([held_out(x, rows)], PROBIT)
    one_screen = fit_lapse([held_out(x, rows, np.zeros(40, int))], PROBIT)
    assert right < 0.1 < one_screen
    assert each > 0.8


def test_lapses_should_keep_probabilities_of_all_choices_at_one() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(with_lapses(p, 0.3, 3).sum(axis=1), 1.0)
    np.testing.assert_allclose(with_lapses(p, 1.0, 3), 1 / 3)


@pytest.mark.parametrize("lapse", [0.0, 0.1, 0.5])
def test_many_clicks_should_tell_the_rate(lapse: float) -> None:
    """Clicks on one of two and on one of eight, each as probable as a person's."""
    generator, choices = np.random.default_rng(0), np.repeat([2, 8], 1500)
    p = generator.beta(2.0, 1.0, 3000)
    meant = generator.random(3000) >= lapse
    hit = np.where(meant, generator.random(3000) < p, generator.random(3000) < 1 / choices)
    other = (1 - p) / (choices - 1)  # any of the items that were less probable
    assert click_lapse(np.where(hit, p, other)[None], choices) == pytest.approx(lapse, abs=0.04)


def test_few_clicks_should_leave_the_rate_low() -> None:
    none = np.empty((1, 0)), np.empty(0, int)
    assert click_lapse(*none) == pytest.approx(0.05, abs=0.005)
    assert click_lapse(*none, before=0.2) == pytest.approx(0.2, abs=0.005)
    assert click_lapse(np.full((1, 3), 0.01), np.full(3, 2)) < 0.3


def test_a_fit_that_is_too_sure_should_not_be_taken_for_lapses() -> None:
    """Predictions of 0.98 of which 0.8 come true: lapses, unless 0.8 is what wider positions say."""
    hit = np.random.default_rng(0).random(2000) < 0.8
    sure, modest = (np.where(hit, p, 1 - p) for p in (0.98, 0.8))
    pairs = np.full(2000, 2)
    assert click_lapse(sure[None], pairs) > 0.3
    assert click_lapse(np.array([sure, modest]), pairs) < 0.05


def test_a_fit_that_expects_lapses_should_place_items_better() -> None:
    """A third of the answers at random: against true positions, and more answers as they would be without lapses."""
    x, rows = answers(6000, 0.35, 1)
    careful = l2s.make_triplets(l2s.ProbitOracle(x, 1.0, seed=8), 30, 3000, seed=9)
    plain, known = (l2s.GaussEmbed(2, lapse=lapse, random_state=0).fit(rows) for lapse in (0.0, 0.35))
    told = [l2s.answer_probabilities(model.to_embedding(), careful) for model in (plain, known)]
    assert np.log(told[1]).mean() > np.log(told[0]).mean() + 0.01
    assert known.partial_fit(rows[:100]).lapse_ == 0.35


def test_screens_should_be_kept_and_dense_answers_taken_apart() -> None:
    """Two clicks among four about two anchors; then twice the same question, which is no single screen."""
    screens = np.array([(0, 1, 2), (0, 1, 3), (0, 1, 4), (5, 2, 1), (5, 2, 3), (5, 2, 4)])
    assert likely_screens(screens).tolist() == [0, 0, 0, 1, 1, 1]
    again = np.vstack([screens, [(0, 2, 1)]])
    found = likely_screens(again)
    assert len(np.unique(found)) == 5
    assert len(np.unique(found[3:6])) == 1


def test_dense_answers_without_screen_ids_should_be_trusted() -> None:
    """All triplets of an anchor share items: they are no screen, and good answers stay believed."""
    _, rows = answers(1500, 0.0, 5)
    assert l2s.GaussEmbed(2, random_state=0).fit(rows).lapse_ < 0.1


def test_the_best_rate_should_make_over_sure_predictions_comparable() -> None:
    right = np.random.default_rng(0).random(2000) < 0.7
    modest, sure = (np.where(right, p, 1 - p) for p in (0.7, 0.99))
    assert best_log_likelihoods(sure).sum() == pytest.approx(np.log(modest).sum(), rel=0.01)
    assert np.log(sure).sum() < 2 * np.log(modest).sum()


def people(shown: int, flipped: float, density: int, seed: int) -> tuple[Triplets, Items, Triplets]:
    """Clicks on one of some items, a share of them at random: triplets to learn from, their screens, and others."""
    n = 200
    x = np.random.default_rng(seed).normal(size=(n, 5))
    person = l2s.ProbitOracle(x, 0.5, seed=seed + 1, lapse=2 * flipped)
    generator, rows = np.random.default_rng(seed + 2), []
    for _ in range(density * n // (shown - 1) + 1000):
        target, *query = generator.choice(n, shown + 1, replace=False).tolist()
        rows.append(l2s.triplets.from_choice(target, query, person.choose(query, target)))
    screens = np.repeat(np.arange(len(rows), dtype=np.int64), shown - 1)
    learnt = screens < density * n // (shown - 1)
    triplets = np.concatenate(rows)
    return triplets[learnt], screens[learnt], triplets[~learnt]


@pytest.mark.parametrize("d", [2, 5, 10])
@pytest.mark.parametrize(("shown", "density"), [(2, 2), (2, 10), (4, 5), (4, 10)])
def test_answers_near_chance_should_be_predicted_no_worse_than_by_a_coin(shown: int, density: int, d: int) -> None:
    worse = []
    for seed, flipped in enumerate((0.4, 0.45, 0.5)):
        rows, screens, test = people(shown, flipped, density, 10 * seed)
        model = l2s.GaussEmbed(d, random_state=0).fit(rows, n_items=200, groups=screens)
        worse.append(-model.log_likelihood(test) - COIN)
    assert np.mean(worse) <= 0.005
    assert max(worse) <= 0.015  # a single fit: what is held out of 400 answers can be lucky


@pytest.mark.heavy
def test_good_answers_should_lose_nothing() -> None:
    """On average 0.002 nats at most; a single fit whose held-out answers happen to fit it badly may lose more."""
    lost = []
    for d, flipped, density in itertools.product((2, 5, 10), (0.0, 0.1), (5, 10)):
        rows, screens, test = people(2, flipped, density, 50 + d)
        model = l2s.GaussEmbed(d, random_state=0).fit(rows, n_items=200, groups=screens)
        plain = l2s.GaussEmbed(d, lapse=0.0, random_state=0).fit(rows, n_items=200)
        np.testing.assert_array_equal(model.embedding_, plain.embedding_)
        np.testing.assert_array_equal(model.variance_, plain.variance_)
        lost.append(plain.log_likelihood(test) - model.log_likelihood(test))
    assert np.mean(lost) <= 0.002
    assert max(lost) <= 0.01


def test_a_given_rate_should_be_used_and_stored(tmp_path: Path) -> None:
    _, rows = answers(300, 0.0, 0)
    plain, given = (l2s.GaussEmbed(2, lapse=lapse, random_state=0).fit(rows) for lapse in (0.0, 0.4))
    assert (plain.lapse_, given.lapse_) == (0.0, 0.4)
    space = given.to_embedding()
    np.testing.assert_allclose(given.predict_proba(rows), 0.6 * l2s.answer_probabilities(space, rows) + 0.2)
    clicks = l2s.click_probabilities(space, [0, 1, 2, 3], 4)
    np.testing.assert_allclose(given.predict_click_proba([0, 1, 2, 3], 4), 0.6 * clicks + 0.1)
    given.save(tmp_path / "model.npz")
    assert l2s.GaussEmbed.load(tmp_path / "model.npz").lapse_ == 0.4


def test_files_without_a_rate_should_have_none(tmp_path: Path) -> None:
    """As version 2 wrote them."""
    _, rows = answers(300, 0.0, 0)
    l2s.GaussEmbed(2, lapse=0.4, random_state=0).fit(rows).save(tmp_path / "new.npz")
    with np.load(tmp_path / "new.npz") as new:
        old = {name: new[name] for name in new.files if name != "lapse_"}
    old["version"] = np.array(2)
    np.savez(tmp_path / "old.npz", **old)
    assert l2s.GaussEmbed.load(tmp_path / "old.npz").lapse_ == 0.0


def test_a_single_screen_cannot_be_held_out() -> None:
    model = l2s.GaussEmbed(2, random_state=0).fit([(0, 1, 2), (0, 1, 3), (0, 2, 3)])
    assert model.lapse_ == 0.0
    assert l2s.GaussEmbed(2).partial_fit([(0, 1, 2)]).lapse_ == 0.0


@pytest.mark.parametrize("lapse", [-0.1, 1.1, "some", True, np.nan])
def test_what_is_no_rate_should_be_refused(lapse: object) -> None:
    with pytest.raises(ValueError, match='lapse must be "fit" or a share from 0 to 1'):
        l2s.GaussEmbed(2, lapse=lapse).fit([(0, 1, 2)])  # type: ignore[arg-type]
