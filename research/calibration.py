"""Does the belief tell the truth? `python -m research.calibration --full` (an hour on one core).

Simulated people search among 200 items in three dimensions, 2, 4, 8 or 12 shown. "shown": until the target is shown;
what was shown is no candidate any more. "mode": for ten answers; items may be shown again. (To end when the target is
most probable would be to look only at beliefs that are wrong.) After each answer the search says how probable each item
is; then

    top        of the most probable items that were held for as probable as p, a share of p should be the target
    surprise   the mean of -log₂ p(target) should be the mean entropy: as many bits are missing as the belief says

`positions` are those of the people ("known"), or learnt from their triplets with `GaussEmbed` ("learnt": 20, 60 or 200
an item of random questions of four), whose variances the search integrates out. About learnt ones it is told "as
it is" and "trusted": with the power that `fit_trust` finds in 150 other searches. Nothing else here is tuned.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

Array = NDArray[Any]
SEED = 31
N, D = 200, 3
SHOWN = (2, 4, 8, 12)
STOPS = ("shown", "mode")
POSITIONS = ("known", "learnt, 20", "learnt, 60", "learnt, 200")
EDGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
ANSWERS = {"shown": 60, "mode": 10}  # at most
BELIEFS = ("as it is", "trusted")
OTHERS = 150  # searches that tell how far the belief can be trusted
NAMES = {"positions": POSITIONS, "k": SHOWN, "stop": STOPS, "belief": BELIEFS}
BITS = Table("calibration", "bits", NAMES)
TOP = Table("calibration", "top", NAMES | {"bin": tuple(range(len(EDGES) - 1))})


def space_of(positions: str, features: l2s.Embedding, people: l2s.ProbitOracle) -> tuple[l2s.Embedding, float]:
    """What the search knows of the items, and the noise in its unit."""
    if positions == "known":
        return features, people.noise
    generator, density = np.random.default_rng([SEED, 1]), int(positions.split()[1])
    rows = []
    for _ in range(density * N // 3):
        target, *query = (int(item) for item in generator.choice(N, 5, replace=False))
        rows.append(l2s.triplets.from_choice(target, query, people.choose(query, target)))
    triplets = np.concatenate(rows)
    temper = 1.0 / float(l2s.triplets.click_weights(triplets).mean())  # one choice among four
    return l2s.GaussEmbed(D, temper=temper, random_state=SEED).fit(triplets, n_items=N).to_embedding(), 1.0


def beliefs(positions: str, k: int, stop: str, numbers: range) -> tuple[Array, Array]:
    """The belief after each answer of the searches with these numbers, `(m, n)`, and their targets."""
    generator = np.random.default_rng([SEED, 0])
    features, drawn = l2s.Embedding(generator.normal(size=(N, D))), generator.integers(0, N, numbers.stop)
    noise = l2s.calibrate_noise(l2s.random_margins(features.mean, seed=SEED), 0.1)
    people = l2s.ProbitOracle(features, noise, seed=SEED)
    space, unit = space_of(positions, features, l2s.ProbitOracle(features, noise, seed=SEED + 1))
    told, targets = [], []
    for number in numbers:
        target = int(drawn[number])
        search = l2s.make_search("sampled", space, unit, stop=stop, seed=np.random.SeedSequence([SEED, number]))
        visitor = people.visitor(number)
        for _ in range(ANSWERS[stop]):
            query = search.ask(k)
            if stop == "shown" and target in query:
                break
            search.tell(visitor.choose(query, target))
            told.append(search.probability().astype(np.float32))
            targets.append(target)
    return np.array(told), np.array(targets)


def judged(told: Array, targets: Array) -> tuple[Row, list[Row]]:
    """Bits and bins of some beliefs."""
    p = np.maximum(told.astype(float), 1e-300)
    entropy, surprise = -(told * np.log2(p)).sum(axis=1), -np.log2(p[np.arange(len(p)), targets])
    top, hit = told.max(axis=1), told.argmax(axis=1) == targets
    place = np.minimum(np.searchsorted(EDGES, top, side="right") - 1, len(EDGES) - 2)
    bins = [
        {"bin": at, "said": float(top[place == at].mean()), "came": float(hit[place == at].mean()), "count": int(count)}
        for at, count in enumerate(np.bincount(place, minlength=len(EDGES) - 1))
        if count
    ]
    bits = {"entropy": round(float(entropy.mean()), 4), "surprise": round(float(surprise.mean()), 4)}
    return {"answers": len(told)} | bits, bins


def measured(positions: str, k: int, stop: str, searches: int) -> list[tuple[str, Row, list[Row]]]:
    """The belief as it is, and as far as it is trusted."""
    told, targets = beliefs(positions, k, stop, range(searches))
    found = [(1.0, *judged(told, targets))]
    if positions != "known":
        others = range(searches, searches + min(searches, OTHERS))
        trust = l2s.fit_trust(*beliefs(positions, k, stop, others))
        found.append((trust, *judged(l2s.temper_belief(told, trust), targets)))
    head = {"searches": searches}
    return [
        (belief, head | {"trust": round(trust, 3)} | bits, bins)
        for belief, (trust, bits, bins) in zip(BELIEFS, found, strict=False)
    ]


def run(study: Study) -> None:
    searches = study.repetitions or (100 if study.quick else 2000)
    kinds = POSITIONS[:2] if study.quick else POSITIONS
    cases = [
        {"positions": positions, "k": k, "stop": stop, "searches": searches}
        for positions in kinds
        for k in (SHOWN[:2] if study.quick else SHOWN)
        for stop in STOPS
    ]

    def one(**case: Any) -> list[Row]:
        found = measured(**case)
        study.add(TOP, case, [{"belief": belief} | row for belief, _, bins in found for row in bins])
        return [{"belief": belief} | bits for belief, bits, _ in found]

    study.measure(BITS, one, cases)


def off(row: Row) -> float:
    """By how much a bin misses, less two standard errors."""
    error = np.sqrt(row["said"] * (1 - row["said"]) / row["count"])
    return float(max(abs(row["came"] - row["said"]) - 2 * error, 0.0))


def report(results: Results) -> None:
    columns = ["positions", "belief", "shown", "search until", "answers", "entropy", "surprise", "ratio", "worst bin"]
    table = []
    for row in results.select(BITS):
        bins = results.select(TOP, **{name: row[name] for name in NAMES})
        table.append(
            [
                *(row["positions"], row["belief"], str(row["k"]), row["stop"], f"{row['answers']:,}"),
                *(f"{row['entropy']:.3f}", f"{row['surprise']:.3f}", f"{row['entropy'] / row['surprise']:.3f}"),
                f"{max(off(one) for one in bins):.3f}",
            ]
        )
    print_table("Bits that the belief says are missing, and bits that are", columns, table)


if __name__ == "__main__":
    main("calibration")
