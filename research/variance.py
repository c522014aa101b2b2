"""Uncertain positions: how probable are people's answers, by which formula, and how far can the variances be trusted?

    python -m research.variance           # a minute: one fold of artists
    python -m research.variance --full    # all: about 15 minutes on one core

Five folds by screen of Music artists and of Food. Of each training part whole screens are kept until there are about
2, 5 or 20 triplets an item (artists have 18 in a training part: all of them). `GaussEmbed` with ten axes is fitted to
these, and held-out answers are judged

    first order    the margin linearised at the means, as `predict_proba` did before
    exact          the fitted Gaussians integrated out, `predict_proba`
    fitted factor  the same with the variances times a factor that is chosen inside the training part by held-out
                   screens, `variance_factor="fit"`

beside the mean over sampled positions (`SAMPLES`), which says what the integral is. A factor is chosen in the training
part alone; how it is chosen (the nearest to 1 within a standard error) was settled on other splits of the same sets.
"""

import copy

import numpy as np
from scipy import special

import learn2search as l2s
from research import Array
from research.embedding_folds import DATASETS
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

SEED = 100
FOLDS = 5
D = 10
KAPPA = 2.5
DENSITIES = (2, 5, 20)  # triplets an item
LINKS = ("probit", "ratio")
FORMULAS = ("first order", "exact", "fitted factor")
SAMPLES, SAMPLED_ROWS = 4000, 500
JUDGED = Table(
    "variance",
    "judged",
    {"dataset": DATASETS, "link": LINKS, "density": DENSITIES, "fold": tuple(range(FOLDS)), "formula": FORMULAS},
)


def loaded(dataset: str) -> l2s.TripletData:
    return l2s.fetch_music_artists() if dataset == "artists" else l2s.fetch_food()


def few(data: l2s.TripletData, train: Array, density: int) -> Array:
    """Rows of the training part, whole screens, about `density` an item."""
    share = density * data.n_items / len(train)
    if share >= 1:
        return train
    _, kept = l2s.triplets.split(len(train), share, SEED + 1, data.groups[train])
    return train[kept]


# --- formulas --------------------------------------------------------------------------------------


def margins(anchor: Array, near: Array, far: Array, link: str) -> Array:
    if link == "probit":
        return l2s.margin(near, far, anchor)
    to_near, to_far = (((anchor - other) ** 2).sum(axis=-1) for other in (near, far))
    return np.asarray(KAPPA * (np.log1p(to_far) - np.log1p(to_near)))


def probability(margin: Array, link: str) -> Array:
    return np.asarray(special.ndtr(margin) if link == "probit" else special.expit(margin))


def by_sampling(mean: Array, var: Array, rows: Array, link: str) -> Array:
    """The mean over positions drawn from the fitted Gaussians."""
    generator = np.random.default_rng(SEED + 2)
    found = []
    for row in rows:
        x = mean[row] + np.sqrt(var[row]) * generator.standard_normal((SAMPLES, 3, mean.shape[1]))
        found.append(probability(margins(x[:, 0], x[:, 1], x[:, 2], link), link).mean())
    return np.array(found)


def first_order(mean: Array, var: Array, rows: Array, link: str) -> Array:
    """The margin at the means (of the distances' expectations for the ratio link), its variance by its slopes."""
    (t, i, j), (v_t, v_i, v_j) = (np.moveaxis(values[rows], 1, 0) for values in (mean, var))
    p, q = t - i, t - j
    near, far = (p**2).sum(axis=1, keepdims=True), (q**2).sum(axis=1, keepdims=True)
    if link == "probit":
        r = np.sqrt(((i - j) ** 2 + v_i + v_j).sum(axis=1, keepdims=True))
        m = 0.5 * (far - near) / r
        to_near = (1 + m / r) / r * p - m / r**2 * q
        to_far = -m / r**2 * p + (m / r - 1) / r * q
    else:
        near, far = near + (v_t + v_i).sum(axis=1, keepdims=True), far + (v_t + v_j).sum(axis=1, keepdims=True)
        m = KAPPA * (np.log1p(far) - np.log1p(near))
        to_near, to_far = 2 * KAPPA / (1 + near) * p, -2 * KAPPA / (1 + far) * q
    variance = (to_near**2 * v_i + to_far**2 * v_j + (to_near + to_far) ** 2 * v_t).sum(axis=1)
    return probability(m[:, 0] / np.sqrt(1 + (variance if link == "probit" else np.pi / 8 * variance)), link)


