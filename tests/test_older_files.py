"""Files that version 0.1.0 of the library saved are read by this one (tests/fixtures/version_0.1.0/README.md)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import learn2search as l2s
from learn2search.learn.state import read_state

FILES = Path(__file__).parent / "fixtures" / "version_0.1.0" / "files"
EXPECTED: dict[str, Any] = json.loads((FILES / "expected.json").read_text())


def test_an_embedding_should_be_read() -> None:
    space = l2s.Embedding.load(FILES / "embedding.npz")
    np.testing.assert_array_equal(space.mean, EXPECTED["features"])
    np.testing.assert_array_equal(space.var, np.full((12, 2), 0.25))


def test_triplets_should_be_read() -> None:
    assert l2s.read_triplets(FILES / "triplets.npz").triplets.tolist() == EXPECTED["triplets"]


@pytest.mark.parametrize(("kind", "name"), [(l2s.GaussEmbed, "gauss_embed"), (l2s.TSTE, "tste")])
def test_a_saved_fit_should_be_read(kind: type[l2s.GaussEmbed | l2s.TSTE], name: str) -> None:
    model = kind.load(FILES / f"{name}.npz")
    params = model.get_params()
    assert {key: params[key] for key in EXPECTED[name]["parameters"]} == EXPECTED[name]["parameters"]
    np.testing.assert_array_equal(model.transform(), EXPECTED[name]["positions"])
    assert model.score(EXPECTED["triplets"]) > 0.8


def test_a_learning_loop_should_go_on_from_its_state(tmp_path: Path) -> None:
    person = l2s.ProbitOracle(EXPECTED["features"], 0.1, seed=1)
    learner = l2s.Learner.load(FILES / "learner.npz", person)
    assert learner.number == EXPECTED["learner"]["searches"]
    assert learner.triplets.tolist() == EXPECTED["learner"]["triplets"]
    assert all(episode.target in episode.queries[-1] for episode in learner.searches(3))

    learner.save(tmp_path / "state.npz")  # in the present format
    assert read_state(tmp_path / "state.npz")[0]["number"] == learner.number
