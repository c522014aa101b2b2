"""The one way this package compiles: numba, cached on disk, without the interpreter's lock."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile `function` on its first call; the machine code is kept on disk between runs."""
    kernel: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast(Function, kernel)
