"""What every experiment shares: its options, its result files, how it runs, how its figure looks.

An experiment is a file with `run(study)`, which measures what is missing, `plot(cells, path)`, which draws from result
files alone, and `main`. What the paper claims about it is in `claims/`, under the same name. `SOURCES` names benchmarks
that measure the same thing: their result files are read, and filled where something is missing.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from research import recording
from research.recording import Recording

HERE = Path(__file__).parent

Cells = dict[str, Any]
COLOURS = {"ours": "#c2811d", "paper": "#51305e", "third": "#2a7f86", "fourth": "#8d8a91", "light": "#b98ab3"}


@dataclass(frozen=True)
class Study:
    """One experiment at one size: where it reads and writes, and with how many hands it works.

    repetitions: None for the experiment's own number. workers: processes. scheduler: of a Dask cluster, or None.
    """

    name: str
    quick: bool = True
    fresh: bool = False
    repetitions: int | None = None
    workers: int = 1
    scheduler: str | None = None

    @property
    def command(self) -> str:
        return f"python -m research.{self.name} --{'quick' if self.quick else 'full'}"

    def record(self, seed: int) -> Recording:
        """The experiment's own result file; `seed` is written at its head."""
        record = Recording(file_name(self.name, self.quick), self.command, self.fresh)
        record.head["seed"] = seed
        return record

    def benchmark(self, name: str, *heads: str) -> Recording:
        """The result file of a benchmark that measures the same; a fresh study forgets the cells with these heads."""
        record = Recording(file_name(name, self.quick), self.command)
        if self.fresh:
            record.cells = {key: cell for key, cell in record.cells.items() if not key.startswith(heads)}
        return record

    def measure(self, record: Recording, function: Callable[..., Any], cells: Mapping[str, Mapping[str, Any]]) -> None:
        """`function(**arguments)` for each cell that is missing, over the workers or the cluster; stopped, it goes on.

        Each result is a file of its own until all are there.
        """
        import learn2search as l2s

        missing = {key.replace(" | ", ", "): key for key in cells if key not in record.cells}
        if not missing:
            return
        folder = record.path.with_name(f"{record.path.stem}-runs")
        if self.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        if self.scheduler:
            send_sources(self.scheduler)
        print(f"{self.name}: {len(missing)} of {len(cells)} cells to measure", file=sys.stderr, flush=True)
        runs = {name: cells[key] for name, key in missing.items()}
        results = l2s.run_many(function, runs, folder, workers=self.workers, scheduler=self.scheduler)
        record.cells |= {missing[name]: result for name, result in results.items()}
        record.save()


def send_sources(scheduler: str) -> None:
    """This package, as a ZIP file, to all workers of a cluster: they need only learn2search itself."""
    from distributed import Client

    with tempfile.TemporaryDirectory() as folder, Client(scheduler, set_as_default=False) as client:
        archive = shutil.make_archive(str(Path(folder) / HERE.name), "zip", HERE.parent, HERE.name)
        client.upload_file(archive)


# --- result files ----------------------------------------------------------------------------------


def file_name(name: str, quick: bool) -> str:
    return f"{name}-quick" if quick else name


def result_files(name: str, sources: Sequence[str], quick: bool) -> list[Path]:
    """The result files of an experiment that are there, benchmarks' first."""
    paths = [recording.RESULTS / f"{file_name(file, quick)}.json" for file in (*sources, name)]
    return [path for path in paths if path.exists()]


def read_cells(name: str, sources: Sequence[str] = (), quick: bool = False) -> Cells:
    """Everything that was measured, by key."""
    found: Cells = {}
    for path in result_files(name, sources, quick):
        cells = json.loads(path.read_text())["cells"]
        if path.stem.startswith("peers"):
            from research.embeddings_report import as_peers

            cells = as_peers(cells)
        found |= cells
    return found


def rounded(values: Iterable[float], digits: int = 6) -> list[float]:
    """As they are worth writing down."""
    return [float(f"{value:.{digits}g}") for value in values]


# --- figures ---------------------------------------------------------------------------------------


@contextmanager
def figure(path: Path, columns: int = 2, rows: int = 1, height: float = 4.0) -> Iterator[Any]:
    """The axes of a new figure, `columns` of them (or `rows` × `columns`); drawn, they become a small SVG file."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit(
            "Results are there, but figures need matplotlib: pip install 'learn2search[figures]'"
        ) from None

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    look = {"svg.fonttype": "none", "svg.hashsalt": path.stem, "axes.grid": True, "grid.alpha": 0.25}
    look |= {"axes.spines.top": False, "axes.spines.right": False, "legend.fontsize": 8, "lines.markersize": 4}
    with plt.rc_context(look):
        made, axes = plt.subplots(rows, columns, figsize=(5 * columns, height * rows), layout="constrained")
        yield axes
        path.parent.mkdir(exist_ok=True)
        made.savefig(path, metadata={"Date": None})
        plt.close(made)


# --- the command line ------------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that all experiments have."""
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small sizes, minutes for all together (the default)")
    size.add_argument("--full", action="store_true", help="as in the paper; goes on from the results that are there")
    parser.add_argument("--fresh", action="store_true", help="forget the results that are there, and measure anew")
    parser.add_argument("--repetitions", type=int, metavar="N", help="instead of the experiment's own number")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), metavar="N", help="processes (one a core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, tcp://host:8786")


def main(name: str) -> None:
    """Of the experiment `name` alone."""
    experiment = import_module(f"research.{name}")
    parser = argparse.ArgumentParser(
        description=experiment.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    try:
        conduct(name, parser.parse_args())
    except KeyboardInterrupt:
        raise SystemExit(f"\n{name} was stopped: the same command goes on from here") from None


def conduct(name: str, options: argparse.Namespace) -> None:
    """Measure what is missing of an experiment, then draw its figure from the result files."""
    experiment, quick = import_module(f"research.{name}"), not options.full
    experiment.run(Study(name, quick, options.fresh, options.repetitions, options.workers, options.scheduler))
    sources = getattr(experiment, "SOURCES", ())
    path = recording.RESULTS / f"{file_name(name, quick)}.svg"
    experiment.plot(read_cells(name, sources, quick), path)
    print(f"{name}: {', '.join(str(file) for file in (*result_files(name, sources, quick), path))}", file=sys.stderr)
