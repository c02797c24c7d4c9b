"""Loops over eight variables at a time as vector instructions, for `search_triangle`.

Left to itself LLVM spends most of such short loops on finding out that the arrays do not overlap, which
here they never do. Plain twins serve ``NUMBA_DISABLE_JIT=1``. All arrays are int64 and have eight entries
more than are looked at; nothing is checked.
"""

from typing import Any

from cpqueens.kernels.jit.decorators import instruction

LANES = 8
ROW = (1 << 62) - 1
ALL = (1 << 32) - 1
TOP = 1 << 30  # larger than any change of violation here


# a step and factors that mix 32 bits well, all below 2**31 so that no product passes 63 bits
STEP = 0x9E3779B1 >> 1 | 1
FACTORS = (0x7FEB352D, 0x46AC12FD)


def _plain_key(score: int, v: int, salt: int) -> int:
    mixed = salt + v * STEP
    for factor in FACTORS:
        mixed = mixed * factor & ALL
        mixed ^= mixed >> 15
    return score << 32 | mixed & 0xFFFF0000 | v


@instruction
def most_key(errors: Any, j: int, n: int, tabu: Any, now: int, salt: int) -> int:
    """Return the key of the worst variable of j .. j + 7, below n.

    A key is compared with those of other blocks; its low 16 bits are the variable. Equal errors are ordered
    by a hash of the variable and ``salt``, a random number of 32 bits. 0 if all are tabu at ``now`` or
    without error.
    """
    keys = [0]
    for v in range(j, min(j + LANES, n)):
        if tabu[v] <= now and errors[v] > 0:
            keys.append(_plain_key(int(errors[v]), v, int(salt)))
    return max(keys)


@instruction
def least_key(out: Any, j: int, n: int, tabu: Any, now: int, salt: int, i: int, bar: int) -> int:
    """Return likewise the key of the least change ``out``, not of ``i``.

    Tabu variables are allowed with a change below ``bar``.
    """
    keys = [0]
    for v in range(j, min(j + LANES, n)):
        if v != i and (tabu[v] <= now or out[v] < bar):
            keys.append(_plain_key(TOP - int(out[v]), v, int(salt)))
    return max(keys)


@instruction
def add_errors(errors: Any, j: int, twice: int, at: Any, p1: int, p2: int) -> None:
    """Add to ``errors[v]``, j <= v < j + 8, how many bits ``at[p1 + v]``, ``at[p2 + v]`` are in ``twice``."""
    for v in range(j, j + LANES):
        errors[v] += ((twice >> int(at[p1 + v])) & 1) + ((twice >> int(at[p2 + v])) & 1)


@instruction
def add_changes(
    out: Any, j: int, change: Any, at: Any, factors: Any, p1: int, p2: int,
    once: int, twice: int, thrice: int, number: int, at1: int, c1: int, at2: int, c2: int, o1: int, o2: int,
) -> None:  # fmt: skip
    """Add to ``out[v]``, j <= v < j + 8, a row's surplus after i grows by ``change[v]`` and v shrinks by it.

    The terms of v in this row stand in ``at`` and ``factors`` from ``p1`` and ``p2`` on; those of i have the
    bits ``at1``, ``at2`` and the factors ``c1``, ``c2``, shared with ``o1``, ``o2``, which are left out.
    """
    for v in range(j, j + LANES):
        if v in (o1, o2):
            continue
        d, f1, f2 = int(change[v]), int(at[p1 + v]), int(at[p2 + v])
        many = thrice if f1 == f2 else twice
        left = int(once) & ~((1 << f1 | 1 << f2) & ~int(many))
        left |= 1 << (int(at1 + c1 * d) & 63) | 1 << (int(at2 + c2 * d) & 63)
        left |= 1 << ((f1 - int(factors[p1 + v]) * d) & 63) | 1 << ((f2 - int(factors[p2 + v]) * d) & 63)
        out[v] += number - (left & ROW).bit_count()
