"""The commands of the shell, from the program itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from docs.website.reference.markdown import Page, code, one_line, table
from learn2search.cli.main import app

KINDS = {int: "N", float: "NUMBER", Path: "PATH"}  # what stands for a value


def page() -> Page:
    """Every command with its options."""
    parts = [_command(line, command) for line, command in commands()]
    opening = "Every command, as `--help` says it. [What they are for, with examples](../cli.md)."
    return Page("reference/commands.md", "Commands", "\n\n".join([opening, *parts]))


def commands() -> Iterator[tuple[str, Any]]:
    """Each command that runs something, with the line that calls it."""
    yield from _below(typer.main.get_command(app), "learn2search")


def options(command: Any) -> list[Any]:
    """The options and arguments that are shown."""
    return [given for given in command.params if not getattr(given, "hidden", False) and given.name != "help"]


def _below(command: Any, line: str) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield line, command
        return
    for name in children:
        if not children[name].hidden:
            yield from _below(children[name], f"{line} {name}")


def _command(line: str, command: Any) -> str:
    said = [f"## {line}", _help(command.help or "")]
    given = options(command)
    rows = [(_spelling(option), _meaning(option), _default(option)) for option in given]
    return "\n\n".join([*said, table(["option", "meaning", "default"], rows)] if rows else said)


def _help(text: str) -> str:
    """Paragraphs; one that begins with a \b keeps its lines."""
    found = []
    for paragraph in text.replace("\f", "").split("\n\n"):
        kept = paragraph.strip("\n").startswith("\b")
        found.append(f"```text\n{paragraph.strip().removeprefix(chr(8)).strip()}\n```" if kept else one_line(paragraph))
    return "\n\n".join(found)


def _spelling(option: Any) -> str:
    if option.param_type_name == "argument":
        return code(option.metavar or option.name.upper())
    value = "" if option.is_flag else f" {option.metavar or KINDS.get(option.type_descriptor.annotation, 'TEXT')}"
    return ", ".join(code(name + value) for name in option.opts)


def _meaning(option: Any) -> str:
    named = [option.envvar] if isinstance(option.envvar, str) else option.envvar or []
    variables = f" Also {', '.join(map(code, named))}." if named else ""
    return one_line(option.help) + variables


def _default(option: Any) -> str:
    given = option.default
    nothing = given is None or given is False or callable(given) or given == () or "UNSET" in repr(given)
    return "" if nothing else code(given)
