"""Webhooks against a real HTTP server that fails first."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learn2search.client import NotFromTheSite, read_event
from learn2search.site.administration.item_records import put_items
from learn2search.site.administration.positions import put_positions
from learn2search.site.catalogue.imports import make_collection
from learn2search.site.context import Site
from learn2search.site.errors import Conflict, Invalid, NotFound
from learn2search.site.notifications import delivering, subscriptions
from learn2search.site.notifications.delivering import PAUSES, deliver_due
from learn2search.site.settings import Settings
from learn2search.site.visits import searching
from learn2search.store import webhooks
from learn2search.store.collections import Collection
from learn2search.store.enums import AnswerKind, SearchOrigin

KINDS = ("search.found", "model.published")


class Receiver:
    """Another program: what it got, and the statuses with which it answers, the last one again and again."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses = [200]
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = receiver.statuses[min(len(receiver.got), len(receiver.statuses) - 1)]
                receiver.got.append((dict(self.headers), body))
                self.send_response(status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook?from=site"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


class Clock:
    def __init__(self) -> None:
        self.time = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", database_url=None, webhook_private=True)


@pytest.fixture
def site(settings: Settings, clock: Clock) -> Iterator[Site]:
    site = Site.open(settings, clock)
    made = make_collection(site, "cards", "Cards", show=2, warm_start="nothing")
    put_items(site, made, [{"key": f"card {number}", "title": f"Card {number}"} for number in range(6)])
    yield site
    site.close()


@pytest.fixture
def cards(site: Site) -> Collection:
    return site.collection("cards")


def find(site: Site, target: int = 3, origin: SearchOrigin = SearchOrigin.PAGE) -> str:
    begun = searching.start(site, "cards", visitor="v", origin=origin)
    searching.answer(site, begun.row.id, 1, AnswerKind.FOUND, target)
    return begun.row.id


def event(receiver: Receiver, secret: str, now: float) -> dict[str, Any]:
    headers, body = receiver.got[-1]
    return read_event(secret, headers, body, now)


def test_a_find_should_be_told(site: Site, cards: Collection, receiver: Receiver, clock: Clock) -> None:
    made = subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    search_id = find(site)
    assert deliver_due(site) == 1
    told = event(receiver, made.secret, clock.time)
    data = told["data"]
    assert (told["kind"], told["collection"], data["search"]) == ("search.found", "cards", search_id)
    assert (data["key"], data["questions"], data["link"]) == ("card 3", 1, f"/r/{search_id[:16]}")
    headers, body = receiver.got[0]
    assert headers["Learn2Search-Id"] == told["id"]
    with pytest.raises(NotFromTheSite, match="not the site's"):
        read_event(made.secret, headers, body + b" ", clock.time)
    with pytest.raises(NotFromTheSite, match="not the site's"):
        read_event("another secret", headers, body, clock.time)
    with pytest.raises(NotFromTheSite, match="older"):
        read_event(made.secret, headers, body, clock.time + 301)


def test_a_new_model_should_be_told(site: Site, cards: Collection, receiver: Receiver, clock: Clock) -> None:
    made = subscriptions.add_webhook(site, cards, receiver.url, ["model.published"])
    find(site)
    put_positions(site, cards, None, np.random.default_rng(0).normal(size=(6, 2)))
    assert deliver_due(site) == 1
    assert event(receiver, made.secret, clock.time)["data"]["origin"] == "features"


def test_who_fails_should_be_told_again(site: Site, cards: Collection, receiver: Receiver, clock: Clock) -> None:
    receiver.statuses = [500, 302, 204]
    made = subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    find(site)
    assert deliver_due(site) == 0
    assert deliver_due(site) == 0, "not before its time"
    assert len(receiver.got) == 1
    clock.time += PAUSES[0]
    assert deliver_due(site) == 0, "a redirection is not followed"
    clock.time += PAUSES[1]
    assert deliver_due(site) == 1
    assert len({body for _, body in receiver.got}) == 1, "the same event with the same id"
    ((_, deliveries),) = subscriptions.webhooks_with_deliveries(site, cards)
    assert [(one.attempts, one.message) for one in deliveries] == [(3, "204 No Content")]
    assert event(receiver, made.secret, clock.time)["kind"] == "search.found", "each attempt is signed anew"


def test_nobody_should_be_tried_for_ever(site: Site, cards: Collection, receiver: Receiver, clock: Clock) -> None:
    receiver.statuses = [503]
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    find(site)
    for pause in (*PAUSES, 0, 0):
        deliver_due(site)
        clock.time += pause
    assert len(receiver.got) == 1 + len(PAUSES)
    ((_, (one,)),) = subscriptions.webhooks_with_deliveries(site, cards)
    assert (one.next_at, one.delivered_at) == (None, None)


def test_a_restart_should_lose_nothing(
    site: Site, settings: Settings, cards: Collection, receiver: Receiver, clock: Clock
) -> None:
    """One event waits, and another was being sent when the process ended."""
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    find(site)
    find(site, 4)
    with site.database.write() as db:
        first = webhooks.due(db, clock.time, 1)[0]
        assert webhooks.claim(db, first, clock.time + 60)
        assert not webhooks.claim(db, first, clock.time + 60), "two do not send the same at once"
    site.close()
    again = Site.open(settings, clock)
    assert deliver_due(again) == 1
    clock.time += 60
    assert deliver_due(again) == 1
    again.close()


def test_simulated_and_corrected_searches(site: Site, cards: Collection, receiver: Receiver) -> None:
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    find(site, origin=SearchOrigin.SIMULATED)
    assert deliver_due(site) == 0


def test_the_thread_should_deliver(site: Site, cards: Collection, receiver: Receiver, monkeypatch: Any) -> None:
    monkeypatch.setattr(delivering, "_LOOK", 0.01)
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    came = threading.Event()
    monkeypatch.setattr(receiver, "got", _Watched(came))
    find(site)
    with delivering.delivering(site):
        assert came.wait(30)


class _Watched(list[Any]):
    def __init__(self, came: threading.Event) -> None:
        super().__init__()
        self.came = came

    def append(self, one: Any) -> None:
        super().append(one)
        self.came.set()


def test_a_test_should_be_sent_at_once_and_once(site: Site, cards: Collection, receiver: Receiver) -> None:
    made = subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    assert subscriptions.send_test(site, cards, made.id).delivered_at is not None
    assert json.loads(receiver.got[0][1])["kind"] == "test"
    receiver.statuses = [404]
    failed = subscriptions.send_test(site, cards, made.id)
    assert (failed.delivered_at, failed.next_at, failed.message) == (None, None, "404 Not Found")
    subscriptions.remove_webhook(site, cards, made.id)
    with pytest.raises(NotFound):
        subscriptions.send_test(site, cards, made.id)


def test_private_addresses_should_be_refused(site: Site, cards: Collection, receiver: Receiver) -> None:
    closed = replace_settings(site, webhook_private=False)
    inside = ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]
    for host in [*inside, "192.168.1.1", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "2130706433", "224.0.0.1"]:
        with pytest.raises(Invalid, match="private network|no address"):
            subscriptions.add_webhook(closed, cards, f"http://{host}/x", KINDS)


