"""Pictures of maps of people's answers, for the page that shows how to draw them.

python -m research.maps           # the same, with fewer folds and axes
python -m research.maps --full    # three minutes on one core

map            Food on two axes (`GaussEmbed(2)`) after 3000 of the answers, with the names of some dishes
dimension      Music artists: held-out log-likelihood by the number of axes, folds by screen, and what each way of
               choosing the number says
calibration    Food on ten axes: predicted and observed shares of the answers of the fifth of the screens held out
learning       what `research.active` measured: `active.json`
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

import learn2search as l2s
from research import active
from research.drawing import small_png
from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import mean_over, print_table

DIMENSIONS = (2, 3, 5, 10, 20, 40, 80)
FOLDS = 5
METHODS = ("ard", "energy")
ANSWERS = 3000  # of Food: with all of them the ellipses could not be seen
NAMED = 20  # dishes with their names on the map
MAP = Table("maps", "map", {"item": int})
DIMENSION = Table("maps", "dimension", {"d": DIMENSIONS, "fold": tuple(range(FOLDS))})
CHOICE = Table("maps", "choice", {"method": METHODS})
CALIBRATION = Table("maps", "calibration", {"bin": int})


@lru_cache(1)
def food() -> l2s.TripletData:
    return l2s.fetch_food()


def positions() -> list[Row]:
    rows = l2s.triplets.subsample(food(), ANSWERS, seed=0)
    model = l2s.GaussEmbed(2, epochs=400, lapse=0.0, random_state=0, n_items=food().n_items).fit(rows)
    return [
        {"item": item, "name": food().names[item], "mean": mean.round(4).tolist(), "var": var.round(6).tolist()}
        for item, (mean, var) in enumerate(zip(model.embedding_, model.variance_, strict=True))
    ]


def by_dimension(d: int) -> list[Row]:
    data = l2s.fetch_music_artists()
    curve = l2s.dimension_curve(data, (d,), groups=data.groups, n_folds=FOLDS)
    scores = zip(curve.log_likelihood[0].tolist(), curve.accuracy[0].tolist(), strict=True)
    return [{"fold": fold, "log_likelihood": nll, "accuracy": share} for fold, (nll, share) in enumerate(scores)]


def choice(method: str) -> Row:
    return {"chosen": l2s.choose_dimension(l2s.fetch_music_artists(), method)}


def calibrated() -> list[Row]:
    train, test = l2s.triplets.split(len(food()), share=0.2, seed=0, groups=food().groups)
    model = l2s.GaussEmbed(10, lapse=0.0, random_state=0).fit(food()[train])
    curve = l2s.metrics.calibration_curve(model.predict_proba(food()[test]))
    columns = zip(curve.predicted.tolist(), curve.observed.tolist(), curve.counts.tolist(), strict=True)
    return [{"bin": at, "predicted": p, "observed": o, "count": n} for at, (p, o, n) in enumerate(columns)]


def run(study: Study) -> None:
    study.measure(MAP, positions, [{}])
    study.measure(CALIBRATION, calibrated, [{}])
    study.measure(DIMENSION, by_dimension, [{"d": d} for d in DIMENSIONS[: 4 if study.quick else None]])
    study.measure(CHOICE, choice, [{"method": method} for method in (() if study.quick else METHODS)])


def curve_of(results: Results) -> l2s.DimensionCurve:
    tried = results.distinct(DIMENSION, "d")
    rows = [results.require(DIMENSION, d=d) for d in tried]
    scores = [[[row[name] for row in found] for found in rows] for name in ("log_likelihood", "accuracy")]
    return l2s.DimensionCurve(np.array(tried), np.array(scores[0]), np.array(scores[1]))


def report(results: Results) -> None:
    curve = curve_of(results)
    table = [
        [str(d), mean_over(list(nll)).text(4), mean_over(list(100 * share)).text(2)]
        for d, nll, share in zip(curve.dimensions, curve.log_likelihood, curve.accuracy, strict=True)
    ]
    print_table("### Music artists", ["axes", "held-out log-likelihood", "accuracy, %"], table)
    choices = {row["method"]: row["chosen"] for row in results.select(CHOICE)}
    print(f"chosen: {choices | {'likelihood': curve.chosen, 'best': curve.best}}")


def plot(results: Results, path: Path) -> None:
    """The four pictures, each by one call, in a PNG file."""
    with small_png(path, 2, 2, height=4.2) as panels:
        (first, second), (third, fourth) = panels
        draw_map(results, first)
        l2s.plot_dimension(curve_of(results), second).set_title("plot_dimension: Music artists")
        rows = results.require(CALIBRATION)
        columns = (np.array([row[name] for row in rows]) for name in ("predicted", "observed", "count"))
        l2s.plot_calibration(l2s.metrics.Calibration(*columns), third).set_title("plot_calibration: Food")
        curves = {by: active.curves_of(results, "5%", by) for by in active.RULES}
        smooth = {by: [active.smooth(curve) for curve in found] for by, found in curves.items()}
        drawn = {by: (found[0][0], np.array([share for _, share in found]).T) for by, found in smooth.items()}
        l2s.plot_learning(drawn, fourth).set_title("plot_learning: simulated people")


def draw_map(results: Results, ax: object) -> None:
    """Dishes with short names that lie far apart are named."""
    rows = results.require(MAP)
    mean, var = (np.array([row[name] for row in rows]) for name in ("mean", "var"))
    named: list[int] = []
    for item in sorted(range(len(rows)), key=lambda item: len(rows[item]["name"])):
        apart = [np.abs((mean[item] - mean[other]) / mean.std(axis=0)) for other in named]
        if all(gap[0] > 1.6 or gap[1] > 0.35 for gap in apart) and len(named) < NAMED:
            named.append(item)
    labels = [row["name"] if row["item"] in named and len(row["name"]) < 24 else "" for row in rows]
    l2s.plot_map(l2s.Embedding(mean, var), ax, labels=labels).set_title("plot_map: Food, ellipses of one σ")


if __name__ == "__main__":
    main("maps")
