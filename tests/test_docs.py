"""The documentation is complete and right: names, commands, settings, links, images, and code that runs."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

import learn2search
from learn2search.cli.main import app

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
FIGURES = (path for path in (ROOT / "research" / "results").glob("*.svg") if not path.stem.endswith("-quick"))
OF_PAGES = (path for path in (ROOT / "docs" / "images").iterdir() if path.is_file())  # tutorials have folders
IMAGES = sorted([*OF_PAGES, *FIGURES])

SLOW_PAGES = (  # seconds each: `make test` leaves them out
    *("accelerated", "embeddings", "faces", "learning", "triplets"),
    *("clicks", "dimension", "embedding", "noise"),
)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: (needs .+) -->\n$")
BLOCK = re.compile(r"(?<=```python\n).*?(?=```)", re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(<?([^)\s>]+)>?[^)]*\)|(?:src|href)=\"([^\"]+)\"")


def code(*pages: Path) -> str:
    """What stands as code, in blocks or in backticks: there a name is meant as a name, not as a word."""
    return "\n".join(span for page in pages for span in CODE.findall(page.read_text()))


def commands(command: Any, line: str) -> list[str]:
    """The lines that run something: `learn2search play colors`, but not `learn2search play`."""
    children = getattr(command, "commands", None)
    if children is None:
        return [line]
    shown = [child for child in children.values() if not child.hidden]
    return [found for child in shown for found in commands(child, f"{line} {child.name}")]


def settings_in_source() -> list[str]:
    sources = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    return sorted(set(re.findall(r"LEARN2SEARCH_[A-Z][A-Z_]*", sources)))


def local_links(page: Path) -> list[tuple[Path, str]]:
    """The files that a page links to, and the part after #; links to other sites are not followed."""
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    links = ["".join(found) for found in LINK.findall(prose)]
    parts = [link.partition("#") for link in links if not re.match(r"[a-z]+:", link)]
    return [((page.parent / path).resolve() if path else page, anchor) for path, _, anchor in parts]


def anchors(page: Path) -> set[str]:
    """What may stand after #: the headings in small letters, without punctuation, with - for a space."""
    headings = HEADING.findall(re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def python_blocks(page: Path, run: bool = True) -> list[tuple[int, str]]:
    """The line number and the code of each Python block; with `run` without those that say why they are not run."""
    text = page.read_text()
    found = [block for block in BLOCK.finditer(text) if not run or not NOT_RUN.search(text[: block.start() - 10])]
    return [(text.count("\n", 0, block.start()), block.group()) for block in found]


@pytest.mark.parametrize("name", learn2search.__all__)
def test_public_name_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", code(*PAGES)), f"neither docs/ nor README.md shows `{name}`"


@pytest.mark.parametrize("name", learn2search.__all__)
def test_public_name_has_a_docstring(name: str) -> None:
    docstring = getattr(learn2search, name).__doc__
    assert docstring, f"{name} has no docstring"
    assert not docstring.startswith(f"{name}("), f"{name} has no docstring but the one made for a dataclass"


@pytest.mark.parametrize("command", commands(typer.main.get_command(app), "learn2search"))
def test_command_is_documented(command: str) -> None:
    assert command in code(*PAGES), f"neither docs/ nor README.md shows `{command}`"


@pytest.mark.parametrize("setting", settings_in_source())
def test_setting_is_documented(setting: str) -> None:
    assert re.search(rf"\b{setting}\b", code(*PAGES)), f"neither docs/ nor README.md explains `{setting}`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    missing = [str(path) for path, _ in local_links(page) if not path.exists()]
    assert not missing, f"{page.relative_to(ROOT)} links to files that do not exist: {missing}"
    headings = [(path, anchor) for path, anchor in local_links(page) if anchor and path.suffix == ".md"]
    absent = [f"{path.name}#{anchor}" for path, anchor in headings if anchor not in anchors(path)]
    assert not absent, f"{page.relative_to(ROOT)} links to headings that do not exist: {absent}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_figures_name_their_command_and_their_results(page: Path) -> None:
    text = page.read_text()
    made = re.findall(r"python -m research\.(\w+) --full", text)
    assert made or "±" not in text, "figures with errors, but no command that made them"
    for name in made:
        assert (ROOT / "research" / f"{name}.py").exists(), f"there is no research/{name}.py"
        assert f"research/results/{name}.json" in text, f"{name} is named without the file that holds its results"


@pytest.mark.parametrize("image", IMAGES, ids=lambda image: image.name)
def test_image_is_shown_by_a_page(image: Path) -> None:
    assert any(image == path for page in PAGES for path, _ in local_links(page)), "no page shows it: remove it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_python_blocks_are_valid(page: Path) -> None:
    for line, block in python_blocks(page, run=False):
        compile("\n" * line + block, str(page), "exec")


def run_alone(page: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The blocks of a page as one program in a fresh interpreter, on the lines of the page: errors name those."""
    program = folder / f"{page.stem}.py"
    lines = [""] * (page.read_text().count("\n") + 1)
    for first, block in python_blocks(page):
        lines[first : first + block.count("\n")] = block.splitlines()
    program.write_text("\n".join(lines))
    strict = [option for warning in ("error", "ignore:os.fork:RuntimeWarning") for option in ("-W", warning)]
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": str(ROOT)}  # `research` is a package of the clone
    return subprocess.run(
        [sys.executable, *strict, str(program)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
    )


def page_to_run(page: Path) -> Any:
    return pytest.param(page, id=page.stem, marks=[pytest.mark.heavy] if page.stem in SLOW_PAGES else [])


@pytest.mark.parametrize("page", [page_to_run(page) for page in PAGES if python_blocks(page)])
def test_python_blocks_run(page: Path, tmp_path: Path) -> None:
    """In their order and as printed. One that cannot run says so: `<!-- not run: needs ... -->`."""
    ran = run_alone(page, tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_make_targets_named_in_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake (?:[A-Z_]+=\S+ )*([a-z]+)", code(README)))
    assert named <= targets, f"README.md names {sorted(named - targets)}, which the Makefile does not have"
