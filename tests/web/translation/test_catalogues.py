"""Catalogues: read, written, compiled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn2search.web.translation.__main__ import updated
from learn2search.web.translation.catalogues import (
    CatalogueEntry,
    compiled_catalogue,
    read_entries,
    write_entries,
)

HEAD = CatalogueEntry("", None, ("Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=n > 1;\n",))
texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")) | st.just("\n"), min_size=1)


@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_what_is_written_should_be_read_again(pairs: list[tuple[str, str]]) -> None:
    entries = [CatalogueEntry(message, None, (text,), ("a.html",)) for message, text in pairs]
    assert read_entries(write_entries(entries)) == entries


def test_a_compiled_catalogue_should_answer_as_gettext_does() -> None:
    counted = CatalogueEntry("%d dog", "%d dogs", ("%d chien", "%d chiens"))
    unsure = CatalogueEntry("cat", None, ("chien",), fuzzy=True)
    found = compiled_catalogue(
        read_entries(
            write_entries([HEAD, counted, unsure, CatalogueEntry("bird"), CatalogueEntry("Undo", None, ("Annuler",))])
        )
    )
    assert found.gettext("Undo") == "Annuler"
    assert [found.ngettext("%d dog", "%d dogs", count) for count in (0, 1, 2)] == ["%d chien", "%d chien", "%d chiens"]
    assert [found.gettext(word) for word in ("cat", "bird", "horse")] == ["cat", "bird", "horse"], "not translated yet"


@pytest.mark.parametrize("text", ["msgid Undo", 'msgid "Undo', '"Undo"', 'msgid "a" "b"', 'msgid "\\x"'])
def test_a_line_that_is_no_catalogue_should_be_named(text: str) -> None:
    with pytest.raises(ValueError, match="line 1 of a .po file"):
        read_entries(text)


def test_an_update_should_keep_what_is_translated() -> None:
    known = [HEAD, CatalogueEntry("Undo", None, ("Annuler",), ("old.html",)), CatalogueEntry("gone", None, ("parti",))]
    wanted = [CatalogueEntry("new", None, (), ("a.html",)), CatalogueEntry("Undo", None, (), ("a.html",))]
    assert updated(known, wanted) == [HEAD, wanted[0], CatalogueEntry("Undo", None, ("Annuler",), ("a.html",))]
