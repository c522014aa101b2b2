"""A running demo and a real Chromium."""

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from learn2search import warm_up
from learn2search.demo.install import install_faces
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.web.app import create_app

PATIENCE = 15_000  # milliseconds: the server and the browser share a busy machine
expect.set_options(timeout=PATIENCE)
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


class Running(NamedTuple):
    """A site that answers. site: the same database, to look behind the pages."""

    address: str
    token: str
    site: Site


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    return next((found for found in map(shutil.which, names) if found), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = find_chromium()
    if found is None:
        missing = "NO BROWSER: install Chromium (on Debian, as root: apt-get install chromium libatomic1)"
        pytest.fail(missing) if os.environ.get("CI") == "true" else pytest.skip(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The demo with its snapshot, on a port of its own."""
    home = tmp_path_factory.mktemp("demo")
    settings = Settings(home=home, database_url=None, answers_per_minute=100_000, searches_per_minute=10_000)
    site = Site.open(settings)
    install_faces(site, with_snapshot=True)
    warm_up(["search"])
    token = site.new_token()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=free_port(), log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has ended before it answered"
        time.sleep(0.05)
    yield Running(f"http://127.0.0.1:{server.config.port}", token, site)
    server.should_exit = True
    thread.join(20)
    site.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, running: Running) -> Iterator[Open]:
    """Open a page of the site; errors in the browser's console fail the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_at(path: str = "/", **options: object) -> Page:
        context = browser.new_context(**({"viewport": DESKTOP} | options))  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(running.address + path)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert not [text for text in complaints if "net::ERR" not in text], complaints


@pytest.fixture
def images() -> Path:
    """Where screenshots for the documentation go."""
    return Path(__file__).parents[2] / "docs" / "images"
