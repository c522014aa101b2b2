"""The one way this package compiles: numba, cached on disk, without the interpreter's lock.

What takes time is that numba optimises a function together with all that it calls, in each of its callers anew: code
that is ten calls deep is compiled ten times. So a function that is called in one place is `inlined` there. Loops are
written out: a sort, or an array that is assigned to a slice, brings a dozen functions of numba's own. And a constant
argument (`f(x, True)`) is a type of its own, for which `f` is compiled once more.
"""

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])

# Nobody calls the second entry, for C, that each function would get.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """Compile `function` on its first call; the machine code is kept on disk between runs."""
    kernel: Any = numba.njit(**_OPTIONS)(function)
    return cast(Function, kernel)


def inlined(function: Function) -> Function:
    """The same, but a compiled function that calls it takes its lines in, and is compiled with them once."""
    kernel: Any = numba.njit(inline="always", **_OPTIONS)(function)
    return cast(Function, kernel)


def with_names(function: Function, label: str, names: Mapping[str, object]) -> Function:
    """A copy of `function` that finds other objects under some of the global names it uses.

    So one loop serves several types of setup, each with its own steps. `label` tells the copies apart on disk.
    """
    code: Any = function
    copy = FunctionType(code.__code__, {**code.__globals__, **names}, code.__name__)
    copy.__qualname__ = f"{code.__qualname__}.{label}"
    return cast(Function, copy)
