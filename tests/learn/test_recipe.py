"""The choices of a loop, and when it refits."""

import json
import math
from typing import Any

import pytest

import learn2search as l2s
from learn2search.learn.recipe import PRESETS, make_recipe


def refits(recipe: l2s.Recipe, searches: int, per_search: int = 10) -> list[int]:
    last, found = (0, 0), []
    for number in range(1, searches + 1):
        if recipe.refit_is_due(number, per_search * number, last):
            last = (number, per_search * number)
            found.append(number)
    return found


def test_the_paper_should_refit_at_powers_of_two() -> None:
    assert refits(make_recipe("paper"), 9000) == [2**power for power in range(14)]


def test_a_factor_should_refit_when_searches_grew_by_it() -> None:
    assert refits(make_recipe("best"), 30) == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27]


def test_a_factor_should_refit_when_triplets_grew_by_it() -> None:
    assert refits(make_recipe("best", refit=2, refit_by="triplets"), 20) == [1, 2, 4, 8, 16]


def test_any_schedule_can_be_given() -> None:
    assert refits(make_recipe("best", refit=[3, 7]), 20) == [3, 7]


def test_more_pictures_should_refit_by_triplets() -> None:
    assert make_recipe("best", k=4).refit_by == "triplets"
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
        {"explore_below": True},
        {"batches": 0},
        {"learning_rate": 0.0},
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
