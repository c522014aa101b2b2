"""`python -m learn2search.web.translation`: bring the catalogues up to date with the templates and the errors.

New messages come without a translation, and those that no page has any more go. Then a person translates what is
empty; the tests name it until that is done.
"""

from dataclasses import replace

from learn2search.web.translation.catalogues import CatalogueEntry, catalogue_path, read_entries, write_entries
from learn2search.web.translation.extraction import messages
from learn2search.web.translation.language import TRANSLATED


def updated(known: list[CatalogueEntry], wanted: list[CatalogueEntry]) -> list[CatalogueEntry]:
    """The head of the known catalogue and the wanted messages, with the translations that are known."""
    by_message = {(entry.message, entry.plural): entry for entry in known}
    old = [by_message.get((entry.message, entry.plural), entry) for entry in wanted]
    kept = [replace(e, translations=o.translations, fuzzy=o.fuzzy) for e, o in zip(wanted, old, strict=True)]
    return [*(entry for entry in known if not entry.message), *kept]


def main() -> None:
    for language in TRANSLATED:
        path = catalogue_path(language.code)
        entries = updated(read_entries(path.read_text("utf-8")), messages())
        path.write_text(write_entries(entries), "utf-8")
        missing = sum(1 for entry in entries if entry.fuzzy or not all(entry.translations or [""]))
        print(f"{path.name}: {len(entries) - 1} messages, {missing} to translate")


if __name__ == "__main__":
    main()
