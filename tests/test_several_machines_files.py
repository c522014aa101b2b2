"""The files of `deploy/several-machines` can be read, and hold to the program's own commands and settings."""

import re
from pathlib import Path
from typing import Any

import typer
import yaml

from learn2search.cli.main import app
from learn2search.site.settings import Settings

FOLDER = Path(__file__).parents[1] / "deploy" / "several-machines"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
WORKERS, TRAINERS = ("worker-1", "worker-2"), ("trainer-1", "trainer-2")


def options_of(command: str) -> set[str]:
    found = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]
    return {name for parameter in found.params for name in (*parameter.opts, *parameter.secondary_opts)}


def test_there_should_be_two_workers_and_two_trainers_with_everything_shared() -> None:
    services = COMPOSE["services"]
    assert set(services) == {*WORKERS, *TRAINERS, "proxy", "database", "store", "bucket"}
    for names, command in ((WORKERS, "serve"), (TRAINERS, "trainer")):
        for name in names:
            words = services[name]["command"]
            assert words[0] == command
            assert {word for word in words if word.startswith("--")} <= options_of(command)
            assert ("--no-trainer" in words) == (command == "serve")
            assert services[name]["environment"] == services["worker-1"]["environment"]
            assert "volumes" not in services[name], "a machine has nothing that would be missed"


def test_settings_should_exist() -> None:
    names = {f"LEARN2SEARCH_{name.upper()}" for name in Settings.model_fields}
    environment = COMPOSE["services"]["worker-1"]["environment"]
    ours = {name for name in environment if name.startswith("LEARN2SEARCH_")}
    assert ours == {"LEARN2SEARCH_DATABASE_URL", "LEARN2SEARCH_MEDIA_URL"} <= names
    assert Settings(media_url=environment["LEARN2SEARCH_MEDIA_URL"]).media_url


def test_every_volume_and_password_should_be_named() -> None:
    services = COMPOSE["services"].values()
    used = {volume.partition(":")[0] for one in services for volume in one.get("volumes", ())}
    assert {name for name in used if not name.startswith(".")} == set(COMPOSE["volumes"])
    secrets = re.findall(r"PASSWORD: (.*)", (FOLDER / "compose.yaml").read_text())
    assert all(secret.startswith("${") for secret in secrets)


def test_proxies_should_send_to_both_workers() -> None:
    for name in ("Caddyfile", "nginx.conf"):
        text = (FOLDER / name).read_text()
        assert all(f"{worker}:8000" in text for worker in WORKERS)
        assert text.count("{") == text.count("}")


def test_the_trainers_unit_should_run_a_command_without_root() -> None:
    text = (FOLDER / "learn2search-trainer.service").read_text()
    command = re.search(r"^ExecStart=\S+/learn2search (\S+)$", text, re.MULTILINE)
    assert command[1] == "trainer"
    for line in ("DynamicUser=yes", "NoNewPrivileges=yes", "Restart=always"):
        assert line in text
