"""Public names are documented in numpydoc's sections, each parameter by its name, with examples that run."""

import doctest
import inspect
import os
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import learn2search

SECTION = re.compile(r"^(\w[\w ]*)\n-{4,}\n", re.MULTILINE)
EXAMPLES = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Public(NamedTuple):
    """A public function, class or method; `owners` are the public classes that have the method."""

    name: str
    target: Any
    owners: tuple[type, ...] = ()

    @property
    def text(self) -> str:
        return inspect.getdoc(self.target) or ""


def public_names() -> list[Public]:
    """Everything in `__all__`; of a module what it defines, and of all classes their methods, each once."""
    named: dict[str, Any] = {}
    for name in learn2search.__all__:
        found = getattr(learn2search, name)
        inside = members(found) if isinstance(found, ModuleType) else {}
        named |= {f"{name}.{part}": member for part, member in inside.items()} or {name: found}
    called = [Public(name, found) for name, found in named.items() if callable(found)]
    return [*called, *methods([public for public in called if inspect.isclass(public.target)])]


def members(module: ModuleType) -> dict[str, Any]:
    """What a module itself defines for others."""
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    found = {name: getattr(module, name) for name in names}
    return {name: one for name, one in found.items() if getattr(one, "__module__", "").startswith(module.__name__)}


def methods(classes: list[Public]) -> Iterator[Public]:
    """Methods, with all classes that have them. One without a docstring overrides another, and has that one's."""
    owners: dict[Any, list[Public]] = {}
    for public in classes:
        for name, method in inspect.getmembers(public.target, inspect.isroutine):
            home = getattr(method, "__module__", None) or ""
            inherits = method.__doc__ is None and inspect.getdoc(method)
            if not name.startswith("_") and home.startswith("learn2search") and not inherits:
                owners.setdefault(getattr(method, "__func__", method), []).append(public)
    for method, having in owners.items():
        name = f"{having[0].name}.{method.__name__}"
        yield Public(name, method, tuple(public.target for public in having))


def sections(text: str) -> dict[str, str]:
    """The text under each heading."""
    _, *parts = SECTION.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def described(section: str) -> list[str]:
    """The names that a section describes: `x_i, x_j : array` are two."""
    heads = [line.split(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for head in heads for name in head.split(",")]


def parameters(target: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(target).parameters if name not in ("self", "cls")]


def raises(target: Callable[..., Any]) -> bool:
    """Does the code itself raise an error? (Not: the functions that it calls.)"""
    made = target.__init__ if inspect.isclass(target) else target
    written = inspect.isfunction(made) and made.__code__.co_filename != "<string>"  # not made for a dataclass
    return written and bool(re.search(r"^\s+raise \w", inspect.getsource(made), re.MULTILINE))


def is_called(target: Any) -> bool:
    """Neither an error nor a protocol."""
    return not (inspect.isclass(target) and (issubclass(target, Exception) or getattr(target, "_is_protocol", False)))


PUBLIC = public_names()
CALLED = [public for public in PUBLIC if is_called(public.target)]
DATA = os.environ.get("LEARN2SEARCH_DATA")


@pytest.mark.parametrize("public", CALLED, ids=lambda public: public.name)
def test_each_parameter_is_described(public: Public) -> None:
    found = sections(public.text)
    names = described(found.get("Parameters", found.get("Attributes", "")))
    assert names == parameters(public.target), f"{public.name} has the parameters {parameters(public.target)}"


@pytest.mark.parametrize("public", CALLED, ids=lambda public: public.name)
def test_results_and_errors_are_described(public: Public) -> None:
    found = sections(public.text)
    returned = None if inspect.isclass(public.target) else inspect.signature(public.target).return_annotation
    assert returned in (None, "None") or {"Returns", "Yields"} & set(found), f"{public.name} does not say what it gives"
    assert not raises(public.target) or "Raises" in found, f"{public.name} does not say which errors it raises"


@pytest.mark.parametrize("public", CALLED, ids=lambda public: public.name)
def test_an_example_shows_each_name(public: Public) -> None:
    """A method may be shown by a class that has it."""
    texts = [public.text, *(inspect.getdoc(owner) or "" for owner in public.owners)]
    name = public.name.rpartition(".")[2]
    examples = "\n".join(sections(text).get("Examples", "") for text in texts)
    assert re.search(rf"\b{name}\b", examples), f"no example shows {public.name}"


@pytest.mark.usefixtures("forgotten_names")
@pytest.mark.parametrize("public", PUBLIC, ids=lambda public: public.name)
def test_examples_run(public: Public, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if public.name.startswith("fetch_") and not DATA:
        pytest.skip("real data: set LEARN2SEARCH_DATA to the folder that has it")
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=EXAMPLES)
    output: list[str] = []
    test = doctest.DocTestParser().get_doctest(textwrap.dedent(public.text), {}, public.name, None, 0)
    runner.run(test, out=output.append)
    assert not output, "".join(output)
