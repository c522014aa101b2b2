"""Media never change, pages do."""

import re

from fastapi.testclient import TestClient

from tests.web.forms import begin


def test_media_should_be_kept_for_ever_and_pages_not(client: TestClient) -> None:
    _, page = begin(client)
    picture = re.findall(r'src="(/media/[^"]+)"', page)[0]
    answer = client.get(picture)
    assert answer.headers["content-type"] == "image/webp"
    assert "immutable" in answer.headers["cache-control"]
    assert client.get("/").headers["cache-control"] == "no-store"
