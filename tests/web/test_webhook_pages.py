"""The owner's page of webhooks."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from fastapi.testclient import TestClient

from learn2search.site.settings import Settings
from learn2search.web.app import create_app
from tests.web.conftest import PAGE

PLACE = "/owner/colours/webhooks"


@pytest.fixture
def url() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook"
    server.shutdown()
    server.server_close()


def test_an_owner_should_add_try_and_remove_a_webhook(settings: Settings, token: str, url: str) -> None:
    app = create_app(settings.model_copy(update={"webhook_private": True}))
    with TestClient(app, headers=PAGE, follow_redirects=True) as owner:
        assert owner.get(PLACE).status_code == 401
        owner.post("/owner", data={"token": token})
        page = owner.post(PLACE, data={"url": url, "kinds": ["search.found"]}).text
        assert url in page
        webhook_id = re.search(rf"{PLACE}/([0-9a-f]{{32}})/test", page)[1]
        tried = owner.post(f"{PLACE}/{webhook_id}/test").text
        assert "delivered" in tried
        assert "200 OK" in tried
        assert url not in owner.post(f"{PLACE}/{webhook_id}/remove").text


def test_a_private_address_should_be_refused_in_a_sentence(owner: TestClient, url: str) -> None:
    refused = owner.post(PLACE, data={"url": url, "kinds": ["search.found"]})
    assert refused.status_code == 422
    assert "private network" in refused.text
