"""Answers near chance: does a fit ever predict worse than a coin?

    python -m research.near_chance           # a minute: one seed, pairs alone
    python -m research.near_chance --full    # all: about 25 minutes on one core

Simulated people compare with 5 features of 300 items (`people`): on each screen they see an anchor and 2, 4 or 8 items,
and choose the 1 (of 8: the 2) nearest to the anchor, which they see with noise. A screen gives 1, 3 or 12 triplets. On
a share of the screens they choose at random, so that 0%, 10%, 40%, 45% or 50% of the triplets of two items are flipped.
`GaussEmbed` is fitted to 2, 5 or 10 triplets an item and judged by 400 screens that it has not seen:

    as fitted      lapse=0, `predict_proba` takes the fit at its word, as before
    default        the lapse rate is chosen by held-out screens, lapse="fit"
    CKL            a method without variances, as it comes
    tune           all of GaussEmbed's options by held-out screens, in one case of each kind

and, in the same way, people's own answers: Music artists and Food, five folds by screen, as in `variance`.
"""

import time
from collections.abc import Callable

import numpy as np

import learn2search as l2s
from research import Array
from research.embedding_folds import DATASETS
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table
from research.variance import few, loaded

N, FEATURES, NOISE = 300, 5, 0.5
TEST_SCREENS = 400
COIN = float(np.log(2))
SCREENS = {"1 of 2": (2, 1), "1 of 4": (4, 1), "2 of 8": (8, 2)}
FLIPPED = (0.0, 0.1, 0.4, 0.45, 0.5)
DENSITIES = (2, 5, 10)
DIMENSIONS = (2, 5, 10)
SEEDS = (0, 1, 2)
FOLDS, SPLIT_SEED = 5, 100
METHODS = ("as fitted", "default", "CKL")
SIMULATED = Table(
    "near_chance",
    "simulated",
    {
        "screen": tuple(SCREENS),
        "flipped": FLIPPED,
        "density": DENSITIES,
        "d": DIMENSIONS,
        "seed": SEEDS,
        "method": METHODS,
    },
)
HUMAN_DENSITIES = (2, 5, 20)
HUMAN = Table(
    "near_chance",
    "human",
    {"dataset": DATASETS, "density": HUMAN_DENSITIES, "d": DIMENSIONS, "fold": tuple(range(FOLDS)), "method": METHODS},
)
TUNED = Table("near_chance", "tuned", {"screen": tuple(SCREENS), "flipped": FLIPPED, "density": DENSITIES})


def people(screen: str, flipped: float, n_screens: int, seed: int) -> tuple[Array, Array]:
    """Triplets, and the screen of each."""
    shown, chosen = SCREENS[screen]
    features = np.random.default_rng(0).normal(size=(N, FEATURES))
    generator = np.random.default_rng([seed, shown, int(100 * flipped)])
    rows = []
    for _ in range(n_screens):
        anchor, *items = generator.choice(N, shown + 1, replace=False)
        perceived = features[anchor] + NOISE * generator.normal(size=FEATURES)
        order = np.array(items)[np.argsort(((features[items] - perceived) ** 2).sum(axis=1))]
        if generator.random() < 2 * flipped:
            order = generator.permutation(order)
        rows += [(anchor, near, far) for near in order[:chosen] for far in order[chosen:]]
    return np.array(rows), np.repeat(np.arange(n_screens), chosen * (shown - chosen))


def parts(screen: str, flipped: float, density: int, seed: int) -> tuple[Array, Array, Array]:
    """Triplets to learn from with their screens, and triplets to judge by."""
    shown, chosen = SCREENS[screen]
    n_train = round(density * N / (chosen * (shown - chosen)))
    rows, screens = people(screen, flipped, n_train + TEST_SCREENS, seed)
    train = screens < n_train
    return rows[train], screens[train], rows[~train]


def judged(rows: Array, groups: Array, test: Array, n: int, d: int, seed: int) -> list[Row]:
    """Each method's held-out NLL; times in seconds."""
    methods: dict[str, Callable[[], l2s.GaussEmbed | l2s.CKL]] = {
        "as fitted": lambda: l2s.GaussEmbed(d, lapse=0.0, random_state=seed).fit(rows, n_items=n, groups=groups),
        "default": lambda: l2s.GaussEmbed(d, random_state=seed).fit(rows, n_items=n, groups=groups),
        "CKL": lambda: l2s.CKL(d, random_state=seed).fit(rows, n_items=n),
    }
    found = []
    for method, fit in methods.items():
        begin = time.process_time()
        model = fit()
        seconds = time.process_time() - begin
        lapse = {"lapse": model.lapse_} if isinstance(model, l2s.GaussEmbed) else {}
        found.append({"method": method, "nll": -model.log_likelihood(test), "seconds": round(seconds, 3)} | lapse)
    return found


def simulated(screen: str, flipped: float, density: int, d: int, seed: int) -> list[Row]:
    rows, groups, test = parts(screen, flipped, density, seed)
    return judged(rows, groups, test, N, d, seed)


