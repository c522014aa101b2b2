"""What a process of the site remembers for a moment."""

import threading
import time
from dataclasses import replace

from learn2search.site.context import SECRET, Site
from learn2search.store.collections import Collection, put_setting
from learn2search.store.items import change


def test_what_was_made_should_be_used_until_its_time_is_over(site: Site) -> None:
    made: list[int] = []

    def make() -> int:
        made.append(len(made))
        return made[-1]

    assert [site.remember("figure", 60.0, make) for _ in range(3)] == [0, 0, 0]
    assert site.remember("another", 60.0, make) == 1
    site.forget()
    assert site.remember("figure", 0.05, make) == 2
    time.sleep(0.1)
    assert site.remember("figure", 0.05, make) == 3


def test_nothing_should_be_remembered_as_well_as_something(site: Site) -> None:
    made: list[None] = []
    for _ in range(3):
        assert site.remember("nothing", 60.0, lambda: made.append(None)) is None
    assert len(made) == 1


def test_many_threads_should_remember_at_once(site: Site) -> None:
    failed: list[BaseException] = []

    def use() -> None:
        try:
            for number in range(2000):
                assert site.remember(number % 50, 1e-4, lambda: "made") == "made"
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_items_should_be_read_again_when_they_are_forgotten(site: Site, collection: Collection) -> None:
    first = site.items(collection.id, [0, 3, 999])
    assert sorted(first) == [0, 3]  # the other is unknown
    with site.database.write() as db:
        change(db, [replace(first[3], title="Deep blue")])
    assert site.items(collection.id, [3, 4])[3].title == first[3].title
    site.forget()
    assert site.items(collection.id, [3, 4])[3].title == "Deep blue"


def test_the_secret_should_be_read_again_when_it_is_forgotten(site: Site) -> None:
    """A restored backup brings its own."""
    before = site.visitor_hash("cookie")
    with site.database.write() as db:
        put_setting(db, SECRET, "ab" * 32)
    assert site.visitor_hash("cookie") == before
    site.forget()
    assert site.visitor_hash("cookie") != before
    assert site.secret == bytes.fromhex("ab" * 32)


def test_the_owners_token_should_be_kept_as_a_hash(site: Site) -> None:
    token = site.first_token()
    assert token is not None
    assert site.first_token() is None
    assert site.is_owner(token)
    assert not site.is_owner(token + "x")
    assert token.encode() not in (site.settings.home / "site.db").read_bytes()
    before = site.sign("owner:1")
    site.new_token()
    assert not site.is_owner(token)
    assert site.sign("owner:1") != before  # a new token ends old sessions
