"""The public names of the library, from their docstrings."""

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import learn2search
import learn2search.client
from docs.website.links import ROOT
from docs.website.reference.markdown import Page, one_line, table


class Area(NamedTuple):
    """A page of names. homes: the first part of the modules that define them, after `learn2search`."""

    place: str
    title: str
    opening: str
    homes: tuple[str, ...]


AREAS = (
    Area("searching", "Searching", "Strategies, what they share, and simulation of many searches.", ("search",)),
    Area(
        "learning",
        "Learning to search",
        "The loop that searches, learns from the searches, and searches better.",
        ("learn", "getting_ready"),
    ),
    Area(
        "embeddings",
        "Embeddings",
        "From triplets to a position for every item, and what can be asked of positions.",
        ("embed", "embedding", "nearest"),
    ),
    Area("comparison", "The comparison model", "How probable an answer is.", ("comparison", "click", "normal_tails")),
    Area("people", "Simulated people", "Who answers in a simulation.", ("oracle", "table_oracle")),
    Area(
        "data",
        "Data",
        "Reading and writing triplets, and public data sets.",
        ("datasets", "triplet_data", "triplet_files"),
    ),
    Area("plots", "Plots", "Pictures of what was learnt; they need matplotlib.", ("plots",)),
)
MODULES = {
    "triplets": "Check, convert, split and count triplets.",
    "metrics": "How good an embedding is.",
    "accelerated": "Fits on GPUs and other accelerators, with JAX.",
    "client": "A site by program. Only the standard library is needed: `from learn2search.client import Client`.",
}


def pages() -> Iterator[Page]:
    """A page for each area and for each public module."""
    named = {name: getattr(learn2search, name) for name in learn2search.__all__ if name != "__version__"}
    for area in AREAS:
        own = [
            name for name, found in named.items() if not isinstance(found, ModuleType) and _home(found) in area.homes
        ]
        yield _page(area.place, area.title, area.opening, "learn2search", {name: named[name] for name in own})
    for name, opening in MODULES.items():
        module = learn2search.client if name == "client" else named[name]
        yield _page(f"module-{name}", f"Module {name}", opening, f"learn2search.{name}", members(module))


def inside() -> Page:
    """The functions that the equations name by their full path, which are not public."""
    named = re.findall(r"`(learn2search\.\w+(?:\.\w+)+)`", (ROOT / "docs" / "mathematics.md").read_text())
    entries = "\n".join(f".. autofunction:: {name}\n" for name in dict.fromkeys(named))
    opening = "What the [equations](../mathematics.md) name and no program needs to call. These names may change."
    return Page("reference/inside.md", "Inside", f"{opening}\n\n```{{eval-rst}}\n{entries}\n```")


def members(module: ModuleType) -> dict[str, Any]:
    """What a module itself defines for others."""
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    found = {name: getattr(module, name) for name in names}
    return {name: one for name, one in found.items() if getattr(one, "__module__", "").startswith(module.__name__)}


def _home(found: Any) -> str:
    return str(found.__module__).split(".")[1]


def _page(place: str, title: str, opening: str, module: str, named: dict[str, Any]) -> Page:
    rows = [(f"{{py:obj}}`{name} <{module}.{name}>`", _summary(found)) for name, found in named.items()]
    entries = "\n".join(_entry(module, name, found) for name, found in named.items())
    listed = table(["name", "what it is"], rows)
    return Page(f"reference/{place}.md", title, f"{opening}\n\n{listed}\n\n```{{eval-rst}}\n{entries}\n```")


def _summary(found: Any) -> str:
    """The first sentence of the docstring."""
    return re.split(r"(?<=[.?:])\s", one_line(inspect.getdoc(found)), maxsplit=1)[0]


def _entry(module: str, name: str, found: Any) -> str:
    if not inspect.isclass(found):
        return f".. autofunction:: {module}.{name}\n"
    kind = "exception" if issubclass(found, Exception) else "class"
    return f".. auto{kind}:: {module}.{name}\n   :members:\n"
