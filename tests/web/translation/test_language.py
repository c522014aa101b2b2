"""Which language a browser asks for, and how it writes numbers and times."""

import pytest

from learn2search.site.errors import NotFound
from learn2search.web.translation.language import ENGLISH, LANGUAGES, preferred

GERMAN, FRENCH = LANGUAGES["de"], LANGUAGES["fr"]


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT, en;q=0.9", "de"),
        ("DE-ch", "de"),
        ("fr;q=0.4, de;q=0.8, en;q=0.1", "de"),
        ("es, fr;q=0.3, de;q=0.2", "fr"),
        ("es", "en"),
        ("en;q=0.5, de;q=0.5", "en"),
        ("de;q=0.5, en;q=0.5", "de"),
        ("de;q=0", "en"),
        ("en;q=0, *;q=0.2", "de"),
        ("*", "en"),
        ("fr;q=0.1, *;q=0.5", "en"),
        ("de-CH;q=0.2, de;q=0.9, fr;q=0.5", "de"),
        ("de ; Q=0.7 , fr ; q=0.6", "de"),
        ("de;q=2, fr;q=0.1", "fr"),
        ("de;q=nan, fr;q=much, en;level=1", "en"),
        (",;,=;q", "en"),
    ],
)
def test_the_header_should_be_read_by_its_weights(header: str, code: str) -> None:
    assert preferred(header).code == code


def test_numbers_and_dates_should_be_written_as_at_home() -> None:
    assert [one.number(1234567) for one in LANGUAGES.values()] == ["1,234,567", "1.234.567", "1\u202f234\u202f567"]
    assert [one.day(0) for one in LANGUAGES.values()] == ["1970-01-01", "01.01.1970", "01/01/1970"]


def test_durations_should_have_the_plural_of_the_language() -> None:
    cases = (0.2, 41, 100, 3600, 7200)
    assert [ENGLISH.duration(time) for time in cases] == [
        "1 second",
        "41 seconds",
        "2 minutes",
        "60 minutes",
        "2 hours",
    ]
    assert [GERMAN.duration(time) for time in cases[:3]] == ["1 Sekunde", "41 Sekunden", "2 Minuten"]
    ago = [0, 120, 3600, 26 * 3600, 3 * 86_400, 40 * 86_400]
    assert [GERMAN.ago(50 * 86_400, 50 * 86_400 - time) for time in ago] == [
        "gerade eben",
        "vor 2 Minuten",
        "vor 1 Stunde",
        "vor 1 Tag",
        "vor 3 Tagen",
        "11.01.1970",
    ]


def test_words_of_the_owner_should_be_translated_only_where_the_catalogue_has_them_as_nouns() -> None:
    assert [FRENCH.word(noun) for noun in ("faces", "100% wines", "Undo", "")] == ["visages", "100% wines", "Undo", ""]


def test_an_error_should_be_said_with_its_values() -> None:
    error = NotFound("There is no collection “%(slug)s” here.", slug="100%")
    assert str(error) == "There is no collection “100%” here."
    assert GERMAN.error(error) == "Eine Sammlung „100%“ gibt es hier nicht."
    assert FRENCH.error(NotFound("50% of nothing")) == "50% of nothing"
