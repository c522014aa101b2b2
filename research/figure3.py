"""Figure 3: the face search (a) cost against the number of triplets T, (b) how often each face stands in a triplet.

SIMULATED: where the paper has five people and photographs of actors, here are simulated visitors of 513 drawn faces.
The triplets come through the real site (`faces.py`). As in the paper (section 6.3), T of them are drawn at random,
embedded, and new people search uniformly drawn targets with four pictures. The paper's people: at T = 1,000 as costly
as random (64 screens), then falling; about 2 minutes, 24 screens, at 10,000; faces with more triplets are found
sooner; m(i) from 16 to 1,567 with median 227.
"""

from pathlib import Path
from typing import Any

import numpy as np

import learn2search as l2s
from research.blind import FACE_SEARCH
from research.claims import Claim, Found
from research.drawing import COLOURS, figure
from research.faces import N_FACES, NOISE, collected, features
from research.rows import NotMeasured, Results, Row, Table
from research.study import Study, main
from research.summary import Mean, mean_over

SEED = 6
SIZES = (1000, 3000, 5000, 10_000, 20_000, 40_000)  # T, section 6.3
SMALL = (500, 1500)
SUBJECTS, EACH = 5, 10  # section 6.3: people, and searches of each for every T; we have twice as many people
RANDOM = N_FACES / 8  # the paper's cost of a random strategy, n/4 / 2
SECONDS = 5.0  # median time of an answer, section 6.3
DIM = 16  # axes of the demo's models
METHODS: dict[str, tuple[str, str, dict[str, Any], str]] = {  # strategy, prior of the embedding, options, label
    "paper": ("gauss", "standard", {"metric": "mahalanobis"}, "the paper's search"),
    "euclidean": ("gauss", "standard", {"metric": "euclidean"}, "the same, Euclidean nearest"),
    "ours": ("sampled", "empirical", {}, "ours"),
}
SEARCH = Table(
    "figure3",
    "search",
    {"method": tuple(METHODS), "triplets": (*SMALL, *SIZES), "subject": int, "search": tuple(range(EACH))},
)
POPULARITY = Table("figure3", "popularity", {"face": int})
TABLES = (FACE_SEARCH, SEARCH, POPULARITY)
GAUSS = ("paper", "euclidean")  # the paper's search to the letter, and with the nearest item by Euclidean distance
LOOKS = {"paper": COLOURS["paper"], "euclidean": COLOURS["third"], "ours": COLOURS["ours"]}


def searches(method: str, triplets: int, subject: int, count: int) -> list[Row]:
    """One person's searches with `triplets` of `count`: screens, and whether the target is of the denser half."""
    every, seen = collected(count), features()[1]
    strategy, prior, options, _ = METHODS[method]
    generator = np.random.default_rng([SEED, triplets, subject])
    chosen = every[generator.permutation(len(every))[:triplets]]
    model = l2s.GaussEmbed(DIM, prior=prior, random_state=subject).fit(chosen, n_items=N_FACES)
    targets = generator.integers(0, N_FACES, EACH)
    person = l2s.ProbitOracle(seen, NOISE, seed=1000 * SEED + subject)
    space = model.to_embedding()
    given: dict[str, Any] = {"k": 4, "noise": 1.0, "seed": subject, "progress": False}
    run = l2s.simulate(strategy, space, person, targets, **given, **options)
    often = np.bincount(chosen.ravel(), minlength=N_FACES)  # m(i)
    dense = often[targets] > np.median(often)
    return [
        {"search": number, "screens": int(screens), "dense": bool(is_dense)}
        for number, (screens, is_dense) in enumerate(zip(run.costs, dense, strict=True))
    ]


def run(study: Study) -> None:
    sizes = SMALL if study.quick else SIZES
    people = study.repetitions or (2 if study.quick else 2 * SUBJECTS)
    study.measure(POPULARITY, popularity, [{"count": max(sizes)}])
    cases = [
        {"method": method, "triplets": size, "subject": subject, "count": max(sizes)}
        for method in METHODS
        for size in sizes
        for subject in range(people)
    ]
    study.measure_many(SEARCH, searches, cases, here=True)  # the triplets are on this machine


def popularity(count: int) -> list[Row]:
    """m(i): in how many triplets each face stands."""
    often = np.bincount(collected(count).ravel(), minlength=N_FACES)
    return [{"face": face, "triplets": int(times)} for face, times in enumerate(often)]


def screens(results: Results, method: str, size: int, dense: bool | None = None) -> list[float]:
    """Screens of every search; of the denser half of the targets only, of the other, or of all."""
    rows = results.select(SEARCH, method=method, triplets=size)
    return [row["screens"] for row in rows if dense is None or row["dense"] == dense]


def measured_sizes(results: Results) -> list[int]:
    found = sorted(results.distinct(SEARCH, "triplets"))
    if not found:
        raise NotMeasured("no search has been measured")
    return found


def how_often(results: Results) -> list[int]:
    """m(i) of each face."""
    return [row["triplets"] for row in results.require(POPULARITY)]


