"""What the reference shows is complete: each name has a page, each option, address, setting and metric a sentence."""

from types import ModuleType
from typing import Any

import pytest

import learn2search
from docs.website.reference import addresses, commands, database, names
from docs.website.reference.addresses import Address

OPTIONS = [(line, option) for line, command in commands.commands() for option in commands.options(command)]
ADDRESSES = addresses.addresses()
SETTINGS = addresses.settings()


def test_each_public_name_has_a_page() -> None:
    shown = {place: page.text for place, page in ((page.place, page) for page in names.pages())}
    missing = []
    for name in learn2search.__all__:
        entry = f"reference/module-{name}.md" if isinstance(getattr(learn2search, name), ModuleType) else None
        found = entry in shown if entry else any(f":: learn2search.{name}\n" in text for text in shown.values())
        missing += [] if found or name == "__version__" else [name]
    assert not missing, f"give them a page, in AREAS of docs/website/reference/names.py: {missing}"


@pytest.mark.parametrize(("line", "option"), OPTIONS, ids=lambda value: getattr(value, "name", value))
def test_each_option_says_what_it_does(line: str, option: Any) -> None:
    assert option.help, f"{line} {option.opts[0]} has no help"


@pytest.mark.parametrize("address", ADDRESSES, ids=lambda one: f"{one.method} {one.path}")
def test_each_address_says_what_it_does(address: Address) -> None:
    assert address.meaning, f"what answers {address.method} {address.path} has no docstring"


@pytest.mark.parametrize("setting", SETTINGS)
def test_each_setting_says_what_it_does(setting: str) -> None:
    meaning, _ = SETTINGS[setting]
    assert meaning, f"{setting} has no sentence under its line in site/settings.py"


def test_each_metric_says_what_it_counts() -> None:
    found = addresses.metrics()
    assert "learn2search_answers_total" in found
    assert all(metric._documentation for metric in found.values())


def test_columns_have_their_comments() -> None:
    assert "## participant\n" in database.page().text
    assert database.comments("search")["lessons"] == "of the collection, when it began"
    assert database.comments("participant")["code"] == "the id that the researcher gave"


def test_addresses_are_those_of_the_application() -> None:
    known = {(one.method, one.path) for one in ADDRESSES}
    assert {("GET", "/"), ("GET", "/healthz"), ("GET", "/api/v1/collections"), ("GET", "/owner/{slug}")} <= known
