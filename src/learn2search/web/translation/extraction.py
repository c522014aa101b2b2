"""Which messages the visitors' pages have: those of the templates, of the errors that visitors meet, and the nouns."""

import ast
from collections.abc import Iterator
from pathlib import Path

from learn2search.site import errors
from learn2search.web.rendering import ENGLISH_ONLY, templates_in
from learn2search.web.translation.catalogues import CatalogueEntry
from learn2search.web.translation.language import ENGLISH
from learn2search.web.translation.nouns import NOUNS

_PACKAGE = Path(__file__).parents[2]
_SOURCES = (
    *("site/context.py", "site/show_counts.py", "site/studies/*.py", "site/teaching/*.py", "site/visits/*.py"),
    *("web/*.py", "web/translation/*.py"),
)
_NOT_FOR_VISITORS = {
    "api.py",
    "appearance_pages.py",
    "charts.py",
    "extraction.py",
    "embedded_pages.py",
    "health.py",
    "notices.py",
    "owner_collections.py",
    "owner_frame.py",
    "owner_items.py",
    "owner_api.py",
    "owner_pages.py",
    "owner_searches.py",
    "owner_studies.py",
    "sentence_pages.py",
    "study_setup.py",
    "webhook_pages.py",
}
_ERRORS = {name for name, one in vars(errors).items() if isinstance(one, type) and issubclass(one, errors.SiteError)}
_Found = tuple[str, str, str | None]  # the file, the message, its plural


def messages() -> list[CatalogueEntry]:
    """Every message of the visitors' pages once, in the order of the files, without translations.

    Raises
    ------
    ValueError
        Names an error whose message is put together with an f-string, which no catalogue can have.
    """
    found: dict[tuple[str, str | None], list[str]] = {}
    for place, message, plural in [*_of_templates(), *_of_sources(), *_of_nouns()]:
        places = found.setdefault((message, plural), [])
        places.extend([place] if place not in places else [])
    return [CatalogueEntry(message, plural, (), tuple(places)) for (message, plural), places in found.items()]


def translated_templates() -> list[str]:
    """The names of the templates that visitors see in their language."""
    return [name for name in templates_in(ENGLISH).list_templates() if not name.startswith(ENGLISH_ONLY)]


def _of_templates() -> Iterator[_Found]:
    environment = templates_in(ENGLISH)
    for name in translated_templates():
        path = _PACKAGE / "web" / "templates" / name
        for _, function, said in environment.extract_translations(path.read_text("utf-8")):  # type: ignore[attr-defined]
            texts = [said] if isinstance(said, str) else list(said)
            if texts and texts[0] is not None:
                yield f"web/templates/{name}", texts[0], texts[1] if function == "ngettext" else None


def _of_sources() -> Iterator[_Found]:
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            if path.name not in _NOT_FOR_VISITORS:
                yield from _of_source(path)


def _of_source(path: Path) -> Iterator[_Found]:
    place = path.relative_to(_PACKAGE).as_posix()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _ERRORS and isinstance(node.args[0], ast.JoinedStr):
            raise ValueError(f"{place}:{node.lineno}: visitors meet this error: give its values by name, no f-string.")
        texts = [one.value if isinstance(one, ast.Constant) else None for one in node.args]
        if isinstance(texts[0], str) and name in _ERRORS | {"gettext"}:
            yield place, texts[0], None
        elif len(texts) > 1 and isinstance(texts[0], str) and isinstance(texts[1], str) and name == "ngettext":
            yield place, texts[0], texts[1]


def _of_nouns() -> Iterator[_Found]:
    for one, several in NOUNS.items():
        yield from (("web/translation/nouns.py", word, None) for word in (one, several))
