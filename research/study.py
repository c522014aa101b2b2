"""How a module of this package runs: the options of its command line, and measuring what is missing.

Measurements go on where they were stopped. Results are saved after each, or, where they run side by side, each run is
a file of its own in `results/<name>-runs` first.
"""

import argparse
import json
import math
import os
import re
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from research import rows
from research.rows import NotMeasured, Results, Row, Table, file_name

HERE = Path(__file__).parent
AT_ONCE = 4  # runs for each process between two times that the results are saved
P = ParamSpec("P")
T = TypeVar("T")
Case = Mapping[str, Any]  # the arguments of what is measured; those named like columns of its table name the row


@dataclass
class Study:
    """One module's measurements at one size.

    only: parts of it, all if empty. repetitions: None for its own number. workers: processes. scheduler: of a Dask
    cluster, or None. until: the time (monotonic) after which nothing new begins. seed: goes to the head of its file.
    """

    name: str
    quick: bool = True
    fresh: bool = False
    only: Sequence[str] = ()
    repetitions: int | None = None
    workers: int = 1
    scheduler: str | None = None
    until: float = math.inf
    seed: int | None = None
    measured: set[str] = field(default_factory=set)  # what this study itself has measured

    def __post_init__(self) -> None:
        self.results = Results(self.quick)

    def wants(self, part: str) -> bool:
        return not self.only or part in self.only

    def measure(self, table: Table, function: Callable[..., Row | list[Row]], cases: Sequence[Case]) -> None:
        """`function(**case)` for each case that is missing, one after the other in this process.

        For times, and for what uses all cores by itself.
        """
        missing = self.missing(table, cases)
        for done, case in enumerate(missing):
            if self.is_over(len(missing) - done):
                return
            print(f"  {table.name}: {_words(table.names(case))} ...", file=sys.stderr, flush=True)
            self.add(table, case, function(**case))
            self.save(table.file)

    def measure_many(
        self, table: Table, function: Callable[..., Row | list[Row]], cases: Sequence[Case], here: bool = False
    ) -> None:
        """The same, over the workers or the cluster; `here` where the cluster lacks what it needs."""
        names = {f"{table.name} {_words(table.names(case))}": case for case in self.missing(table, cases)}
        for found in self.run_many(function, names, table.file, here):
            for name, measured in found.items():
                self.add(table, names[name], measured)
            self.save(table.file)

    def run_many(
        self, function: Callable[..., T], runs: Mapping[str, Case], file: str, here: bool = False
    ) -> Iterator[dict[str, T]]:
        """Results by name, some runs at a time; each is kept in a file, and not run again where it is there."""
        import learn2search as l2s

        names, scheduler = {run_name(name): name for name in runs}, None if here else self.scheduler
        for name in names if self.fresh else ():
            (self.runs_folder(file) / f"{name}.json").unlink(missing_ok=True)
        if runs and scheduler:
            send_sources(scheduler)
        size = len(runs) if scheduler else AT_ONCE * self.workers
        for start in range(0, len(names), max(size, 1)):
            print(f"{self.name}: {len(names) - start} to measure", file=sys.stderr, flush=True)
            if self.is_over(len(names) - start):
                return
            part = {name: runs[names[name]] for name in list(names)[start : start + size]}
            folder = self.runs_folder(file)
            made = l2s.run_many(function, part, folder, workers=self.workers, scheduler=scheduler)
            yield {names[name]: result for name, result in made.items()}

    def runs_folder(self, file: str) -> Path:
        """Where single runs are kept until, and after, they are rows of a results file."""
        return rows.RESULTS / f"{file_name(file, self.quick)}-runs"

    def missing(self, table: Table, cases: Sequence[Case]) -> list[Case]:
        """Cases without a row; in a fresh study those that it has not measured itself."""
        if self.fresh:
            return [case for case in cases if _key(table, case) not in self.measured]
        return [case for case in cases if not self.results.select(table, **table.names(case))]

    def add(self, table: Table, case: Case, measured: Row | list[Row]) -> None:
        self.measured.add(_key(table, case))
        listed = measured if isinstance(measured, list) else [measured]
        self.results.file(table.file).replace(table, case, listed)

    def save(self, file: str) -> None:
        """With the command that makes it: a results file has the name of a module, whichever module adds to it."""
        if file == self.name and self.seed is not None:
            self.results.file(file).head["seed"] = self.seed
        self.results.file(file).save(f"python -m research.{file} --{'quick' if self.quick else 'full'}")

    def is_over(self, left: int) -> bool:
        """Whether the time is up."""
        if time.monotonic() < self.until:
            return False
        print(f"{self.name}: the time is up, {left} are left", file=sys.stderr, flush=True)
        return True


