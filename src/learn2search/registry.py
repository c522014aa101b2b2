"""Names for what other packages can add: search strategies, embeddings.

A thing gets its name from a decorator, or from an entry point of an installed package. Entry points are listed when a
name is first looked up; what they point to is imported when its own name is.
"""

import re
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing", bound=Callable[..., Any])

_NAME = re.compile("[A-Za-z0-9_-]{1,64}")


class Registry(Generic[Thing]):
    """The things of one kind by their names.

    Parameters
    ----------
    kind : str
        What a thing is called in errors: "strategy".
    group : str
        The group of the entry points.
    package : str
        The package whose modules register the built-in things when they are imported.
    """

    def __init__(self, kind: str, group: str, package: str) -> None:
        self.kind, self.group, self.package = kind, group, package
        self._things: dict[str, Thing] = {}
        self._installed: dict[str, EntryPoint] | None = None

    def register(self, name: str, thing: Thing) -> None:
        """Give a thing its name. The same definition, run again, takes its own place; a clash is an error."""
        self._check_name(name, _owner_of(thing))
        entry = None if _is_built_in(thing) else self._entries().get(name)
        if name in self._things and definition_of(self._things[name]) != definition_of(thing):
            raise self._clash(name, _owner_of(self._things[name]), _owner_of(thing))
        if entry is not None and not _points_to(entry, thing):
            raise self._clash(name, _package_of(entry), _owner_of(thing))
        self._things[name] = thing

    def get(self, name: str) -> Thing:
        """The thing of this name; an unknown name is an error that lists the known ones."""
        entries = self._entries()
        if name not in self._things and name in entries:
            self._things[name] = self._load(entries[name])
        if name not in self._things:
            raise ValueError(f"{self.kind} must be one of {', '.join(self.names())}, got {name!r}")
        return self._things[name]

    def names(self) -> tuple[str, ...]:
        """All names, the built-in ones first, each part in alphabetical order."""
        names = {*self._entries(), *self._things}
        return tuple(sorted(names, key=lambda name: (not _is_built_in(self._things.get(name)), name)))

    def added(self) -> tuple[str, ...]:
        """The names that are not built in."""
        return tuple(name for name in self.names() if not _is_built_in(self._things.get(name)))

    def name_of(self, thing: object) -> str | None:
        """The name that a thing was given, or None."""
        entries = self._entries()
        given = (name for name, known in self._things.items() if known is thing)
        return next(given, None) or next((name for name, entry in entries.items() if _points_to(entry, thing)), None)

    def _entries(self) -> dict[str, EntryPoint]:
        """What installed packages add, once all that is built in has its name."""
        if self._installed is None:
            for module in iter_modules(import_module(self.package).__path__):
                if not module.name.startswith("_"):
                    import_module(f"{self.package}.{module.name}")
            found: dict[str, EntryPoint] = {}
            for entry in entry_points(group=self.group):
                self._check_name(entry.name, _package_of(entry))
                if entry.name in self._things:
                    raise self._clash(entry.name, _owner_of(self._things[entry.name]), _package_of(entry))
                if entry.name in found:
                    raise self._clash(entry.name, _package_of(found[entry.name]), _package_of(entry))
                found[entry.name] = entry
            self._installed = found
        return self._installed

    def _load(self, entry: EntryPoint) -> Thing:
        try:
            thing: Thing = entry.load()
        except (ImportError, AttributeError) as error:
            raise ValueError(
                f'the {self.kind} "{entry.name}" of {_package_of(entry)} cannot be imported from {entry.value}: {error}'
            ) from error
        return thing

    def _check_name(self, name: str, owner: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError(
                f"a {self.kind} has a name of letters, digits, - and _, at most 64 of them: {owner} has {name!r}"
            )

    def _clash(self, name: str, first: str, second: str) -> ValueError:
        return ValueError(f'the {self.kind} name "{name}" of {second} is taken by {first}: choose another')


def definition_of(thing: object) -> str:
    """Where a thing is defined: `module.name`."""
    name = getattr(thing, "__qualname__", None)
    return repr(thing) if name is None else f"{thing.__module__}.{name}"


def _owner_of(thing: object) -> str:
    return "Learn2Search itself" if _is_built_in(thing) else definition_of(thing)


def _is_built_in(thing: object) -> bool:
    return definition_of(thing).startswith("learn2search.")


def _points_to(entry: EntryPoint, thing: object) -> bool:
    return definition_of(thing) == f"{entry.module}.{entry.attr}"


def _package_of(entry: EntryPoint) -> str:
    return "an installed package" if entry.dist is None else f"the package {entry.dist.name} {entry.dist.version}"
