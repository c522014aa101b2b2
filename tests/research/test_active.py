"""Answers needed are read off curves, and questions of a table are asked once and without their answers."""

import numpy as np
import pytest

import learn2search as l2s
from research import active


def curve(*accuracy: float) -> list[dict[str, float]]:
    return [{"answers": 100 * (at + 1), "accuracy": share} for at, share in enumerate(accuracy)]


def test_answers_needed_should_lie_between_two_rounds() -> None:
    straight = curve(0.5, 0.6, 0.7, 0.8, 0.9)
    assert active.answers_needed(straight, 0.65) == pytest.approx(250)
    assert active.answers_needed(straight, 0.4) == 100
    assert np.isnan(active.answers_needed(straight, 0.95))
    answers, smooth = active.smooth(straight)
    np.testing.assert_allclose(smooth, [0.5 + 0.1 / 3, 0.6, 0.7, 0.8, 0.9 - 0.1 / 3])
    assert answers.tolist() == [100, 200, 300, 400, 500]
    assert active.needed_text([100.0, float("nan")]) == "not reached by 1 of 2"


def test_a_table_should_be_asked_what_it_holds_and_each_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = l2s.ProbitOracle(np.random.default_rng(0).normal(size=(10, 2)), noise=0.3, seed=1)
    rows = np.unique(l2s.make_triplets(oracle, n_items=10, n_triplets=400), axis=0)
    data = l2s.TripletData(rows, 10, np.arange(len(rows)), tuple("abcdefghij"))
    monkeypatch.setattr(active, "food", lambda: data)
    world = active.dishes("Food", 0)
    model = l2s.GaussEmbed(2, epochs=5, lapse=0.0, random_state=0, n_items=10).fit(rows)
    asked = np.concatenate([world.choose(model, 40, by, at) for at, by in enumerate(active.RULES)])
    assert len(np.unique(asked, axis=0)) == 120
    assert {tuple(row) for row in asked.tolist()} <= {tuple(row) for row in rows.tolist()}
    held_out = {tuple(row) for row in world.test.tolist()}
    assert not held_out & {tuple(row) for row in asked.tolist()}
