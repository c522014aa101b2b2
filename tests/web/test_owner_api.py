"""The owner's part of the JSON API: everything by key, twice as well as once, and only with the token."""

import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image

API = "/api/v1/collections"


@pytest.fixture
def api(client: TestClient, token: str) -> TestClient:
    client.headers.update({"accept": "application/json", "authorization": f"Bearer {token}"})
    return client


@pytest.fixture
def cards(api: TestClient, request: pytest.FixtureRequest) -> str:
    """The address of a new collection of three cards."""
    place = f"{API}/cards-{abs(hash(request.node.name)) % 10**8}"
    assert api.put(place, json={"title": "Cards", "listed": False}).status_code == 201
    api.put(f"{place}/items", json=[{"key": key, "title": key.title()} for key in ("one", "two", "three")])
    return place


def outcomes(api: TestClient, place: str, records: list[Any]) -> list[str]:
    return [one["outcome"] for one in api.put(f"{place}/items", json=records).json()]


def png(colour: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (20, 20), colour).save(buffer, "PNG")
    return buffer.getvalue()


def test_only_the_owner_should_write(client: TestClient, app: FastAPI) -> None:
    for path, methods in app.openapi()["paths"].items():
        for method, what in methods.items():
            if "Owner" in what["tags"]:
                refused = client.request(method, path.replace("{slug}", "colours"), json=[])
                assert refused.status_code == 401, (method, path)


def test_a_collection_should_be_made_and_changed(api: TestClient, cards: str) -> None:
    again = api.put(cards, json={"note": "A note", "archived": True})
    assert (again.status_code, again.json()["created"], again.json()["archived"]) == (200, False, True)
    assert again.json()["title"] == "Cards"
    assert api.post(f"{cards}/searches").status_code >= 400, "no new searches"
    api.put(cards, json={"archived": False})
    assert api.post(f"{cards}/searches", json={"show": 2}).status_code == 201
    assert "needs a title" in api.put(f"{API}/nothing-yet", json={}).json()["error"]
    assert api.put(f"{API}/Not Good", json={"title": "x"}).status_code == 422
    assert "strategies" in api.put(cards, json={"strategies": ["guess"]}).json()["error"]


def test_the_same_records_twice_should_change_nothing(api: TestClient, cards: str) -> None:
    records = [{"key": "one", "title": "Eins"}, {"key": "four", "title": "Four", "group": "even"}]
    assert outcomes(api, cards, records) == ["changed", "added"]
    assert outcomes(api, cards, records) == ["unchanged", "unchanged"]
    found = {item["key"]: item for item in api.get(f"{cards}/items").json()}
    assert (found["one"]["title"], found["four"]["group"]) == ("Eins", "even")


def test_items_should_be_retired_and_restored(api: TestClient, cards: str) -> None:
    assert outcomes(api, cards, [{"key": "two", "active": False}]) == ["changed"]
    assert "two" not in [item["key"] for item in api.get(f"{cards}/items").json()]
    assert outcomes(api, cards, [{"key": "two", "active": False}]) == ["unchanged"]
    assert outcomes(api, cards, [{"key": "two", "active": True}]) == ["changed"]
    assert len(api.get(f"{cards}/items").json()) == 3


def test_a_record_that_cannot_be_used_should_be_refused_in_its_place(api: TestClient, cards: str) -> None:
    lines = ['{"key": "one", "title": "Uno"}', "{oops", '{"key": "new"}', '{"key": "one"}', '{"key": "a", "colour": 1}']
    kind = {"content-type": "application/x-ndjson"}
    sent = api.put(f"{cards}/items", content="\n".join(lines), headers=kind).json()
    assert [one["outcome"] for one in sent] == ["changed", *["refused"] * 4]
    assert "needs a title" in sent[2]["message"]
    assert "twice" in sent[3]["message"]
    assert "colour" in sent[4]["message"]
    assert api.put(f"{cards}/items", content=b"{", headers={"content-type": "application/json"}).status_code == 422
    assert api.put(f"{cards}/items", json={"key": "one"}).status_code == 422
    assert api.put(f"{cards}/items", json=[{}] * 5001).status_code == 413


