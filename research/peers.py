"""The peers' half of the comparison of embeddings: cblearn's CKL, t-STE and SOE, and the lookup table.

    python -m research.peers                        # a minute, two folds of one data set
    python -m research.peers --full                 # about 2.5 hours of one core; goes on where it was stopped
    python -m research.peers --full --minutes 80    # begins nothing new after 80 minutes: what matters most comes first

The tables are those of `embeddings.py`.

cblearn needs an older NumPy than the library, so it lives in an environment of its own, `.peers`, that this script sets
up with the versions of `peers-constraints.txt`; `peer_worker.py` runs there. psiz has one, too, for `comparison.py`.
Everything is cblearn's default, with the fold's number as seed, except what the name of a method says after its comma.
Seconds are CPU seconds of the fit in one thread; on a busy machine even these grow (the same fit took 10 to 40% more
beside other processes): a ratio of speeds needs both sides measured in turn: `--only race` of `embeddings.py`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

import learn2search as l2s
from research.embedding_folds import DIMENSIONS, FOLD, N_FOLDS, SPLITS, Fold, all_folds, load_fold
from research.rows import Row, Table
from research.study import Study, main

HERE = Path(__file__).parent
PYTHONS = ((3, 11), (3, 12))  # those that the older NumPy is packaged for
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "ckl": ("CKL", {}),
    "tste": ("TSTE", {}),
    "soe, one start": ("SOE", {"n_init": 1}),
    "soe": ("SOE", {}),  # 10 starts by default: 10 times the seconds
    "ckl, 10000 iterations": ("CKL", {"max_iter": 10_000}),  # 2000 by default, not always enough
    "tste, 10000 iterations": ("TSTE", {"max_iter": 10_000}),  # 1000 by default
}
FAST = ("ckl", "tste", "soe, one start")
PEER_FIT = Table("peers", "fit", {**FOLD, "library": ("cblearn",), "method": tuple(METHODS), "d": DIMENSIONS})
LOOKUP = Table("peers", "lookup", FOLD)


# --- the environment -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Environment:
    """Where a peer is installed, with which versions, and the program that runs there."""

    package: str
    folder: Path
    constraints: Path
    program: Path

    def python(self) -> Path:
        """Its Python. It is made if it is not there or its versions have changed."""
        python, stamp = self.folder / "bin" / "python", self.folder / "installed.txt"
        if not stamp.exists() or stamp.read_text() != self.constraints.read_text():
            print(
                f"Setting up {self.folder.name} with {self.package} (only the first time)", file=sys.stderr, flush=True
            )
            base = _suitable_python()
            subprocess.run([base, "-m", "venv", "--clear", "--without-pip", self.folder], check=True)
            self._install(base, python)
            stamp.write_text(self.constraints.read_text())
        return python

    def _install(self, base: str, python: Path) -> None:
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
        subprocess.run([*command, "--constraint", str(self.constraints), self.package], check=True, env=trusting)


CBLEARN = Environment("cblearn", HERE.parent / ".peers", HERE / "peers-constraints.txt", HERE / "peer_worker.py")
PSIZ = Environment("psiz", HERE.parent / ".peers-psiz", HERE / "psiz-constraints.txt", HERE / "psiz_worker.py")


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


# --- the worker ------------------------------------------------------------------------------------


class Worker:
    """A process in a peer's environment that fits one job after the other."""

    def __init__(self, environment: Environment) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="peers-")
        self.written: tuple[str, str, int] | None = None
        self.process = subprocess.Popen(
            [environment.python(), environment.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | ONE_THREAD,
        )
        self.versions = self._answer()

    def fit(self, dataset: str, split: str, number: int, method: str, d: int) -> Row:
        return self.fit_fold((dataset, split, number), load_fold(dataset, split, number), *METHODS[method], d)

    def fit_fold(self, name: tuple[str, str, int], fold: Fold, estimator: str, options: dict[str, Any], d: int) -> Row:
        """Fit on any fold; its name ends with its number, which is the seed."""
        path = Path(self.folder.name) / "fold.npz"
        if self.written != name:
            fold.write(path)
            self.written = name
        options = {**options, "n_components": d, "random_state": name[-1]}
        job = {"fold": str(path), "estimator": estimator, "options": options}
        jobs = opened(self.process.stdin)
        jobs.write(json.dumps(job) + "\n")
        jobs.flush()
        return self._answer()

    def _answer(self) -> Row:
        line = opened(self.process.stdout).readline()
        if not line:
            raise RuntimeError(f"the peers' process ended with status {self.process.wait()}: its message stands above")
        answer: Row = json.loads(line)
        return answer


def opened(pipe: IO[str] | None) -> IO[str]:
    """The pipe of a process that was started with one."""
    if pipe is None:
        raise RuntimeError("the process was started without this pipe")
    return pipe


@cache
def worker(environment: Environment = CBLEARN) -> Worker:
    """One for the whole run: importing a peer takes longer than many a fit."""
    return Worker(environment)


def peer_fit(dataset: str, split: str, fold: int, library: str, method: str, d: int) -> Row:
    """One fit of a peer: accuracy, nll (None for SOE), cpu_seconds, wall_seconds, iterations, ..."""
    return worker().fit(dataset, split, fold, method, d)


def lookup(dataset: str, split: str, fold: int) -> Row:
    part = load_fold(dataset, split, fold)
    return {"accuracy": l2s.metrics.lookup_score(part.train, part.test)}


# --- the plan --------------------------------------------------------------------------------------


def plan(quick: bool = False) -> list[Row]:
    """Every case in the order of its worth; the slowest, Food at D = 30, last."""
    folds = range(2 if quick else N_FOLDS)
    if quick:
        return list(_cases("artists", folds, ("tste", "soe, one start"), (2,)))
    some = folds[:3]
    others = tuple(d for d in DIMENSIONS if d != 10)
    return [
        *_cases("food", folds, FAST, (10,)),
        *_cases("artists", folds, FAST, (10,)),
        *_cases("artists", folds, FAST, others),
        *_cases("food", folds, FAST, others[:-1]),
        *_cases("food", folds, FAST, others[-1:]),
        *_cases("artists", some, ("soe", "ckl, 10000 iterations", "tste, 10000 iterations"), (10,)),
        *_cases("food", some, ("soe",), (10,)),
    ]


def _cases(dataset: str, folds: range, methods: tuple[str, ...], dimensions: tuple[int, ...]) -> Iterator[Row]:
    for fold in folds:
        for split in SPLITS:
            named = {"dataset": dataset, "split": split, "fold": fold, "library": "cblearn"}
            yield from (named | {"method": method, "d": d} for d in dimensions for method in methods)


def run(study: Study) -> None:
    study.measure(LOOKUP, lookup, all_folds(study.quick))
    if missing := study.missing(PEER_FIT, plan(study.quick)):
        study.results.file(PEER_FIT.file).head["peers"] = worker().versions
        study.measure(PEER_FIT, peer_fit, missing)


if __name__ == "__main__":
    main("peers")
