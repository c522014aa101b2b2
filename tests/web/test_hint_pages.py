"""Begin near something: from the gallery, by words, or by a picture that is not kept."""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from learn2search.site.catalogue.imports import import_source, make_collection
from learn2search.site.context import Site
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.web.app import create_app
from learn2search.web.security import LARGEST_PICTURE
from tests.web.conftest import PAGE

NEAR = re.compile(r'name="near" value="(\d+)"')


@pytest.fixture(scope="module")
def pictured(settings: Settings, token: str, home: Path) -> str:
    site = Site.open(settings)
    made = make_collection(site, "pictured", "Pictured", noun="colour", nouns="colours", warm_start="pictures")
    import_source(site, home / "pictures", made)
    site.close()
    return "/c/pictured/like"


@pytest.fixture
def visitor(settings: Settings, pictured: str) -> Iterator[TestClient]:
    with TestClient(create_app(settings), headers=PAGE, follow_redirects=True) as client:
        yield client


def picture(red: int, green: int, blue: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (300, 300), (red, green, blue)).save(buffer, "JPEG")
    return buffer.getvalue()


def test_a_search_should_begin_near_what_was_chosen(client: TestClient) -> None:
    page = client.get("/c/colours/like").text
    assert len(NEAR.findall(page)) == 24
    assert "Show others" in page
    assert len(NEAR.findall(client.get("/c/colours/like?page=1").text)) == 6
    begun = client.post("/c/colours", data={"near": NEAR.findall(page)[3]})
    assert "Question 1" in begun.text
    row = searching.state(client.app.state.site, begun.url.path.removeprefix("/s/")).row  # type: ignore[attr-defined]
    assert row.near == (int(NEAR.findall(page)[3]),)
    assert client.post("/c/colours", data={"near": 99}).status_code == 422


def test_words_should_filter_the_titles(client: TestClient) -> None:
    page = client.get("/c/colours/like", params={"words": "colour 07"}).text
    assert NEAR.findall(page) == ["7"]
    assert "has these words" in client.get("/c/colours/like", params={"words": "<zebra>"}).text


def test_pictures_should_be_offered_only_where_they_can_be_compared(client: TestClient, visitor: TestClient) -> None:
    assert 'type="file"' not in client.get("/c/colours/like").text
    assert client.post("/c/colours/like", files={"picture": ("a.jpg", picture(1, 2, 3))}).status_code == 404
    assert 'type="file"' in visitor.get("/c/pictured/like").text


def test_a_picture_should_lead_to_what_looks_like_it(visitor: TestClient, pictured: str) -> None:
    colour = np.random.default_rng(0).integers(0, 256, (30, 3)).tolist()[17]
    page = visitor.post(pictured, files={"picture": ("mine.jpg", picture(*colour), "image/jpeg")}).text
    assert "Your picture was not kept" in page
    near = NEAR.findall(page)
    assert (len(near), near[0], near[3]) == (3 + 12, "17", "17")
    begun = visitor.post("/c/pictured", data={"near": near[:3]})
    assert "Question 1" in begun.text


def test_what_is_no_picture_should_be_refused_with_a_sentence(visitor: TestClient, pictured: str) -> None:
    for sent, status in ((b"<svg xmlns='http://www.w3.org/2000/svg'/>", 422), (b"", 422)):
        assert visitor.post(pictured, files={"picture": ("a.svg", sent)}).status_code == status
    assert visitor.post(pictured, data={"picture": "words"}).status_code == 422
    assert "too many" not in visitor.post(pictured, files={"picture": ("a.jpg", b"\xff\xd8")}).text
    large = visitor.post(pictured, content=b"0", headers={"content-length": str(LARGEST_PICTURE + 1)})
    assert large.status_code == 413
    elsewhere = visitor.post("/c/pictured", content=b"0", headers={"content-length": "1500000"})
    assert elsewhere.status_code == 413


def test_a_program_should_begin_near_something(client: TestClient) -> None:
    begun = client.post("/api/v1/collections/colours/searches", json={"near": [4]})
    assert begun.status_code == 201
    assert client.post("/api/v1/collections/colours/searches", json={"near": [99]}).status_code == 422
