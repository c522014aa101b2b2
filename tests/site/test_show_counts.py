"""How many items may be shown is one list, which everything else follows."""

from typing import get_args

import pytest

from learn2search.cli.site_options import SHOW_METAVAR, SHOW_OR_AUTOMATIC
from learn2search.search.stored_search import MAX_SHOWN
from learn2search.site.catalogue.options import Options
from learn2search.site.errors import Invalid
from learn2search.site.show_counts import AUTOMATIC, CHOICE_KEYS, SHOW_COUNTS, ShowCount, checked_show
from learn2search.web.api import StartIn


def test_other_counts_should_be_refused_with_the_allowed_ones() -> None:
    assert [checked_show(count) for count in SHOW_COUNTS] == list(SHOW_COUNTS)
    with pytest.raises(Invalid, match="shows 2, 4, 6, 9 or 12 items, not 3"):
        checked_show(3)


def test_options_api_and_commands_should_allow_the_same_counts() -> None:
    assert "|".join(map(str, SHOW_COUNTS)) == SHOW_METAVAR
    assert f"{AUTOMATIC}|{SHOW_METAVAR}" == SHOW_OR_AUTOMATIC
    numbers, automatic = Options.model_json_schema()["properties"]["show"]["anyOf"]
    assert (numbers["enum"], automatic["const"]) == (list(SHOW_COUNTS), AUTOMATIC)
    assert StartIn.model_json_schema()["properties"]["show"]["anyOf"][0]["enum"] == list(get_args(ShowCount))


def test_the_largest_number_should_be_the_librarys_and_each_item_have_a_key() -> None:
    assert SHOW_COUNTS[-1] == MAX_SHOWN == len(set(CHOICE_KEYS))
    assert "0" not in CHOICE_KEYS, "which is for: can't tell"
