"""LLVM code of the instructions in `lanes`, for Numba."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types

from cpqueens.kernels.jit.bits_code import EIGHT, array_data, load_eight, store_eight
from cpqueens.kernels.jit.lanes import ALL, FACTORS, LANES, ROW, STEP, TOP


def _splat(builder: Any, value: Any) -> Any:
    one = builder.insert_element(ir.Constant(EIGHT, ir.Undefined), value, ir.IntType(32)(0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(EIGHT, ir.Undefined), zeros)


def _constant(value: int) -> Any:
    return ir.Constant(EIGHT, [value] * LANES)


class _Writer:
    """What the instructions share: the builder, the arguments, loads of eight entries."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self.all = (context, builder, signature, arguments)
        self.builder, self.arguments = builder, arguments

    def number(self, place: int) -> Any:
        """Return the argument at ``place`` in every lane."""
        return _splat(self.builder, self.arguments[place])

    def pointer(self, array: int, *places: int) -> Any:
        """Return a pointer to the entry whose number is the sum of the arguments at ``places``."""
        index = self.arguments[places[0]]
        for place in places[1:]:
            index = self.builder.add(index, self.arguments[place])
        return array_data(*self.all, array, index)

    def load(self, array: int, *places: int) -> Any:
        """Return eight entries."""
        return load_eight(self.builder, self.pointer(array, *places))

    def bit(self, index: Any) -> Any:
        """Return 1 << index in every lane."""
        return self.builder.shl(_constant(1), index)

    def lanes(self, place: int) -> Any:
        """Return the numbers of the eight entries from the argument at ``place`` on."""
        return self.builder.add(self.number(place), ir.Constant(EIGHT, list(range(LANES))))

    def product(self, a: Any, b: Any) -> Any:
        """Multiply factors of 32 bits, which takes a third of the time of 64 bits."""
        half = ir.VectorType(ir.IntType(32), LANES)
        a, b = (self.builder.sext(self.builder.trunc(factor, half), EIGHT) for factor in (a, b))
        return self.builder.mul(a, b)

    def function(self, name: str, result: Any) -> Any:
        """Return an instruction of LLVM's from eight words."""
        kind = ir.FunctionType(result, [EIGHT])
        return cgutils.get_or_insert_function(self.builder.module, kind, name)  # type: ignore[no-untyped-call]

    def first_key(self, score: Any, allowed: Any, lanes: Any, salt: int) -> Any:
        """Return the largest of the lanes' keys: score, then a number hashed from ``salt``, then the lane."""
        b = self.builder
        mixed = b.add(self.number(salt), b.mul(lanes, _constant(STEP)))
        for factor in FACTORS:
            mixed = b.and_(b.mul(mixed, _constant(factor)), _constant(ALL))
            mixed = b.xor(mixed, b.lshr(mixed, _constant(15)))
        mixed = b.and_(mixed, _constant(0xFFFF0000))
        key = b.or_(b.or_(b.shl(score, _constant(32)), mixed), lanes)
        key = b.select(allowed, key, _constant(0))
        return b.call(self.function("llvm.vector.reduce.umax.v8i64", ir.IntType(64)), [key])


def most_key(typing_context: Any, errors: Any, j: Any, n: Any, tabu: Any, now: Any, salt: Any) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = _Writer(context, builder, signature, arguments)
        score, lanes = w.load(0, 1), w.lanes(1)
        inside = builder.icmp_signed("<", lanes, w.number(2))
        free = builder.icmp_signed("<=", w.load(3, 1), w.number(4))
        wrong = builder.icmp_signed(">", score, _constant(0))
        return w.first_key(score, builder.and_(builder.and_(inside, free), wrong), lanes, 5)

    word = types.int64
    return word(errors, word, word, tabu, word, word), generate


def least_key(
    typing_context: Any, out: Any, j: Any, n: Any, tabu: Any, now: Any, salt: Any, i: Any, bar: Any
) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = _Writer(context, builder, signature, arguments)
        change, lanes = w.load(0, 1), w.lanes(1)
        inside = builder.icmp_signed("<", lanes, w.number(2))
        free = builder.icmp_signed("<=", w.load(3, 1), w.number(4))
        aspired = builder.icmp_signed("<", change, w.number(7))
        other = builder.icmp_signed("!=", lanes, w.number(6))
        allowed = builder.and_(builder.and_(inside, other), builder.or_(free, aspired))
        return w.first_key(builder.sub(_constant(TOP), change), allowed, lanes, 5)

    word = types.int64
    return word(out, word, word, tabu, word, word, word, word), generate


def add_errors(typing_context: Any, errors: Any, j: Any, twice: Any, at: Any, p1: Any, p2: Any) -> Any:
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = _Writer(context, builder, signature, arguments)
        twice = w.number(2)
        total = w.load(0, 1)
        for first in (4, 5):
            here = builder.lshr(twice, w.load(3, first, 1))
            total = builder.add(total, builder.and_(here, _constant(1)))
        store_eight(builder, total, w.pointer(0, 1))
        return context.get_dummy_value()

    word = types.int64
    return types.void(errors, word, word, at, word, word), generate


def add_changes(
    typing_context: Any, out: Any, j: Any, change: Any, at: Any, factors: Any, p1: Any, p2: Any,
    once: Any, twice: Any, thrice: Any, number: Any, at1: Any, c1: Any, at2: Any, c2: Any, o1: Any, o2: Any,
) -> Any:  # fmt: skip
    """Write the instruction of this name."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = _Writer(context, builder, signature, arguments)
        count = w.function("llvm.ctpop.v8i64", EIGHT)
        d = w.load(2, 1)
        f1, f2 = w.load(3, 5, 1), w.load(3, 6, 1)
        e1, e2 = w.load(4, 5, 1), w.load(4, 6, 1)
        many = builder.select(builder.icmp_signed("==", f1, f2), w.number(9), w.number(8))
        gone = builder.and_(builder.or_(w.bit(f1), w.bit(f2)), builder.not_(many))
        left = builder.and_(w.number(7), builder.not_(gone))
        moved = [
            builder.add(w.number(11), w.product(w.number(12), d)),
            builder.add(w.number(13), w.product(w.number(14), d)),
            builder.sub(f1, w.product(e1, d)),
            builder.sub(f2, w.product(e2, d)),
        ]
        for index in moved:
            # & 63 only matters where i and j share a term: a shift by more is not defined
            left = builder.or_(left, w.bit(builder.and_(index, _constant(63))))
        distinct = builder.call(count, [builder.and_(left, _constant(ROW))])
        lanes = w.lanes(1)
        one, other = (builder.icmp_signed("==", lanes, w.number(o)) for o in (15, 16))
        surplus = builder.select(builder.or_(one, other), _constant(0), builder.sub(w.number(10), distinct))
        total = builder.add(w.load(0, 1), surplus)
        store_eight(builder, total, w.pointer(0, 1))
        return context.get_dummy_value()

    word = types.int64
    numbers = [word] * 12
    return types.void(out, word, change, at, factors, *numbers), generate
