"""Nogoods of restarts: the branches that were refuted are not searched again.

At each restart the path is kept, its decisions in order and among them the opposites of those that were
refuted; each of these follows from the decisions before it, whenever they hold. After Lee, Schulte and Zhu
(2016), "Increasing nogoods in restart-based search" (light filtering), and Lecoutre, Sais, Tabary and Vidal
(2007), "Recording and minimizing nogoods from restarts".

Where the propagator of nogoods keeps paths, and how a restart writes one.

Its numbers are how many paths there were, and room for `PATHS`, each a length and `ITEMS` items: sign (-1:
refuted), variable, kind and value of a decision. The oldest path makes room for a new one.
"""

from typing import Any

from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.branching import AT_MOST, EQUAL, TreeSearch, limit
from cpqueens.kernels.exact.domains import Memory, contains, set_word, word
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

PATHS, ITEMS = 48, 100
SIGN, VARIABLE, KIND, VALUE, ITEM = range(5)
NUMBERS = 1 + PATHS * (1 + ITEMS * ITEM)


@inner_kernel
def write(m: Memory, item: int, sign: int, variable: int, kind: int, value: int) -> None:
    """Write an item."""
    put(m.net, item + SIGN, sign)
    put(m.net, item + VARIABLE, variable)
    put(m.net, item + KIND, kind)
    put(m.net, item + VALUE, value)


@inner_kernel
def keep_path(m: Memory, q: TreeSearch) -> None:
    """Keep the path of the search, up to its last refuted decision, as far as there is room.

    What was refuted at the root is not written down: it is undone no more.
    """
    p = q.options[tree.NOGOOD]
    rows = entry(m.net, p + at.ROWS)
    place = entry(m.net, rows) % PATHS
    first = rows + 1 + place * (1 + ITEMS * ITEM)
    used = length = k = 0
    while k < q.state[tree.REFUTED] and q.refuted[k, tree.BELOW] == 0:
        k += 1
    for depth in range(q.state[tree.DEPTH]):
        if used == ITEMS or k == q.state[tree.REFUTED]:
            break
        level = q.levels[depth]
        write(m, first + 1 + used * ITEM, 1, level[tree.VARIABLE], level[tree.DECISION], level[tree.VALUE])
        used += 1
        while used < ITEMS and k < q.state[tree.REFUTED] and q.refuted[k, tree.BELOW] == depth + 1:
            row = q.refuted[k]
            write(
                m, first + 1 + used * ITEM, -1,
                row[tree.R_VARIABLE], row[tree.R_DECISION], row[tree.R_VALUE],
            )  # fmt: skip
            q.state[tree.NOGOODS] += 1
            used += 1
            k += 1
            length = used
    if length:
        put(m.net, first, length)
        put(m.net, rows, entry(m.net, rows) + 1)
        put(m.x, entry(m.net, p + at.RESULT) + place * at.WORD_WIDTH, 0)


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
