"""The application on a collection of thirty colours, through a client that behaves like a browser without scripts."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.web.app import create_app

PAGE = {"accept": "text/html"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    pictures = folder / "pictures"
    pictures.mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()):
        buffer = io.BytesIO()
        Image.new("RGB", (40, 50), tuple(colour)).save(buffer, "PNG")
        (pictures / f"colour_{number:02}.png").write_bytes(buffer.getvalue())
    return folder


@pytest.fixture(scope="module")
def settings(home: Path) -> Settings:
    return Settings(
        home=home / "home", database_url=None, seed=0, answers_per_minute=100_000, searches_per_minute=9_000
    )


@pytest.fixture(scope="module")
def token(home: Path, settings: Settings) -> str:
    site = Site.open(settings)
    made = make_collection(site, "colours", "Colours", noun="colour", nouns="colours", show=4, warm_start="nothing")
    import_source(site, home / "pictures", made)
    token = site.new_token()
    site.close()
    return token


@pytest.fixture
def app(settings: Settings, token: str) -> FastAPI:
    return create_app(settings)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, headers=PAGE, follow_redirects=True) as client:
        yield client


@pytest.fixture
def owner(client: TestClient, token: str) -> TestClient:
    client.post("/owner", data={"token": token})
    return client
