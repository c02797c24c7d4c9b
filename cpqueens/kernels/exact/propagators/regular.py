"""Sequences that an automaton accepts: the layered graph (domain consistent).

Pesant, "A regular language membership constraint for finite sequences of variables" (2004). Nodes are states
after so many terms, arcs transitions; each layer's list has the arcs that are left first, and how many they
are is reversible. What no way from the first node to the last layer uses goes. Automata may be
nondeterministic, since all ways are kept.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, set_word, word
from cpqueens.kernels.exact.value_marks import keep_marked, mark, mark_all
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# The numbers: the mark of the last pass, where the marks of the nodes are, and for each layer where its list
# of arcs begins.
STAMP, MARKS, LAYERS = range(3)

# An arc.
TAIL, VALUE, HEAD, ARC = range(4)

# Reversible words: whether the values have been looked at, then the number of arcs by layer.
LOOKED, COUNTS = range(2)


@inner_kernel
def arcs_of(m: Memory, p: int, layer: int) -> Any:
    """Return where a layer's arcs begin, and where their number is."""
    t = entry(m.net, p + at.ROWS)
    return t + entry(m.net, t + LAYERS + layer), entry(m.net, p + at.RESULT) + at.WORD_WIDTH * (
        COUNTS + layer
    )


@inner_kernel
def exchange(m: Memory, a: int, b: int) -> None:
    """Exchange two arcs."""
    for k in range(ARC):
        number = entry(m.net, a + k)
        put(m.net, a + k, entry(m.net, b + k))
        put(m.net, b + k, number)


@inner_kernel
def keep_arcs(m: Memory, p: int, layer: int, forward: bool, last: bool) -> Any:
    """Keep the arcs from marked nodes by a value that is left, or to marked ones; mark their other ends."""
    t, v = entry(m.net, p + at.ROWS), entry(m.net, entry(m.net, p + at.START) + 2 * layer)
    marks, stamp = t + entry(m.net, t + MARKS), entry(m.net, t + STAMP)
    arcs, r = arcs_of(m, p, layer)
    many = word(m, r)
    for k in range(many - 1, -1, -1):
        arc = arcs + ARC * k
        near, far = marks + entry(m.net, arc + TAIL), marks + entry(m.net, arc + HEAD)
        if forward:
            kept = entry(m.net, near) == stamp and contains(m, v, entry(m.net, arc + VALUE))
        else:
            near, far = far, near
            kept = last or entry(m.net, near) == stamp
        if kept:
            put(m.net, far, stamp)
        else:
            many -= 1
            exchange(m, arc, arcs + ARC * many)
    changed = many < word(m, r)
    set_word(m, r, many)
    return many, changed


@inner_kernel
def keep_values(m: Memory, p: int, layer: int) -> Any:
    """Keep the values that some arc of a layer has."""
    v = entry(m.net, entry(m.net, p + at.START) + 2 * layer)
    arcs, r = arcs_of(m, p, layer)
    least, most = entry(m.x, v + at.HIGH) + 1, entry(m.x, v + at.LOW) - 1
    mark_all(m, v, 0)
    for arc in range(arcs, arcs + ARC * word(m, r), ARC):
        value = entry(m.net, arc + VALUE)
        least, most = min(least, value), max(most, value)
        mark(m, v, value)
    return keep_marked(m, v, least, most)


@inner_kernel
def new_stamp(m: Memory, t: int) -> None:
    """Unmark all nodes."""
    put(m.net, t + STAMP, entry(m.net, t + STAMP) + 1)


@propagator
def regular(m: Memory, p: int) -> Any:
    """Prune the terms that an automaton reads."""
    t, looked = entry(m.net, p + at.ROWS), entry(m.net, p + at.RESULT) + at.WORD_WIDTH * LOOKED
    count = (entry(m.net, p + at.END) - entry(m.net, p + at.START)) // 2
    new_stamp(m, t)
    put(m.net, t + entry(m.net, t + MARKS), entry(m.net, t + STAMP))  # the first node
    changes = 1 - word(m, looked)
    for layer in range(count):
        left, changed = keep_arcs(m, p, layer, True, False)
        if not left:
            return 0
        changes += changed
    if not changes:
        return 1
    new_stamp(m, t)
    for layer in range(count - 1, -1, -1):
        keep_arcs(m, p, layer, False, layer == count - 1)
        if not keep_values(m, p, layer):
            return 0
    set_word(m, looked, 1)
    return 1
