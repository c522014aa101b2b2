"""The documentation is complete: names, commands, settings and links, each checked against the code."""

import re
from pathlib import Path
from typing import Any

import pytest
import typer

import learn2search
from learn2search.cli.main import app

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]

CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
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


def local_links(page: Path) -> list[str]:
    """The files a page links to, without the part after #; links to other sites are not followed."""
    prose = CODE.sub("", page.read_text())
    links = ["".join(found) for found in LINK.findall(prose)]
    paths = [link.split("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    return [path for path in paths if path]


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
    missing = [link for link in local_links(page) if not (page.parent / link).exists()]
    assert not missing, f"{page.relative_to(ROOT)} links to files that do not exist: {missing}"


def test_make_targets_named_in_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake (?:[A-Z_]+=\S+ )*([a-z]+)", code(README)))
    assert named <= targets, f"README.md names {sorted(named - targets)}, which the Makefile does not have"
