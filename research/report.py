"""The report: each claim of the paper beside what was measured, from the result files alone.

`learn2search reproduce --report` writes docs/reproduction.md from the full results, and with --quick
research/results/reproduction-quick.md from the quick ones.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

from research import recording
from research.claims import FAILS, HOLDS, IN_PART, MISSING
from research.study import HERE, file_name, read_cells, result_files

EXPERIMENTS = (
    *("figure1", "figure2", "figure3", "supplement_dimension", "supplement_map"),
    *("theorem1", "theorem2", "lemma", "scaling"),
)
ROOT = HERE.parent
MARKS = {HOLDS: "**holds**", IN_PART: "**holds in part**", FAILS: "**does not hold**", MISSING: "not measured yet"}
HEAD = """# The paper's experiments, reproduced

<!-- Made by `learn2search reproduce --report` from the result files: change research/ and make it anew. -->

Each claim of *Scalable and Efficient Comparison-based Search without Features* (ICML 2020) beside what this code
measured. `learn2search reproduce --full` measures what is missing and writes this page; `learn2search reproduce` does
the same at small sizes in minutes. All people are **simulated**: they answer by the paper's probit model. ± is one
standard error.

A verdict is computed, never written by hand: a claim is one or more checks, as its rule says. All pass: it **holds**;
some pass: it **holds in part**; none: it **does not hold**. Two means differ when they are two standard errors of their
difference apart; one repetition alone is given an error of 5%. What stands in parentheses is a claim of ours, not of
the paper.
"""


def name_of(module: ModuleType) -> str:
    return module.__name__.removeprefix("research.")


def title(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().split("\n")[0].rstrip(".")


def text(module: ModuleType) -> str:
    """The rest of the docstring; indented formulas stay as they are."""
    return "\n".join((module.__doc__ or "").split("\n")[1:]).strip("\n")


def sources(module: ModuleType) -> tuple[str, ...]:
    return getattr(module, "SOURCES", ())


def origins(module: ModuleType, quick: bool) -> Iterator[str]:
    """How and where each result file was made."""
    for path in result_files(name_of(module), sources(module), quick):
        made = json.loads(path.read_text())
        machine = made["environment"]
        where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}"
        seed = f", seed {made['seed']}" if "seed" in made else ""
        name = path.relative_to(ROOT)
        yield f"[`{name}`](../{name}): `{made['command']}`{seed}, {made['finished'][:10]}, {where}"


def rows(module: ModuleType, quick: bool) -> list[tuple[str, ...]]:
    """(where, paper, ours, verdict, rule and reason) of each claim."""
    cells = read_cells(name_of(module), sources(module), quick)
    found = []
    for claim in import_module(f"research.claims.{name_of(module)}").CLAIMS:
        ours, verdict = claim.found(cells)
        reason = f"{claim.rule}. Why: {claim.why}" if claim.why and verdict in (IN_PART, FAILS) else claim.rule
        found.append((claim.where, claim.paper, ours, verdict, reason))
    return found


def section(module: ModuleType, quick: bool) -> Iterator[str]:
    yield f"\n## {title(module)}\n\n{text(module)}\n"
    picture = recording.RESULTS / f"{file_name(name_of(module), quick)}.svg"
    if picture.exists() and not quick:
        yield f"![{title(module)}](../{picture.relative_to(ROOT)})\n"
    yield "| the paper | where | ours | verdict | rule |\n| --- | --- | --- | --- | --- |"
    for where, paper, ours, verdict, reason in rows(module, quick):
        yield (
            "| " + " | ".join(part.replace("|", "\\|") for part in (paper, where, ours, MARKS[verdict], reason)) + " |"
        )
    made = list(origins(module, quick))
    yield "\n" + ("\n".join(f"- {line}" for line in made) if made else "Nothing has been measured yet.")


def summary(modules: list[ModuleType], quick: bool) -> Iterator[str]:
    yield "| | holds | in part | does not | not measured |\n| --- | --- | --- | --- | --- |"
    for module in modules:
        counts = Counter(row[3] for row in rows(module, quick))
        yield f"| {title(module).split(':')[0]} | " + " | ".join(str(counts[mark] or "") for mark in MARKS) + " |"


def report(quick: bool = False) -> str:
    """The whole page."""
    modules = [import_module(f"research.{name}") for name in EXPERIMENTS]
    lines = [HEAD, *summary(modules, quick), *(line for module in modules for line in section(module, quick))]
    return "\n".join(lines) + "\n"


def draw(quick: bool) -> None:
    """Every figure whose results are there."""
    for module in (import_module(f"research.{name}") for name in EXPERIMENTS):
        cells = read_cells(name_of(module), sources(module), quick)
        with suppress(KeyError):  # of what it needs only a part has been measured
            if cells:
                module.plot(cells, recording.RESULTS / f"{file_name(name_of(module), quick)}.svg")


def write(quick: bool) -> Path:
    """The page and its figures."""
    draw(quick)
    path = recording.RESULTS / "reproduction-quick.md" if quick else ROOT / "docs" / "reproduction.md"
    path.write_text(report(quick), encoding="utf-8")
    return path
