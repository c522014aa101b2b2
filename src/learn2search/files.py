"""Our NPZ files: each says what it is and of which version, and is checked when it is read."""

import os
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Content = dict[str, NDArray[np.generic]]


def write_npz(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    arrays: Mapping[str, NDArray[np.generic]],
    compress: bool = False,
) -> None:
    """Write `arrays` with the marks of `kind` and `version`; a file that exists is replaced only by a whole one."""
    target, temporary = os.fspath(path), f"{os.fspath(path)}.part"
    save = np.savez_compressed if compress else np.savez
    try:
        with open(temporary, "wb") as file:
            save(file, format=np.array(kind), version=np.array(version), **arrays)  # type: ignore[arg-type]
        os.replace(temporary, target)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def read_npz(path: str | os.PathLike[str], kind: str, version: int, what: str, names: Iterable[str]) -> Content:
    """The arrays of a file that `write_npz` made; anything else is a ValueError that says what was found.

    what: "an embedding file", for the messages. names: the arrays it must have.
    """
    shown = os.fspath(path)
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as file:
            content: Content = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{shown} is not {what} (or is damaged): {error}") from error
    missing = [name for name in names if name not in content]
    if str(content.get("format")) != kind or (missing and "version" not in content):
        raise ValueError(f"{shown} is not {what}: it holds {sorted(content) or 'nothing'}")
    found = str(content.get("version"))
    if found != str(version):
        raise ValueError(
            f"{shown} is {what} of version {found}, this release reads version {version}: "
            "save it again with the release that wrote it"
        )
    if missing:
        raise ValueError(f"{shown} is {what} without {', '.join(missing)}: it is damaged")
    return content
