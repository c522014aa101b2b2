"""What the browser says for its visitor."""

from fastapi.testclient import TestClient

from tests.web.forms import begin, shown_on

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
DESKTOP = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36"


def test_a_strange_cookie_should_count_for_nothing(client: TestClient) -> None:
    for value in ("3", "many", "-2", "4 ", ""):
        client.cookies.set("show", value)
        assert len(shown_on(begin(client)[1])) == 4


def test_an_automatic_collection_should_look_at_the_screen(owner: TestClient) -> None:
    """With thirty items at most seven may be shown at once, which is six, on telephones too."""
    values = {"title": "Colours", "noun": "colour", "nouns": "colours", "strategies": "sampled", "listed": "1"}
    owner.post("/owner/colours/settings", data=values | {"show": "automatic"})
    settings = owner.get("/owner/colours/settings").text
    assert '<option value="automatic" selected>' in settings
    for agent in (PHONE, DESKTOP):
        owner.headers["user-agent"] = agent
        assert len(shown_on(begin(owner)[1])) == 6
    wrong = owner.post("/owner/colours/settings", data=values | {"show": "5"})
    assert wrong.status_code == 422
    assert "2, 4, 6, 9 or 12, or automatic" in wrong.text
    owner.post("/owner/colours/settings", data=values | {"show": "4"})
