"""Catalogues of messages: gettext's .po files, read and written here, and compiled in memory.

A .po file is a list of entries. The first has the empty message and holds the head of the file: its character set and
the rule of the plural forms. There is no compiled file beside it that could be out of date.
"""

import ast
import io
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from gettext import GNUTranslations
from pathlib import Path

FOLDER = Path(__file__).parent
_QUOTED = re.compile(r'"(?:[^"\\]|\\["\\nt])*"')
_MAGIC = 0x950412DE  # with which a compiled catalogue begins


@dataclass(frozen=True)
class CatalogueEntry:
    """A message and its translation.

    Attributes
    ----------
    message, plural
        As the sources have them; `plural` is None where nothing is counted.
    translations
        One, or one for each plural form of the language; empty where there is none yet.
    places
        The files that have the message.
    fuzzy
        Whether a person has to look at it again.
    """

    message: str
    plural: str | None = None
    translations: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    fuzzy: bool = False


def read_entries(text: str) -> list[CatalogueEntry]:
    """The entries of a .po file.

    Raises
    ------
    ValueError
        Names the first line that has no meaning.

    Examples
    --------
    >>> read_entries('msgid "Undo"\\nmsgstr "Rückgängig"')[0].translations
    ('Rückgängig',)
    """
    lines = list(enumerate(text.splitlines(), 1))
    entries: list[CatalogueEntry] = []
    block: list[tuple[int, str]] = []
    for number, line in [*lines, (0, "")]:
        if line.strip():
            block.append((number, line.strip()))
        elif block:
            entry = _entry(block)
            entries.extend([entry] if entry else [])
            block = []
    return entries


def _entry(block: list[tuple[int, str]]) -> CatalogueEntry | None:
    """The entry of lines without an empty one between them; None if they are only comments."""
    fields: dict[str, str] = {}
    places: list[str] = []
    fuzzy, name = False, ""
    for number, line in block:
        if line.startswith("#"):
            places += line[2:].split() if line.startswith("#:") else []
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
            continue
        word, _, rest = line.partition(" ")
        if word.startswith("msg"):
            name, line = word, rest
            fields[name] = ""
        if not name or not _QUOTED.fullmatch(line):
            raise ValueError(f'line {number} of a .po file should be msgid, msgstr or "text", not {line!r}.')
        fields[name] += ast.literal_eval(line)
    if "msgid" not in fields:
        return None
    found = tuple(value for name, value in fields.items() if name.startswith("msgstr"))
    return CatalogueEntry(fields["msgid"], fields.get("msgid_plural"), found, tuple(places), fuzzy)


def write_entries(entries: Iterable[CatalogueEntry]) -> str:
    """A .po file with these entries, as `read_entries` reads it."""
    return "\n\n".join(_block(entry) for entry in entries) + "\n"


def _block(entry: CatalogueEntry) -> str:
    lines = [f"#: {place}" for place in entry.places]
    lines += ["#, fuzzy"] if entry.fuzzy else []
    lines.append(f"msgid {_quoted(entry.message)}")
    if entry.plural is None:
        return "\n".join([*lines, f"msgstr {_quoted(''.join(entry.translations[:1]))}"])
    lines.append(f"msgid_plural {_quoted(entry.plural)}")
    forms = entry.translations or ("", "")
    return "\n".join([*lines, *(f"msgstr[{place}] {_quoted(form)}" for place, form in enumerate(forms))])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    lines = [f'"{line}"' for line in escaped.replace("\n", "\\n\n").split("\n") if line]
    return lines[0] if len(lines) == 1 else "\n".join(['""', *lines])


def compiled_catalogue(entries: Iterable[CatalogueEntry]) -> GNUTranslations:
    """The entries as the standard library looks them up; what is not translated stays as it is in the source."""
    pairs: dict[bytes, bytes] = {}
    for entry in entries:
        if not entry.fuzzy and entry.translations and all(entry.translations):
            message = entry.message if entry.plural is None else f"{entry.message}\0{entry.plural}"
            pairs[message.encode()] = "\0".join(entry.translations).encode()
    return GNUTranslations(io.BytesIO(_compiled(pairs)))


def _compiled(pairs: dict[bytes, bytes]) -> bytes:
    """The .mo format: a head, the lengths and places of all messages, those of all translations, then the texts."""
    texts = [*sorted(pairs), *(pairs[message] for message in sorted(pairs))]
    start = 28 + 8 * len(texts)
    index: list[int] = []
    for text in texts:
        index += [len(text), start]
        start += len(text) + 1
    head = struct.pack("<7I", _MAGIC, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 28)
    return head + struct.pack(f"<{len(index)}I", *index) + b"".join(text + b"\0" for text in texts)


def catalogue_path(code: str) -> Path:
    """The file of a language."""
    return FOLDER / f"{code}.po"
