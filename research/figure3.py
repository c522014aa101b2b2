"""Figure 3: the face search (a) cost against the number of triplets T, (b) how often each face stands in a triplet.

SIMULATED: where the paper has five people and photographs of actors, here are simulated visitors of 513 drawn faces.
The triplets come through the real site (`faces.py`). As in the paper (section 6.3), T of them are drawn at random,
embedded, and new people search uniformly drawn targets with four pictures. The paper's people: at T = 1,000 as costly
as random (64 screens), then falling; about 2 minutes, 24 screens, at 10,000; faces with more triplets are found
sooner; m(i) from 16 to 1,567 with median 227.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

import learn2search as l2s
from research.faces import N_FACES, NOISE, collected, features
from research.study import COLOURS, Cells, Study, figure, main

SOURCES = ("blind",)
SEED = 6
SIZES = (1000, 3000, 5000, 10_000, 20_000, 40_000)  # T, section 6.3
SUBJECTS, EACH = 5, 10  # section 6.3: people, and searches of each for every T; we have twice as many people
RANDOM = N_FACES / 8  # the paper's cost of a random strategy, n/4 / 2
SECONDS = 5.0  # median time of an answer, section 6.3
DIM = 16  # axes of the demo's models
METHODS: dict[str, tuple[str, str, dict[str, str], str]] = {  # strategy, prior of the embedding, options, label
    "paper": ("gauss", "standard", {"metric": "mahalanobis"}, "the paper's search"),
    "euclidean": ("gauss", "standard", {"metric": "euclidean"}, "the same, Euclidean nearest"),
    "ours": ("sampled", "empirical", {}, "ours"),
}
LOOKS = {"paper": COLOURS["paper"], "euclidean": COLOURS["third"], "ours": COLOURS["ours"]}


def searches(method: str, size: int, count: int, subject: int) -> dict[str, list[float]]:
    """One person's searches with `size` of `count` triplets: screens, and whether the target is of the denser half."""
    triplets, seen = collected(count), features()[1]
    strategy, prior, options, _ = METHODS[method]
    generator = np.random.default_rng([SEED, size, subject])
    rows = triplets[generator.permutation(len(triplets))[:size]]
    model = l2s.GaussEmbed(DIM, prior=prior, random_state=subject).fit(rows, n_items=N_FACES)
    targets = generator.integers(0, N_FACES, EACH)
    person = l2s.ProbitOracle(seen, NOISE, seed=1000 * SEED + subject)
    space, given = model.to_embedding(), {"k": 4, "noise": 1.0, "seed": subject, "progress": False}
    run = l2s.simulate(strategy, space, person, targets, **given, **options)
    often = np.bincount(rows.ravel(), minlength=N_FACES)  # m(i)
    return {"screens": run.costs.tolist(), "dense": (often[targets] > np.median(often)).tolist()}


def run(study: Study) -> None:
    sizes = (500, 1500) if study.quick else SIZES
    people = study.repetitions or (2 if study.quick else 2 * SUBJECTS)
    record, most = study.record(SEED), max(sizes)
    record.cell("m(i)", lambda: np.bincount(collected(most).ravel(), minlength=N_FACES).tolist())
    cells = {
        f"searches | {method} | T={size} | {subject}": {
            "method": method,
            "size": size,
            "count": most,
            "subject": subject,
        }
        for method in METHODS
        for size in sizes
        for subject in range(people)
    }
    replace(study, scheduler=None).measure(record, searches, cells)  # the triplets are on this machine


def screens(cells: Cells, method: str, size: int, dense: bool | None = None) -> list[float]:
    """Screens of every search; of the denser half of the targets only, of the other, or of all."""
    found = [cell for key, cell in cells.items() if key.startswith(f"searches | {method} | T={size} |")]
    pairs = [pair for cell in found for pair in zip(cell["screens"], cell["dense"], strict=True)]
    return [cost for cost, of in pairs if dense is None or of == dense]


def measured_sizes(cells: Cells) -> list[int]:
    found = sorted({int(key.split(" | ")[2][2:]) for key in cells if key.startswith("searches | ")})
    if not found:
        raise KeyError("no search has been measured")
    return found


def plot(cells: Cells, path: Path) -> None:
    sizes = measured_sizes(cells)
    with figure(path) as (left, right):
        for method, colour in LOOKS.items():
            every = [screens(cells, method, size) for size in sizes]
            means, spread = np.array([np.mean(one) for one in every]), np.array([np.std(one) for one in every])
            left.plot(sizes, means, "o-", color=colour, label=METHODS[method][-1])
            left.fill_between(sizes, np.maximum(means - spread, 1), means + spread, color=colour, alpha=0.08, lw=0)
            for dense, line in ((True, ":"), (False, "--")):
                halves = [np.mean(screens(cells, method, size, dense) or [np.nan]) for size in sizes]
                left.plot(sizes, halves, line, color=colour, lw=1)
        left.axhline(RANDOM, color="black", lw=0.8, ls="-.", label="random")
        left.set(
            xscale="log", xlabel="triplets T", ylabel="screens of four", title="(a) SIMULATED people; band: one std"
        )
        left.legend(title="dotted, dashed: targets in the top,\nbottom half by m(i)", title_fontsize=8)
        right.plot(np.sort(cells["m(i)"])[::-1], color=COLOURS["paper"])
        right.set(yscale="log", xlabel="faces, in order", ylabel="triplets m(i)", title="(b) SIMULATED popularity")


if __name__ == "__main__":
    main("figure3")
