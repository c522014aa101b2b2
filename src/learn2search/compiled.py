"""The one way this package compiles: numba, cached on disk, without the interpreter's lock.

What takes time is that numba optimises a function together with all that it calls, in each of its callers anew: code
that is ten calls deep is compiled ten times. So a function that is called in one place is `inlined` there, and a large
one is called `by_address`, where it is one of several: it is compiled once, and only if it is in use. Loops are written
out: a sort, or an array that is assigned to a slice, brings a dozen functions of numba's own. And a constant argument
(`f(x, True)`) is a type of its own, for which `f` is compiled once more, as are arrays in another order.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., object])

# Nobody calls the second entry, for C, that each function would get.
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function: Function) -> Function:
    """Compile `function` on its first call; the machine code is kept on disk between runs."""
    kernel: Any = numba.njit(**_OPTIONS)(function)
    return cast(Function, kernel)


def summed(function: Function) -> Function:
    """The same for sums of float32 in the innermost loop, which may be added up in any order: then in vectors."""
    kernel: Any = numba.njit(fastmath={"reassoc", "contract", "nsz"}, **_OPTIONS)(function)
    return cast(Function, kernel)


def inlined(function: Function) -> Function:
    """The same, but a compiled function that calls it takes its lines in, and is compiled with them once."""
    kernel: Any = numba.njit(inline="always", **_OPTIONS)(function)
    return cast(Function, kernel)


def by_address(function: Function) -> Function:
    """The same for a function that compiled code may also call by its `FunctionAddress`."""
    options = {**_OPTIONS, "no_cfunc_wrapper": False}
    kernel: Any = numba.njit(**options)(function)
    return cast(Function, kernel)


class FunctionAddress(types.WrapperAddressProtocol):
    """A function that compiled code is given as a value, as a field of a setup: it calls it where it is, and is not
    compiled together with it. So one loop serves all that have the same signature, and only those in use are compiled.

    The function is compiled for the types of these arguments. It must not raise: numba would print that and go on.
    """

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        kernel: Any = function
        given = tuple(numba.typeof(one) for one in arguments)
        kernel.compile(given)
        self._kernel, self._compiled = kernel, kernel.overloads[given]
        name = self._compiled.fndesc.llvm_cfunc_wrapper_name
        self._address = int(self._compiled.library.get_pointer_to_function(name))

    def __call__(self, *arguments: Any) -> Any:
        """What compiled code does with it, for Python."""
        return self._kernel(*arguments)

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Any:
        """What numba asks to know the type of the function."""
        return self._compiled.signature


def in_parts(function: Function, *inner: Callable[..., Any]) -> Function:
    """The same function in Python, calling the compiled functions in it one by one; those of `inner`, too, the callee
    before the caller.

    A whole is compiled with all that it may ever call, a part only when it is called. So one search, where a call more
    is nothing beside its work, begins sooner; a simulation takes the whole. To be called at the end of a module: what
    is defined later is not seen.
    """
    names: dict[str, object] = {}
    for whole in (*inner, function):
        code: Any = whole
        names[code.__name__] = with_names(code.py_func, "in_parts", names)
    return cast(Function, names[function.__name__])


def with_names(function: Function, label: str, names: Mapping[str, object]) -> Function:
    """A copy of `function` that finds other objects under some of the global names it uses.

    So one loop serves several types of setup, each with its own steps. `label` tells the copies apart on disk.
    """
    code: Any = function
    copy = FunctionType(code.__code__, {**code.__globals__, **names}, code.__name__)
    copy.__qualname__ = f"{code.__qualname__}.{label}"
    return cast(Function, copy)


# --- saying so --------------------------------------------------------------------------------------

_NOTICE = "compiling for this machine: once, about half a minute (`learn2search warm-up` does all of it beforehand)"
_PATIENCE = 2.0  # seconds of compilation before it is said


class _Notice(event.Listener):
    """Says once that this package is being compiled, after a moment of it: else the first call seems to hang.

    Numba compiles one function at a time, with those that it calls inside: `_within` counts them.
    """

    def __init__(self) -> None:
        self.silent = 0
        self._within = 0
        self._ours = False
        self._since = 0.0
        self._spent = 0.0
        self._said = False

    def on_start(self, event: Any) -> None:
        if self._within == 0:
            self._ours = event.data["dispatcher"].py_func.__module__.startswith("learn2search.")
            self._since = time.monotonic()
        self._within += 1

    def on_end(self, event: Any) -> None:
        self._within -= 1
        if self._said or not self._ours:
            return
        spent = self._spent + time.monotonic() - self._since
        if self._within == 0:
            self._spent = spent
        if spent > _PATIENCE and not self.silent:
            self._said = True
            logging.getLogger("learn2search").warning(_NOTICE)


_notice = _Notice()
event.register("numba:compile", _notice)


@contextmanager
def say_nothing() -> Iterator[None]:
    """Compile in silence: for those who show by themselves that something is being done."""
    _notice.silent += 1
    try:
        yield
    finally:
        _notice.silent -= 1
