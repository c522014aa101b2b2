"""The owner's own sentences."""

import pytest

from learn2search.site.catalogue.options import Options, checked
from learn2search.site.catalogue.sentences import LONGEST, Sentences, sentence_in, without_empty
from learn2search.site.errors import Invalid


def test_a_language_should_go_before_all_languages_and_an_empty_sentence_count_for_nothing() -> None:
    known = {"any": Sentences(question="Which?", end="Here:"), "de": Sentences(question="Welches?")}
    said = {
        (code, name): sentence_in(known, code, name) for code in ("de", "fr") for name in ("question", "end", "landing")
    }
    assert said == {
        ("de", "question"): "Welches?",
        ("de", "end"): "Here:",
        ("de", "landing"): "",
        ("fr", "question"): "Which?",
        ("fr", "end"): "Here:",
        ("fr", "landing"): "",
    }
    assert without_empty(known | {"fr": Sentences(question="  ")}) == known


def test_sentences_should_be_kept_with_the_options() -> None:
    options = checked({"sentences": {"de": {"question": " Welcher Wein? "}}})
    assert Options.model_validate(options.model_dump(mode="json")) == options
    assert options.sentences["de"].question == "Welcher Wein?"


@pytest.mark.parametrize(
    "own", [{"de": {"end": "x" * (LONGEST + 1)}}, {"de": {"nouns": "x" * 41}}, {"German": {}}, {"de": {"end": "a\nb"}}]
)
def test_what_is_too_long_or_no_sentence_should_be_refused(own: dict[str, dict[str, str]]) -> None:
    with pytest.raises(Invalid, match="sentences"):
        checked({"sentences": own})
