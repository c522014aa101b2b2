"""Tables as spreadsheets write them: which separator and which letters they have is read from the table itself."""

import csv
import io
from collections.abc import Collection

from learn2search.site.errors import Invalid

_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def open_table(data: bytes, name: str, columns: Collection[str]) -> tuple["csv.DictReader[str]", str]:
    """A reader of the rows of a table, and a sentence where it is not in UTF-8 with commas.

    Parameters
    ----------
    columns
        Names that its first line may have: the separator is the one that finds most of them.

    Raises
    ------
    Invalid
        If it is no text.
    """
    text, letters = _text_of(data, name)
    first = next(iter(text.splitlines()), "")
    separator = max(_SEPARATORS, key=lambda one: len(_names(first, one) & set(columns)))
    said = [] if letters == "UTF-8" else [f"it is not in UTF-8 and was read as {letters}: please look at its accents"]
    said += [] if separator == "," else [f"its columns are separated by {_SEPARATORS[separator]}"]
    return csv.DictReader(io.StringIO(text, newline=""), delimiter=separator), "; ".join(said)


def _names(line: str, separator: str) -> set[str]:
    try:
        return {name.strip().lower() for name in next(csv.reader([line], delimiter=separator), [])}
    except csv.Error:
        return set()


def _text_of(data: bytes, name: str) -> tuple[str, str]:
    """The text, and in which letters it is written. What is not Unicode comes from Windows, nearly always."""
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16"), "UTF-16"
        return data.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError as error:
        if b"\0" in data:
            raise Invalid(f"{name} is not a table in UTF-8, UTF-16 or Latin-1: {error}") from error
    try:
        return data.decode("cp1252"), "Windows-1252 (Latin-1)"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "Latin-1"
