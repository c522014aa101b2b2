"""People's own answers: blind search over the 100 dishes of Food, without features and without a model of people.

    python -m research.people             # a minute, few searches
    python -m research.people --full      # goes on where it was stopped

Crowd workers said which dishes taste alike: 250,320 triplets, which hold an answer to 37% of all questions of two.
The rest is read in two ways:

"can't tell"   what the table cannot answer stays unanswered: nothing but people's answers, and most questions wasted
"filled in"    what the table cannot answer is answered by the probit model on an embedding of all answers

Beside the loop (`best`, `paper`) stands a posterior search on the embedding of all answers. With "filled in" that is
the embedding that also answers, so it is a mark to reach, not a fair rival. Random order and perfect splitting follow
from the number of items alone.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import learn2search as l2s
from research.drawing import COLOURS, figure
from research.rows import Columns, NotMeasured, Results, Row, Table
from research.study import Study, main
from research.summary import Mean, mean_over, print_table

SEED = 13
SEEDS = 3
SEARCHES = 1500
WINDOWS = ((0, 50), (50, 100), (100, 250), (250, 500), (500, 1000), (1000, 1500))
SHOWN = (2, 4)
COVERED = (2, 4, 8, 12)  # items of random questions
ITEMS = 100
READINGS = ("can't tell", "filled in")
ALL_ANSWERS = "all answers"
METHODS = ("best", "paper", ALL_ANSWERS)
NOISE = 1.0  # the unit of an embedding that GaussEmbed fits

_RUN: Columns = {"reading": READINGS, "method": METHODS, "k": SHOWN, "seed": int}
QUESTIONS = Table("people", "questions", {**_RUN, "start": int, "stop": int})  # mean of the searches start to stop
ANSWERS = Table("people", "answers", _RUN)  # shares of the questions, and what was learnt from them
COVERAGE = Table("people", "coverage", {"k": COVERED})  # the share of random questions that the table answers
DISAGREEMENT = Table("people", "disagreement", {})  # how often two answers to one question of two differ


# --- without any people ----------------------------------------------------------------------------


def random_order(n: int, k: int) -> float:
    """Expected questions when items are shown in random order, k at a time: the mean of ⌈p/k⌉ over places p = 1..n."""
    return float(np.mean(np.ceil(np.arange(1, n + 1) / k)))


def perfect_splitting(n: int, k: int) -> float:
    """The fewest questions on average, with answers that are never wrong and a target that must be shown.

    After q - 1 questions there are at most k^(q-1) different histories of answers, and for each of them the next
    question shows k items. So at most k^q items can be found at question q, and the mean is least when the first
    levels are full. To identify the target without showing it takes log_k n questions.
    """
    total, level, left = 0, 1, n
    while left > 0:
        found = min(k**level, left)
        total, left, level = total + level * found, left - found, level + 1
    return total / n


# --- one run ---------------------------------------------------------------------------------------


@cache
def food() -> l2s.TripletData:
    return l2s.fetch_food()


@cache
def embedding_of_all_answers() -> l2s.Embedding:
    model = l2s.GaussEmbed(n_components="auto", random_state=SEED)
    return model.fit(food().triplets, n_items=ITEMS, groups=food().groups).to_embedding()


class Counted:
    """A simulated person, and how often they were asked."""

    def __init__(self, oracle: l2s.Oracle) -> None:
        self.oracle, self.asked = oracle, 0

    def choose(self, query: Sequence[int], target: int) -> int | None:
        self.asked += 1
        return self.oracle.choose(query, target)


class Searched(NamedTuple):
    """A finished search: its target, how many questions it took, and each of them with its answer."""

    target: int
    cost: int
    steps: Sequence[tuple[Sequence[int], int | None]]


def searched(reading: str, method: str, k: int, seed: int, searches: int) -> list[Row]:
    """Mean questions in each window of searches, and who answered them."""
    model = l2s.ProbitOracle(embedding_of_all_answers().mean, NOISE, seed=20_000 + seed)
    fallback = Counted(model) if reading == "filled in" else None
    people = l2s.TableOracle(food().triplets, ITEMS, seed=10_000 + seed, fallback=fallback)
    if method == ALL_ANSWERS:
        games = on_all_answers(people, k, seed, searches)
    else:
        loop = l2s.learn2search(people, ITEMS, searches, preset=method, k=k, seed=seed)
        known = ((one, one.target) for one in loop if one.target is not None)  # the oracle's always is
        games = [Searched(at, one.cost, list(zip(one.queries, one.answers, strict=True))) for one, at in known]
    costs = np.array([game.cost for game in games])
    windows = [
        {"start": start, "stop": stop, "mean": float(costs[start:stop].mean())}
        for start, stop in (*WINDOWS, (0, searches))
        if stop <= searches
    ]
    return [*windows, {"table": ANSWERS.name, **answer_shares(games, 0 if fallback is None else fallback.asked)}]


def on_all_answers(people: l2s.Oracle, k: int, seed: int, searches: int) -> list[Searched]:
    """A posterior search that knows the embedding of all answers from the start."""
    targets = np.random.default_rng([SEED, seed]).integers(0, ITEMS, searches)
    space = embedding_of_all_answers()
    run = l2s.simulate("sampled", space, people, targets, k=k, noise=NOISE, seed=seed, progress=False)
    return [
        Searched(int(target), int(cost), log) for target, cost, log in zip(targets, run.costs, run.logs, strict=True)
    ]


def answer_shares(games: Sequence[Searched], filled_in: int) -> Row:
    """Of the questions that did not show the target: the shares that the table and the model answered."""
    asked = [(query, chosen) for target, _, steps in games for query, chosen in steps if target not in query]
    answered = sum(chosen is not None for _, chosen in asked)
    triplets = sum(len(l2s.triplets.from_search(target, steps)) for target, _, steps in games)
    shares = {"from_table": (answered - filled_in) / len(asked), "filled_in": filled_in / len(asked)}
    return {"questions": len(asked), **shares, "triplets": triplets}


def coverage(k: int) -> Row:
    people = l2s.TableOracle(food().triplets, ITEMS, seed=SEED)
    return {"share": round(people.coverage(k), 4)}


def disagreement() -> Row:
    """The mean over all questions of two with several answers: how often two of them differ."""
    anchor, near, far = food().triplets.T
    first, second = np.minimum(near, far), np.maximum(near, far)
    question = (anchor * ITEMS + first) * ITEMS + second
    answers, for_first = np.bincount(question), np.bincount(question, near == first)
    several = answers > 1
    m, a = answers[several], for_first[several]
    return {"share": float(np.mean(2 * a * (m - a) / (m * (m - 1)))), "questions": int(several.sum())}


def run(study: Study) -> None:
    study.measure(DISAGREEMENT, disagreement, [{}])
    study.measure(COVERAGE, coverage, [{"k": k} for k in COVERED])
    searches = 100 if study.quick else SEARCHES
    cases = [
        {"reading": reading, "method": method, "k": k, "seed": seed, "searches": searches}
        for seed in range(study.repetitions or (1 if study.quick else SEEDS))
        for reading in READINGS
        for k in SHOWN
        for method in METHODS
    ]
    study.measure_many(QUESTIONS, searched, cases)


# --- the report ------------------------------------------------------------------------------------


def questions(results: Results, start: int, stop: int, **named: object) -> Mean:
    """The mean over the seeds."""
    return mean_over([row["mean"] for row in results.require(QUESTIONS, start=start, stop=stop, **named)])


def answers(results: Results, column: str, **named: object) -> float:
    return mean_over([row[column] for row in results.require(ANSWERS, **named)]).value


def measured_windows(results: Results) -> list[tuple[int, int]]:
    return [(start, stop) for start, stop in WINDOWS if results.select(QUESTIONS, start=start, stop=stop)]


def report(results: Results) -> None:
    shares = [[str(row["k"]), f"{row['share']:.1%}"] for row in results.require(COVERAGE)]
    print_table("What the table answers", ["items shown", "share of random questions"], shares)
    differ = results.one(DISAGREEMENT)
    print(f"\nTwo answers to one question of two differ in {differ['share']:.1%} of {differ['questions']:,} questions.")
    for k in SHOWN:
        rows = [
            without_people("random order", random_order(ITEMS, k), results),
            *(line(results, reading, method, k) for reading in READINGS for method in METHODS),
            without_people("perfect splitting", perfect_splitting(ITEMS, k), results),
        ]
        windows = [f"{start + 1}-{stop}" for start, stop in measured_windows(results)]
        columns = ["method", "what the table lacks", *windows, "from the table", "filled in", "triplets"]
        print_table(f"Questions a search, {k} shown", columns, rows)


def without_people(name: str, value: float, results: Results) -> list[str]:
    """The same in every window."""
    return [name, "", *(f"{value:.1f}" for _ in measured_windows(results)), "", "", ""]


def line(results: Results, reading: str, method: str, k: int) -> list[str]:
    named: Row = {"reading": reading, "method": method, "k": k}
    means = [questions(results, *window, **named).text(1) for window in measured_windows(results)]
    shares = [f"{answers(results, column, **named):.0%}" for column in ("from_table", "filled_in")]
    if method == ALL_ANSWERS:
        return [method, reading, *means, *shares, "all"]
    return [f"`{method}`", reading, *means, *shares, f"{answers(results, 'triplets', **named):,.0f}"]


def plot(results: Results, path: Path) -> None:
    windows = measured_windows(results)
    if not windows:
        raise NotMeasured("no window of searches has been measured")
    middles = [(start + stop) / 2 for start, stop in windows]
    with figure(path, height=4.6, sharex=True) as axes:
        for axis, k in zip(axes, SHOWN, strict=True):
            for method, colour in zip(METHODS, (COLOURS["ours"], COLOURS["paper"], "black"), strict=True):
                for reading, style in zip(READINGS, ("--", "-"), strict=True):
                    means = [questions(results, *window, reading=reading, method=method, k=k) for window in windows]
                    values, errors = [mean.value for mean in means], [mean.error or 0.0 for mean in means]
                    label = f"{method}, {reading}"
                    axis.errorbar(middles, values, errors, color=colour, ls=style, marker="o", ms=3, label=label)
            axis.axhline(random_order(ITEMS, k), color=COLOURS["fourth"], label="random order")
            axis.axhline(perfect_splitting(ITEMS, k), color=COLOURS["fourth"], ls=":", label="perfect splitting")
            axis.set(xscale="log", xlabel="searches", ylabel="questions", title=f"{k} dishes shown", ylim=(0, None))
        axes[0].figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)


if __name__ == "__main__":
    main("people")
