"""The owner's page for the sentences of a collection."""

import json

from fastapi.testclient import TestClient

from tests.web.forms import begin, shown_on

PAGE = "/owner/colours/sentences"


def test_own_sentences_should_be_shown_in_their_language(owner: TestClient) -> None:
    own = {
        "landing-any": "Find your colour",
        "question-any": "Which <b>100% colour</b> is it?",
        "end-any": "Found:",
        "question-de": "Welche Farbe ist es?",
        "nouns-de": "Farbtöne",
    }
    saved = owner.post(PAGE, data=own)
    assert saved.status_code == 200
    assert 'value="Welche Farbe ist es?"' in saved.text
    assert 'placeholder="Was kommt Ihrer Vorstellung am nächsten?"' in saved.text, "the default of the language"
    try:
        assert "<h1>Find your colour</h1>" in owner.get("/").text
        place, page = begin(owner)
        assert "<h1>Which &lt;b&gt;100% colour&lt;/b&gt; is it?</h1>" in page
        end = owner.post(place, data={"step": 1, "found": shown_on(page)[0]}).text
        assert "<h1>Found: Colour " in end
        owner.headers["accept-language"] = "de"
        assert "<h1>Welche Farbe ist es?</h1>" in begin(owner)[1]
        assert "30 Farbtöne" in owner.get("/").text
        exported = json.loads(owner.get("/owner/colours/export/collection.json").text)
        assert exported["sentences"]["any"]["end"] == "Found:"
        assert list(exported["sentences"]) == ["any", "de"], "languages without sentences are left out"
    finally:
        owner.post(PAGE, data={})
    assert "Find your colour" not in owner.get("/").text


def test_the_settings_should_keep_the_sentences(owner: TestClient) -> None:
    owner.post(PAGE, data={"landing-any": "Find your colour"})
    values = {
        "title": "Colours",
        "noun": "colour",
        "nouns": "colours",
        "show": "4",
        "strategies": "sampled",
        "listed": "1",
    }
    owner.post("/owner/colours/settings", data=values)
    assert "Find your colour" in owner.get("/").text
    owner.post(PAGE, data={})


def test_a_preview_should_keep_nothing(owner: TestClient) -> None:
    page = owner.post(PAGE, data={"end-fr": "Voilà :", "preview": "1"}).text
    assert "nothing is saved yet" in page
    assert "<dd>Voilà : …</dd>" in page
    assert "<dd>There it is: …</dd>" in page
    assert "Voilà" not in owner.get(PAGE).text


def test_a_sentence_that_is_too_long_should_be_refused(owner: TestClient) -> None:
    answer = owner.post(PAGE, data={"question-de": "x" * 121})
    assert answer.status_code == 422
    assert "sentences.de.question" in answer.text


def test_others_should_not_come_in(client: TestClient) -> None:
    assert client.get(PAGE).status_code == 401
    assert client.post(PAGE, data={"end-any": "x"}).status_code == 401
