"""Machine instructions that Numba has no public spelling for, with plain twins for stepping through.

The vectors are LLVM's own of eight words: one register where the machine has such, else as many as it takes.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from cpqueens.kernels.jit import is_compiled

WORD = ir.IntType(64)
EIGHT = ir.VectorType(WORD, 8)


def _popcount(typing_context: Any, word: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), generate


def _lowest(typing_context: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return word(word), generate


def array_data(
    context: Any, builder: Any, signature: Any, arguments: Any, place: int, index: Any = None
) -> Any:
    """Return a pointer to an element, the first without ``index``, of the array argument at ``place``."""
    data = context.make_array(signature.args[place])(context, builder, arguments[place]).data
    return data if index is None else builder.gep(data, [index])


def load_eight(builder: Any, pointer: Any) -> Any:
    """Load eight words."""
    return builder.load(builder.bitcast(pointer, EIGHT.as_pointer()), align=8)


def store_eight(builder: Any, value: Any, pointer: Any) -> None:
    """Store eight words."""
    builder.store(value, builder.bitcast(pointer, EIGHT.as_pointer()), align=8)


def _or_eight(typing_context: Any, table: Any, to: Any, a: Any, rows: Any, b: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def row(array: int, index: int) -> Any:
            return array_data(context, builder, signature, arguments, array, arguments[index])

        union = builder.or_(load_eight(builder, row(0, 2)), load_eight(builder, row(3, 4)))
        store_eight(builder, union, row(0, 1))
        return context.get_dummy_value()

    return types.void(table, types.uint64, types.uint64, rows, types.uint64), generate


def _add_conflicts(typing_context: Any, sums: Any, others: Any, table: Any, words: Any, first: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(place: int, index: Any = None) -> Any:
            return array_data(context, builder, signature, arguments, place, index)

        # llvmlite's own ctpop takes no vectors
        kind = ir.FunctionType(EIGHT, [EIGHT])
        name = "llvm.ctpop.v8i64"
        count = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        others_row = load_eight(builder, data(1))
        total = load_eight(builder, data(0))
        for j in range(4):
            place = builder.add(arguments[4], WORD(j))
            word = builder.zext(builder.load(data(3, place)), WORD)
            union = others_row
            for g in range(5):
                choice = builder.and_(builder.lshr(word, WORD(6 * g)), WORD(63))
                row = builder.add(builder.shl(choice, WORD(3)), WORD(512 * g))
                union = builder.or_(union, load_eight(builder, data(2, row)))
            total = builder.add(total, builder.call(count, [union]))
        store_eight(builder, total, data(0))
        return context.get_dummy_value()

    return types.void(sums, others, table, words, types.uint64), generate


def _plain_or_eight(table: Any, to: Any, a: Any, rows: Any, b: Any) -> None:
    table[to : to + 8] = table[a : a + 8] | rows[b : b + 8]


def _plain_add_conflicts(sums: Any, others: Any, table: Any, words: Any, first: Any) -> None:
    for word in words[int(first) : int(first) + 4].tolist():
        union = others.copy()
        for g in range(5):
            row = 512 * g + 8 * (word >> 6 * g & 63)
            union |= table[row : row + 8]
        for k in range(8):
            sums[k] += _plain_popcount(union[k])


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

add_conflicts: Any = intrinsic(_add_conflicts) if is_compiled() else _plain_add_conflicts
"""Add to each of ``sums`` (8,) how many bits of that word four unions of six rows have.

``add_conflicts(sums, others, table, words, first)``: for each of the 32-bit ``words[first : first + 4]``, the
union of ``others`` (8,) and, for g < 5, row ``word >> 6 * g & 63`` of group g of ``table`` (5 * 64 * 8,).
All but ``words`` are uint64, and nothing is checked. Written as vectors of eight words because LLVM left to
itself uses half registers for this loop (1.7 times slower where vectors of 512 bits are at hand).
"""