def test_a_file_should_be_the_item_of_its_name(api: TestClient, cards: str) -> None:
    def send(colour: str) -> dict[str, Any]:
        return dict(api.post(f"{cards}/files", files=[("file", ("red.png", png(colour)))]).json())

    assert (send("red")["added"], send("red")["unchanged"], send("darkred")["changed"]) == (1, 1, 1)
    assert outcomes(api, cards, [{"key": "red.png", "title": "A red"}]) == ["changed"]
    (item,) = api.get(f"{cards}/items?words=red.png").json()
    assert (item["title"], set(item["media"])) == ("A red", {"large", "small"})
    bad = api.post(f"{cards}/files", files=[("file", ("bad.png", b"no picture"))]).json()
    assert bad["problems"][0]["name"] == "bad.png"


def test_positions_should_be_read_and_written(api: TestClient, cards: str) -> None:
    rows = {"keys": ["three", "one", "two"], "mean": [[3.0, 0.0], [1.0, 0.5], [2.0, -1.0]]}
    model = api.put(f"{cards}/embedding", json=rows)
    assert (model.status_code, model.json()["origin"], model.json()["dimensions"]) == (200, "features", 2)
    assert api.get(f"{cards}/model").json() == model.json()
    read = api.get(f"{cards}/embedding").json()
    here = dict(zip(read["keys"], read["mean"], strict=True))
    differences = [np.subtract(here["three"], here[key]) for key in ("one", "two")]
    assert differences[0][1] / differences[0][0] == pytest.approx(-0.25)
    assert differences[1][1] / differences[1][0] == pytest.approx(1.0)
    for wrong, why in (({"keys": ["one"]}, "rows"), ({"keys": ["one", "two", "x"]}, "not in"), ({"mean": []}, "shape")):
        assert why in api.put(f"{cards}/embedding", json=rows | wrong).json()["error"]
    short = {"keys": ["one", "two"], "mean": [[0.0], [1.0]]}
    assert "1 keys are without a row: three" in api.put(f"{cards}/embedding", json=short).json()["error"]


def test_positions_should_travel_as_a_file(api: TestClient, cards: str) -> None:
    buffer, kind = io.BytesIO(), {"content-type": "application/octet-stream"}
    np.savez(buffer, keys=np.array(["one", "two", "three"]), mean=np.diag([1.0, 2.0, 4.0]))
    written = api.put(f"{cards}/embedding.npz", content=buffer.getvalue(), headers=kind)
    assert written.status_code == 200, written.text
    with np.load(io.BytesIO(api.get(f"{cards}/embedding.npz").content)) as file:
        assert file["mean"].shape == (3, 3)
    assert "no NPZ file" in api.put(f"{cards}/embedding.npz", content=b"PK", headers=kind).json()["error"]
    pickled = io.BytesIO()
    np.savez(pickled, mean=np.array([{}], object))
    assert api.put(f"{cards}/embedding.npz", content=pickled.getvalue(), headers=kind).status_code == 422


def examples(what: dict[str, Any], schemas: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """(content type, example) of each body that an operation takes."""
    for kind, body in what.get("requestBody", {}).get("content", {}).items():
        yield from ((kind, one["value"]) for one in body.get("examples", {}).values())
        schema = body["schema"].get("anyOf", [body["schema"]])[0]
        yield from ((kind, one) for one in schemas.get(schema.get("$ref", "").split("/")[-1], {}).get("examples", []))


def test_each_example_of_the_description_should_run(api: TestClient, app: FastAPI) -> None:
    """In the order in which a collection comes about; each answer to a search of its own."""
    described = app.openapi()
    schemas = described["components"]["schemas"]
    order = ["/collections/{slug}", "/items", "/embedding", "/searches", "/answers"]
    ran: list[str] = []
    for end in order:
        (path,) = [one for one in described["paths"] if one.endswith(end)]
        for method, what in described["paths"][path].items():
            for kind, example in examples(what, schemas):
                search = {} if "{search_id}" not in path else api.post(f"{API}/coffees/searches").json()
                place = path.replace("{slug}", "coffees").replace("{search_id}", search.get("id", ""))
                content = example if isinstance(example, str) else json.dumps(example)
                answer = api.request(method, place, content=content, headers={"content-type": kind})
                assert answer.is_success, (method, place, example, answer.text)
                ran.append(f"{method} {path}")
    bodies = [(method, path, what) for path, each in described["paths"].items() for method, what in each.items()]
    with_examples = {f"{method} {path}" for method, path, what in bodies if list(examples(what, schemas))}
    assert with_examples == set(ran)
    assert len(ran) >= 10
