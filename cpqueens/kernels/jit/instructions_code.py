"""LLVM code of the instructions in `instructions`, for Numba.

Vectors of eight words are LLVM's own: one register where the machine has such, else as many as it takes.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types

WORD = ir.IntType(64)
EIGHT = ir.VectorType(WORD, 8)


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


def popcount(typing_context: Any, word: Any) -> Any:
    """Write the instruction of this name."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), generate


def lowest(typing_context: Any, word: Any) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        never_zero = context.get_constant(types.boolean, True)
        return builder.cttz(arguments[0], never_zero)

    return word(word), generate


def _two_rows(operation: str, index: Any) -> Any:
    """Return what writes: a row of one array and one of another, joined, go into the first array."""

    def write(typing_context: Any, table: Any, to: Any, a: Any, rows: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def row(array: int, index: int) -> Any:
                return array_data(context, builder, signature, arguments, array, arguments[index])

            join = getattr(builder, operation)
            store_eight(
                builder, join(load_eight(builder, row(0, 2)), load_eight(builder, row(3, 4))), row(0, 1)
            )
            return context.get_dummy_value()

        return types.void(table, index, index, rows, index), generate

    return write


or_eight, and_eight = _two_rows("or_", types.uint64), _two_rows("and_", types.int64)


def _onto_row(operation: str) -> Any:
    """Return what writes: a row of one array is changed by one of another."""

    def write(typing_context: Any, table: Any, to: Any, rows: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            target = array_data(context, builder, signature, arguments, 0, arguments[1])
            other = array_data(context, builder, signature, arguments, 2, arguments[3])
            join = getattr(builder, operation)
            store_eight(builder, join(load_eight(builder, target), load_eight(builder, other)), target)
            return context.get_dummy_value()

        return types.void(table, types.int64, rows, types.int64), generate

    return write


add_eight, take_eight = _onto_row("add"), _onto_row("sub")


def add_conflicts(typing_context: Any, sums: Any, others: Any, table: Any, words: Any, first: Any) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def data(place: int, index: Any = None) -> Any:
            return array_data(context, builder, signature, arguments, place, index)

        # llvmlite's own ctpop takes no vectors
        kind = ir.FunctionType(EIGHT, [EIGHT])
        name = "llvm.ctpop.v8i64"
        count = cgutils.get_or_insert_function(builder.module, kind, name)
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
