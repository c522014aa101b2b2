"""Repeated experiments: many runs of one function, over all cores or a cluster, one result file each.

A run whose file is there already is not run again, so whatever was stopped goes on where it was. Results are written
by the process that asked, as they come: the machines of a cluster need no common disk, and when a worker dies its runs
are given to another.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from learn2search.cores import core_count
from learn2search.files import write_atomic
from learn2search.progress import bar

Experiment = Callable[..., Any]
Arguments = Mapping[str, Any]
_NAME = re.compile(r"[\w][\w .=,+-]*")


def run_many(
    experiment: Experiment,
    runs: Mapping[str, Arguments],
    folder: str | os.PathLike[str],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Run one function many times, over all cores or a cluster; a run whose file is there is not run again.

    Parameters
    ----------
    experiment : callable
        Called as `experiment(**arguments)`; arguments and results must be JSON values.
    runs : mapping of str to mapping
        The name of each run and its arguments.
    folder : str or path
        Where `<name>.json` is written: the arguments and the result.
    workers : int, optional
        Processes, by default one a core.
    scheduler : str, optional
        The address of a Dask scheduler, as "tcp://host:8786", to run on its cluster (`pip install
        learn2search[cluster]`).
    progress : bool, optional
        Show a bar; by default when standard error is a terminal.

    Returns
    -------
    dict
        The results by name, in the order of `runs`.

    Examples
    --------
    >>> import learn2search as l2s
    >>> l2s.run_many(lambda x: x**2, {"two": {"x": 2}, "three": {"x": 3}}, "squares", workers=1)
    {'two': 4, 'three': 9}
    """
    cores = core_count(workers, "workers")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    results = {name: _stored(place, name, arguments) for name, arguments in runs.items()}
    missing = {name: runs[name] for name, result in results.items() if result is None}
    finished = _on_cluster if scheduler else _on_cores
    done = len(runs) - len(missing)
    with bar("running", len(runs), progress, done=done) as show:
        for name, result in finished(experiment, missing, scheduler or cores):
            _store(place, name, runs[name], result)
            results[name] = _stored(place, name, runs[name])
            done += 1
            show(done)
    return {name: result["result"] for name, result in results.items() if result is not None}


# --- two ways to run -------------------------------------------------------------------------------


def _on_cores(experiment: Experiment, runs: Mapping[str, Arguments], workers: Any) -> Iterator[tuple[str, Any]]:
    if workers == 1 or len(runs) <= 1:
        yield from (_named(experiment, name, arguments) for name, arguments in runs.items())
        return
    from joblib import Parallel, delayed

    jobs = (delayed(_named)(experiment, name, arguments) for name, arguments in runs.items())
    yield from Parallel(n_jobs=workers, return_as="generator_unordered")(jobs)


def _on_cluster(experiment: Experiment, runs: Mapping[str, Arguments], address: Any) -> Iterator[tuple[str, Any]]:
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise ImportError("a cluster needs Dask: pip install learn2search[cluster]") from error

    with Client(address, set_as_default=False) as client:
        futures = [client.submit(_named, experiment, name, arguments, pure=False) for name, arguments in runs.items()]
        waiting = as_completed(futures, loop=client.loop)
        for future in waiting:
            yield future.result()


def _named(experiment: Experiment, name: str, arguments: Arguments) -> tuple[str, Any]:
    return name, experiment(**arguments)


# --- result files ----------------------------------------------------------------------------------


def _stored(folder: Path, name: str, arguments: Arguments) -> dict[str, Any] | None:
    """The file's content, None when there is none; an error when it belongs to other arguments."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"a run's name is also its file's: letters, digits, spaces and .=,+-_ only, got {name!r}")
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        before = content["arguments"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is not a result of run_many ({error}): move it away") from error
    if before != json.loads(json.dumps(dict(arguments))):
        raise ValueError(
            f"{path} is the result for {before}, not for {dict(arguments)}: move it away, or rename the run"
        )
    return content


def _store(folder: Path, name: str, arguments: Arguments, result: Any) -> None:
    write_atomic(folder / f"{name}.json", json.dumps({"arguments": dict(arguments), "result": result}) + "\n")
