"""Entries of arrays by numbers that are never negative, for the innermost loops.

Numba lets a negative number count from the end, as Python does, and tests every subscript for it. Where a
kernel reads ten entries for a handful of additions, that test is half of its time.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

from cpqueens.kernels.bits import array_data
from cpqueens.kernels.jit import is_compiled


def _entry(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(array_data(context, builder, signature, arguments, 0, arguments[1]))

    return array.dtype(array, types.int64), generate


def _put(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], array_data(context, builder, signature, arguments, 0, arguments[1]))
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), generate


def _plain_entry(array: Any, index: int) -> Any:
    assert index >= 0, "compiled it would read before the array"
    return array[index]


def _plain_put(array: Any, index: int, value: Any) -> None:
    assert index >= 0, "compiled it would write before the array"
    array[index] = value


entry: Any = intrinsic(_entry) if is_compiled() else _plain_entry
"""``entry(array, index)``: ``array[index]`` of a contiguous array for 0 <= index < its length, unchecked."""

put: Any = intrinsic(_put) if is_compiled() else _plain_put
"""``put(array, index, value)``: ``array[index] = value`` likewise."""
