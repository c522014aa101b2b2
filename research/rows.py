"""Results as tidy rows: columns say what was measured and what came out, `{"table": "cost", "n": 50, "mean": 5.2}`.

A `Table` has the columns that name its rows, and the values they may have. To ask for a column or a value that a table
does not have is an error; to ask for a row that could be there and is not raises `NotMeasured`.
"""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("learn2search", "numpy", "scipy", "numba", "jax")

Row = dict[str, Any]
Columns = Mapping[str, type | tuple[Any, ...]]


class NotMeasured(LookupError):
    """A legal question whose rows are not in the results files."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of one kind in a results file.

    columns: those that name a row, each with a tuple of the values it may have, or with a type where it may have any.
    """

    file: str
    name: str
    columns: Columns

    def check(self, asked: Mapping[str, Any]) -> None:
        """An error for a column or a value that the table does not have."""
        for column, value in asked.items():
            if column not in self.columns:
                raise ValueError(f"{self} has no column {column!r}, only {', '.join(self.columns)}")
            allowed = self.columns[column]
            if not (isinstance(value, allowed) if isinstance(allowed, type) else value in allowed):
                expected = allowed.__name__ if isinstance(allowed, type) else f"one of {allowed}"
                raise ValueError(f"{self}: {column} cannot be {value!r}, expected {expected}")

    def names(self, case: Mapping[str, Any]) -> Row:
        """The part of `case` that names a row; the rest are other arguments of what is measured."""
        named = {column: case[column] for column in self.columns if column in case}
        self.check(named)
        return named

    def has(self, row: Row, asked: Mapping[str, Any]) -> bool:
        """Whether `row` is one of this table, with these values in its columns."""
        return row["table"] == self.name and all(row[column] == value for column, value in asked.items())

    def __str__(self) -> str:
        return f"table {self.name!r} of {self.file}.json"


class ResultsFile:
    """Rows, and above them the command and the machine that made them."""

    def __init__(self, name: str, quick: bool) -> None:
        self.path = RESULTS / f"{file_name(name, quick)}.json"
        content = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.rows: list[Row] = content.pop("rows", [])
        self.head: dict[str, Any] = content

    def replace(self, table: Table, case: Mapping[str, Any], measured: list[Row]) -> None:
        """Put `measured` in the place of what was there for the case. A row may be of another table of this file."""
        named = table.names(case)
        tables = {table.name, *(row["table"] for row in measured if "table" in row)}
        self.rows = [row for row in self.rows if row["table"] not in tables or not _agrees(row, named)]
        self.rows += [{"table": table.name} | named | row for row in measured]

    def save(self, command: str) -> None:
        """Write to another file first, and rename it: a run that is stopped leaves the last whole file."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.head |= {"command": command, "environment": environment(), "finished": now}
        self.path.parent.mkdir(exist_ok=True)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(written(self.head, self.rows), encoding="utf-8")
        temporary.replace(self.path)


def _agrees(row: Row, named: Mapping[str, Any]) -> bool:
    return all(row.get(column) == value for column, value in named.items())


class Results:
    """All results files of one size. Each is read when it is first asked for."""

    def __init__(self, quick: bool = False) -> None:
        self.quick = quick
        self.files: dict[str, ResultsFile] = {}

    def file(self, name: str) -> ResultsFile:
        if name not in self.files:
            self.files[name] = ResultsFile(name, self.quick)
        return self.files[name]

    def select(self, table: Table, /, **asked: Any) -> list[Row]:
        """The rows with these values in their columns, perhaps none."""
        table.check(asked)
        return [row for row in self.file(table.file).rows if table.has(row, asked)]

    def require(self, table: Table, /, **asked: Any) -> list[Row]:
        """The same, but at least one."""
        found = self.select(table, **asked)
        if not found:
            raise NotMeasured(f"{table} has no row with {asked}")
        return found

    def one(self, table: Table, /, **asked: Any) -> Row:
        """The one row with these values."""
        found = self.require(table, **asked)
        if len(found) > 1:
            raise ValueError(f"{table} has {len(found)} rows with {asked}: say which of them")
        return found[0]

    def distinct(self, table: Table, column: str, /, **asked: Any) -> list[Any]:
        """The values of a column among the rows, in the order of measurement."""
        if column not in table.columns:
            raise ValueError(f"{table} has no column {column!r}, only {', '.join(table.columns)}")
        return list(dict.fromkeys(row[column] for row in self.select(table, **asked)))


def file_name(name: str, quick: bool) -> str:
    return f"{name}-quick" if quick else name


def written(head: Mapping[str, Any], rows: list[Row]) -> str:
    """JSON with one line for each row."""
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    return f'{json.dumps(head, indent=1, ensure_ascii=False)[:-2]},\n "rows": [\n{lines}\n ]\n}}\n'


def environment() -> dict[str, Any]:
    """Where and with what results are made."""
    packages = {name: found for name in PACKAGES if (found := _version(name))}
    return {"python": platform.python_version(), **packages, "processor": _processor(), "cores": os.cpu_count()}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
