"""Machine code brought into this process and called, without Numba.

Importing llvmlite takes 0.05 s, so this file is imported when there is something to load.
"""

from __future__ import annotations

import ctypes
import json
import struct
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]

_WORD = 8  # bytes
_FORMATS = {"float64": "d", "uint64": "Q", "bool": "?7x"}  # of a word, see `struct`; others are ``q``
_FINE = (0, -2)  # what Numba's functions return: done, done with None
_Function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_engines: list[Any] = []  # for ever: they own the machine code


@cache
def _machine() -> Any:
    """Return the description of this machine, prepared once."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


def load(content: bytes) -> tuple[Callable[[array[int]], Any], int]:
    """Return the function in a file of the cache, and where its machine code is.

    It takes the words of the arguments, without the GIL. The words are not its caller's any more: it writes
    what it returns behind them.
    """
    line, _, code = content.partition(b"\n")
    head = json.loads(line)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine().create_target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    entry: int = engine.get_function_address(head["function"])
    function = _Function(entry)
    kinds: list[str] = head["result"]
    results, several = len(kinds), head["tuple"]
    read = struct.Struct("<" + "".join(_FORMATS.get(kind, "q") for kind in kinds)).unpack_from
    room = array("q", [0] * (results + 2))  # two more that Numba's convention wants

    def call(memory: array[int]) -> Any:
        first = len(memory)
        memory.extend(room)
        address = memory.buffer_info()[0]
        end = address + _WORD * (first + results)
        status = function(end, end + _WORD, address)
        if status not in _FINE:
            raise RuntimeError(f"a kernel has failed with status {status}, which is a fault of cpqueens")
        if not results:
            return None
        numbers = read(memory, _WORD * first)
        return numbers if several else numbers[0]

    return call, entry
