"""docs/benchmarks.md, from the results of `comparison.py` and from benchmarks_template.md."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Template

from research.comparison import (
    AXES,
    DATASETS,
    DIMENSIONS,
    FIT,
    FITS,
    GAMMA,
    GIVEN_UP,
    KNOWN,
    PSIZ_MODEL,
    SEARCH,
    SHOWN,
    STRATEGIES,
)
from research.rows import Results, Row
from research.summary import Mean, mean_over

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
TEMPLATE = Path(__file__).parent / "benchmarks_template.md"
PEOPLE = {"probit": "probit", "scale-free": "scale-free", "table": "Food", "table, filled in": "Food, filled in"}
NAMES = {"more like this": "more like this", "sampled, fitted": "`sampled`, fitted"}
NUMBERS = {2: "Two", 4: "Four", 12: "Twelve"}
RELIABLE = 0.95  # the share of searches that must find their target: to give up early is no strength
METHODS = {
    "gauss, empirical": "`GaussEmbed`",
    "gauss, ratio": '`GaussEmbed`, `link="ratio"`',
    "tste": "t-STE",
    "ckl": "CKL",
    "soe, one start": "SOE, one start",
    PSIZ_MODEL: PSIZ_MODEL,
}


def page(results: Results) -> str:
    """The whole page."""
    peers = results.file(FIT.file).head.get("peers", {})
    parts = {
        "flipped": f"{results.require(KNOWN, people='probit')[0]['flipped']:.0%}",
        "dimensions": DIMENSIONS,
        "gamma": f"{GAMMA:g}",
        "given_up": GIVEN_UP,
        "questions": _joined(f"{NUMBERS[k]} shown:\n\n{questions(results, k, 'shown')}" for k in SHOWN),
        "losses": "\n".join(losses(results)),
        "modes": questions(results, 2, "mode"),
        "times": times(results),
        "known": known(results),
        **{name: peers.get(name, "") for name in ("cblearn", "psiz")},
        "embeddings": _joined(embeddings(results, dataset) for dataset in DATASETS),
    }
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(parts)


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(parts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# --- search ----------------------------------------------------------------------------------------


def questions(results: Results, k: int, stop: str) -> str:
    """Strategies by people and items."""
    rows = results.require(SEARCH, k=k, stop=stop)
    worlds = list(dict.fromkeys((row["people"], row["n"]) for row in rows))
    found = {(row["strategy"], row["people"], row["n"]): row for row in rows}
    head = ["strategy", *(f"{PEOPLE[kind]}, {n:,}" for kind, n in worlds)]
    measured = [one for one in STRATEGIES if any(row["strategy"] == one for row in rows)]
    cells = {
        key: _questions_of(row, [found[one, *key[1:]] for one in measured if (one, *key[1:]) in found])
        for key, row in found.items()
    }
    return _table(head, ([_name(one), *(cells.get((one, *world), "") for world in worlds)] for one in measured))


def _questions_of(row: Row, rivals: Sequence[Row]) -> str:
    text, finders = _mean(row).text(1), [rival for rival in rivals if rival["found"] >= RELIABLE]
    if row in finders and not any(_mean(rival).below(_mean(row)) for rival in finders):
        text = f"**{text}**"
    return text if row["found"] == 1 else f"{text} ({row['found']:.0%})"


def _mean(row: Row) -> Mean:
    return Mean(row["mean"], row["error"])


def _name(strategy: str) -> str:
    return NAMES.get(strategy, f"`{strategy}`")


def losses(results: Results) -> Iterator[str]:
    """Where another strategy shows the target in clearly fewer questions than our default."""
    for ours in results.require(SEARCH, strategy="sampled", stop="shown"):
        same = {name: ours[name] for name in ("people", "n", "k", "stop")}
        for row in results.require(SEARCH, **same):
            if _mean(row).below(_mean(ours)):
                where = f"{PEOPLE[row['people']]}, {row['n']:,} items, {NUMBERS[row['k']].lower()} shown"
                yield f"- {_name(row['strategy'])}: {where}, {1 - row['mean'] / ours['mean']:.0%} fewer"


def times(results: Results) -> str:
    shown, mode = (results.require(SEARCH, people="probit", k=2, stop=stop) for stop in ("shown", "mode"))
    rows = [*(row for row in mode if row["strategy"] == "mean-cut"), *shown]
    sizes = list(dict.fromkeys(row["n"] for row in rows))
    lines = []
    for strategy in STRATEGIES:
        by_size = {row["n"]: row["milliseconds"] for row in rows if row["strategy"] == strategy}
        lines.append([_name(strategy), *(f"{by_size[n]:.2f}" for n in sizes)])
    return _table(["strategy", *(f"{n:,} items" for n in sizes)], lines)


def known(results: Results) -> str:
    rows = (
        [
            f"{PEOPLE[row['people']]}, {row['n']:,}",
            f"{row['flipped']:.1%}",
            f"{row['noise']:.2f}",
            f"{row['gamma']:.1f}",
        ]
        for row in results.require(KNOWN)
    )
    return _table(["people", "answers against the distances", "σ", "γ"], rows)


# --- embeddings ------------------------------------------------------------------------------------


def embeddings(results: Results, dataset: str) -> str:
    rows = results.require(FIT, dataset=dataset)
    count, what = len({row["fold"] for row in rows}), "sets" if dataset == "synthetic" else "folds"
    by_method = [[row for row in rows if (row["library"], row["method"]) == one] for one in FITS]
    lines = [_fit_line(of_method) for of_method in by_method if of_method]
    title = f"*{dataset.capitalize()}*, {AXES[dataset]} axes, {count} {what}:"
    return f"{title}\n\n{_table(['', 'accuracy, %', 'NLL', 'seconds'], lines)}"


def _fit_line(rows: Sequence[Row]) -> list[str]:
    accuracy = mean_over([100 * row["accuracy"] for row in rows]).text(2)
    likelihoods = [row["nll"] for row in rows if row["nll"] is not None]
    theirs = "" if rows[0]["library"] == "learn2search" else f"{rows[0]['library']}'s "
    nll = mean_over(likelihoods).text(3) if likelihoods else ""
    seconds = mean_over([row["cpu_seconds"] for row in rows]).value
    return [theirs + METHODS[rows[0]["method"]], accuracy, nll, f"{seconds:.2g}"]