def human(dataset: str, density: int, d: int, fold: int) -> list[Row]:
    data = loaded(dataset)
    train, test = list(l2s.triplets.folds(len(data.triplets), FOLDS, SPLIT_SEED, data.groups))[fold]
    kept = few(data, train, density)
    return judged(data.triplets[kept], data.groups[kept], data.triplets[test], data.n_items, d, fold)


def tuned(screen: str, flipped: float, density: int) -> Row:
    """One case, D chosen by itself."""
    rows, groups, test = parts(screen, flipped, density, SEEDS[0])
    begin = time.process_time()
    model = l2s.tune(rows, groups=groups, n_items=N, threads=1)
    return {"nll": -model.log_likelihood(test), "seconds": time.process_time() - begin, "d": int(model.n_components)}


def run(study: Study) -> None:
    screens, seeds = (("1 of 2",), SEEDS[:1]) if study.quick else (tuple(SCREENS), SEEDS)
    warm_up()
    study.measure(
        SIMULATED,
        simulated,
        [
            {"screen": screen, "flipped": flipped, "density": density, "d": d, "seed": seed}
            for seed in seeds
            for screen in screens
            for flipped in FLIPPED
            for density in DENSITIES
            for d in DIMENSIONS
        ],
    )
    study.measure(
        HUMAN,
        human,
        [
            {"dataset": dataset, "density": density, "d": d, "fold": fold}
            for fold in range(1 if study.quick else FOLDS)
            for dataset in (DATASETS[:1] if study.quick else DATASETS)
            for density in HUMAN_DENSITIES
            for d in DIMENSIONS
        ],
    )
    if not study.quick:
        cases = [{"screen": s, "flipped": f, "density": 5} for s in SCREENS for f in (0.0, 0.4, 0.5)]
        study.measure(TUNED, tuned, cases)


def warm_up() -> None:
    """Compile first: times are those of fits."""
    judged(*parts("1 of 2", 0.0, 2, 0), N, 2, 0)


def report(results: Results) -> None:
    """Means over seeds or folds ± standard errors, and the worst single fit."""
    columns = ["flipped", "triplets an item", "as fitted", "default", "the worst", "lapse rate", "CKL", "tune"]
    for screen in results.distinct(SIMULATED, "screen"):
        table = [
            [
                *table_row(
                    results, SIMULATED, {"screen": screen, "flipped": flipped, "density": density}, f"{flipped:.0%}"
                ),
                tuned_text(results, screen, flipped, density),
            ]
            for flipped in FLIPPED
            for density in DENSITIES
        ]
        print_table(f"### {screen}, simulated; a coin: {COIN:.3f}", columns, table)
    for dataset in results.distinct(HUMAN, "dataset"):
        table = [table_row(results, HUMAN, {"dataset": dataset, "density": density}, "") for density in HUMAN_DENSITIES]
        print_table(f"### {dataset}", columns[:-1], table)
    print_table(
        "### The default beside the fit as it is", ["answers", "mean", "worst", "times as long"], beside(results)
    )


def table_row(results: Results, table: Table, asked: Row, first: str) -> list[str]:
    """All dimensions together."""
    rows = {method: results.require(table, **asked, method=method) for method in METHODS}
    nll = {method: [row["nll"] for row in found] for method, found in rows.items()}
    lapses = [row["lapse"] for row in rows["default"]]
    return [
        first,
        str(asked["density"]),
        mean_over(nll["as fitted"]).text(3),
        mean_over(nll["default"]).text(3),
        f"{max(nll['default']):.3f}",
        f"{min(lapses):.2f} to {max(lapses):.2f}",
        mean_over(nll["CKL"]).text(3),
    ]


def tuned_text(results: Results, screen: str, flipped: float, density: int) -> str:
    found = results.select(TUNED, screen=screen, flipped=flipped, density=density)
    return f"{found[0]['nll']:.3f}" if found else ""


def beside(results: Results) -> list[list[str]]:
    """Where answers are near chance, NLL above a coin's; where they are good, above that of the fit as it is."""
    kinds = [(f"{screen}, near chance", SIMULATED, {"screen": screen}, True) for screen in SCREENS]
    kinds += [(f"{screen}, good", SIMULATED, {"screen": screen}, False) for screen in SCREENS]
    kinds += [(f"{dataset}", HUMAN, {"dataset": dataset}, False) for dataset in DATASETS]
    table = []
    for name, of, asked, near_chance in kinds:
        new, old = (
            [row for row in results.select(of, **asked, method=method) if (row.get("flipped", 0) >= 0.4) == near_chance]
            for method in ("default", "as fitted")
        )
        if not new:
            continue
        above = [row["nll"] - (COIN if near_chance else other["nll"]) for row, other in zip(new, old, strict=True)]
        longer = [row["seconds"] / other["seconds"] for row, other in zip(new, old, strict=True)]
        table.append([name, f"{np.mean(above):+.4f}", f"{max(above):+.4f}", f"{np.median(longer):.1f}"])
    return table


if __name__ == "__main__":
    main("near_chance")
