"""The visitors' pages in each language, over HTTP."""

import re

import pytest
from fastapi.testclient import TestClient

from tests.web.forms import begin, shown_on

WORDS = {
    "en": (
        "Start a search",
        "Which is most like the colour you have in mind?",
        "This is it!",
        "There is no such page.",
    ),
    "de": ("Suche starten", "Was kommt Ihrer Vorstellung am nächsten?", "Das ist es!", "Diese Seite gibt es nicht."),
    "fr": (
        "Commencer",
        "Qu’est-ce qui ressemble le plus à ce que vous avez en tête",
        "C’est ça",
        "Cette page n’existe pas.",
    ),
}


@pytest.mark.parametrize("code", WORDS)
def test_pages_should_speak_the_language_of_the_browser(client: TestClient, code: str) -> None:
    client.headers["accept-language"] = f"{code}-XX, en;q=0.1" if code != "en" else "en"
    start, question, found, missing = WORDS[code]
    landing = client.get("/")
    assert start in landing.text
    place, page = begin(client)
    assert question in page
    assert found in page
    assert missing in client.get("/nowhere").text
    for answer in (landing, client.get(place), client.get("/nowhere"), client.get(f"{place}/gallery")):
        assert f'<html lang="{code}">' in answer.text
        assert answer.headers["content-language"] == code
        assert answer.headers["vary"] == "Accept-Language, Cookie"
        assert answer.headers["cache-control"] == "no-store"


def test_a_whole_search_should_be_in_one_language(client: TestClient) -> None:
    client.headers["accept-language"] = "de"
    place, page = begin(client)
    shown = shown_on(page)
    fragment = client.post(place, data={"step": 1, "choice": shown[0]}, headers={"X-Fragment": "1"})
    assert "Frage 2" in fragment.text
    assert fragment.headers["vary"] == "Accept-Language, Cookie"
    end = client.post(place, data={"step": 2, "found": shown_on(fragment.text)[0]}).text
    assert re.search(r"Gefunden bei <b>Frage 2</b>, nach \d+ (Sekunde|Minute)n?\.", end)
    assert "1 Antwort wurde zu Vergleichen für die nächste Suche." in end
    assert 'data-copy="Link kopiert"' in end
    shared = client.get(re.search(r"/r/[\w-]+", end)[0]).text
    assert "Zur Auswahl standen: 30 Farben." in shared


def test_the_choice_in_the_footer_should_be_remembered(client: TestClient) -> None:
    client.headers["accept-language"] = "de"
    page = client.get("/c/colours").text
    assert 'lang="de" aria-pressed="true">Deutsch</button>' in page
    assert '<input type="hidden" name="back" value="/c/colours">' in page
    answer = client.post("/language", data={"language": "fr", "back": "/c/colours"}, follow_redirects=False)
    assert answer.headers["location"] == "/c/colours"
    cookie = answer.headers["set-cookie"].lower()
    assert "language=fr" in cookie
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert 'lang="fr"' in client.get("/").text
    client.cookies.clear()
    client.cookies.set("language", "xx")
    assert '<html lang="de">' in client.get("/").text, "a strange cookie counts for nothing"


@pytest.mark.parametrize(
    "back", ["//elsewhere.example", "https://elsewhere.example", "/\\elsewhere.example", "/\n/x", ""]
)
def test_the_choice_of_a_language_should_lead_to_no_other_site(client: TestClient, back: str) -> None:
    answer = client.post("/language", data={"language": "de", "back": back}, follow_redirects=False)
    assert answer.headers["location"] == "/"


def test_an_unknown_language_should_be_refused_with_a_sentence(client: TestClient) -> None:
    answer = client.post("/language", data={"language": "tlh"})
    assert answer.status_code == 422
    assert "This site speaks en, de, fr, not “tlh”." in answer.text


def test_what_is_not_for_visitors_should_stay_in_english(owner: TestClient) -> None:
    owner.headers["accept-language"] = "de"
    for path in ("/owner", "/owner/colours", "/owner/nothing", "/docs"):
        answer = owner.get(path)
        assert '<html lang="en">' in answer.text
        assert "vary" not in answer.headers
        assert 'action="/language"' not in answer.text
    assert "There is no collection “nothing” here." in owner.get("/owner/nothing").text
    assert owner.get("/api/v1/searches/0").json() == {"error": "There is no such search: its link may be incomplete."}


def test_words_of_the_owner_should_be_escaped_in_messages(owner: TestClient) -> None:
    values = {"title": "Colours", "show": "4", "strategies": "sampled", "listed": "1"}
    owner.post("/owner/colours/settings", data=values | {"noun": "<i>100%</i>", "nouns": "<b>% %(x)s"})
    page = owner.get("/").text
    owner.post("/owner/colours/settings", data=values | {"noun": "colour", "nouns": "colours"})
    assert "Find the &lt;i&gt;100%&lt;/i&gt; you can’t describe" in page
    assert "30 &lt;b&gt;% %(x)s" in page
