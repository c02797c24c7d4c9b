"""The arguments of an entry as words of 64 bits, and their types as a text that names the compiled form.

The types stand in the order of the arguments, one word each: ``int64``, ``uint64``, ``bool``, ``float64``,
``none``, ``int64[2]`` (an array: its address, then its lengths), ``Memory(x,net)`` (a named tuple, followed
by the types of its fields) and ``(2)`` (a tuple of two).
"""

from __future__ import annotations

import ctypes
import struct
from array import array
from functools import cache
from typing import Any

import numpy as np

_WORD = 1 << 64


def flatten(value: Any, types: list[str], words: array[int]) -> None:
    """Add the types and words (each -2**63 .. 2**63 - 1) of an argument, which must outlive the words.

    Raises
    ------
    TypeError
        For an argument that no kernel takes.
    """
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("kernels take contiguous arrays only")
        types.append(_array_type(value.dtype, value.ndim))
        if not value.size:
            words.append(0)
        elif value.flags.writeable:  # what NumPy itself says takes four times as long
            words.append(ctypes.addressof(_BYTE.from_buffer(value)))
        else:
            words.append(value.__array_interface__["data"][0])
        words.extend(value.shape)
    elif isinstance(value, tuple):
        types.append(_tuple_type(type(value), len(value)))
        for part in value:
            flatten(part, types, words)
    elif value is None:
        types.append("none")
    else:
        name = _NAMES.get(type(value)) or _int_name(value)
        types.append(name)
        words.append(as_word(value, name))


_BYTE: Any = ctypes.c_char
_NAMES = {bool: "bool", np.bool_: "bool", float: "float64", np.float64: "float64"} | {
    kind: np.dtype(kind).name for kind in (np.int64, np.uint64, np.int32, np.uint32, np.uint8)
}


def _int_name(value: Any) -> str:
    if type(value) is not int:
        raise TypeError(f"no kernel takes a {type(value).__name__}")
    return "int64" if value < _WORD >> 1 else "uint64"


@cache
def _array_type(dtype: np.dtype[Any], dimensions: int) -> str:
    return f"{dtype.name}[{dimensions}]"


@cache
def _tuple_type(kind: type, length: int) -> str:
    fields = getattr(kind, "_fields", None)
    return f"({length})" if fields is None else f"{kind.__name__}({','.join(fields)})"


def as_word(value: Any, name: str) -> int:
    """Return the bits of a number as a signed word."""
    if name == "float64":
        return int(struct.unpack("q", struct.pack("d", value))[0])
    number = int(value)
    return number - _WORD if number >= _WORD >> 1 else number
