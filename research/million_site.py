"""A site with a million items: `python -m research.million_site --full`.

A million text cards are imported, a site with two workers is started, the owner publishes 20 known coordinates for each
by the API, and a client searches over HTTP. All times are CPU seconds of the site's processes, so that other work on
the machine does not count. Memory is the proportional set size (PSS), in which pages that two processes share count
half in each. CPU time comes in hundredths of a second.

- import: `learn2search import`, from a table.
- publish: `PUT /api/v1/collections/{slug}/embedding.npz`.
- requests: the first of its kind, which loads what it needs, and the mean of those after it.
- memory: the two workers, before and after their searches.
- computing: the mathematics of an answer alone, in a process of its own: tell and ask, the belief at hand.
"""

import http.client
import io
import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import learn2search as l2s
from research import memory
from research.rows import Results, Row, Table
from research.running_site import COMMAND, Site, serving
from research.study import Study, in_new_process, main
from research.summary import print_rows

D, SHOWN, WORKERS, SEARCHES, ANSWERS_EACH = 20, 4, 2, 6, 6
PARTS = ("site", "computing")
SITE = Table("million_site", "site", {"n": int})
REQUESTS = Table("million_site", "requests", {"n": int, "request": ("landing", "items", "start", "answer")})
COMPUTING = Table("million_site", "computing", {"n": int})


def positions(n: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal((n, D))


# --- the site ---------------------------------------------------------------------------------------


def site_of(n: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        rows: Row = imported(Path(folder), home, n)
        with serving(home, "serve", "--workers", str(WORKERS)) as site:
            processes = memory.descendants(site.process.pid)
            workers = [pid for pid in processes if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
            rows |= {"workers": len(workers), "start_cpu_s": round(memory.cpu_seconds(processes), 1)}
            rows["idle_mb"] = megabytes(workers)
            rows |= published(site, n)
            rows["published_mb"] = megabytes(workers)
            requests = measured_requests(site, n)
            rows |= {"used_mb": megabytes(workers), "positions_mb": round(n * D * 8 / 2**20, 1)}
        return [rows, *({"table": REQUESTS.name, **row} for row in requests)]


def imported(folder: Path, home: Path, n: int) -> Row:
    table = folder / "cards.csv"
    table.write_text("title\n" + "".join(f"Card {number}\n" for number in range(n)))
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [*COMMAND, "import", str(table), "--slug", "cards", "--warm-start", "nothing", "--home", str(home)]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = round(after.ru_maxrss / 1024, 1)
    return {"import_cpu_s": round(cpu, 1), "import_s": round(time.perf_counter() - began, 1), "import_peak_mb": peak}


def published(site: Site, n: int) -> Row:
    file = io.BytesIO()
    np.savez(file, mean=positions(n).astype(np.float32))
    used = cpu_of(site, lambda: call(site, "PUT", "/collections/cards/embedding.npz", file.getvalue()))
    return {"publish_cpu_s": round(used, 1), "publish_mb": round(len(file.getvalue()) / 2**20, 1)}


def measured_requests(site: Site, n: int) -> list[Row]:
    """CPU milliseconds of each kind of request: the first, and the mean of the others."""
    used: dict[str, list[float]] = {"landing": [], "items": [], "start": [], "answer": []}
    draw = np.random.default_rng(1)

    def note(kind: str, ask: Callable[[], Any]) -> Any:
        found: list[Any] = []
        used[kind].append(1000 * cpu_of(site, lambda: found.append(ask())))
        return found[0]

    for _ in range(4):
        start = int(draw.integers(n - 100))
        note("landing", partial(call, site, "GET", "/", api=False))
        note("items", partial(call, site, "GET", f"/collections/cards/items?start={start}&count=20"))
    for _ in range(SEARCHES):
        now = note("start", partial(call, site, "POST", "/collections/cards/searches", {"show": SHOWN}))
        secret = now["secret"]
        for _ in range(ANSWERS_EACH):
            question = now["question"]
            body = {"step": question["step"], "kind": "choice", "item": question["shown"][0]["item"]}
            now = note("answer", partial(call, site, "POST", f"/searches/{now['id']}/answers", body, secret=secret))
    return [
        {
            "request": kind,
            "count": len(took),
            "first_cpu_ms": round(took[0]),
            "next_cpu_ms": round(np.mean(took[1:]), 1),
        }
        for kind, took in used.items()
    ]


def cpu_of(site: Site, work: Callable[[], Any]) -> float:
    """CPU seconds of the site's processes while the work is done, in hundredths."""
    processes = memory.descendants(site.process.pid)
    before = memory.cpu_seconds(processes)
    work()
    return memory.cpu_seconds(processes) - before


def call(site: Site, method: str, path: str, body: Any = None, *, secret: str = "", api: bool = True) -> Any:
    """A request of the owner's program, on a connection of its own: any worker may take it."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=600)
    data = body if isinstance(body, bytes | None) else json.dumps(body)
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    headers = {"Authorization": f"Bearer {site.token}", "Content-Type": kind, "Search-Secret": secret}
    connection.request(method, f"/api/v1{path}" if api else path, data, headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    if response.status >= 300:
        raise SystemExit(f"{method} {path}: {response.status} {content[:300]!r}")
    return json.loads(content) if api and content else None


def megabytes(processes: list[int]) -> float:
    return round(sum(memory.in_proportion(pid) for pid in processes) / 2**20, 1)


# --- the mathematics --------------------------------------------------------------------------------


def computing(n: int, answers: int) -> Row:
    """CPU milliseconds to take an answer and ask the next question, on the positions that the site has."""
    space, took = l2s.Embedding(positions(n), copy=False), []
    draw = np.random.default_rng(2)
    for seed in range(answers // ANSWERS_EACH + 1):
        search = l2s.make_search("sampled", space, 0.1, seed=seed)
        query = search.ask(k=SHOWN)
        for _ in range(ANSWERS_EACH):
            begin = time.process_time()
            search.tell(int(draw.choice(query)))
            query = search.ask(k=SHOWN)
            took.append(1000 * (time.process_time() - begin))
    later = np.array(took[ANSWERS_EACH:])  # the first search compiles
    return {
        "answers": len(later),
        "p50_cpu_ms": round(float(np.median(later)), 2),
        "p99_cpu_ms": round(float(np.quantile(later, 0.99)), 2),
    }


def run(study: Study) -> None:
    """The site as it is by default, without the database that this machine may name."""
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    sizes = [2_000] if study.quick else [100_000, 1_000_000]
    if study.wants("computing"):
        study.measure(COMPUTING, alone, [{"n": n, "answers": 60} for n in sizes])
    if study.wants("site"):
        study.measure(SITE, site_of, [{"n": n} for n in sizes])


def alone(n: int, answers: int) -> Row:
    """In a process of its own."""
    return in_new_process(computing, n, answers)


def report(results: Results) -> None:
    for table in (SITE, REQUESTS, COMPUTING):
        print_rows(results.select(table))


if __name__ == "__main__":
    main("million_site")
