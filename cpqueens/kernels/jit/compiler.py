"""From an entry and the types of its arguments to machine code: what a child process does for all others.

The kernels' files are read a second time with Numba's decorators. One wrapper takes all arguments as an
array of words, so that whoever loads the code needs no Numba: it is an object file as linkers know it, behind
a line that names its function and the type of its result.
"""

import builtins
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from numba.core import types as numba_types

from cpqueens.kernels.jit import compiling
from cpqueens.kernels.jit.wrapping import Wrapper

_PACKAGE = "cpqueens.kernels"


class _Reader:
    """Reads the kernels' files with Numba's decorators, as modules that nobody else sees."""

    def __init__(self) -> None:
        self._modules: dict[str, ModuleType] = {f"{_PACKAGE}.jit.decorators": compiling}

    def module(self, name: str) -> ModuleType:
        """Return the second instance of a module of the package."""
        if name not in self._modules:
            module = self._modules[name] = ModuleType("__mp_main__" if name.endswith(".py") else name)
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
            code = _code(name)
            module.__file__ = code.co_filename
            exec(code, module.__dict__)
        return self._modules[name]

    def _import(self, name: str, names: Any = None, own: Any = None, wanted: Any = (), level: int = 0) -> Any:
        if name.startswith(_PACKAGE) and find_spec(name).submodule_search_locations:  # type: ignore[union-attr]
            found = ModuleType(name)
            for part in wanted:
                setattr(found, part, self.module(f"{name}.{part}"))
            return found
        if name.startswith(f"{_PACKAGE}."):
            return self.module(name)
        return __import__(name, names, own, wanted, level)


def _code(name: str) -> Any:
    """Return the code of a module, or of a program by its file (``.py``), which is not run as one."""
    if name.endswith(".py"):
        return compile(Path(name).read_bytes(), name, "exec")
    loader: Any = import_module(name).__loader__  # imported for what looks itself up, such as dataclasses
    return loader.get_code(name)


@cache
def _reader() -> _Reader:
    """Return the one of this process: what several entries call is compiled once."""
    return _Reader()


@contextmanager
def _only_wholes() -> Iterator[None]:
    """Keep Numba from optimising each function that it compiles, and from making machine code of it.

    Only the wrapper's is wanted, of which all others are parts: each would be optimised anew with whatever
    calls it, a quarter of the compiling.
    """
    from numba.core import codegen, cpu
    from numba.core.compiler_lock import global_compiler_lock

    def nothing(*_: Any) -> None: ...

    changes: list[tuple[Any, str, Any]] = [
        (codegen.CPUCodeLibrary, "_optimize_final_module", nothing),
        (codegen.JITCPUCodegen, "_add_module", nothing),
        (codegen.JITCodeLibrary, "_finalize_specific", nothing),
        (cpu.CPUContext, "get_executable", lambda *_: [].append),  # never called, each another one
    ]
    with global_compiler_lock:
        before = [getattr(kind, name) for kind, name, _ in changes]
        for kind, name, new in changes:
            setattr(kind, name, new)
        try:
            yield
        finally:
            for (kind, name, _), old in zip(changes, before, strict=True):
                setattr(kind, name, old)


def keep_inside(module: Any, entered: str) -> None:
    """Let nobody outside call any function of a module of LLVM but the one that is entered.

    Then what no caller needs to hand over is not handed over: of an array Numba's functions are given seven
    words, mostly for its address alone, so that a call with a memory wrote 28 of them, and took longer than
    what a propagator of a few variables does.
    """
    for function in module.functions:
        if not function.is_declaration and function.name != entered:
            function.linkage = "internal"


def compile_entry(entry: str, signature: str) -> bytes:
    """Return the machine code of ``module:function`` for arguments of the types that ``signature`` names."""
    types: Any = numba_types  # without annotations

    module, _, name = entry.rpartition(":")
    kernel = getattr(_reader().module(module), name)
    wrapper = Wrapper(signature)
    with _only_wholes():
        result = _compiled(kernel, [kind for _, kind in wrapper.arguments]).signature.return_type
        whole = compiling.kernel(wrapper.function(kernel, result))
        compiled = _compiled(whole, [types.CPointer(types.int64)])
        compiled.library._ensure_finalized()
    keep_inside(compiled.library._final_module, compiled.fndesc.llvm_func_name)
    compiled.library._optimize_final_module()
    code = compiled.library.codegen._tm.emit_object(compiled.library._final_module)
    head = {
        "function": compiled.fndesc.llvm_func_name,
        "result": wrapper.results,
        "tuple": isinstance(result, types.BaseTuple),
    }
    return json.dumps(head).encode() + b"\n" + bytes(code)


def _compiled(function: Any, kinds: list[Any]) -> Any:
    """Return what Numba makes of a function for arguments of some types."""
    function.compile(tuple(kinds))
    return function.overloads[tuple(kinds)]
