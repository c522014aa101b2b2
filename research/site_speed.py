"""How fast the site answers: `python -m research.site_speed`.

It starts `learn2search` as a user does, on SQLite with one worker, and sends it visitors over HTTP from a process of
its own: 16 searches at once, each answering as soon as it has the next question. The load generator shares the machine.

- demo: the 513 faces, taught, positions with variances.
- large: 100,000 text cards with known features, d = 5.
- import: 10,000 pictures of 600 × 750 pixels.

"computing" is mathematics alone: the belief rebuilt from the log, as after a restart (else it is at hand), the answer
told, the next question asked, on the positions that the site has.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

import learn2search as l2s
from research.recording import Recording
from research.running_site import COMMAND, Site, serving

AT_ONCE = 16


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


def load(port: int, token: str, slug: str, seconds: float, at_once: int) -> dict[str, float]:
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


def measure(site: Site, slug: str, seconds: float, at_once: int) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "research.site_speed",
        "--load",
        str(site.port),
        site.token,
        slug,
        str(seconds),
        str(at_once),
    ]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(told) | {"at_once": at_once, "memory_mb": site.memory()}


def computing(home: Path, slug: str) -> dict[str, float]:
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
        log = search.to_dict()
        begin = time.perf_counter()
        again = l2s.Search.from_dict(log, space)
        again.tell(query[0])
        again.ask(k=4)
        took.append(1000 * (time.perf_counter() - begin))
    return {"p50_ms": round(float(np.median(took[2:])), 2), "p99_ms": round(float(np.quantile(took[2:], 0.99)), 2)}


# --- what is measured -------------------------------------------------------------------------------


def demo(seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder), "demo") as site:
        measure(site, "faces", 2.0, AT_ONCE)  # warm
        return everything(site, Path(folder), "faces", seconds)


def everything(site: Site, home: Path, slug: str, seconds: float) -> dict[str, Any]:
    return {
        "ready_seconds": site.ready_seconds,
        "alone": measure(site, slug, seconds, 1),
        "together": measure(site, slug, seconds, AT_ONCE),
        "computing": computing(home, slug),
    }


def large(count: int, seconds: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        table, features = Path(folder) / "cards.csv", Path(folder) / "features.npy"
        table.write_text("title\n" + "".join(f"Card {number}\n" for number in range(count)))
        np.save(features, np.random.default_rng(0).random((count, 5)))
        arguments = ("serve", str(table), "--slug", "cards", "--features", str(features))
        with serving(Path(folder) / "home", *arguments) as site:
            measure(site, "cards", 3.0, 2)
            return everything(site, Path(folder) / "home", "cards", seconds)


def imported(count: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        pictures = Path(folder) / "pictures"
        pictures.mkdir()
        draw = np.random.default_rng(0)
        for number in range(count):
            picture = Image.new("RGB", (600, 750), tuple(draw.integers(0, 256, 3).tolist()))
            place = draw.integers(0, 400, 2).tolist()
            ImageDraw.Draw(picture).ellipse((*place, place[0] + 200, place[1] + 300), fill="white")
            picture.save(pictures / f"{number:05}.jpg", quality=85)
        command = [*COMMAND, "import", str(pictures), "--home", str(Path(folder) / "home")]
        first, second = (timed(command) for _ in range(2))
        return {"pictures": count, "seconds": first, "again_seconds": second}


def timed(command: list[str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return round(time.perf_counter() - begin, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small and short, to see that it runs")
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--load", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        port, token, slug, seconds, at_once = options.load
        print(json.dumps(load(int(port), token, slug, float(seconds), int(at_once))))
        return
    os.environ.pop("LEARN2SEARCH_DATABASE_URL", None)
    name = "site_speed-quick" if options.quick else "site_speed"
    recording = Recording(name, "python -m research.site_speed", fresh=options.fresh)
    seconds = 2.0 if options.quick else 20.0
    count, pictures = (2_000, 200) if options.quick else (100_000, 10_000)
    print(json.dumps(recording.cell("demo | n=513", lambda: demo(seconds)), indent=1))
    print(json.dumps(recording.cell(f"large | n={count}", lambda: large(count, seconds)), indent=1))
    print(json.dumps(recording.cell(f"import | {pictures} pictures", lambda: imported(pictures)), indent=1))


if __name__ == "__main__":
    main()
