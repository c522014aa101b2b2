"""Version, changelog and tag say the same; wheel and source distribution are built, installed elsewhere and used.

Each installation runs on a Python of its own: every version that the classifiers name and this machine has.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.served_site import PATIENCE, served

ROOT = Path(__file__).parents[1]
IN_CI = os.environ.get("CI") == "true"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION: str = PROJECT["version"]
IN_DEVELOPMENT = ".dev" in VERSION
HEADINGS = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
SUPPORTED = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
LARGEST_WHEEL = 5_000_000  # bytes
SITE_PACKAGES = """
import json, learn2search, sys
print(json.dumps([learn2search.__version__, learn2search.__file__, list(sys.version_info[:2])]))
"""


# --- version, changelog, tag ----------------------------------------------------------------------------------


def test_changelog_should_begin_with_the_version() -> None:
    """A version that ends in .dev is being worked on: "Not yet released". Any other is released: number and date."""
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+)?", VERSION), VERSION
    if IN_DEVELOPMENT:
        assert HEADINGS[0] == f"Not yet released: {VERSION.partition('.dev')[0]}"
    else:
        assert re.fullmatch(rf"{re.escape(VERSION)} \(\d{{4}}-\d\d-\d\d\)", HEADINGS[0]), HEADINGS[0]
    numbers = [tuple(map(int, re.findall(r"\d+", heading)[:3])) for heading in HEADINGS]
    assert numbers == sorted(set(numbers), reverse=True), "the newest version comes first, and each once"


def test_a_tag_of_this_commit_should_be_the_version() -> None:
    found = subprocess.run(["git", "tag", "--points-at", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if found.returncode:
        pytest.skip("this is no clone: there are no tags")
    assert set(re.findall(r"^v\d.*$", found.stdout, re.MULTILINE)) <= {f"v{VERSION}"}
    assert not (IN_DEVELOPMENT and f"v{VERSION}" in found.stdout), "a version that ends in .dev is never tagged"


def test_the_version_should_be_written_in_one_place() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "CITATION.cff", ROOT / "Dockerfile", ROOT / "compose.yaml"]
    found = [path.name for path in sources if VERSION in path.read_text()]
    assert not found, f"{found} name the version {VERSION}, which belongs into pyproject.toml alone"


def test_every_supported_python_should_be_at_least_the_required_one() -> None:
    least = tuple(map(int, re.findall(r"\d+", PROJECT["requires-python"])))
    assert SUPPORTED
    assert all(tuple(map(int, version.split("."))) >= least for version in SUPPORTED)


@pytest.mark.parametrize("extra", PROJECT["optional-dependencies"])
def test_every_extra_should_be_documented(extra: str) -> None:
    page = (ROOT / "docs" / "installation.md").read_text()
    assert re.search(rf"^\| `{extra}` \| .+ \|$", page, re.MULTILINE), (
        f"docs/installation.md does not say what {extra} is for"
    )


# --- what is built ---------------------------------------------------------------------------------------------


def find_uv() -> str:
    found = shutil.which("uv", path=f"{ROOT / '.tools' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip("no uv, which builds and installs: make puts it into .tools")
    return found


def python_at_hand(version: str) -> str | None:
    """The interpreter of this version: on the path, or among pyenv's; uv would find the first only."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *map(str, versions.glob(f"{version}.*/bin/python{version}"))]
    if version == ".".join(map(str, sys.version_info[:2])):
        candidates.insert(0, getattr(sys, "_base_executable", sys.executable))
    for candidate in filter(None, candidates):
        says = subprocess.run([candidate, "-c", "import venv"], capture_output=True)  # pyenv's shims may lead nowhere
        if says.returncode == 0:
            return candidate
    return None


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel, made from the source distribution, and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([find_uv(), "build", "--quiet", "--out-dir", str(folder), str(ROOT)], check=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


@pytest.mark.heavy
def test_wheel_and_sources_should_hold_what_they_should(built: tuple[Path, Path]) -> None:
    wheel, sources = built
    assert wheel.name.startswith(f"learn2search-{VERSION}-")
    assert sources.name == f"learn2search-{VERSION}.tar.gz"
    assert wheel.stat().st_size < LARGEST_WHEEL
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("METADATA"))).decode()
    folders = {name.partition("/")[0] for name in names}
    assert folders == {"learn2search", f"learn2search-{VERSION}.dist-info"}, "neither tests nor research"
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert {name.removeprefix("src/") for name in tracked} <= set(names), "every file of the package is in the wheel"
    for extra in PROJECT["optional-dependencies"]:
        assert f"Provides-Extra: {extra}\n" in metadata
    with tarfile.open(sources) as tar:
        files = {name.partition("/")[2] for name in tar.getnames()}
    assert {"Makefile", "research/people.py", "tests/test_release.py", "CITATION.cff"} <= files
    assert not any(re.match(r"\.(venv|tools|git|numba_cache)/", name) for name in files)


# --- what is installed -----------------------------------------------------------------------------------------


@pytest.mark.heavy
@pytest.mark.parametrize("version", SUPPORTED)
def test_the_wheel_should_work_outside_of_the_clone(version: str, built: tuple[Path, Path], tmp_path: Path) -> None:
    python = python_at_hand(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    uv, venv = find_uv(), tmp_path / "venv"
    subprocess.run([uv, "venv", "--quiet", "--no-python-downloads", "--python", python, str(venv)], check=True)
    install = [uv, "pip", "install", "--quiet", "--python", str(venv), "--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*install, f"{built[0]}[web]"], check=True)

    unset = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "LEARN2SEARCH_DATA")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"NUMBA_CACHE_DIR": str(tmp_path / "compiled"), "LEARN2SEARCH_HOME": str(tmp_path / "home")}
    program = str(venv / "bin" / "learn2search")

    def output(*command: str) -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    says, place, running = json.loads(output(str(venv / "bin" / "python"), "-c", SITE_PACKAGES))
    assert (says, ".".join(map(str, running))) == (VERSION, version)
    assert Path(place).is_relative_to(venv)
    for command in ("serve", "demo", "play", "reproduce"):
        assert command in output(program, "--help")
    assert "in the repository" in output(program, "reproduce", "--help")

    use_the_site(program, environment, tmp_path)
    play_a_game(program, environment)


def use_the_site(program: str, environment: dict[str, str], folder: Path) -> None:
    cards = folder / "teas"
    cards.mkdir()
    for tea in ("assam", "ceylon", "darjeeling", "gunpowder", "sencha", "lapsang"):
        (cards / f"{tea}.txt").write_text(f"{tea.title()}, a tea")
    with served("demo", home=folder / "demo", program=[program], environment=environment) as site:
        assert "face" in page_of(f"{site.address}/")
    with served("serve", str(cards), home=folder / "own", program=[program], environment=environment) as site:
        assert "Teas" in page_of(f"{site.address}/")


def page_of(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE) as page:
        return str(page.read().decode())


def play_a_game(program: str, environment: dict[str, Any]) -> None:
    from tests.terminal import Terminal  # not at the top: pseudo-terminals are for POSIX

    with Terminal("--seed", "4", game=[program, "play", "colors"], **environment) as terminal:
        terminal.wait_for("Press any key", PATIENCE)
        terminal.press(" ")
        terminal.wait_for("question 1", PATIENCE)
        terminal.press("q")
        assert terminal.wait_for_end(PATIENCE) == 0
