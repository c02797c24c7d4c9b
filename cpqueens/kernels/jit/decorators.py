"""The decorators of all kernels, which are plain Python where problems are solved.

Of those that drivers call, `KernelEntry` makes something that changes over to machine code when that is worth
it. What compiles them reads these files a second time, with the decorators of `compiling`;
here neither Numba nor llvmlite is imported.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from cpqueens.kernels.jit.tiers import KernelEntry, Link

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Make an entry: a kernel that drivers call, and no other kernel.

    It runs a bounded number of steps per call, so that limits and Ctrl-C are seen, keeps its state in arrays,
    which it never creates, and gives the same bits in plain form and compiled. Its arguments are contiguous
    arrays, numbers, None, and tuples of these; its result is a number, None or a tuple of numbers.
    """
    return cast(Function, KernelEntry(function))


def linking_kernel(link: Link) -> Callable[[Callable[..., Any]], KernelEntry]:
    """Make an entry that calls others by address: ``link`` says whether it has all that it needs."""
    return lambda function: KernelEntry(function, link=link)


def propagator(function: Function) -> Function:
    """Make a propagator that is compiled apart: ``(memory, record) -> 1``, or 0 if it cannot hold.

    It never raises: nobody would hear it. Division by 0 is not tested for.
    """
    return cast(Function, KernelEntry(function))


def unbounded_kernel(function: Function) -> Function:
    """Make an entry whose shortest call would take too long in plain form: it is compiled before the first.

    Its callers expect `Stopped`, where the run is to stop meanwhile.
    """
    return cast(Function, KernelEntry(function, bounded=False))


def inner_kernel(function: Function) -> Function:
    """Make a kernel that only kernels call: its code is part of theirs. Division by 0 is not tested for.

    Slices of its arguments are no new arrays, but cannot be returned (see `inlined`).
    """
    return function


def inlined(function: Function) -> Function:
    """Make a kernel that is written out anew wherever a kernel calls it; it may return a view.

    Of functions that call each other in a chain, each is optimised with all that it calls: writing the upper
    ones out saves a fifth of the compiling.
    """
    return function


def instruction(function: Function) -> Function:
    """Say what a few machine instructions do; the namesake in the ``..._code`` file writes them."""
    return function
