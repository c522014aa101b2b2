"""Which question to ask next: how many answers a map needs, where questions are chosen and where they are drawn.

    python -m research.active           # a minute: one seed, fewer rounds
    python -m research.active --full    # three seeds: about 10 minutes on one core

A fit (`GaussEmbed`, `lapse=0`), some questions by `next_triplets`, their answers, a fit to all answers so far that
begins where the last one ended, and so on, once for each rule: "information", "uncertainty", "random". All begin with
the same number of random answers, and are judged by the share of held-out answers that the map predicts.

    5%, 15%    simulated: 60 items with two features, people whose noise flips so many of the answers to random
               questions. Any question can be asked; 2000 held-out answers to random questions.
    grid       simulated, 5%: a question shows 8 items, and its answer, one click, gives 7 triplets
    Food       people's own answers, 100 dishes. Only what the table holds can be asked: of 80% of its screens, 20,000
               triplets at random are the candidates of a round, chosen without regard to what was answered. Judged by
               the other screens. "Food, ratio": the same with the ratio link.

How the fits begin and their length were chosen on simulated people with other seeds (11, 12), how a batch is spread on
these and on another split of Food (11).
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import learn2search as l2s
from research import Array
from research.drawing import small_png
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

SEEDS = (0, 1, 2)
RULES = ("information", "uncertainty", "random")
FLIPPED = {"5%": 0.05, "15%": 0.15, "grid": 0.05}
LINKS = {"Food": "probit", "Food, ratio": "ratio"}
WORLDS = (*FLIPPED, *LINKS)
N, FEATURES, TEST = 60, 2, 2000
SHOWN = 8
EPOCHS = {"simulated": 400, "Food": 100}  # a fit to few answers pays to be longer than GaussEmbed's own
CANDIDATES = 20_000
ACCURACY = Table("active", "accuracy", {"world": WORLDS, "seed": SEEDS, "by": RULES, "answers": int})


class World(NamedTuple):
    """Who answers, what is held out, and how much is asked: the first random questions, those of a round, and all."""

    n_items: int
    axes: int
    epochs: int
    link: str
    first: int
    batch: int
    last: int
    test: Array
    choose: Callable[[l2s.GaussEmbed, int, str, int], Array]  # triplets with their answers: (model, count, by, seed)


def people(world: str, seed: int) -> tuple[l2s.ProbitOracle, Array]:
    """Simulated people, and held-out answers."""
    features = np.random.default_rng([seed, 7]).normal(size=(N, FEATURES))
    noise = l2s.calibrate_noise(l2s.random_margins(features, seed=seed), FLIPPED[world])
    held_out = l2s.make_triplets(l2s.ProbitOracle(features, noise, seed=100 + seed), N, TEST, seed=200 + seed)
    return l2s.ProbitOracle(features, noise, seed=300 + seed), held_out


def pairs(world: str, seed: int) -> World:
    oracle, test = people(world, seed)

    def choose(model: l2s.GaussEmbed, count: int, by: str, at: int) -> Array:
        asked = l2s.next_triplets(model, count, by=by, seed=at)
        return np.array([answered(oracle, *question) for question in asked.tolist()])

    return World(N, FEATURES, EPOCHS["simulated"], "probit", 2 * N, N // 2, 24 * N, test, choose)


def answered(oracle: l2s.ProbitOracle, anchor: int, one: int, other: int) -> tuple[int, int, int]:
    near = oracle.choose((one, other), anchor)
    return (anchor, one, other) if near == one else (anchor, other, one)


def grids(world: str, seed: int) -> World:
    oracle, test = people(world, seed)

    def choose(model: l2s.GaussEmbed, count: int, by: str, at: int) -> Array:
        asked = l2s.next_triplets(model, count, "grid", by=by, shown=SHOWN, seed=at).tolist()
        clicks = [l2s.triplets.from_choice(anchor, shown, oracle.choose(shown, anchor)) for anchor, *shown in asked]
        return np.concatenate(clicks)

    return World(N, FEATURES, EPOCHS["simulated"], "probit", N // 2, N // 4, 5 * N, test, choose)


@lru_cache(1)
def food() -> l2s.TripletData:
    return l2s.fetch_food()


def dishes(world: str, seed: int) -> World:
    data = food()
    train, held_out = l2s.triplets.split(len(data), share=0.2, seed=seed, groups=data.groups)
    left = np.random.default_rng(seed).permutation(train).tolist()  # rows of the table that were not asked yet

    def choose(model: l2s.GaussEmbed, count: int, by: str, at: int) -> Array:
        places = np.random.default_rng([seed, at]).choice(len(left), min(CANDIDATES, len(left)), replace=False)
        rows = data.triplets[np.array(left)[places]]
        hidden = np.column_stack([rows[:, 0], np.sort(rows[:, 1:], axis=1)])  # without what was answered
        _, first = np.unique(hidden, axis=0, return_index=True)
        asked = l2s.next_triplets(model, count, by=by, candidates=hidden[first], seed=at)
        chosen = [first[np.flatnonzero((hidden[first] == question).all(axis=1))[0]] for question in asked]
        for place in sorted(places[chosen].tolist(), reverse=True):
            left.pop(place)
        return np.asarray(rows[chosen])

    return World(data.n_items, 5, EPOCHS["Food"], LINKS[world], 300, 150, 6000, data.triplets[held_out], choose)


MAKE = {"5%": pairs, "15%": pairs, "grid": grids, "Food": dishes, "Food, ratio": dishes}


def learnt(world: str, seed: int, by: str, rounds: int | None = None) -> list[Row]:
    """Held-out accuracy after each round."""
    made = MAKE[world](world, seed)
    start = l2s.GaussEmbed(made.axes, n_items=made.n_items, lapse=0.0, epochs=1, random_state=0)
    nothing = start.fit(l2s.triplets.subsample(made.test, 10, seed))  # random questions need no model
    rows = made.choose(nothing, made.first, "random", 0)
    asked, found, model = made.first, [], None
    for at in range(1, 1 + (rounds or 10**6)):
        model = fitted(made, rows, seed, model)
        found.append({"answers": asked, "accuracy": model.score(made.test), "nll": -model.log_likelihood(made.test)})
        if asked >= made.last:
            break
        rows = np.concatenate([rows, made.choose(model, made.batch, by, at)])
        asked += made.batch
    return found


def fitted(world: World, rows: Array, seed: int, before: l2s.GaussEmbed | None) -> l2s.GaussEmbed:
    model = l2s.GaussEmbed(world.axes, epochs=world.epochs, lapse=0.0, random_state=seed, n_items=world.n_items)
    model.set_params(link=world.link)
    return model.fit(rows, init=None if before is None else before.to_embedding())


def run(study: Study) -> None:
    seeds, rounds = (SEEDS[:1], 6) if study.quick else (SEEDS, None)
    cases = [{"world": world, "seed": seed, "by": by} for world in WORLDS for seed in seeds for by in RULES]
    study.measure(ACCURACY, lambda world, seed, by: learnt(world, seed, by, rounds), cases)


def smooth(curve: list[Row]) -> tuple[Array, Array]:
    """Answers, and the accuracy over three rounds."""
    accuracy = np.pad([row["accuracy"] for row in curve], 1, mode="edge")
    return np.array([row["answers"] for row in curve], float), np.convolve(accuracy, np.full(3, 1 / 3), mode="valid")


def answers_needed(curve: list[Row], aim: float) -> float:
    """Answers until the accuracy is `aim`; NaN if it never is."""
    answers, accuracy = smooth(curve)
    above = np.flatnonzero(accuracy >= aim)
    if len(above) == 0:
        return float("nan")
    at = int(above[0])
    if at == 0:
        return float(answers[0])
    share = (aim - accuracy[at - 1]) / (accuracy[at] - accuracy[at - 1])
    return float(answers[at - 1] + share * (answers[at] - answers[at - 1]))


def aims(results: Results, world: str) -> dict[int, float]:
    """What random questions reach, in the mean over seeds, after half of all answers and after all."""
    curves = [smooth(curve) for curve in curves_of(results, world, "random")]
    answers, middle = curves[0][0], np.mean([accuracy for _, accuracy in curves], axis=0)
    return {int(answers[at]): float(middle[at]) for at in (int(np.searchsorted(answers, answers[-1] / 2)), -1)}


def curves_of(results: Results, world: str, by: str) -> list[list[Row]]:
    seeds = dict.fromkeys(row["seed"] for row in results.require(ACCURACY, world=world, by=by))
    return [results.require(ACCURACY, world=world, by=by, seed=seed) for seed in seeds]


def report(results: Results) -> None:
    """Answers needed for what random questions reach, means over seeds ± standard errors, and the end."""
    for world in results.distinct(ACCURACY, "world"):
        table = []
        for by in RULES:
            curves = curves_of(results, world, by)
            needed = [
                str(asked) if by == "random" else needed_text([answers_needed(curve, aim) for curve in curves])
                for asked, aim in aims(results, world).items()
            ]
            last = mean_over([100 * curve[-1]["accuracy"] for curve in curves]).text(1)
            table.append([by, *needed, last, mean_over([curve[-1]["nll"] for curve in curves]).text(3)])
        columns = [f"answers to {100 * aim:.1f}%" for aim in aims(results, world).values()]
        print_table(f"### {world}, {curves[0][-1]['answers']} answers", ["by", *columns, "accuracy, %", "NLL"], table)


def needed_text(needed: list[float]) -> str:
    reached = [answers for answers in needed if np.isfinite(answers)]
    if len(reached) < len(needed):
        return f"not reached by {len(needed) - len(reached)} of {len(needed)}"
    return mean_over(reached).text(0)


def plot(results: Results, path: Path) -> None:
    """A panel a world: accuracy against answers, in a PNG file."""
    worlds = results.distinct(ACCURACY, "world")
    with small_png(path, 3, 2, height=3.6) as panels:
        for ax in panels.flat[len(worlds) :]:
            ax.set_axis_off()
        for ax, world in zip(panels.flat, worlds, strict=False):
            curves = {by: [smooth(curve) for curve in curves_of(results, world, by)] for by in RULES}
            drawn = {by: (found[0][0], np.array([accuracy for _, accuracy in found]).T) for by, found in curves.items()}
            l2s.plot_learning(drawn, ax)
            ax.set_title(world)
            ax.set_ylabel("held-out accuracy")


if __name__ == "__main__":
    main("active")
