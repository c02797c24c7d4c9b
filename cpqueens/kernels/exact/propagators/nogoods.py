"""Nogoods of restarts: the branches that were refuted are not searched again.

At each restart the path is kept, its decisions in order and among them the opposites of those that were
refuted; each of these follows from the decisions before it, whenever they hold. After Lee, Schulte and Zhu
(2016), "Increasing nogoods in restart-based search" (light filtering), and Lecoutre, Sais, Tabary and Vidal
(2007), "Recording and minimizing nogoods from restarts".
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.branching import AT_MOST, EQUAL, limit
from cpqueens.kernels.exact.domains import Memory, contains, set_word, word
from cpqueens.kernels.exact.nogoods import ITEM, ITEMS, KIND, PATHS, SIGN, VALUE, VARIABLE
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.entries import entry

OPEN, HOLDS, FAILS = range(3)


@inner_kernel
def standing(m: Memory, item: int) -> Any:
    """Say whether a decision holds, fails, or neither yet."""
    v, kind, value = entry(m.net, item + VARIABLE), entry(m.net, item + KIND), entry(m.net, item + VALUE)
    low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    if kind == EQUAL:
        if not contains(m, v, value):
            return FAILS
        return HOLDS if low == high else OPEN
    if kind == AT_MOST:
        return HOLDS if high <= value else FAILS if low > value else OPEN
    return HOLDS if low >= value else FAILS if high < value else OPEN


@inner_kernel
def oppose(m: Memory, item: int) -> Any:
    """Make the opposite of a decision true."""
    opposite = -1 - entry(m.net, item + KIND)
    return limit(m, entry(m.net, item + VARIABLE), opposite, entry(m.net, item + VALUE))


@propagator
def nogoods(m: Memory, p: int) -> Any:
    """Prune by all paths: a reversible word for each says which of its items is looked at."""
    rows = entry(m.net, p + at.ROWS)
    for path in range(min(PATHS, entry(m.net, rows))):
        r = entry(m.net, p + at.RESULT) + path * at.WORD_WIDTH
        first = rows + 1 + path * (1 + ITEMS * ITEM)
        end = first + 1 + entry(m.net, first) * ITEM
        item = first + 1 + word(m, r) * ITEM
        while item < end:
            if entry(m.net, item + SIGN) < 0:
                if not oppose(m, item):
                    return 0
            else:
                found = standing(m, item)
                if found == FAILS:
                    item = end
                    break
                if found == OPEN:
                    refuted = item + ITEM
                    while refuted < end and entry(m.net, refuted + SIGN) < 0:
                        if standing(m, refuted) == HOLDS:
                            if not oppose(m, item):
                                return 0
                            item = end
                            break
                        refuted += ITEM
                    break
            item += ITEM
        set_word(m, r, (item - first - 1) // ITEM)
    return 1
