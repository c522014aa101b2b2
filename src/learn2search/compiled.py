"""The one way this package compiles: numba, cached on disk, without the interpreter's lock."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import overload

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile `function` on its first call; the machine code is kept on disk between runs."""
    kernel: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return cast(Function, kernel)


def implements(step: Callable[..., Any], setup: type[tuple[Any, ...]]) -> Callable[[Function], Function]:
    """Say what `step(setup, ...)` does in compiled code where its first argument is a named tuple of type `setup`.

    `step` itself is only declared, with its arguments and what it returns. So one compiled loop serves several types
    of setup, each with its own steps, and is compiled once for each.
    """

    def register(implementation: Function) -> Function:
        def choose(first: Any, *_: Any) -> Function | None:
            return implementation if getattr(first, "instance_class", None) is setup else None

        choose.__signature__ = inspect.signature(implementation)  # type: ignore[attr-defined]  # numba compares them
        overload(step, jit_options={"nogil": True, "error_model": "numpy"}, strict=False)(choose)
        return implementation

    return register
