"""The tables of the database, from the module that defines them: its comments say what a column is."""

import inspect
import re

from sqlalchemy import Table

from docs.website.reference.markdown import Page, code, table
from learn2search.store import tables

_TABLE = re.compile(r'^(\w+) = Table\(\n    "(\w+)",\n(.*?)^\)', re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r'^    Column\("(\w+)",.*\)\),?  # (.+)$|^    Column\("(\w+)",.*\),  # (.+)$', re.MULTILINE)


def page() -> Page:
    """Every table with its columns."""
    paragraphs = (inspect.getdoc(tables) or "").split("\n\n")
    intro = "\n\n".join(f"```text\n{one}\n```" if one.startswith("    ") else one for one in paragraphs)
    parts = [f"## {name}\n\n{_columns(found)}" for name, found in tables.metadata.tables.items()]
    return Page("reference/tables.md", "Database tables", "\n\n".join([intro, *parts]))


def comments(name: str) -> dict[str, str]:
    """What the comments behind the columns of a table say."""
    bodies = {found[2]: found[3] for found in _TABLE.finditer(inspect.getsource(tables))}
    return {found[1] or found[3]: found[2] or found[4] for found in _COMMENT.finditer(bodies[name])}


def _columns(found: Table) -> str:
    said = comments(found.name)
    rows = [(code(column.name), _kind(column), said.get(column.name, "")) for column in found.columns]
    return table(["column", "type", "meaning"], rows)


def _kind(column: object) -> str:
    values = getattr(column.type, "values", None)  # type: ignore[attr-defined]
    kind = " or ".join(map(code, values)) if values else code(str(column.type).lower())  # type: ignore[attr-defined]
    leads = [f"of {code(key.target_fullname)}" for key in column.foreign_keys]  # type: ignore[attr-defined]
    marks = ["key"] if column.primary_key else ["may be null"] if column.nullable else []  # type: ignore[attr-defined]
    return ", ".join([kind, *leads, *marks])
