"""Loops over eight variables at a time as vector instructions, for `search_triangle`.

Left to itself LLVM spends most of such short loops on finding out that the arrays do not overlap, which
here they never do. Plain twins serve ``NUMBA_DISABLE_JIT=1``. All arrays are int64 and have eight entries
more than are looked at; nothing is checked.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from cpqueens.kernels.bits import EIGHT, array_data, load_eight, store_eight
from cpqueens.kernels.jit import is_compiled

LANES = 8
ROW = (1 << 62) - 1
ALL = (1 << 32) - 1
TOP = 1 << 30  # larger than any change of violation here


# a step and factors that mix 32 bits well, all below 2**31 so that no product passes 63 bits
_STEP = 0x9E3779B1 >> 1 | 1
_FACTORS = (0x7FEB352D, 0x46AC12FD)


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
        mixed = b.add(self.number(salt), b.mul(lanes, _constant(_STEP)))
        for factor in _FACTORS:
            mixed = b.and_(b.mul(mixed, _constant(factor)), _constant(ALL))
            mixed = b.xor(mixed, b.lshr(mixed, _constant(15)))
        mixed = b.and_(mixed, _constant(0xFFFF0000))
        key = b.or_(b.or_(b.shl(score, _constant(32)), mixed), lanes)
        key = b.select(allowed, key, _constant(0))
        return b.call(self.function("llvm.vector.reduce.umax.v8i64", ir.IntType(64)), [key])


def _add_errors(typing_context: Any, errors: Any, j: Any, twice: Any, at: Any, p1: Any, p2: Any) -> Any:
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


def _add_changes(
    typing_context: Any, out: Any, j: Any, change: Any, at: Any, factors: Any, p1: Any, p2: Any,
    once: Any, twice: Any, thrice: Any, number: Any, at1: Any, c1: Any, at2: Any, c2: Any, o1: Any, o2: Any,
) -> Any:  # fmt: skip
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


def _plain_add_errors(errors: Any, j: int, twice: int, at: Any, p1: int, p2: int) -> None:
    for v in range(j, j + LANES):
        errors[v] += ((twice >> int(at[p1 + v])) & 1) + ((twice >> int(at[p2 + v])) & 1)


def _plain_add_changes(
    out: Any, j: int, change: Any, at: Any, factors: Any, p1: int, p2: int,
    once: int, twice: int, thrice: int, number: int, at1: int, c1: int, at2: int, c2: int, o1: int, o2: int,
) -> None:  # fmt: skip
    for v in range(j, j + LANES):
        if v in (o1, o2):
            continue
        d, f1, f2 = int(change[v]), int(at[p1 + v]), int(at[p2 + v])
        many = thrice if f1 == f2 else twice
        left = int(once) & ~((1 << f1 | 1 << f2) & ~int(many))
        left |= 1 << (int(at1 + c1 * d) & 63) | 1 << (int(at2 + c2 * d) & 63)
        left |= 1 << ((f1 - int(factors[p1 + v]) * d) & 63) | 1 << ((f2 - int(factors[p2 + v]) * d) & 63)
        out[v] += number - (left & ROW).bit_count()


def _most_key(typing_context: Any, errors: Any, j: Any, n: Any, tabu: Any, now: Any, salt: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        w = _Writer(context, builder, signature, arguments)
        score, lanes = w.load(0, 1), w.lanes(1)
        inside = builder.icmp_signed("<", lanes, w.number(2))
        free = builder.icmp_signed("<=", w.load(3, 1), w.number(4))
        wrong = builder.icmp_signed(">", score, _constant(0))
        return w.first_key(score, builder.and_(builder.and_(inside, free), wrong), lanes, 5)

    word = types.int64
    return word(errors, word, word, tabu, word, word), generate


def _least_key(
    typing_context: Any, out: Any, j: Any, n: Any, tabu: Any, now: Any, salt: Any, i: Any, bar: Any
) -> Any:
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


def _plain_key(score: int, v: int, salt: int) -> int:
    mixed = salt + v * _STEP
    for factor in _FACTORS:
        mixed = mixed * factor & ALL
        mixed ^= mixed >> 15
    return score << 32 | mixed & 0xFFFF0000 | v


def _plain_most_key(errors: Any, j: int, n: int, tabu: Any, now: int, salt: int) -> int:
    keys = [0]
    for v in range(j, min(j + LANES, n)):
        if tabu[v] <= now and errors[v] > 0:
            keys.append(_plain_key(int(errors[v]), v, int(salt)))
    return max(keys)


def _plain_least_key(out: Any, j: int, n: int, tabu: Any, now: int, salt: int, i: int, bar: int) -> int:
    keys = [0]
    for v in range(j, min(j + LANES, n)):
        if v != i and (tabu[v] <= now or out[v] < bar):
            keys.append(_plain_key(TOP - int(out[v]), v, int(salt)))
    return max(keys)


most_key: Any = intrinsic(_most_key) if is_compiled() else _plain_most_key
"""``most_key(errors, j, n, tabu, now, salt)``: the key of the worst variable of j .. j + 7, below n.

A key is compared with those of other blocks; its low 16 bits are the variable. Equal errors are ordered by a
hash of the variable and ``salt``, a random number of 32 bits. 0 if all are tabu at ``now`` or without error.
"""

least_key: Any = intrinsic(_least_key) if is_compiled() else _plain_least_key
"""``least_key(out, j, n, tabu, now, salt, i, bar)``: likewise for the least change ``out``, not of ``i``,
where tabu variables are allowed with a change below ``bar``."""

add_errors: Any = intrinsic(_add_errors) if is_compiled() else _plain_add_errors
"""``add_errors(errors, j, twice, at, p1, p2)``: for v in j .. j + 7, add to ``errors[v]`` how many of the
bits ``at[p1 + v]`` and ``at[p2 + v]`` are in ``twice``."""

add_changes: Any = intrinsic(_add_changes) if is_compiled() else _plain_add_changes
"""Add to ``out[v]``, v in j .. j + 7, the surplus of a row after i grows by ``change[v]``, v shrinks by it.

``add_changes(out, j, change, at, factors, p1, p2, once, twice, thrice, number, at1, c1, at2, c2, o1, o2)``:
the terms of v in this row stand in ``at`` and ``factors`` from ``p1`` and ``p2`` on; those of i have the bits
``at1``, ``at2`` and the factors ``c1``, ``c2``, and are shared with ``o1`` and ``o2``, which are left out.
"""
