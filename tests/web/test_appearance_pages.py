"""The owner's page for the site, and what visitors see of it."""

import io
import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from PIL import Image

from learn2search.site.administration.appearance import change_appearance
from tests.web.forms import begin

PAGE = "/owner/_site"


@pytest.fixture
def dressed(owner: TestClient) -> Iterator[TestClient]:
    yield owner
    change_appearance(owner.app.state.site, name="Learn2Search", accent="", logo="", advertised=True)  # type: ignore[attr-defined]


def picture() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (60, 30), "red").save(buffer, "PNG")
    return buffer.getvalue()


def test_visitors_should_see_the_owners_name_logo_and_colour(dressed: TestClient) -> None:
    form = {"name": "The <Cellar>", "accent": "#8A1538", "advertised": "1"}
    saved = dressed.post(PAGE, data=form, files={"logo": ("logo.png", picture(), "image/png")})
    assert saved.status_code == 200
    page = dressed.get("/").text
    assert "<span>The &lt;Cellar&gt;</span>" in page
    assert "Learn2Search" not in page
    logo = dressed.get(re.search(r'src="(/logo/\w+\.webp)"', page)[1])
    assert (logo.status_code, logo.headers["content-type"]) == (200, "image/webp")
    assert "immutable" in logo.headers["cache-control"]
    colour = dressed.get(re.search(r'href="(/accent/\w+\.css)"', page)[1])
    assert "--gold: #8a1538; --gold-ink: #ffffff;" in colour.text
    assert colour.headers["content-type"].startswith("text/css")
    assert "The &lt;Cellar&gt;</title>" in begin(dressed)[1]
    assert "The &lt;Cellar&gt;</title>" in dressed.get("/nowhere").text
    dressed.post(PAGE, data=form | {"without_logo": "1"})
    assert "/logo/" not in dressed.get("/").text
    assert dressed.get(logo.url.path).status_code == 404


def test_the_advertisement_should_go_if_the_owner_wishes(dressed: TestClient) -> None:
    for words in ("For owners", "Put it here with one command", "Search by program"):
        assert words in dressed.get("/").text
    dressed.post(PAGE, data={"name": "", "accent": ""})
    page = dressed.get("/").text
    for words in ("For owners", "Put it here with one command", "Search by program", "/owner"):
        assert words not in page
    assert "No account." in page


def test_a_colour_on_which_nothing_can_be_read_should_be_adjusted_and_said(dressed: TestClient) -> None:
    page = dressed.post(PAGE, data={"accent": "#7d7d7d"}).text
    assert "Words on #7d7d7d would be hard to read (less than 4.5:1), so the pages use the nearest shade, #" in page
    assert "hard to read" not in dressed.post(PAGE, data={"accent": "#8a1538"}).text


def test_mistakes_should_be_refused(dressed: TestClient) -> None:
    wrong = dressed.post(PAGE, data={"accent": "reddish"})
    assert wrong.status_code == 422
    assert "a colour such as #8a1538" in wrong.text
    file = {"logo": ("logo.svg", b"<svg/>", "image/svg+xml")}
    assert "The logo cannot be used" in dressed.post(PAGE, data={"name": "x"}, files=file).text
    assert dressed.get("/accent/red.css").status_code == 404
    assert dressed.get("/logo/x.webp").status_code == 404


def test_others_should_not_come_in(client: TestClient) -> None:
    assert client.get(PAGE).status_code == 401
    assert client.post(PAGE, data={"name": "x"}).status_code == 401


def test_an_error_page_should_be_made_without_the_database(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    site = client.app.state.site  # type: ignore[attr-defined]
    site.forget()
    monkeypatch.setattr(site.database, "read", None)
    page = client.get("/nowhere")
    assert page.status_code == 404
    assert "Learn2Search" in page.text
