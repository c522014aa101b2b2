"""The peers' half of the comparison of embeddings: cblearn's CKL, t-STE and SOE, and the lookup table.

    python -m research.peers                 # about 2.5 hours of one core; goes on where it was stopped
    python -m research.peers --minutes 80    # stops after 80 minutes of CPU: what matters most comes first
    python -m research.peers --quick         # a minute, results/peers-quick.json

cblearn needs an older NumPy than the library, so it lives in an environment of its own, `.peers`, that this script sets
up with the versions of `peers-constraints.txt`; `peer_worker.py` runs there. Everything is cblearn's default, with the
fold's number as seed, except what the name of a method says after its comma. Seconds are CPU seconds of the fit in one
thread; on a busy machine even these grow (the same fit took 10 to 40% more beside other processes): a ratio of speeds
needs both sides measured in turn: call `peer_cell` between fits of ours.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import learn2search as l2s
from research.embedding_folds import DATASETS, N_FOLDS, SPLITS, fold
from research.embeddings_report import mean_and_error
from research.recording import Recording

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parent / ".peers"
CONSTRAINTS = HERE / "peers-constraints.txt"
PYTHONS = ((3, 11), (3, 12))  # those that the older NumPy is packaged for
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

DIMENSIONS = (2, 5, 10, 20, 30)
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "ckl": ("CKL", {}),
    "tste": ("TSTE", {}),
    "soe, one start": ("SOE", {"n_init": 1}),
    "soe": ("SOE", {}),  # 10 starts by default: 10 times the seconds
    "ckl, 10000 iterations": ("CKL", {"max_iter": 10_000}),  # 2000 by default, not always enough
    "tste, 10000 iterations": ("TSTE", {"max_iter": 10_000}),  # 1000 by default
}
FAST = ("ckl", "tste", "soe, one start")


# --- the environment -------------------------------------------------------------------------------


def environment_python() -> Path:
    """The Python of the peers' environment, which is made if it is not there or its versions have changed."""
    python, stamp = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "installed.txt"
    if not stamp.exists() or stamp.read_text() != CONSTRAINTS.read_text():
        print("Setting up .peers, the environment of the peers (only the first time)", file=sys.stderr, flush=True)
        base = _suitable_python()
        subprocess.run([base, "-m", "venv", "--clear", "--without-pip", ENVIRONMENT], check=True)
        _install(base, python)
        stamp.write_text(CONSTRAINTS.read_text())
    return python


def _suitable_python() -> str:
    names = [f"python{major}.{minor}" for major, minor in PYTHONS]
    for candidate in (sys.executable, *names):
        found = shutil.which(candidate)
        if found and _version(found) in PYTHONS:
            return found
    raise SystemExit(f"cblearn's NumPy needs {' or '.join(names)}, and none is on the path: install one of them")


def _version(python: str) -> tuple[int, ...]:
    asked = subprocess.run(
        [python, "-c", "import sys; print(*sys.version_info[:2])"], check=False, capture_output=True, text=True
    )
    return tuple(map(int, asked.stdout.split()))


def _install(base: str, python: Path) -> None:
    """With uv, or with the pip of the Python below `base`; both can install into another environment."""
    uv = shutil.which("uv", path=os.pathsep.join([str(HERE.parent / ".tools" / "bin"), os.environ.get("PATH", "")]))
    if uv:
        command = [uv, "pip", "install", "--quiet", "--python", str(python)]
    else:
        below = subprocess.run(
            [base, "-c", "import sys; print(sys._base_executable)"], check=True, capture_output=True, text=True
        )
        command = [below.stdout.strip(), "-m", "pip", "--python", str(python), "install", "--quiet"]
    trusting = os.environ | {"UV_SYSTEM_CERTS": "1"}  # the certificates that the machine trusts, as pip does
    subprocess.run([*command, "--constraint", str(CONSTRAINTS), "cblearn"], check=True, env=trusting)


# --- the worker ------------------------------------------------------------------------------------


