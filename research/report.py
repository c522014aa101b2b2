"""The report: each claim of the paper beside what was measured, from the results files alone.

`learn2search reproduce --report` writes docs/research/reproduction.md from the full results, and with --quick
research/results/reproduction-quick.md from the quick ones.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from research import rows
from research.claims import FAILS, HOLDS, IN_PART, MISSING
from research.rows import NotMeasured, Results, file_name

EXPERIMENTS = (
    *("figure1", "figure2", "figure3", "supplement_dimension", "supplement_map"),
    *("theorem1", "theorem2", "lemma", "scaling"),
)
ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "research" / "reproduction.md"
TO_ROOT = "../.."  # from the folder of the page
MARKS = {HOLDS: "**holds**", IN_PART: "**holds in part**", FAILS: "**does not hold**", MISSING: "not measured yet"}
HEAD = """# The paper's experiments, reproduced

<!-- Made by `learn2search reproduce --report` from the result files: change research/ and make it anew. -->

Each claim of *Scalable and Efficient Comparison-based Search without Features* (ICML 2020) beside what this code
measured. `learn2search reproduce --full` measures what is missing and writes this page; `learn2search reproduce` does
the same at small sizes in minutes. All people are **simulated**: they answer by the paper's probit model. ± is one
standard error.

Verdicts are computed. A claim is one or more checks, which its rule describes. It **holds** when all of them pass,
**holds in part** when some do, and **does not hold** when none does. Two means differ when they are two standard errors
of their difference apart; a single repetition is given an error of 5%. A claim in parentheses is ours, not the paper's.
"""


class Judged(NamedTuple):
    """A claim beside what was measured, as a row of the page."""

    paper: str
    where: str
    ours: str
    verdict: str
    rule: str


def name_of(module: ModuleType) -> str:
    return module.__name__.removeprefix("research.")


def title(module: ModuleType) -> str:
    return (module.__doc__ or "").strip().split("\n")[0].rstrip(".")


def text(module: ModuleType) -> str:
    """The rest of the docstring; indented formulas stay as they are."""
    return "\n".join((module.__doc__ or "").split("\n")[1:]).strip("\n")


def picture(module: ModuleType, quick: bool) -> Path:
    return rows.RESULTS / f"{file_name(name_of(module), quick)}.svg"


def origins(module: ModuleType, results: Results) -> Iterator[str]:
    """How and where each results file was made."""
    for file in dict.fromkeys(table.file for table in module.TABLES):
        stored = results.file(file)
        if stored.rows:
            made, name = stored.head, stored.path.relative_to(ROOT)
            machine = made["environment"]
            where = f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}"
            seed = f", seed {made['seed']}" if "seed" in made else ""
            yield f"[`{name}`]({TO_ROOT}/{name}): `{made['command']}`{seed}, {made['finished'][:10]}, {where}"


def judged(module: ModuleType, results: Results) -> Iterator[Judged]:
    for claim in module.CLAIMS:
        ours, verdict = claim.found(results)
        reason = f"{claim.rule}. Why: {claim.why}" if claim.why and verdict in (IN_PART, FAILS) else claim.rule
        yield Judged(claim.paper, claim.where, ours, verdict, reason)


def section(module: ModuleType, results: Results) -> Iterator[str]:
    yield f"\n## {title(module)}\n\n{text(module)}\n"
    drawn = picture(module, results.quick)
    if drawn.exists() and not results.quick:
        yield f"![{title(module)}]({TO_ROOT}/{drawn.relative_to(ROOT)})\n"
    yield "| the paper | where | ours | verdict | rule |\n| --- | --- | --- | --- | --- |"
    for row in judged(module, results):
        cells = row._replace(verdict=MARKS[row.verdict])
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    made = list(origins(module, results))
    yield "\n" + ("\n".join(f"- {line}" for line in made) if made else "Nothing has been measured yet.")


def summary(modules: list[ModuleType], results: Results) -> Iterator[str]:
    yield "| | holds | in part | does not | not measured |\n| --- | --- | --- | --- | --- |"
    for module in modules:
        counts = Counter(row.verdict for row in judged(module, results))
        yield f"| {title(module).split(':')[0]} | " + " | ".join(str(counts[mark] or "") for mark in MARKS) + " |"


def report(quick: bool = False) -> str:
    """The whole page."""
    modules, results = [import_module(f"research.{name}") for name in EXPERIMENTS], Results(quick)
    lines = [HEAD, *summary(modules, results), *(line for module in modules for line in section(module, results))]
    return "\n".join(lines) + "\n"


def draw(quick: bool) -> None:
    """Every figure whose results are there."""
    results = Results(quick)
    for module in (import_module(f"research.{name}") for name in EXPERIMENTS):
        if any(results.select(table) for table in module.TABLES):
            with suppress(NotMeasured):  # of what it needs only a part has been measured
                module.plot(results, picture(module, quick))


def write(quick: bool) -> Path:
    """The page and its figures."""
    draw(quick)
    path = rows.RESULTS / "reproduction-quick.md" if quick else PAGE
    path.write_text(report(quick), encoding="utf-8")
    return path
