"""The visitor's pages without scripts: forms, redirects, the current question."""

import re
from dataclasses import replace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from learn2search.site.visits import searching
from learn2search.store import items
from tests.web.forms import begin, shown_on, step_of


def test_a_whole_search_should_work_with_forms_alone(client: TestClient) -> None:
    place, page = begin(client)
    assert len(shown_on(page)) == 4
    assert "Question 1" in page
    assert "Undo" not in page
    page = client.post(place, data={"step": step_of(page), "choice": shown_on(page)[1]}).text
    assert "Question 2" in page
    page = client.post(place, data={"step": step_of(page), "none": "1"}).text
    assert "Question 3" in page
    page = client.post(place, data={"step": step_of(page), "undo": "1"}).text
    assert "Question 2" in page
    page = client.post(place, data={"step": step_of(page), "found": shown_on(page)[0]}).text
    assert "There it is" in page
    assert "Your way there" in page
    assert "There it is" in client.get(place).text
    page = client.post(f"{place}/not-it").text
    assert "Question 2" in page


def test_a_shared_result_should_be_looked_at_and_nothing_else(client: TestClient, app: FastAPI) -> None:
    place, page = begin(client)
    code = place.removeprefix("/s/")[:16]
    assert client.get(f"/r/{code}").status_code == 404  # it is not over
    page = client.post(place, data={"step": step_of(page), "choice": shown_on(page)[1]}).text
    target = shown_on(page)[0]
    page = client.post(place, data={"step": step_of(page), "found": target}).text
    assert f'href="/r/{code}"' in page

    other = TestClient(app, headers={"accept": "text/html"})  # without the cookie of the first
    seen = other.get(place)  # somebody copied the address of the page itself
    assert seen.url.path == f"/r/{code}"
    assert "Somebody thought of this" in seen.text
    assert "not-it" not in seen.text
    assert place not in seen.text
    image = re.findall('property="og:image" content="http://testserver(.*?)"', seen.text)[0]
    assert other.get(image).headers["content-type"] == "image/webp"
    for refused in (other.post(f"{place}/not-it"), other.post(place, data={"step": 3, "undo": 1})):
        assert refused.status_code == 403
        assert "another browser" in refused.text
    assert client.get(f"/api/v1/searches/{code}").status_code == 404
    assert "There it is" in client.get(place).text  # nothing has changed


def test_a_search_should_go_on_only_where_it_began(client: TestClient, app: FastAPI) -> None:
    place, page = begin(client)
    other = TestClient(app, headers={"accept": "text/html"})
    assert other.get(place).status_code == 403
    assert other.get(f"{place}/gallery").status_code == 403
    assert other.post(f"{place}/show", data={"show": 2}).status_code == 403
    assert other.post(f"{place}/again").status_code == 403
    assert client.post(place, data={"step": 1, "choice": shown_on(page)[0]}).status_code == 200


def test_a_stale_page_should_get_the_current_question_and_a_word(client: TestClient) -> None:
    place, page = begin(client)
    client.post(place, data={"step": 1, "choice": shown_on(page)[0]})
    stale = client.post(place, data={"step": 1, "choice": shown_on(page)[1]})
    assert stale.status_code == 200
    assert "older page" in stale.text
    assert "Question 2" in stale.text
    repeated = client.post(place, data={"step": 1, "choice": shown_on(page)[0]})
    assert "older page" not in repeated.text


def test_scripts_should_get_the_part_that_changes(client: TestClient) -> None:
    place, page = begin(client)
    part = client.post(place, data={"step": 1, "choice": shown_on(page)[0]}, headers={"x-fragment": "1"})
    assert part.status_code == 200
    assert part.text.lstrip().startswith("<div")
    assert 'data-question="2"' in part.text
    found = client.post(place, data={"step": 2, "found": shown_on(part.text)[0]}, headers={"x-fragment": "1"})
    assert found.status_code == 204
    assert found.headers["x-go-to"] == place


def test_giving_up_should_lead_to_the_gallery_and_to_an_end(client: TestClient) -> None:
    place, _ = begin(client)
    gallery = client.get(f"{place}/gallery").text
    assert "Is it not here?" in gallery, "nothing is known, so nothing is guessed"
    assert "likeliest" not in gallery
    assert gallery.count("This is it!</button>") == 4, "what was shown, in case it was overlooked"
    assert "So it is not here" in client.post(place, data={"step": step_of(gallery), "not-here": "1"}).text
    assert "Question 1" in client.post(f"{place}/not-it").text


def test_all_shown_should_be_the_gallery_without_an_error(client: TestClient) -> None:
    place, page = begin(client)
    for _ in range(8):
        page = client.post(place, data={"step": step_of(page), "none": "1"}).text
    assert "Everything has been shown once" in page
    assert client.get(place).status_code == 200


