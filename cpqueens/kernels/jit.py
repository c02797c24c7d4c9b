"""The decorators of all compiled code: Numba with a cache where one can be written.

Kernels are compiled on first use and cached beside the source or in the user's cache folder. Where
neither can be written (a read-only installation, no home directory) they are compiled once per
process instead. ``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python.

Numba by itself notices a change of the file that holds a kernel, but not of a function in another file that
the kernel calls; here a cached kernel is used only while all files that it is made of are unchanged.
Nor does it keep processes apart: two that start at once would both compile, and one could load what the other
has half written; here they take turns.
"""

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from cpqueens.kernels.sources import source_stamp
from cpqueens.system.locks import turn

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}
"""Kernels create no arrays, hence need no counts of references to them: counting took most of the time of
those that hand arrays to each other (``_nrt`` is known to Numba's compiler, not to its annotations)."""

_PATIENCE = 60.0
"""Seconds of a processor to let another process have for compiling the same kernel: more than any takes."""


def kernel(function: Function) -> Function:
    """Compile ``function`` without the GIL, cached if some folder can hold the cache.

    Self-recursive kernels must not be written: with a cache they abort the process on the second
    run. Kernels run a bounded number of steps per call, so that limits and Ctrl-C are seen. They
    may not create arrays; slices of their arguments are none, but cannot be returned (see `inlined`).
    """
    try:
        compiled = numba.njit(cache=True, **_OPTIONS)(function)
        _stamp(compiled, function)
        _take_turns(compiled)
    except RuntimeError:  # Numba found no folder that it may write its cache to
        compiled = numba.njit(**_OPTIONS)(function)
    return cast(Function, compiled)


def _stamp(compiled: Any, function: Any) -> None:
    """Make the cache's stamp one of all source files; nothing where Numba keeps it elsewhere."""
    file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, source_stamp(Path(function.__code__.co_filename)))
        file._load_index = partial(_load_index, file._load_index)


def _load_index(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """Return what a cache's index has, nothing if it names a class that an older version of a file had.

    Numba finds an index by the name and the line of a function, and compares stamps only once it is read.
    """
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


def _take_turns(compiled: Any) -> None:
    """Load, or compile and save, in one process at a time; as before where there is no cache file."""
    file: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if not hasattr(file, "_index_path"):
        return
    path, compile_alone = Path(file._index_path).with_suffix(".lock"), compiled.compile

    def compile_in_turn(signature: Any) -> Any:
        # Numba's own lock first, as for what a kernel calls: else threads could wait for each other.
        with global_compiler_lock, turn(path, _PATIENCE, _announcer.on_wait):
            return compile_alone(signature)

    compiled.compile = compile_in_turn


def inner_kernel(function: Function) -> Function:
    """Compile a function that only kernels call: no wrapper for Python, no cache of its own.

    The kernel that calls it holds its code, in its cache too. Division by 0 is not tested for.
    """
    options: dict[str, Any] = {
        **_OPTIONS,
        "error_model": "numpy",
        "no_cpython_wrapper": True,  # these two, too, are known to the compiler only
        "no_cfunc_wrapper": True,
    }
    return cast(Function, numba.njit(**options)(function))


def inlined(function: Function) -> Function:
    """Compile a function that is written out anew wherever a kernel calls it; it may return a view.

    Of functions that call each other in a chain, each is optimised with all that it calls: writing the upper
    ones out saves a fifth of the compiling.
    """
    return cast(Function, numba.njit(inline="always", nogil=True)(function))


def is_compiled() -> bool:
    """Say whether kernels run compiled (false under ``NUMBA_DISABLE_JIT=1``)."""
    return not getattr(numba.config, "DISABLE_JIT")  # noqa: B009 - set at run time, unknown to mypy


class _Announcer(event.Listener):
    """Says once that something is being compiled, so that nobody takes it for slow solving."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        self._announce()

    def on_wait(self, seconds: float) -> None:
        """Another process compiles: loading takes less than a second."""
        if seconds > 1:
            self._announce()

    def _announce(self) -> None:
        if not self.said:
            self.said = True
            message = "compiling kernels, once; later runs take them from the cache"
            logging.getLogger("cpqueens").info(message)
            if sys.stderr is not None and sys.stderr.isatty():
                print(f"cpqueens: {message}", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Nothing is said at the end."""


_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]
