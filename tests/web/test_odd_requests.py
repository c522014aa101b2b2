"""Odd values in addresses, queries, forms and cookies: never a fault of the site."""

import itertools
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from learn2search import web
from learn2search.web.security import OWNER_COOKIE

ODD = (
    "%00",
    "a%00b",
    "9223372036854775808",
    "9" * 23,
    "-1",
    "%F0%9F%A6%8A",
    "colours",
    "1e400",
    "%2e%2e%2f",
    "9" * 5000,
)
LENGTHY = {"/owner/{slug}/upload"}  # takes files


def routes() -> list[tuple[str, str]]:
    """Method and path of every route, read from the sources: `@router.get("/c/{slug}")`."""
    found = []
    for file in sorted(Path(web.__path__[0]).glob("*.py")):
        text = file.read_text()
        prefixes = dict(re.findall(r'^(\w+) = APIRouter\(prefix="([^"]+)"', text, re.MULTILINE))
        for name, method, path in re.findall(r'@(\w+)\.(get|post|put|patch|delete)\(\s*"([^"]*)"', text):
            found.append((method.upper(), prefixes.get(name, "") + path))
    return found


def filled(path: str, value: str, slug: str) -> str:
    """The address, with an odd value for each name in braces; the collection exists in every second request."""
    return re.sub(r"{(\w+)}", lambda match: slug if match[1] == "slug" else value, path)


def test_no_route_should_fail_at_odd_values(owner: TestClient) -> None:
    sent = 0
    for (method, path), value in itertools.product(routes(), ODD):
        if path in LENGTHY or path == "/owner/leave":
            continue
        slug = "colours" if len(value) % 2 else value
        query = f"start={value}&words={value}&count={value}&aside={value}" if method == "GET" else ""
        names = ("step", "choice", "found", "show", "version", "title", "noun", "nouns", "item", "start")
        form = "&".join(f"{name}={value}" for name in names) if method != "GET" else None
        address = filled(path, value[:40], slug[:40]) + (f"?{query}" if query else "")
        headers = {"content-type": "application/x-www-form-urlencoded"} if form else {}
        answer = owner.request(method, address, content=form, headers=headers)
        assert answer.status_code < 500, (method, address)
        sent += 1
    assert sent > 200


@pytest.mark.parametrize("path", ["/c/%00", "/s/%00", "/r/%00", "/owner/%00", "/api/v1/collections/%00/items"])
def test_an_address_with_a_nul_character_should_be_no_page(owner: TestClient, path: str) -> None:
    answer = owner.get(path)
    assert answer.status_code == 404
    if "/api/" not in path:
        assert "There is no such page." in answer.text


def test_a_number_of_23_digits_should_be_answered_in_the_look_of_the_site(owner: TestClient) -> None:
    for page in ("items", "searches"):
        answer = owner.get(f"/owner/colours/{page}?start={'9' * 23}")
        assert answer.status_code in (200, 422)  # a page without rows, or a refusal
        assert "<html" in answer.text
    assert owner.post("/owner/colours/rollback", data={"version": "9" * 23}).status_code in (404, 422)


def test_a_cookie_with_a_huge_number_should_be_no_owner(client: TestClient) -> None:
    answer = client.get("/owner", headers={"cookie": f"{OWNER_COOKIE}={'9' * 5000}.x"})
    assert answer.status_code == 200
    assert "token" in answer.text
