"""Who may import whom, read from the sources. A part is a module or package right under src/learn2search."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import learn2search

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "learn2search"
MODULES = sorted(PACKAGE.rglob("*.py"))
RESEARCH = sorted((ROOT / "research").rglob("*.py"))

# From the bottom up. A part may import parts of its own layer (but not in a circle) and of those below.
LAYERS = [
    {"typing", "compiled", "cores", "streams", "files", "progress", "registry", "oklab", "normal_tails"},
    {"comparison", "triplet_columns", "triplet_data", "triplets", "triplet_files", "embedding"},
    {"click"},
    {"nearest", "oracle", "table_oracle", "embed", "metrics", "datasets"},
    {"search"},
    {"learn", "getting_ready", "plots"},
    {"__init__"},  # the public names: the library ends here, the product begins above
    {"client", "store"},
    {"site"},
    {"demo", "web"},
    {"cli", "play"},
]
LAYER = {part: layer for layer, parts in enumerate(LAYERS) for part in parts}

WEB = {"fastapi", "starlette", "uvicorn", "jinja2", "multipart", "limits", "prometheus_client"}
DATABASE = {"sqlalchemy", "alembic", "psycopg", "sqlite3"}
PLOTTING = {"matplotlib", "seaborn", "plotly"}

MOST_LINES = 60


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, also inside functions: `learn2search.comparison.margin`."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{origin(path, node)}.{alias.name}" for alias in node.names)


def origin(path: Path, node: ast.ImportFrom) -> str:
    """The module after `from`, with the dots of a relative import resolved."""
    if not node.level:
        return node.module or ""
    package = path.relative_to(PACKAGE.parent).parts[: -node.level]
    return ".".join((*package, node.module) if node.module else package)


def imported_parts(path: Path) -> set[str]:
    """The parts a file imports; `from learn2search import Embedding` is an import of `__init__`."""
    names = [name.split(".") for name in imports(path)]
    inside = [name[1] if len(name) > 1 else "__init__" for name in names if name[0] == "learn2search"]
    return {part if part in LAYER else "__init__" for part in inside}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_part_imports_only_its_own_layer_or_those_below(path: Path) -> None:
    part = part_of(path)
    assert part in LAYER, f"{part} is in no layer yet: add it to LAYERS"
    above = {other for other in imported_parts(path) if LAYER[other] > LAYER[part]}
    assert not above, f"{name(path)} imports {sorted(above)}, which are above it"


def test_parts_do_not_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        graph.setdefault(part_of(path), set()).update(imported_parts(path) - {part_of(path)})
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"imports in a circle: {' -> '.join(error.args[1])}")


def test_the_store_knows_the_embedding_only() -> None:
    stored = [imported_parts(path) for path in MODULES if part_of(path) == "store"]
    assert set().union(*stored) <= {"store", "embedding", "typing"}


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_nothing_below_the_site_needs_web_database_or_plotting(path: Path) -> None:
    if LAYER.get(part_of(path), 0) >= LAYER["site"]:
        return
    allowed = {"store": DATABASE, "plots": PLOTTING}.get(part_of(path), set())
    forbidden = (WEB | PLOTTING | DATABASE) - allowed
    assert not forbidden & {imported.split(".")[0] for imported in imports(path)}


def test_no_two_modules_have_one_name() -> None:
    named = [path.parent.name if path.stem == "__init__" else path.stem for path in MODULES if path.stem != "__main__"]
    assert twice(named) == set()


def test_no_two_classes_have_one_name() -> None:
    nodes = [node for path in MODULES for node in ast.walk(ast.parse(path.read_text()))]
    assert twice(node.name for node in nodes if isinstance(node, ast.ClassDef)) == set()


def twice(names: Iterable[str]) -> set[str]:
    return {name for name, count in Counter(names).items() if count > 1}


@pytest.mark.parametrize("path", RESEARCH, ids=name)
def test_research_uses_public_names_only(path: Path) -> None:
    public = {"learn2search"} | {f"learn2search.{public}" for public in learn2search.__all__}
    imported = {imported for imported in imports(path) if imported.split(".")[0] == "learn2search"}
    assert imported <= public

    assert used_names(path) <= set(learn2search.__all__)


def used_names(path: Path) -> set[str]:
    """The names a file takes from the package by a dot: `simulate` in `l2s.simulate(...)`."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    modules = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    aliases = {alias.asname or alias.name for alias in modules if alias.name == "learn2search"}
    dotted = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in dotted if isinstance(node.value, ast.Name) and node.value.id in aliases}


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_functions_can_be_read_in_one_go(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = code_lines(node)
            assert lines <= MOST_LINES, f"{name(path)}:{node.lineno}: {node.name} has {lines} lines: split it"


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function without its docstring."""
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
    return lines