def test_starting_again_should_leave_the_old_search(client: TestClient, app: FastAPI) -> None:
    place, _ = begin(client)
    other = client.post(f"{place}/again")
    assert other.url.path != place
    site = app.state.site
    assert searching.state(site, place.removeprefix("/s/")).row.status == "abandoned"


@pytest.mark.parametrize("show", [2, 6, 9, 12])
def test_another_number_at_a_time_should_come_at_once_and_last(client: TestClient, show: int) -> None:
    place, page = begin(client)
    page = client.post(f"{place}/show", data={"show": show}).text
    assert len(shown_on(page)) == show
    assert "<b>Question 1</b>" in page
    page = client.post(place, data={"step": step_of(page), "choice": shown_on(page)[show - 1]}).text
    assert len(shown_on(page)) == show
    assert len(shown_on(client.post(f"{place}/again").text)) == show, "the browser remembers it for later searches"
    assert len(shown_on(begin(client)[1])) == show
    assert client.post(f"{place}/show", data={"show": 3}).status_code == 422


def test_another_number_should_come_as_a_fragment_for_the_script(client: TestClient) -> None:
    place, _ = begin(client)
    part = client.post(f"{place}/show", data={"show": 9}, headers={"x-fragment": "1"})
    assert "<html" not in part.text
    assert len(shown_on(part.text)) == 9
    keys = re.findall(r'aria-keyshortcuts="(\w)"', part.text)
    assert keys == [*"123456789", "0"]


def test_an_untaught_collection_should_say_so_and_show_no_number(client: TestClient) -> None:
    _, page = begin(client)
    assert "It does not know these colours yet" in page
    assert "still fit" not in page


def test_each_question_should_have_an_address(client: TestClient) -> None:
    begun = client.post("/c/colours")
    place, first = str(begun.url.path), begun.text
    assert begun.url.query == b"question=1"
    second = client.post(place, data={"step": 1, "choice": shown_on(first)[1]})
    assert second.url.query == b"question=2"
    earlier = client.get(f"{place}?question=1").text
    assert shown_on(earlier) == shown_on(first)
    assert "answered this question already" in earlier
    assert "Undo" not in earlier
    assert shown_on(client.get(f"{place}?question=2").text) == shown_on(second.text), "looking has changed nothing"
    late = client.get(f"{place}?question=9")
    assert (late.url.query, shown_on(late.text)) == (b"question=2", shown_on(second.text))
    part = client.get(f"{place}?question=1", headers={"x-fragment": "1"}).text
    assert "<html" not in part
    assert shown_on(part) == shown_on(first)


def test_an_earlier_question_should_be_answered_anew(client: TestClient, app: FastAPI) -> None:
    place, first = begin(client)
    second = client.post(place, data={"step": 1, "choice": shown_on(first)[1]}).text
    client.post(place, data={"step": step_of(second), "none": "1"})
    earlier = client.get(f"{place}?question=1").text
    form = {"step": step_of(earlier), "question": 1, "choice": shown_on(first)[2]}
    page = client.post(place, data=form)
    assert page.url.query == b"question=2"
    answers = searching.state(app.state.site, place.removeprefix("/s/")).answers
    assert [step.chosen for step in answers] == [shown_on(first)[2]]
    assert "older page" not in client.post(place, data=form).text, "sent twice, counted once"
    assert len(searching.state(app.state.site, place.removeprefix("/s/")).answers) == 1


def test_the_first_page_should_offer_the_search_under_way(client: TestClient, app: FastAPI) -> None:
    place, page = begin(client)
    assert "Go on with your search" not in client.get("/").text, "nothing was answered"
    client.post(place, data={"step": 1, "choice": shown_on(page)[1]})
    for path in ("/", "/c/colours"):
        offered = client.get(path).text
        assert f'href="{place}"' in offered
        assert "at question 2" in offered
    assert "Go on with your search" not in TestClient(app, headers={"accept": "text/html"}).get("/").text
    page = client.get(place).text
    client.post(place, data={"step": step_of(page), "found": shown_on(page)[0]})
    assert f'href="{place}"' not in client.get("/").text


def test_the_end_should_lead_to_the_page_of_the_item(client: TestClient, app: FastAPI) -> None:
    site = app.state.site
    collection = site.collection("colours")
    with site.database.write() as db:
        linked = replace(items.by_number(db, collection.id, [3])[3], link="https://example.org/?a=1&b=<2>")
        items.change(db, [linked])
    site.forget()
    place, page = begin(client)
    for number, offered in ((3, True), (4, False)):
        end = client.post(place, data={"step": step_of(page), "found": number}).text
        shared = client.get(f"/r/{place.removeprefix('/s/')[:16]}").text
        link = 'href="https://example.org/?a=1&amp;b=&lt;2&gt;" target="_blank" rel="noopener">Go to Colour 03'
        assert ((link in end), (link in shared)) == (offered, offered)
        page = client.post(f"{place}/not-it").text
    assert client.get("/api/v1/collections/colours/items?words=colour 03").json()[0]["link"] == linked.link
