"""The first call on a machine: CPU seconds in a new process with nothing compiled, now and before an earlier change.

    python -m research.first_call            # half a minute: only the first question
    python -m research.first_call --full     # about 15 minutes; needs git and the history of this repository

    ask        a first `PosteriorSearch` of 24 items, and its question of four
    tell       the same, an answer and another question
    simulate   two searches with a simulated person
    fit        a first `GaussEmbed.fit` of 60 triplets, one epoch
    warm-up    `learn2search.warm_up()`: all of it

Importing the package counts, but that of NumPy, SciPy and numba does not. "before" are the sources of a commit in which
the loop of a simulation was compiled together with all that it calls. Both are measured in turn, call by call: a busy
machine makes either up to twice as long.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from research.rows import Results, Row, Table
from research.study import Study, main
from research.summary import print_table

BEFORE = "970536a"
CALLS = {
    "ask": "search.ask(4)",
    "tell": "search.tell(search.ask(4)[0]); search.ask(4)",
    "simulate": "l2s.simulate('sampled', items, l2s.ProbitOracle(items, noise=1.0), [0, 1], progress=False)",
    "fit": "l2s.GaussEmbed(2, epochs=1).fit(np.tile([[0, 1, 2], [1, 2, 3], [2, 3, 4]], (20, 1)))",
    "warm-up": "l2s.warm_up()",
}
PARTS = tuple(CALLS)
SEARCHES = ("ask", "tell")
FIRST = Table("first_call", "first call", {"call": tuple(CALLS), "sources": ("before", "now")})
PROGRAM = """
import time
import numba, numpy as np, scipy.special, scipy.optimize, scipy.stats
from numba.core import event
compiled = event.RecordingListener()
begin = time.process_time()
with event.install_listener("numba:compile", compiled):
    import learn2search as l2s
    items = l2s.Embedding(np.random.default_rng(0).standard_normal((24, 3)))
    {search}
    {call}
print(time.process_time() - begin, sum(one.is_start for _, one in compiled.buffer))
"""


def first_call(call: str, sources: str, repetitions: int) -> Row:
    """The best of some new processes: CPU seconds, and how many functions were compiled."""
    with tempfile.TemporaryDirectory() as folder:
        path = _sources(Path(folder)) if sources == "before" else Path(__file__).parents[1] / "src"
        found = [_once(call, path) for _ in range(repetitions)]
    return {"cpu": round(min(cpu for cpu, _ in found), 2), "functions": found[0][1]}


def _once(call: str, path: Path) -> tuple[float, int]:
    search = "search = l2s.PosteriorSearch(items, 1.0, seed=0)" if call in SEARCHES else ""
    program = PROGRAM.format(search=search, call=CALLS[call])
    with tempfile.TemporaryDirectory() as empty:
        environment = os.environ | {"NUMBA_CACHE_DIR": empty, "PYTHONPATH": str(path)}
        done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
    cpu, functions = done.stdout.split()
    return float(cpu), int(functions)


def _sources(folder: Path) -> Path:
    """The package as it was."""
    repository = Path(__file__).parents[1]
    archive = subprocess.run(["git", "archive", BEFORE, "src"], cwd=repository, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return folder / "src"


def run(study: Study) -> None:
    repetitions = study.repetitions or (1 if study.quick else 2)
    calls = ["ask"] if study.quick else [call for call in CALLS if study.wants(call)]
    versions = ["now"] if study.quick else ["before", "now"]
    cases = [{"call": call, "sources": sources, "repetitions": repetitions} for call in calls for sources in versions]
    study.measure(FIRST, first_call, cases)


def report(results: Results) -> None:
    table = []
    for call in CALLS:
        found = {row["sources"]: row for row in results.select(FIRST, call=call)}
        cells = [f"{found[one]['cpu']:.1f}" if one in found else "" for one in ("before", "now")]
        ratio = f"{found['now']['cpu'] / found['before']['cpu']:.2f}" if len(found) == 2 else ""
        functions = [str(found[one]["functions"]) if one in found else "" for one in ("before", "now")]
        table.append([call, *cells, ratio, *functions])
    columns = ["call", "before, CPU s", "now, CPU s", "ratio", "functions before", "functions now"]
    print_table("A first call with nothing compiled", columns, table)


if __name__ == "__main__":
    main("first_call")
