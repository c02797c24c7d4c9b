"""Where the propagator of nogoods keeps paths, and how a restart writes one.

Its numbers are how many paths there were, and room for `PATHS`, each a length and `ITEMS` items: sign (-1:
refuted), variable, kind and value of a decision. The oldest path makes room for a new one.
"""

from cpqueens.kernels.exact import branching as tree
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.branching import TreeSearch
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.entries import entry, put

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
