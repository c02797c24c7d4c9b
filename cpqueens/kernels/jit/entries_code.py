"""LLVM code of the instructions in `entries`, for Numba."""

from typing import Any

from numba.core import types

from cpqueens.kernels.jit.bits_code import array_data


def entry(typing_context: Any, array: Any, index: Any) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(array_data(context, builder, signature, arguments, 0, arguments[1]))

    return array.dtype(array, types.int64), generate


def put(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], array_data(context, builder, signature, arguments, 0, arguments[1]))
        return context.get_dummy_value()

    return types.void(array, types.int64, array.dtype), generate
