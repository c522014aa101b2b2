"""Files that are there whole or not at all, and the one format of our NPZ files."""

import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from learn2search.typing import Arrays

PARTIAL = ".partial"  # the end of the name of a file that is being written

AnyPath = str | os.PathLike[str]


@contextmanager
def open_atomic(path: AnyPath) -> Iterator[BinaryIO]:
    """A file to write to, which becomes `path` at the end of the block.

    It is a unique temporary file beside `path`, then renamed: concurrent writers cannot clash, a reader sees the old
    content or the new one, and an error leaves the old file and nothing else.
    """
    target = Path(path)
    partial = target.with_name(f"{target.name}.{secrets.token_hex(8)}{PARTIAL}")
    try:
        with open(partial, "xb") as file:
            yield file
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_atomic(path: AnyPath, content: bytes | str) -> None:
    """Write all of `content` (text as UTF-8), or leave the file as it was."""
    with open_atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


# --- NPZ files -------------------------------------------------------------------------------------
# Each holds the arrays `format` (what it is) and `version`, beside its content. Pickled objects are never read.


def write_npz(
    path: AnyPath, kind: str, version: int, arrays: Mapping[str, NDArray[np.generic]], compress: bool = False
) -> None:
    """Write `arrays` with the marks of `kind` and `version`; a file that exists is replaced only by a whole one."""
    save = np.savez_compressed if compress else np.savez
    with open_atomic(path) as file:
        save(file, format=np.array(kind), version=np.array(version), **arrays)  # type: ignore[arg-type]


def read_npz(
    path: AnyPath,
    kind: str,
    version: int,
    what: str,
    names: Iterable[str],
    upgrade: Callable[[Arrays], Arrays] | None = None,
) -> Arrays:
    """The arrays of a file that `write_npz` made; anything else is a ValueError that says what was found.

    what: "an embedding file", for the messages. names: the arrays it must have. upgrade: brings the arrays of an older
    version to the present one, and returns all others as they are.
    """
    shown = os.fspath(path)
    _check_is_npz(path, what)
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            content: Arrays = {name: file[name] for name in file.files}
        content = upgrade(content) if upgrade else content
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{shown} is not {what} (or is damaged): {error}") from error
    missing = [name for name in names if name not in content]
    if str(content.get("format")) != kind or (missing and "version" not in content):
        raise ValueError(f"{shown} is not {what}: it holds {_summary(content)}")
    found = str(content.get("version"))
    if found != str(version):
        raise ValueError(
            f"{shown} is {what} of version {found}, this release reads version {version}: "
            "read it with the release that wrote it"
        )
    if missing:
        raise ValueError(f"{shown} is {what} without {', '.join(missing)}: it is damaged")
    return content


def _check_is_npz(path: AnyPath, what: str) -> None:
    """An error for a text file or a plain array, which numpy would call "pickled"."""
    with open(path, "rb") as stream:
        head = stream.read(60)
    if head[:2] == b"PK" or not head:
        return
    hint = ""
    if head[:6] == b"\x93NUMPY":
        hint = ": it is one array, np.load reads it, and Embedding(array) takes positions"
    elif all(byte >= 32 or byte in b"\t\r\n" for byte in head):
        hint = (
            f": it is text, {head.decode(errors='replace').splitlines()[0][:40]!r}... Positions in a CSV file are read "
            "by np.loadtxt(path, delimiter=',') for Embedding(positions), triplets by read_triplets(path)"
        )
    raise ValueError(
        f"{os.fspath(path)} is not {what}, an NPZ file that its own save wrote{hint or ' (or is damaged)'}"
    )


def _summary(content: Arrays) -> str:
    if "format" in content:
        return f"a {content['format']}"
    return str(sorted(content)) if content else "nothing"