def test_an_address_that_became_private_should_not_be_called(
    site: Site, cards: Collection, receiver: Receiver, clock: Clock
) -> None:
    """A name is looked up for each attempt: what it meant when it was added does not count."""
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    find(site)
    closed = replace_settings(site, webhook_private=False)
    assert deliver_due(closed) == 0
    assert receiver.got == []
    ((_, (one,)),) = subscriptions.webhooks_with_deliveries(site, cards)
    assert "private network" in one.message


def replace_settings(site: Site, **changes: Any) -> Site:
    """The same site with other settings."""
    other = Site(site.settings.model_copy(update=changes), site.now)
    return other


@pytest.mark.parametrize("url", ["ftp://a.example", "https://", "x", "https://a b/", "https://me:pw@a.example/"])
def test_other_addresses_should_be_refused(site: Site, cards: Collection, url: str) -> None:
    with pytest.raises(Invalid):
        subscriptions.add_webhook(site, cards, url, KINDS)


def test_only_known_events_and_few_webhooks(site: Site, cards: Collection, receiver: Receiver) -> None:
    for kinds in ([], ["search.lost"]):
        with pytest.raises(Invalid, match="search.found"):
            subscriptions.add_webhook(site, cards, receiver.url, kinds)
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    with pytest.raises(Conflict, match="already"):
        subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    for number in range(subscriptions.MOST - 1):
        subscriptions.add_webhook(site, cards, f"{receiver.url}&n={number}", KINDS)
    with pytest.raises(Conflict, match="at most"):
        subscriptions.add_webhook(site, cards, f"{receiver.url}&n=x", KINDS)


def test_what_was_delivered_should_be_forgotten_in_time(
    site: Site, cards: Collection, receiver: Receiver, clock: Clock
) -> None:
    subscriptions.add_webhook(site, cards, receiver.url, KINDS)
    for _ in range(2):
        find(site)
        deliver_due(site)
        clock.time += 31 * 86_400
    find(site)
    deliver_due(site)
    ((_, deliveries),) = subscriptions.webhooks_with_deliveries(site, cards)
    assert len(deliveries) == 1
