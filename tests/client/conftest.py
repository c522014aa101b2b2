"""A site of thirty colours that answers on a port of its own."""

import io
import socket
import threading
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
import uvicorn
from PIL import Image

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.web.app import create_app


class Live(NamedTuple):
    """A site that answers, and the owner's token."""

    address: str
    token: str


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    pictures = folder / "pictures"
    pictures.mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()):
        buffer = io.BytesIO()
        Image.new("RGB", (40, 50), tuple(colour)).save(buffer, "PNG")
        (pictures / f"colour_{number:02}.png").write_bytes(buffer.getvalue())
    settings = Settings(home=folder / "home", database_url=None, searches_per_minute=9_000, answers_per_minute=100_000)
    site = Site.open(settings)
    import_source(site, pictures, make_collection(site, "colours", "Colours", show=4, warm_start="nothing"))
    token = site.new_token()
    site.close()
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=free_port(), log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has ended before it answered"
        time.sleep(0.05)
    yield Live(f"http://127.0.0.1:{server.config.port}", token)
    server.should_exit = True
    thread.join(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
