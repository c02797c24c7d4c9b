"""Machine instructions that Numba has no public spelling for, with plain twins for stepping through.

The vectors are LLVM's own of eight words: one register where the machine has such, else as many as it takes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from cpqueens.kernels.jit import is_compiled


def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), generate


def _lowest(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return word(word), generate


def _or_eight(typing_context: Any, table: Any, to: Any, a: Any, rows: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(64), 8).as_pointer()

        def pointer(array: int, index: int) -> Any:
            data = context.make_array(signature.args[array])(context, builder, arguments[array]).data
            return builder.bitcast(builder.gep(data, [arguments[index]]), vector)

        union = builder.or_(builder.load(pointer(0, 2), align=8), builder.load(pointer(3, 4), align=8))
        builder.store(union, pointer(0, 1), align=8)
        return context.get_dummy_value()

    return types.void(table, types.uint64, types.uint64, rows, types.uint64), generate


def _plain_or_eight(table: Any, to: Any, a: Any, rows: Any, b: Any) -> None:
    table[to : to + 8] = table[a : a + 8] | rows[b : b + 8]


def _plain_popcount(word: Any) -> Any:
    return type(word)(int(word).bit_count())


def _plain_lowest(word: Any) -> Any:
    return type(word)((int(word) & -int(word)).bit_length() - 1)


popcount: Any = intrinsic(_popcount) if is_compiled() else _plain_popcount
"""Return the number of bits set in an unsigned word, as a word of the same type."""

lowest: Any = intrinsic(_lowest) if is_compiled() else _plain_lowest
"""Return the number of the lowest bit set in an unsigned word other than 0, as a word of the same type."""

or_eight: Any = intrinsic(_or_eight) if is_compiled() else _plain_or_eight
"""Set ``table[to : to + 8] = table[a : a + 8] | rows[b : b + 8]``; uint64 arrays and indices, unchecked."""