class Worker:
    """A process in the peers' environment that fits one job after the other."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="peers-")
        self.written: tuple[str, str, int] | None = None
        self.process = subprocess.Popen(
            [environment_python(), HERE / "peer_worker.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | ONE_THREAD,
        )
        self.versions = self._answer()

    def fit(self, dataset: str, split: str, number: int, method: str, n_components: int) -> dict[str, Any]:
        path = Path(self.folder.name) / "fold.npz"
        if self.written != (dataset, split, number):
            fold(dataset, split, number).write(path)
            self.written = (dataset, split, number)
        estimator, options = METHODS[method]
        options = {**options, "n_components": n_components, "random_state": number}
        job = {"fold": str(path), "estimator": estimator, "options": options}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the peers' process ended with status {self.process.wait()}: its message stands above")
        return json.loads(line)


@cache
def worker() -> Worker:
    """One for the whole run: importing cblearn takes longer than many a fit."""
    return Worker()


def peer_cell(dataset: str, split: str, number: int, method: str, n_components: int) -> dict[str, Any]:
    """One fit of a peer on fold `number`: accuracy, nll (None for SOE), cpu_seconds, wall_seconds, iterations, ..."""
    return worker().fit(dataset, split, number, method, n_components)


def lookup_cell(dataset: str, split: str, number: int) -> dict[str, float]:
    part = fold(dataset, split, number)
    return {"accuracy": l2s.metrics.lookup_score(part.train, part.test)}


# --- the plan --------------------------------------------------------------------------------------


class Cell(NamedTuple):
    dataset: str
    split: str
    number: int
    method: str
    n_components: int

    @property
    def key(self) -> str:
        return f"{self.dataset} | {self.split} | {self.method} | D={self.n_components} | fold {self.number}"


def plan(quick: bool = False) -> list[Cell]:
    """Every cell in the order of its worth; the slowest, Food at D = 30, last."""
    folds = range(2 if quick else N_FOLDS)
    if quick:
        return list(_cells("artists", folds, ("tste", "soe, one start"), (2,)))
    some = folds[:3]
    others = tuple(d for d in DIMENSIONS if d != 10)
    return [
        *_cells("food", folds, FAST, (10,)),
        *_cells("artists", folds, FAST, (10,)),
        *_cells("artists", folds, FAST, others),
        *_cells("food", folds, FAST, others[:-1]),
        *_cells("food", folds, FAST, others[-1:]),
        *_cells("artists", some, ("soe", "ckl, 10000 iterations", "tste, 10000 iterations"), (10,)),
        *_cells("food", some, ("soe",), (10,)),
    ]


def _cells(dataset: str, folds: range, methods: tuple[str, ...], dimensions: tuple[int, ...]) -> Iterator[Cell]:
    for number in folds:
        for split in SPLITS:
            yield from (Cell(dataset, split, number, method, d) for d in dimensions for method in methods)


# --- the figures -----------------------------------------------------------------------------------


def report(cells: dict[str, dict[str, Any]]) -> None:
    """A table: mean ± standard error over the folds that were measured, and how many those are."""
    figures: dict[str, list[dict[str, Any]]] = {}
    for key, cell in cells.items():
        figures.setdefault(key.rsplit(" | ", 1)[0], []).append(cell)
    print("| data, split, method | accuracy % | NLL | CPU seconds | folds |\n|---|---|---|---|---|")
    for name, measured in sorted(figures.items()):
        accuracy, error = mean_and_error([100 * cell["accuracy"] for cell in measured])
        losses = [cell["nll"] for cell in measured if cell.get("nll") is not None]
        loss = "{:.3f} ± {:.3f}".format(*mean_and_error(losses)) if losses else ""
        seconds = [cell["cpu_seconds"] for cell in measured if "cpu_seconds" in cell]
        took = f"{np.mean(seconds):.1f}" if seconds else ""
        print(f"| {name.replace(' | ', ', ')} | {accuracy:.2f} ± {error:.2f} | {loss} | {took} | {len(measured)} |")


def measure(record: Recording, cells: list[Cell], minutes: float) -> None:
    """Measure the cells that are missing, until `minutes` of CPU are spent."""
    spent, missing = 0.0, [cell for cell in cells if cell.key not in record.cells]
    for done, cell in enumerate(missing):
        if spent > 60 * minutes:
            print(f"{minutes:g} minutes are spent, {len(missing) - done} cells are left", file=sys.stderr, flush=True)
            return
        record.head["peers"] = worker().versions
        result = record.cell(cell.key, lambda cell=cell: peer_cell(*cell))
        spent += result["cpu_seconds"]
        print(
            f"  {done + 1}/{len(missing)}: accuracy {result['accuracy']:.4f}, {result['cpu_seconds']:.1f} s, "
            f"{spent / 60:.1f} minutes of CPU so far",
            file=sys.stderr,
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two folds of one data set, about a minute")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--minutes", type=float, default=np.inf, help="stop after so many minutes of CPU")
    parser.add_argument("--setup", action="store_true", help="only set up the environment of the peers")
    parser.add_argument("--report", action="store_true", help="only print the table of what is measured")
    arguments = parser.parse_args()
    if arguments.setup:
        print(environment_python())
        return
    name = "peers" + ("-quick" if arguments.quick else "")
    record = Recording(name, "python -m research.peers" + (" --quick" if arguments.quick else ""), arguments.fresh)
    if not arguments.report:
        for dataset in DATASETS[:1] if arguments.quick else DATASETS:
            for split in SPLITS:
                for number in range(2 if arguments.quick else N_FOLDS):
                    key = f"{dataset} | {split} | lookup | fold {number}"
                    record.cell(key, lambda at=(dataset, split, number): lookup_cell(*at))
        measure(record, plan(arguments.quick), arguments.minutes)
    report(record.cells)


if __name__ == "__main__":
    main()
