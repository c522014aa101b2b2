"""How fast the site answers: `python -m research.site_speed --full`.

It starts `learn2search` as a user does, on SQLite with one worker, and sends it visitors over HTTP from a process of
its own: 16 searches at once, each answering as soon as it has the next question. The load generator shares the machine.

- faces: the demo's 513 faces, taught, positions with variances.
- cards: 100,000 text cards with known features, d = 5.
- import: 10,000 pictures of 600 × 750 pixels.

"computing" is mathematics alone: the belief rebuilt from the log, as after a restart (else it is at hand), the answer
told, the next question asked, on the positions that the site has.
"""

import http.client
import json
import os
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import learn2search as l2s
from research.rows import Results, Row, Table
from research.running_site import COMMAND, Site, serving
from research.study import Study, in_new_process, main
from research.summary import print_rows

AT_ONCE = 16
SERVED = Table("site_speed", "served", {"collection": ("faces", "cards"), "n": int})
ANSWERS = Table("site_speed", "answers", {**SERVED.columns, "at_once": (1, AT_ONCE)})
COMPUTING = Table("site_speed", "computing", SERVED.columns)
IMPORT = Table("site_speed", "import", {"pictures": int})


# --- visitors, in a process of their own ------------------------------------------------------------


def visit(port: int, token: str, slug: str, seconds: float, seed: int, times: list[float]) -> None:
    """Search after search, always the first picture, a new search after 12 questions."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}

    def post(path: str, body: dict[str, Any]) -> Any:
        connection.request("POST", f"/api/v1{path}", json.dumps(body), headers)
        return json.loads(connection.getresponse().read())

    draw, end = np.random.default_rng(seed), time.perf_counter() + seconds
    while time.perf_counter() < end:
        now = post(f"/collections/{slug}/searches", {})
        for _ in range(12):
            question = now["question"]
            item = question["shown"][int(draw.integers(len(question["shown"])))]["item"]
            begin = time.perf_counter()
            now = post(f"/searches/{now['id']}/answers", {"step": question["step"], "kind": "choice", "item": item})
            times.append(time.perf_counter() - begin)
            if time.perf_counter() > end:
                break


def load(port: int, token: str, slug: str, seconds: float, at_once: int) -> Row:
    """Answers a second and the time that one takes."""
    times: list[float] = []
    threads = [
        threading.Thread(target=visit, args=(port, token, slug, seconds, seed, times)) for seed in range(at_once)
    ]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = np.array(times) * 1000
    return {
        "answers": len(times),
        "answers_per_second": round(len(times) / (time.perf_counter() - begin), 1),
        "p50_ms": round(float(np.quantile(took, 0.5)), 1),
        "p99_ms": round(float(np.quantile(took, 0.99)), 1),
    }


def measure(site: Site, slug: str, seconds: float, at_once: int) -> Row:
    found = in_new_process(load, site.port, site.token, slug, seconds, at_once)
    return {"table": ANSWERS.name, "at_once": at_once, **found, "memory_mb": site.memory()}


def computing(home: Path, slug: str) -> Row:
    """Milliseconds to rebuild a belief from eleven answers, take one more and ask: median and p99 of 200 searches."""
    file = home / "embedding.npz"
    subprocess.run([*COMMAND, "export", slug, "embedding.npz", "--out", str(file), "--home", str(home)], check=True)
    with np.load(file) as arrays:
        space = l2s.Embedding(arrays["mean"], arrays.get("var"))
    draw, took = np.random.default_rng(0), []
    for seed in range(202):
        search = l2s.make_search("sampled", space, 1.0 if space.var is not None else 0.1, seed=seed)
        for _ in range(11):
            search.tell(int(draw.choice(search.ask(k=4))))
        query = search.ask(k=4)
        begin = time.perf_counter()
        search.replay(search.log, query)
        search.tell(query[0])
        search.ask(k=4)
        took.append(1000 * (time.perf_counter() - begin))
    return {"p50_ms": round(float(np.median(took[2:])), 2), "p99_ms": round(float(np.quantile(took[2:], 0.99)), 2)}


# --- what is measured -------------------------------------------------------------------------------


def served(collection: str, n: int, seconds: float) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        arguments = ["demo"] if collection == "faces" else ["serve", *write_cards(Path(folder), n)]
        with serving(home, *arguments) as site:
            measure(site, collection, 3.0, AT_ONCE if collection == "faces" else 2)  # warm
            return [
                {"ready_seconds": site.ready_seconds},
                measure(site, collection, seconds, 1),
                measure(site, collection, seconds, AT_ONCE),
                {"table": COMPUTING.name, **computing(home, collection)},
            ]


def write_cards(folder: Path, count: int) -> list[str]:
    """Text cards with known features, and how they are served."""
    table, features = folder / "cards.csv", folder / "features.npy"
    table.write_text("title\n" + "".join(f"Card {number}\n" for number in range(count)))
    np.save(features, np.random.default_rng(0).random((count, 5)))
    return [str(table), "--slug", "cards", "--features", str(features)]


def imported(pictures: int) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pictures"
        source.mkdir()
        draw = np.random.default_rng(0)
        for number in range(pictures):
            picture = Image.new("RGB", (600, 750), tuple(draw.integers(0, 256, 3).tolist()))
            place = draw.integers(0, 400, 2).tolist()
            ImageDraw.Draw(picture).ellipse((*place, place[0] + 200, place[1] + 300), fill="white")
            picture.save(source / f"{number:05}.jpg", quality=85)
        command = [*COMMAND, "import", str(source), "--home", str(Path(folder) / "home")]
        first, second = (timed(command) for _ in range(2))
        return {"seconds": first, "again_seconds": second}


def timed(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return round(time.perf_counter() - begin, 1)


def run(study: Study) -> None:
    """The site as it is by default, without the database that this machine may name."""
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    seconds, cards, pictures = (2.0, 2_000, 200) if study.quick else (20.0, 100_000, 10_000)
    sites = [{"collection": "faces", "n": 513}, {"collection": "cards", "n": cards}]
    study.measure(SERVED, served, [{**site, "seconds": seconds} for site in sites])
    study.measure(IMPORT, imported, [{"pictures": pictures}])


def report(results: Results) -> None:
    for table in (SERVED, ANSWERS, COMPUTING, IMPORT):
        print_rows(results.select(table))


if __name__ == "__main__":
    main("site_speed")
