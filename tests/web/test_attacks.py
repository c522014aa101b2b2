"""What an attacker would try over HTTP, beside `test_security.py`: others' searches, headers, paths, many tokens."""

import itertools
import re
import secrets

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from learn2search.site.settings import Settings
from learn2search.web.app import create_app
from tests.web.forms import begin, shown_on, step_of

OUTSIDE = ("../site.db", "..%2fsite.db", "%2e%2e%2fsite.db", "..%5csite.db", "%252e%252e%252fsite.db", "/etc/passwd")


def test_no_way_should_lead_into_another_visitors_search(client: TestClient, app: FastAPI) -> None:
    """Not by its address, not by the API, not by a made-up cookie, not by half of its id."""
    place, page = begin(client)
    search_id = place.removeprefix("/s/")
    other = TestClient(app, headers={"accept": "text/html"})
    given = {"step": step_of(page), "choice": shown_on(page)[0]}
    codes = [other.get(place).status_code, other.post(place, data=given).status_code]
    codes += [other.get(f"{place}/gallery").status_code, other.post(f"{place}/show", data={"show": 2}).status_code]
    codes += [other.post(f"{place}/again").status_code, other.post(f"{place}/not-it").status_code]
    for secret in ("", search_id, secrets.token_hex(16)):
        headers = {"search-secret": secret, "cookie": f"visitor={secret}"}
        codes.append(other.get(f"/api/v1/searches/{search_id}", headers=headers).status_code)
        answer = {"step": 1, "kind": "none"}
        codes.append(other.post(f"/api/v1/searches/{search_id}/answers", json=answer, headers=headers).status_code)
        codes.append(other.post(place, data=given, headers=headers).status_code)
    assert codes == [403] * len(codes)
    assert other.get(f"/s/{search_id[:16]}").status_code == 404
    assert "Question 1" in client.get(place).text


@pytest.mark.parametrize("line", ["%0d%0aSet-Cookie:%20owner=x", "%0aX-Injected:%20yes", "é%0d%0a%0d%0a<script>"])
def test_nothing_that_is_sent_should_become_a_header(owner: TestClient, line: str) -> None:
    for path in (f"/c/{line}", f"/s/{line}", f"/owner/{line}", f"/?lang={line}", f"/media/{line}/x", f"/static/{line}"):
        answer = owner.get(path, follow_redirects=False)
        assert "x-injected" not in answer.headers
        assert "owner=x" not in answer.headers.get("set-cookie", "")
        assert answer.status_code < 500
    made = owner.post(
        f"/owner/colours/export/items.csv{line}", headers={"accept-language": "de\x7f"}, follow_redirects=False
    )
    assert made.status_code in (404, 405)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_address_should_lead_to_other_files(client: TestClient, path: str) -> None:
    for root in ("/media/colours/", "/media/", "/static/", "/static/font/", "/owner/colours/export/"):
        answer = client.get(root + path, follow_redirects=False)
        assert answer.status_code in (303, 307, 401, 404, 405), (root + path, answer.status_code)
        assert b"SQLite format" not in answer.content
        assert b"root:" not in answer.content


def test_other_sites_should_not_frame_what_is_not_embeddable(client: TestClient) -> None:
    """Also errors, redirects and files: whatever could be clicked through a transparent frame."""
    for path in ("/", "/owner", "/nowhere", begin(client)[0], "/c/colours", "/api/v1/collections", "/owner/colours"):
        answer = client.get(path, follow_redirects=False)
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"], path


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_the_owners_cookie_should_not_act_for_other_sites(owner: TestClient, method: str) -> None:
    """A form on another page, with the owner signed in here: refused whatever the address is."""
    for path in ("/owner/colours/settings", "/owner/leave", "/owner/token", "/api/v1/collections/colours", "/nowhere"):
        for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "same-site"}):
            assert owner.request(method, path, headers=headers).status_code == 403, (path, headers)


def test_tokens_should_not_be_tried_under_made_up_addresses(settings: Settings, token: str) -> None:
    """The page to sign in, programs and forwarding headers count together, for the address that really asks."""
    with TestClient(create_app(settings)) as client:
        codes = []
        for number in range(20):
            forwarded = f"198.51.100.{number}"
            spoofed = {"x-forwarded-for": forwarded, "forwarded": f"for={forwarded}", "x-real-ip": forwarded}
            if number % 2:
                codes.append(client.post("/owner", data={"token": f"guess {number}"}, headers=spoofed).status_code)
            else:
                headers = spoofed | {"authorization": f"Bearer guess-{number}"}
                codes.append(client.get("/api/v1/collections/colours/models", headers=headers).status_code)
        assert codes[-8:] == [429] * 8, codes
        assert client.post("/owner", data={"token": token}).status_code == 429  # the page, too, has to wait


def test_hidden_characters_should_not_get_past_the_checks_of_methods_and_lengths(client: TestClient) -> None:
    for length in ("-1", "1e3", "٣", "1 1", "0x10", "9" * 40):
        headers = {b"content-length": length.encode(), b"content-type": b"application/x-www-form-urlencoded"}
        assert client.post("/s/x", headers=headers).status_code in (400, 404, 413), length
    for name, value in itertools.product(("x-http-method-override", "x-method-override"), ("DELETE", "PUT")):
        assert client.post("/c/colours", headers={name: value}, follow_redirects=False).status_code == 303


def test_secrets_should_not_be_told(owner: TestClient, token: str, settings: Settings) -> None:
    """Neither the token, nor the paths of the machine, nor the names of what runs, in any page or error."""
    paths = ["/", "/owner", "/owner/colours", "/owner/colours/settings", "/nowhere", "/api/v1/collections/none"]
    for path in (*paths, "/api/v1/openapi.json", "/healthz", "/metrics"):
        answer = owner.get(path)
        assert token not in answer.text, path
        assert "Traceback" not in answer.text
        assert "server" not in answer.headers
        if path != "/owner":
            assert not re.search(re.escape(str(settings.home)), answer.text), path
