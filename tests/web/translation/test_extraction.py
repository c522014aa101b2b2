"""The catalogues have every message of the visitors' pages, and the pages have no words outside of messages."""

import re
from pathlib import Path

import pytest

from learn2search.web.rendering import templates_in
from learn2search.web.translation import extraction
from learn2search.web.translation.catalogues import CatalogueEntry, catalogue_path, read_entries
from learn2search.web.translation.language import ENGLISH, TRANSLATED

CODES = [language.code for language in TRANSLATED]
MESSAGES = extraction.messages()
RUN = "run `make messages`, then translate what is empty"
# The owner writes these in one language; in others they would need a gender and a case.
MAY_BE_LEFT_OUT = {"noun", "nouns"}
NO_WORDS = {"Learn2Search", "amp", "nbsp", "searching"}  # the last is a class
SPOKEN = ("aria-label", "alt", "title", "placeholder", "content", "data-title", "data-spoken", "data-copy")


def translated(code: str) -> dict[tuple[str, str | None], CatalogueEntry]:
    entries = read_entries(catalogue_path(code).read_text("utf-8"))
    return {(entry.message, entry.plural): entry for entry in entries if entry.message}


def test_messages_should_come_from_templates_errors_and_nouns() -> None:
    found = {entry.message: entry for entry in MESSAGES}
    assert "web/templates/_question.html" in found["This is it!"].places
    assert found["There is no such page."].places == ("web/app.py",)
    assert found["%(count)s second"].plural == "%(count)s seconds"
    assert "faces" in found
    assert not any("owner/" in place for entry in MESSAGES for place in entry.places)


@pytest.mark.parametrize("code", CODES)
def test_a_catalogue_should_have_every_message_and_no_other(code: str) -> None:
    wanted = {(entry.message, entry.plural) for entry in MESSAGES}
    assert translated(code).keys() == wanted, RUN
    for entry in translated(code).values():
        assert entry.translations, f"{entry.message}: {RUN}"
        assert all(entry.translations), f"{entry.message}: {RUN}"
        assert not entry.fuzzy, entry.message
        assert len(entry.translations) == (1 if entry.plural is None else 2), entry.message


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"%\((\w+)\)s", text))


@pytest.mark.parametrize("code", CODES)
def test_placeholders_should_agree(code: str) -> None:
    for entry in translated(code).values():
        wanted = placeholders(entry.message)
        for form, text in enumerate(entry.translations):
            singular = {"count"} if entry.plural is not None and form == 0 else set()
            assert wanted - MAY_BE_LEFT_OUT - singular <= placeholders(text) <= wanted, entry.message
            text % dict.fromkeys(wanted, "")  # a lone % would fail when the page is made
            assert re.findall(r"</?\w+[^>]*>", text) == re.findall(r"</?\w+[^>]*>", entry.message), entry.message


@pytest.mark.parametrize("code", CODES)
def test_translations_should_be_typeset(code: str) -> None:
    for entry in translated(code).values():
        for text in entry.translations:
            plain = re.sub(r"<[^>]*>", "", text)
            assert not re.search(r"[\"'“]" if code == "fr" else r"[\"'”]", plain), text
            assert code != "fr" or not re.search(r"(?<![\u00a0\u202f])[?!;:»](?!/)", plain), text
            assert not re.search(r"\b(du|dein\w*|dir|dich)\b" if code == "de" else r"\b(tu|toi|tes|ton)\b", plain), text


@pytest.mark.parametrize("name", extraction.translated_templates())
def test_a_template_should_have_no_words_outside_of_messages(name: str) -> None:
    words = bare_words(name)
    assert not words, f"{name}: put {words} into _() or {{% trans %}}"


def bare_words(name: str) -> list[str]:
    """Words of a template that a visitor would read in every language: text, and attributes that are read aloud."""
    environment = templates_in(ENGLISH)
    source, _, _ = environment.loader.get_source(environment, name)
    page, hidden, tag = "", 0, ""
    for _, kind, value in environment.lex(source):
        if kind == "block_begin":
            tag, page = "?", page + " "
        elif kind == "name" and tag == "?":
            tag = value
            hidden += {"trans": 1, "endtrans": -1}.get(value, 0)
        elif kind == "data" and not hidden:
            page += value
        elif kind == "variable_begin":
            page += "{}"
    page = re.sub(r"<(kbd|code|script|style)[^>]*>.*?</\1>", "", page, flags=re.S)
    spoken = re.findall(rf'(?<![\w-])(?:{"|".join(SPOKEN)})="([^"]*)"', re.sub(r"<meta[^>]*>", "", page))
    text = re.sub(r"<[^>]*>", " ", page) + " " + " ".join(spoken)
    return [word for word in re.findall(r"[^\W\d_]{2,}\w*", text) if word not in NO_WORDS]


def test_an_error_with_an_f_string_should_be_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pages.py").write_text('raise NotFound(f"no {name}")')
    monkeypatch.setattr(extraction, "_PACKAGE", tmp_path)
    with pytest.raises(ValueError, match="pages.py:1: visitors meet this error"):
        list(extraction._of_source(tmp_path / "pages.py"))
