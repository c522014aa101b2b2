"""Which screens are asked: evenly at first, by the model later."""

import numpy as np
import pytest

from learn2search.site.administration import owners
from learn2search.site.context import Site
from learn2search.site.errors import Unavailable
from learn2search.site.learning import trainer
from learn2search.site.teaching.next_screen import choose_screens, even_screens, model_at, next_screen
from learn2search.store.collections import Collection


def test_random_screens_should_cover_all_items_evenly() -> None:
    rows = even_screens(np.zeros(25), np.zeros(25), 8, 50, np.random.default_rng(0))
    assert all(len(set(row)) == 9 for row in rows.tolist())
    assert np.bincount(rows[:, 0], minlength=25).tolist() == [2] * 25
    assert np.ptp(np.bincount(rows.ravel(), minlength=25)) <= 1
    asked = np.zeros(25)
    asked[:9] = 5.0
    later = even_screens(asked, asked, 8, 1, np.random.default_rng(0))
    assert later.min() >= 9  # what was asked before waits


def test_screens_should_be_drawn_from_active_items_while_nothing_is_known(site: Site, collection: Collection) -> None:
    owners.change_item(site, collection, 4, active=False)
    asked = [next_screen(site, site.collection("colours")) for _ in range(40)]
    assert {item for screen in asked for item in (screen.anchor, *screen.shown)} == set(range(30)) - {4}


def test_a_model_should_choose_screens_by_what_they_tell(
    site: Site, learnt: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("learn2search.site.teaching.next_screen._EVEN", 0)
    trainer.ask_for(site, learnt)
    trainer.train_due(site)
    now = site.collection("colours")
    known = site.newest_embedding(now)
    model = model_at(known, np.arange(30))
    np.testing.assert_allclose(model.to_embedding().mean * known.model.info.noise, known.embedding.mean)
    one, same = (choose_screens(site, now, known, 8, 10, seed=1) for _ in range(2))
    assert one == same
    assert all(len({screen.anchor, *screen.shown}) == 9 for screen in one)


def test_too_few_items_should_be_told(site: Site, collection: Collection) -> None:
    for number in range(21):
        owners.change_item(site, site.collection("colours"), number, active=False)
    with pytest.raises(Unavailable, match="it takes 10"):
        next_screen(site, site.collection("colours"))
