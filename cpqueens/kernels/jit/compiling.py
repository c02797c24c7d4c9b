"""The decorators of `cpqueens.kernels.jit.decorators` where kernels are compiled: Numba's."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
"""Kernels create no arrays, hence need no counts of references to them: counting took most of the time of
those that hand arrays to each other. And nobody calls them from Python where they are compiled. (All but the
first are known to Numba's compiler, not to its annotations.)"""


def kernel(function: Function) -> Function:
    """Compile an entry."""
    return cast(Function, njit(**_OPTIONS)(function))


unbounded_kernel = kernel


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call."""
    return cast(Function, njit(error_model="numpy", **_OPTIONS)(function))


propagator = inner_kernel


def linking_kernel(_link: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile an entry that calls others by address."""
    return kernel


def inlined(function: Function) -> Function:
    """Compile a function that is written out anew wherever a kernel calls it."""
    return cast(Function, njit(inline="always", nogil=True)(function))


def instruction(function: Function) -> Function:
    """Take the instructions that the namesake in the ``..._code`` file writes."""
    code = import_module(f"{function.__module__}_code")
    return cast(Function, intrinsic(getattr(code, function.__name__)))
