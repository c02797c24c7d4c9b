"""Lexicographic order: domain consistent where no variable occurs twice.

After Frisch, Hnich, Kiziltan, Miguel and Walsh (2002), "Global constraints for lexicographic orderings". Only
the first pair that is not decided (their alpha) can be pruned: what follows is free once it is less. Where
the rest cannot be in order (their beta) is looked for anew each time.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, set_word, tighten, word
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry


@inner_kernel
def rest_can_follow(m: Memory, k: int, end: int, strict: int) -> Any:
    """Say whether the pairs from ``k`` on can be in order, by the ends of their domains."""
    while k < end:
        least = entry(m.x, entry(m.net, k) + at.LOW)
        most = entry(m.x, entry(m.net, k + 2) + at.HIGH)
        if least != most:
            return least < most
        k += 4
    return not strict


@propagator
def lexicographic(m: Memory, p: int) -> Any:
    """Prune for "the first variables of the pairs come before the second", strictly where CONSTANT is 1.

    The pairs lie one after the other. The reversible word is how far they are decided, from START.
    """
    start, end = entry(m.net, p + at.START), entry(m.net, p + at.END)
    strict = entry(m.net, p + at.CONSTANT)
    decided = entry(m.net, p + at.RESULT)
    for k in range(start + word(m, decided), end, 4):
        x, y = entry(m.net, k), entry(m.net, k + 2)
        gap = 0 if rest_can_follow(m, k + 4, end, strict) else 1
        if not tighten(m, x, entry(m.x, x + at.LOW), entry(m.x, y + at.HIGH) - gap):
            return 0
        if not tighten(m, y, entry(m.x, x + at.LOW) + gap, entry(m.x, y + at.HIGH)):
            return 0
        if gap or entry(m.x, x + at.LOW) < entry(m.x, y + at.HIGH):
            return 1
        set_word(m, decided, k + 4 - start)
    return 1 if start < end else not strict
