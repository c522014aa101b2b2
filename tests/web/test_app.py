"""Errors that a person can read."""

from fastapi.testclient import TestClient

from tests.web.forms import begin


def test_mistakes_should_be_pages_that_a_person_can_read(client: TestClient) -> None:
    for path, code, words in (
        ("/nowhere", 404, "There is no such page."),
        ("/c/nothing", 404, "no collection"),
        ("/s/0", 404, "no such search"),
        ("/media/colours/../../site.db", 404, ""),
        ("/media/colours/site.db", 404, "no such file"),
        ("/owner/colours", 401, "owner"),
    ):
        answer = client.get(path)
        assert answer.status_code == code, path
        assert words in answer.text
        assert "Traceback" not in answer.text
    place, _ = begin(client)
    assert client.post(place, data={"step": "x"}).status_code == 422
    assert client.post(place, data={"step": 1}).status_code == 422
    for field in ("choice", "found"):
        assert client.post(place, data={"step": 1, field: 10**30}).status_code == 422
    assert client.post(place, data={"step": 10**30, "none": 1}).status_code == 422


def test_every_page_should_answer_without_its_body(client: TestClient) -> None:
    for path in ("/", "/c/colours", "/healthz", "/static/site.css", "/api/v1/collections"):
        whole, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (whole.status_code, b""), path
        assert head.headers["content-length"] == whole.headers["content-length"]
    assert client.head("/nowhere").status_code == 404