def _words(named: Row) -> str:
    return ", ".join(f"{column}={value}" for column, value in named.items())


def run_name(name: str) -> str:
    """The name without what cannot be in a file's."""
    return re.sub(r"[^\w .=,+-]", "", name)


def _key(table: Table, case: Case) -> str:
    return json.dumps([table.file, table.name, table.names(case)])


def send_sources(scheduler: str) -> None:
    """This package, to all workers of a cluster: they need only learn2search itself."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder, Client(scheduler, set_as_default=False) as client:
        archive = Path(folder) / "research.zip"
        with zipfile.ZipFile(archive, "w") as written:
            for path in HERE.glob("*.py"):
                written.write(path, f"{HERE.name}/{path.name}")
        client.upload_file(str(archive))


def in_new_process(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of a call in a process that has not allocated, compiled or learnt anything yet."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()


# --- the command line ------------------------------------------------------------------------------


def options(module: ModuleType, program: str | None = None) -> argparse.Namespace:
    """The options that all modules have; `quick` in the answer is the size."""
    parser = argparse.ArgumentParser(
        program, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="small sizes, minutes (the default, but with --report)")
    add("--full", action="store_true", help="full sizes; goes on from the results that are there")
    add("--only", action="append", metavar="PART", choices=getattr(module, "PARTS", ()), help=_parts(module))
    add("--report", action="store_true", help="measure nothing, show what is there")
    add("--fresh", action="store_true", help="forget the results that are there, and measure anew")
    add("--repetitions", type=int, metavar="N", help="instead of its own number")
    add("--minutes", type=float, metavar="N", default=math.inf, help="begin nothing new after so many")
    add("--workers", type=int, metavar="N", default=os.cpu_count(), help="processes (one a core)")
    add("--scheduler", metavar="ADDRESS", help="of a Dask cluster, tcp://host:8786")
    given = parser.parse_args()
    if given.quick and given.full:
        parser.error("--quick or --full, not both")
    given.quick = given.quick or not (given.full or given.report)
    given.until = time.monotonic() + 60 * given.minutes
    return given


def _parts(module: ModuleType) -> str:
    parts = ", ".join(getattr(module, "PARTS", ()))
    return f"this part, may be repeated: {parts}" if parts else argparse.SUPPRESS


def main(name: str) -> None:
    """Run the module `name` as its command line says."""
    module = import_module(f"research.{name}")  # by its name: a function of `__main__` is unknown to other processes
    given = options(module)
    try:
        conduct(name, given, only=given.only or ())
    except KeyboardInterrupt:
        raise SystemExit(f"\n{name} was stopped: the same command goes on from here") from None


def conduct(name: str, given: argparse.Namespace, only: Sequence[str] = ()) -> None:
    """Measure what is missing, then print the tables and draw the figure from the results files alone."""
    module = import_module(f"research.{name}")
    if not given.report:
        seed = getattr(module, "SEED", None)
        shared = (given.repetitions, given.workers, given.scheduler, given.until, seed)
        module.run(Study(name, given.quick, given.fresh, only, *shared))
    results, path = Results(given.quick), rows.RESULTS / f"{file_name(name, given.quick)}.svg"
    try:
        if hasattr(module, "report"):
            module.report(results)
        if hasattr(module, "plot"):
            module.plot(results, path)
            print(f"{name}: {path}", file=sys.stderr)
    except NotMeasured as error:
        raise SystemExit(f"{name} is not complete: {error}") from None
