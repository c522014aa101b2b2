"""The choices of a learning loop."""

import json
import math
from typing import Any

import pytest

import learn2search as l2s
from learn2search.learn.recipe import PRESETS, make_recipe


def test_more_pictures_should_refit_by_triplets() -> None:
    assert make_recipe("best", k=4).refit_by == "triplets"
    assert [make_recipe("best", k=k).one_choice for k in (2, 4)] == [False, True]
    assert make_recipe("paper", k=4) == PRESETS["paper"]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_recipe_should_survive_json(preset: str) -> None:
    recipe = make_recipe(preset, refit=(1, 5), online_from=math.inf)
    assert l2s.Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


def test_a_stored_recipe_with_unknown_fields_should_be_refused() -> None:
    with pytest.raises(ValueError, match="fields"):
        l2s.Recipe.from_dict({**make_recipe("best").to_dict(), "colour": "red"})


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": "clever"},
        {"embedding": "none"},
        {"refit": 1.0},
        {"refit": "sometimes"},
        {"refit": [0]},
        {"refit_by": "days"},
        {"n_components": 0},
        {"n_components": "many"},
        {"epochs": (1, 2, 3)},
        {"warm_from": -1},
        {"held_out": 1.0},
        {"retry": 1.0},
        {"untaught_strategy": "clever"},
        {"explore_below": True},
        {"batches": 0},
        {"learning_rate": 0.0},
        {"lapse": 1.0},
        {"lapse": "much"},
        {"one_choice": 1},
    ],
)
def test_a_wrong_choice_should_be_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        make_recipe("best", **wrong)


def test_unknown_names_should_be_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="paper, best"):
        make_recipe("worst")
    with pytest.raises(TypeError, match="strategy"):
        make_recipe("best", colour="red")
