"""σ and the lapse rate from finished searches: the likelihood by hand, and intervals that hold what they promise."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

import learn2search as l2s
from learn2search.typing import Array

SPACE = l2s.Embedding(np.random.default_rng(0).uniform(size=(60, 3)))
Searches = list[tuple[int, Any]]


def finished(noise: float, lapse: float, seed: int, count: int = 60, k: int = 2) -> Searches:
    people = l2s.ProbitOracle(SPACE, noise, seed=seed, lapse=lapse)
    targets = np.random.default_rng(seed).integers(0, 60, count)
    run = l2s.simulate("random", SPACE, people, targets, k=k, seed=seed, keep_logs=True, workers=1, progress=False)
    return list(zip(targets.tolist(), run.logs, strict=True))


def margins(searches: Searches) -> Array:
    """Of the chosen items over the others, as seen from the target, on pairs without it."""
    x, found = SPACE.mean, []
    for target, log in searches:
        for query, chosen in log:
            if target not in query and chosen is not None:
                (other,) = set(query) - {chosen}
                found.append(float(l2s.margin(x[chosen], x[other], x[target])))
    return np.array(found)


def test_the_fit_should_be_the_most_likely_one_and_its_interval_a_fall_by_half_of_chi_square() -> None:
    searches = finished(0.1, 0.1, seed=1, count=30)
    fit, told = l2s.fit_noise(SPACE, searches), margins(searches)

    def loss(parameters: Array) -> float:
        """-Σ log((1 - λ) Φ(m/σ) + λ/2), by hand."""
        noise, lapse = np.exp(parameters[0]), special.expit(parameters[1])
        return -float(np.log((1 - lapse) * special.ndtr(told / noise) + lapse / 2).sum())

    best = optimize.minimize(loss, [np.log(0.2), -3.0], method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-4})
    assert fit.noise == pytest.approx(np.exp(best.x[0]), rel=0.02)
    assert fit.lapse == pytest.approx(special.expit(best.x[1]), abs=0.01)
    for end in fit.noise_interval:  # the profile over the lapse rate has fallen by 3.84/2 = 1.92
        rest = min(loss(np.array([np.log(end), q])) for q in np.linspace(-7, 1, 81))
        assert rest - best.fun == pytest.approx(1.92, abs=0.15)
    assert fit.n_clicks == len(told)


@pytest.mark.parametrize(
    ("seeds", "k", "lapse", "count"),
    [
        pytest.param(60, 2, 0.1, 15, marks=pytest.mark.heavy),
        pytest.param(300, 2, 0.1, 15, marks=pytest.mark.heavy),
        pytest.param(60, 4, 0.05, 60, marks=pytest.mark.heavy),
    ],
)
def test_an_interval_should_hold_the_truth_as_often_as_it_says(seeds: int, k: int, lapse: float, count: int) -> None:
    """Where there are lapses enough: with 100 clicks and 5 lapses the interval of their share is too short."""
    held = np.zeros(2)
    for seed in range(seeds):
        fit = l2s.fit_noise(SPACE, finished(0.1, lapse, seed + 100, count=count, k=k), confidence=0.9)
        for at, truth, (low, high) in ((0, 0.1, fit.noise_interval), (1, lapse, fit.lapse_interval)):
            held[at] += low <= truth <= high
    error = np.sqrt(0.9 * 0.1 / seeds)
    assert (np.abs(held / seeds - 0.9) < 3.5 * error).all(), held / seeds


def test_more_searches_should_tell_more() -> None:
    few, many = (l2s.fit_noise(SPACE, finished(0.1, 0.0, seed=3, count=count)) for count in (10, 120))
    assert few.noise_interval[1] / few.noise_interval[0] > 1.5 * many.noise_interval[1] / many.noise_interval[0]
    assert many.noise == pytest.approx(0.1, rel=0.2)
    assert many.lapse_interval[0] == 0


def test_searches_of_an_application_should_do() -> None:
    people, searches = l2s.ProbitOracle(SPACE, 0.1, seed=3), []
    for target in range(20):
        search = l2s.PosteriorSearch(SPACE, 0.3, seed=target)
        while not search.done:
            query = search.ask(3)
            search.found(target) if target in query else search.tell(people.choose(query, target))
        searches.append(search)
    assert l2s.fit_noise(SPACE, searches) == l2s.fit_noise(SPACE, [(one.target, one.log) for one in searches])
    guesses = [(0, [((1, 2), 1), ((1, 2), 2)]), (0, [((3, 4), 3), ((3, 4), 4)])]
    assert l2s.fit_noise(SPACE, guesses).noise_interval[1] == np.inf  # half of them are wrong


@pytest.mark.parametrize(
    ("searches", "options", "message"),
    [
        ([l2s.PosteriorSearch(SPACE, 0.1)], {}, "PosteriorSearch.* has no target and says nothing about noise"),
        ([(60, [])], {}, "the target names item 60"),
        ([(1, [((2, 3), 4)])], {}, "the answer 4 is not an item of its query"),
        ([(1, [((1, 3), 1)])], {}, "no click tells how noisy people are"),
        ([], {"confidence": 95}, "confidence lies between 0 and 1"),
    ],
)
def test_what_cannot_tell_should_be_refused(searches: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        l2s.fit_noise(SPACE, searches, **options)