def plot(results: Results, path: Path) -> None:
    sizes = measured_sizes(results)
    with figure(path) as (left, right):
        for method, colour in LOOKS.items():
            every = [screens(results, method, size) for size in sizes]
            means, spread = np.array([np.mean(one) for one in every]), np.array([np.std(one) for one in every])
            left.plot(sizes, means, "o-", color=colour, label=METHODS[method][-1])
            left.fill_between(sizes, np.maximum(means - spread, 1), means + spread, color=colour, alpha=0.08, lw=0)
            for dense, line in ((True, ":"), (False, "--")):
                halves = [np.mean(screens(results, method, size, dense) or [np.nan]) for size in sizes]
                left.plot(sizes, halves, line, color=colour, lw=1)
        left.axhline(RANDOM, color="black", lw=0.8, ls="-.", label="random")
        left.set(
            xscale="log", xlabel="triplets T", ylabel="screens of four", title="(a) SIMULATED people; band: one std"
        )
        left.legend(title="dotted, dashed: targets in the top,\nbottom half by m(i)", title_fontsize=8)
        right.plot(np.sort(how_often(results))[::-1], color=COLOURS["paper"])
        right.set(yscale="log", xlabel="faces, in order", ylabel="triplets m(i)", title="(b) SIMULATED popularity")


# --- the claims -------------------------------------------------------------------------------------


def cost(results: Results, size: int, method: str = "paper", dense: bool | None = None) -> Mean:
    return mean_over(screens(results, method, size, dense))


def each(results: Results, size: int) -> str:
    others = (f"{method} {cost(results, size, method)}" for method in METHODS if method != "paper")
    return f"{cost(results, size)} ({', '.join(others)})"


def begins_at_random(results: Results) -> Found:
    least = measured_sizes(results)[0]
    ratio = cost(results, least).value / RANDOM
    return Found(f"{each(results, least)} screens at T = {least:,}, random {RANDOM:.0f}", [0.75 < ratio < 1.25])


def falls(results: Results) -> Found:
    sizes = measured_sizes(results)
    costs = [cost(results, size) for size in sizes]
    pairs = zip(costs[1:], costs[:-1], strict=True)
    words = ", ".join(f"{each(results, size)} at {size:,}" for size in sizes[1:])
    return Found(words, [*(after.value < before.value for after, before in pairs), costs[-1].below(costs[0])])


def two_minutes(results: Results) -> Found:
    minutes = {method: cost(results, 10_000, method).value * SECONDS / 60 for method in METHODS}
    words = ", ".join(f"{method} {value:.1f}" for method, value in minutes.items())
    return Found(f"minutes at 5 s a screen: {words}", [minutes[method] < 2.5 for method in GAUSS])


def denser_is_easier(results: Results) -> Found:
    words, checks = [], []
    for method in METHODS:
        sizes = measured_sizes(results)[1:]
        pairs = [[cost(results, size, method, dense) for dense in (True, False)] for size in sizes]
        numbers = (f"{top} against {bottom} at {size:,}" for size, (top, bottom) in zip(sizes, pairs, strict=True))
        words.append(f"{method} {', '.join(numbers)}")
        checks += [top.below(bottom) for top, bottom in pairs] if method in GAUSS else []
    return Found("; ".join(words), checks)


def skewed(results: Results) -> Found:
    often = how_often(results)
    middle = float(np.median(often))
    words = f"from {min(often)} to {max(often):,}, median {middle:.0f}"
    return Found(words, [max(often) > 3 * middle, min(often) < middle / 3])


def loop(results: Results) -> Found:
    """The library's own loop, which learns from its searches: `blind.py`, features in 5 and 20 axes."""
    words, checks = [], []
    for d, method in ((d, method) for d in (5, 20) for method in ("paper", "best")):
        named = {"d": d, "popularity": "skewed", "method": method, "measure": "screens", "targets": "all"}
        rows = [results.one(FACE_SEARCH, **named, triplets=size) for size in (SIZES[0], SIZES[-1])]
        first, last = (Mean(row["mean"], row["error"]) for row in rows)
        words.append(f"d={d} skewed {method} {first} to {last} ({rows[0]['repetitions']} repetitions)")
        checks.append(last.below(first))
    return Found("; ".join(words), checks)


CLAIMS = (
    Claim(
        "6.3, Fig. 3a", "at T = 1,000 as costly as random (n/8 = 64 screens)", "within 25% of random", begins_at_random
    ),
    Claim(
        "6.3, Fig. 3a",
        "the cost drops as T grows",
        "each T below the one before; the last below the first by 2 errors",
        falls,
    ),
    Claim(
        "6.3",
        "found in about 2 minutes with 10,000 triplets",
        "less than 2.5 minutes at the paper's 5 s a screen, to the letter and with Euclidean nearest items",
        two_minutes,
        "the Mahalanobis distance to an item is short where its position is uncertain: well-known items are shown late",
    ),
    Claim(
        "6.3, Fig. 3a",
        "targets with more triplets are found sooner",
        "top half below bottom half by 2 errors, each T but the first, to the letter and with Euclidean nearest items",
        denser_is_easier,
        "the Mahalanobis distance to an item is short where its position is uncertain: well-known items are shown late",
    ),
    Claim(
        "6.3, Fig. 3b",
        "m(i) is heavily skewed: 16 to 1,567, median 227",
        "the largest above 3 medians, the least below a third",
        skewed,
        "all faces were there from the start, and a question shows faces whether they are popular or not",
    ),
    Claim(
        "ours",
        "(the same in a loop that learns from its own searches)",
        "fewer screens at 40,000 than at 1,000 triplets by 2 errors",
        loop,
    ),
)


if __name__ == "__main__":
    main("figure3")
