"""A plain answer goes straight to its function; what is unusual goes the usual way, with the same outcome."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.forms import begin, shown_on


def begun(client: TestClient) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The address for answers, the secret, and the first question."""
    search = client.post("/api/v1/collections/colours/searches", json={"show": 4}).json()
    place = f"/api/v1/searches/{search['id']}/answers"
    return place, {"search-secret": search["secret"]}, search["question"]


def test_both_ways_should_say_the_same(client: TestClient, token: str) -> None:
    place, secret, question = begun(client)
    given = {"step": 1, "kind": "choice", "item": question["shown"][0]["item"]}
    quick = client.post(place, json=given, headers=secret)
    usual = client.post(place, json=given, headers={"authorization": f"Bearer {token}"})
    assert quick.status_code == usual.status_code == 200
    assert quick.json() == usual.json()
    assert quick.json()["question"]["step"] == 2
    assert quick.headers["content-type"] == usual.headers["content-type"]
    assert quick.headers["content-security-policy"] == usual.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"", 422), (b"{", 422), (b'{"step": 1}', 422), (b'{"step": 0, "kind": "none"}', 422), (b"\xff", 422)],
)
def test_what_is_no_answer_should_be_explained(client: TestClient, body: bytes, status: int) -> None:
    place, secret, _ = begun(client)
    refused = client.post(place, content=body, headers=secret | {"content-type": "application/json"})
    assert refused.status_code in (status, 400)
    assert refused.json()["error"]


def test_a_program_without_the_secret_should_be_refused(client: TestClient) -> None:
    place, secret, _ = begun(client)
    assert client.post(place, json={"step": 1, "kind": "none"}).status_code == 403
    assert client.post(place, json={"step": 1, "kind": "none"}, headers=secret).status_code == 200


@pytest.mark.parametrize("form", ["step=1&none=1&none=1", "step=x&none=1", "step=1&none=1&more=1", "step=1&none"])
def test_odd_forms_should_go_the_usual_way(client: TestClient, form: str) -> None:
    place, _ = begin(client)
    kind = {"content-type": "application/x-www-form-urlencoded", "x-fragment": "1"}
    assert client.post(place, content=form, headers=kind).status_code in (200, 422)


def test_a_fragment_should_be_the_next_question(client: TestClient) -> None:
    place, page = begin(client)
    answered = client.post(place, data={"step": 1, "choice": shown_on(page)[0]}, headers={"x-fragment": "1"})
    assert 'data-number="2"' in answered.text
    assert answered.headers["cache-control"] == "no-store"
