"""A search inside the page of another site: two real origins, localhost and 127.0.0.1."""

import io
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import numpy as np
import pytest
import uvicorn
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from learn2search import warm_up
from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.web.app import create_app
from tests.browser.conftest import PATIENCE, free_port

pytestmark = pytest.mark.heavy  # a site and two pages of their own; tests/web/test_embedded_pages.py is the quick part

HOST_PAGE = """<!doctype html><title>A shop</title><h1>Our colours</h1>
<learn2search-search site="{site}" collection="colours" label="Find a colour"><a href="{site}/c/colours">Search</a>
</learn2search-search>
<script src="{site}/learn2search.js"></script>
<script>
window.told = [];
for (const kind of ["answer", "found", "refused"])
  document.addEventListener(kind, (event) => told.push({{ kind, ...event.detail }}));
</script>"""


class Places(NamedTuple):
    """The site with the searches, a page that may show them, and one that may not."""

    site: str
    shop: str
    stranger: str


def serve_page(text: list[str]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(text[0].encode() if self.path == "/" else b"")

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    page = [""]
    shop, stranger = serve_page(page), serve_page(page)
    home, port = tmp_path_factory.mktemp("embedded"), free_port()
    origin = f"http://localhost:{shop.server_port}"
    settings = Settings(home=home / "home", database_url=None, embed_origins=(origin,))
    (home / "pictures").mkdir()
    for number, colour in enumerate(np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()):
        buffer = io.BytesIO()
        Image.new("RGB", (400, 500), tuple(colour)).save(buffer, "PNG")
        (home / "pictures" / f"colour_{number:02}.png").write_bytes(buffer.getvalue())
    site = Site.open(settings)
    made = make_collection(site, "colours", "Colours", noun="colour", nouns="colours", show=4)
    import_source(site, home / "pictures", made)
    site.close()
    warm_up(["search"])
    server = uvicorn.Server(uvicorn.Config(create_app(settings), port=port, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has ended before it answered"
        time.sleep(0.05)
    page[0] = HOST_PAGE.format(site=f"http://127.0.0.1:{port}")
    yield Places(f"http://127.0.0.1:{port}", origin, f"http://localhost:{stranger.server_port}")
    server.should_exit = True
    thread.join(20)
    for one in (shop, stranger):
        one.shutdown()
        one.server_close()


def told(page: Page, kind: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = page.evaluate("kind => told.filter(one => one.kind === kind)", kind)
    return found


def test_a_search_should_go_on_in_the_page_of_another_site(browser: Browser, places: Places) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(places.shop)
    inside = page.frame_locator("iframe")
    inside.get_by_role("button", name="Start a search").click()
    expect(inside.locator(".card")).to_have_count(4)
    height = "document.querySelector('learn2search-search').shadowRoot.querySelector('iframe').offsetHeight"
    page.wait_for_function(f"{height} !== 640")
    inside.locator(".picture").first.click()
    expect(inside.get_by_text("Question 2", exact=True)).to_be_visible()
    page.wait_for_function("told.some(one => one.kind === 'answer')")
    (answer,) = told(page, "answer")
    assert answer["answer"] == "choice"
    assert str(answer["title"]).startswith("Colour ")
    assert str(answer["key"]).endswith(".png")
    inside.locator(".this-is-it").nth(1).click()
    expect(inside.get_by_text("There it is")).to_be_visible()
    page.wait_for_function("told.some(one => one.kind === 'found')")
    (found,) = told(page, "found")
    assert found["item"] == told(page, "answer")[-1]["item"]
    assert str(found["link"]).startswith(f"{places.site}/r/")
    assert str(found["picture"]).startswith(f"{places.site}/media/")
    assert context.cookies() == [], "an embedded search needs no cookie"
    other = context.new_page()
    other.goto(str(found["link"]))
    expect(other.get_by_text(str(found["title"])).first).to_be_visible()
    context.close()


def test_a_page_that_is_not_on_the_list_should_show_nothing(browser: Browser, places: Places) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(places.stranger)
    page.wait_for_function("() => document.querySelector('learn2search-search').shadowRoot !== null")
    page.wait_for_timeout(500)
    assert not page.frame_locator("iframe").get_by_role("button", name="Start a search").is_visible()
    assert any("frame-ancestors" in text for text in complaints), complaints
    context.close()
