"""Does the belief tell the truth? `python -m research.calibration --full` (an hour on one core).

Simulated people search among 200 items in three dimensions, 2, 4, 8 or 12 shown. "shown": until the target is shown;
what was shown is no candidate any more. "mode": for ten answers; items may be shown again. (To end when the target is
most probable would be to look only at beliefs that are wrong.) After each answer the search says how probable each item
is; then

    top        of the most probable items that were held for as probable as p, a share of p should be the target
    surprise   the mean of -log₂ p(target) should be the mean entropy: as many bits are missing as the belief says

`positions` are those of the people ("known"), or learnt from their triplets with `GaussEmbed` ("learnt": 20, 60 or 200
an item of random questions of four), whose variances the search integrates out. Nothing here is tuned.
"""

import numpy as np

import learn2search as l2s
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

SEED = 31
N, D = 200, 3
SHOWN = (2, 4, 8, 12)
STOPS = ("shown", "mode")
POSITIONS = ("known", "learnt, 20", "learnt, 60", "learnt, 200")
EDGES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
ANSWERS = {"shown": 60, "mode": 10}  # at most
NAMES = {"positions": POSITIONS, "k": SHOWN, "stop": STOPS}
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


def beliefs(positions: str, k: int, stop: str, searches: int) -> list[tuple[float, bool, float, float]]:
    """After each answer: the largest probability, whether that item is the target, entropy and -log₂ p(target)."""
    generator = np.random.default_rng([SEED, 0])
    features = l2s.Embedding(generator.normal(size=(N, D)))
    noise = l2s.calibrate_noise(l2s.random_margins(features.mean, seed=SEED), 0.1)
    people = l2s.ProbitOracle(features, noise, seed=SEED)
    space, unit = space_of(positions, features, l2s.ProbitOracle(features, noise, seed=SEED + 1))
    told = []
    for number, target in enumerate(generator.integers(0, N, searches)):
        search = l2s.make_search("sampled", space, unit, stop=stop, seed=np.random.SeedSequence([SEED, number]))
        visitor = people.visitor(number)
        for _ in range(ANSWERS[stop]):
            query = search.ask(k)
            if stop == "shown" and target in query:
                break
            search.tell(visitor.choose(query, int(target)))
            p = search.probability()
            positive, best = p[p > 0], int(p.argmax())
            entropy, surprise = -float((positive * np.log2(positive)).sum()), -float(np.log2(max(p[target], 1e-300)))
            told.append((float(p[best]), best == target, entropy, surprise))
    return told


def measured(positions: str, k: int, stop: str, searches: int) -> tuple[Row, list[Row]]:
    """The bits of one case, and its bins."""
    top, hit, entropy, surprise = np.array(beliefs(positions, k, stop, searches)).T
    bits = {"searches": searches, "answers": len(top), "entropy": entropy.mean(), "surprise": surprise.mean()}
    place = np.minimum(np.searchsorted(EDGES, top, side="right") - 1, len(EDGES) - 2)
    bins = [
        {"bin": at, "said": float(top[place == at].mean()), "came": float(hit[place == at].mean()), "count": int(count)}
        for at, count in enumerate(np.bincount(place, minlength=len(EDGES) - 1))
        if count
    ]
    return {name: value if isinstance(value, int) else round(float(value), 4) for name, value in bits.items()}, bins


def run(study: Study) -> None:
    searches = study.repetitions or (100 if study.quick else 2000)
    kinds = POSITIONS[:2] if study.quick else POSITIONS
    cases = [
        {"positions": positions, "k": k, "stop": stop, "searches": searches}
        for positions in kinds
        for k in (SHOWN[:2] if study.quick else SHOWN)
        for stop in STOPS
    ]

    def one(**case: object) -> Row:
        bits, bins = measured(**case)  # type: ignore[arg-type]
        for row in bins:
            study.add(TOP, case | {"bin": row["bin"]}, row)
        return bits

    study.measure(BITS, one, cases)


def off(row: Row) -> float:
    """By how much a bin misses, less two standard errors."""
    error = np.sqrt(row["said"] * (1 - row["said"]) / row["count"])
    return float(max(abs(row["came"] - row["said"]) - 2 * error, 0.0))


def report(results: Results) -> None:
    columns = ["positions", "shown", "search until", "answers", "entropy", "surprise", "ratio", "worst bin"]
    table = []
    for row in results.select(BITS):
        bins = results.select(TOP, **{name: row[name] for name in NAMES})
        table.append(
            [
                *(row["positions"], str(row["k"]), row["stop"], f"{row['answers']:,}"),
                *(f"{row['entropy']:.3f}", f"{row['surprise']:.3f}", f"{row['entropy'] / row['surprise']:.3f}"),
                f"{max(off(one) for one in bins):.3f}",
            ]
        )
    print_table("Bits that the belief says are missing, and bits that are", columns, table)


if __name__ == "__main__":
    main("calibration")