# --- measuring -------------------------------------------------------------------------------------


def judged(dataset: str, link: str, density: int, fold: int) -> list[Row]:
    """One fit, its held-out answers by each formula."""
    data = loaded(dataset)
    train, test = list(l2s.triplets.folds(len(data.triplets), FOLDS, SEED, data.groups))[fold]
    kept = few(data, train, density)
    model = l2s.GaussEmbed(D, link=link, kappa=KAPPA, variance_factor="fit", lapse=0.0, random_state=fold)
    model.fit(data.triplets[kept], n_items=data.n_items, groups=data.groups[kept])
    held_out = data.triplets[test]
    shared = {
        "triplets": len(kept),
        "screens": len(np.unique(data.groups[kept])),
        "accuracy": model.score(held_out),
        "fitted": model.variance_factor_,
    }
    return [{"formula": formula} | shared | figures(model, link, formula, held_out) for formula in FORMULAS]


def figures(model: l2s.GaussEmbed, link: str, formula: str, held_out: Array) -> Row:
    """Held-out likelihood and calibration by one formula, and how far it is from the mean over sampled positions."""
    factor = model.variance_factor_ if formula == "fitted factor" else 1.0
    other = copy.copy(model)
    other.variance_factor_ = factor

    def by_formula(rows: Array) -> Array:
        if formula == "first order":
            return first_order(model.embedding_, model.variance_, rows, link)
        return other.predict_proba(rows)

    some = l2s.triplets.subsample(held_out, min(SAMPLED_ROWS, len(held_out)), SEED + 3)
    off = np.abs(by_formula(some) - by_sampling(model.embedding_, factor * model.variance_, some, link))
    probabilities = by_formula(held_out)
    return {
        "nll": -l2s.metrics.log_likelihood(probabilities),
        "calibration_error": l2s.metrics.calibration_curve(probabilities).error,
        "mean_off": float(off.mean()),
        "largest_off": float(off.max()),
    }


def run(study: Study) -> None:
    folds = range(study.repetitions or (1 if study.quick else FOLDS))
    cases = [
        {"dataset": dataset, "link": link, "density": density, "fold": fold}
        for fold in folds
        for dataset in (DATASETS[:1] if study.quick else DATASETS)
        for link in LINKS
        for density in DENSITIES
    ]
    study.measure(JUDGED, judged, cases)


def report(results: Results) -> None:
    """Means over the folds ± standard errors; the differences of NLL are paired."""
    columns = ["triplets an item", "formula", "NLL", "beside exact", "calibration error", "off, mean", "off, at most"]
    for dataset in results.distinct(JUDGED, "dataset"):
        for link in results.distinct(JUDGED, "link", dataset=dataset):
            table = [
                table_row(results, {"dataset": dataset, "link": link, "density": density}, formula)
                for density in results.distinct(JUDGED, "density", dataset=dataset, link=link)
                for formula in FORMULAS
            ]
            print_table(f"### {dataset}, {link}", columns, table)


def table_row(results: Results, asked: Row, formula: str) -> list[str]:
    rows, exact = (results.require(JUDGED, **asked, formula=name) for name in (formula, "exact"))
    name = formula
    if formula == "fitted factor":
        name += f", {min(row['fitted'] for row in rows):.2g} to {max(row['fitted'] for row in rows):.2g}"
    return [
        str(asked["density"]),
        name,
        mean_over([row["nll"] for row in rows]).text(3),
        mean_over([row["nll"] - other["nll"] for row, other in zip(rows, exact, strict=True)]).text(3),
        mean_over([row["calibration_error"] for row in rows]).text(3),
        f"{np.mean([row['mean_off'] for row in rows]):.4f}",
        f"{max(row['largest_off'] for row in rows):.3f}",
    ]


if __name__ == "__main__":
    main("variance")
