"""Limits hold for all workers together."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from learn2search.site.context import Site
from learn2search.site.errors import TooMany
from learn2search.site.settings import Settings
from learn2search.web import request_limits
from learn2search.web.request_limits import WRONG_TOKENS, RequestLimits

MOST = 40
NOW = 1_700_000_000.0


@pytest.fixture
def sites(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Site]]:
    """Two workers on one database, whose clock stands still; they meet when the test says so."""
    monkeypatch.setattr(request_limits, "PAUSE", 1000.0)
    settings = Settings(home=tmp_path, database_url=database_url, answers_per_minute=MOST, visitors_per_address=3)
    made = [Site.open(settings, clock=lambda: NOW) for _ in range(2)]
    yield made
    for site in made:
        site.close()


@pytest.fixture
def workers(sites: list[Site]) -> Iterator[list[RequestLimits]]:
    made = [RequestLimits(site) for site in sites]
    yield made
    for one in made:
        one.close()


def admitted(limits: RequestLimits, visitor: str, tries: int = 3 * MOST, address: str = "192.0.2.1") -> int:
    """How many requests are let in."""
    count = 0
    for _ in range(tries):
        try:
            limits.check("answers", address, visitor)
            count += 1
        except TooMany:
            pass
    return count


def test_a_visitor_of_two_workers_should_get_a_quarter_more_at_most(workers: list[RequestLimits]) -> None:
    one, other = workers
    assert admitted(one, "v") == MOST
    one.meet()
    assert admitted(other, "v", MOST // 4) == MOST // 4  # of which the others do not hear yet
    other.meet()
    assert admitted(other, "v") == 0


def test_counts_should_be_of_one_visitor(workers: list[RequestLimits]) -> None:
    one, other = workers
    assert admitted(one, "v") == MOST
    one.meet()
    other.meet()
    assert admitted(other, "w", address="2001:db8::/64") == MOST


def test_those_who_meet_often_should_share_one_limit(workers: list[RequestLimits]) -> None:
    count = 0
    for _ in range(MOST):
        for worker in workers:
            count += admitted(worker, "v", 1)
            worker.meet()
    assert MOST <= count <= MOST + MOST // 4


def test_wrong_tokens_should_be_counted_together_at_once(workers: list[RequestLimits]) -> None:
    allowed = 0
    for number in range(3 * WRONG_TOKENS):
        try:
            workers[number % 2].check_token("192.0.2.1")
            allowed += 1
        except TooMany:
            pass
    assert allowed == WRONG_TOKENS


def test_a_minute_later_all_should_be_forgotten(sites: list[Site], workers: list[RequestLimits]) -> None:
    assert admitted(workers[0], "v") == MOST
    workers[0].meet()
    for site in sites:
        site.now = lambda: NOW + 61
    later = [RequestLimits(site) for site in sites]
    assert admitted(later[0], "v") == MOST
    for worker in later:
        worker.meet()
        worker.close()
    with sites[0].database.read() as db:
        assert db.exec_driver_sql(f"SELECT count(*) FROM request_count WHERE slice < {int(NOW // 5)}").scalar_one() == 0


def test_no_address_should_be_stored(sites: list[Site], workers: list[RequestLimits]) -> None:
    workers[0].check_token("192.0.2.1")
    with sites[0].database.read() as db:
        (sender,) = db.exec_driver_sql("SELECT sender FROM request_count").scalars()
    assert "192" not in sender
    assert len(sender) == 32


def test_without_a_database_each_worker_should_go_on_alone(
    workers: list[RequestLimits], sites: list[Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise OSError("no database")

    monkeypatch.setattr(sites[0].database, "write", away)
    assert admitted(workers[0], "v") == MOST
    workers[0].meet()
    monkeypatch.undo()
    workers[0].meet()
    with sites[0].database.read() as db:
        assert db.exec_driver_sql("SELECT sum(requests) FROM request_count").scalar_one() >= MOST
