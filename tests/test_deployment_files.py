"""What runs the site elsewhere can be read: Dockerfile, compose.yaml, systemd's unit, citation, forms for issues.

Docker is not started here: these tests read the files and hold them to the program's own options, settings and routes.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from learn2search.cli.main import app
from learn2search.web import health

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / "Dockerfile"
UNIT = ROOT / "deploy" / "learn2search.service"


def instructions() -> list[tuple[str, str]]:
    """Those of the Dockerfile: name and arguments, without comments, continued lines joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    lines = [line.partition(" ") for line in text.splitlines() if line.strip()]
    return [(name, " ".join(arguments.split())) for name, _, arguments in lines]


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text())


def assert_is_a_command(words: list[str]) -> None:
    """Every word that begins with -- is an option of the command that is the first word."""
    command = typer.main.get_command(app).commands[words[0]]  # type: ignore[attr-defined]
    options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    assert {word for word in words if word.startswith("--")} <= options


def test_the_image_should_be_slim_run_without_root_and_say_whether_it_is_well() -> None:
    found = instructions()
    names = [name for name, _ in found]
    known = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "STOPSIGNAL"}
    assert set(names) <= known | {"ENTRYPOINT", "CMD"}
    bases = [arguments for name, arguments in found if name == "FROM"]
    assert all(re.match(r"python:3\.\d+-slim\b", base) for base in bases)
    last = found[len(names) - 1 - names[::-1].index("FROM") :]
    users = [arguments for name, arguments in last if name == "USER"]
    assert users
    assert users[-1] not in ("root", "0")
    assert any("/healthz" in arguments for name, arguments in last if name == "HEALTHCHECK")
    assert dict(last)["ENTRYPOINT"] == '["learn2search"]'
    assert_is_a_command(yaml.safe_load(dict(last)["CMD"]))
    for name, arguments in found:
        if name == "COPY" and not arguments.startswith("--from"):
            missing = [source for source in arguments.split()[:-1] if not (ROOT / source).exists()]
            assert not missing, f"the Dockerfile copies {missing}, which are not there"


def test_the_image_should_get_every_file_that_it_copies() -> None:
    """The build sends only what .dockerignore lets through."""
    sent = re.findall(r"^!(\S+)", (ROOT / ".dockerignore").read_text(), re.MULTILINE)
    copied = [
        word
        for name, words in instructions()
        if name == "COPY" and "--from" not in words
        for word in words.split()[:-1]
    ]
    assert sorted(copied) == sorted(sent)


def test_compose_should_start_the_site_after_its_database() -> None:
    content = read_yaml("compose.yaml")
    assert set(content) == {"services", "volumes"}
    site, database = content["services"]["site"], content["services"]["database"]
    assert site["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert "healthcheck" in database
    assert_is_a_command(site["command"])
    assert site["environment"]["LEARN2SEARCH_DATABASE_URL"].startswith(
        "postgresql+psycopg://learn2search:${POSTGRES_PASSWORD:?"
    )
    assert all(port.startswith("127.0.0.1:") for port in site["ports"]), "the world comes through a proxy with HTTPS"
    named = {volume.partition(":")[0] for service in (site, database) for volume in service["volumes"]}
    assert named == set(content["volumes"])


def test_the_route_of_the_healthcheck_should_exist() -> None:
    assert "/healthz" in {getattr(route, "path", None) for route in health.router.routes}


def test_the_unit_should_run_the_site_without_root(tmp_path: Path) -> None:
    text = UNIT.read_text()
    command = re.search(r"^ExecStart=\S+/learn2search (.+)$", text, re.MULTILINE)
    assert command is not None
    assert_is_a_command(command[1].split())
    for line in ("DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "Restart=on-failure"):
        assert line in text
    if shutil.which("systemd-analyze") is None:
        return
    there = tmp_path / UNIT.name
    there.write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE))
    found = subprocess.run(["systemd-analyze", "verify", str(there)], capture_output=True, text=True)
    if "Failed to" in found.stderr and "unit" not in found.stderr:
        pytest.skip(f"systemd-analyze does not work here: {found.stderr.strip()}")
    assert (found.returncode, found.stderr) == (0, "")


def test_the_citation_should_name_the_paper() -> None:
    content = read_yaml("CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= set(content)
    paper = content["preferred-citation"]
    assert paper["title"] == "Scalable and Efficient Comparison-based Search without Features"
    assert [author["family-names"] for author in paper["authors"]] == ["Chumbalov", "Maystre", "Grossglauser"]
    page = (ROOT / "docs" / "citing.md").read_text()
    assert "@inproceedings{" in page
    assert f"{{{paper['title']}}}" in page
    assert f"{{{paper['year']}}}" in page


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda path: path.stem
)
def test_forms_for_issues_should_have_what_a_form_needs(form: Path) -> None:
    content = yaml.safe_load(form.read_text())
    if form.stem == "config":
        assert content == {"blank_issues_enabled": True}
        return
    assert {"name", "description", "body"} <= set(content)
    ids = [part["id"] for part in content["body"]]
    assert len(ids) == len(set(ids))
    assert all(part["attributes"]["label"] for part in content["body"])
