"""A circuit whose arcs have costs in a linear row: what every tour costs at least.

Held and Karp, "The traveling-salesman problem and minimum spanning trees" (1970): a tour is, directions
aside, a tree over all nodes but the first and two edges at that, so the lightest such thing costs no more.
Potentials, added to both edges at a node and taken off twice, change no tour and draw the tree towards one;
they are kept from call to call. An arc goes that would make the tree too dear (Benchimol, van Hoeve, Regin,
Rousseau and Rueher 2012, "Improved filtering for weighted circuit constraints").

The arguments are the successors, then the rest of the row, which is ``<= 0``. Its constant is that of the
record and, where it is the objective, that of the objective's propagator. `ROWS` has the number of nodes, the
objective's propagator (-1: none), `ROOM` numbers for each node, three squares of nodes: the costs of arcs,
times `SCALE`, `ABSENT` where there is none; edges; the dearest edge between two nodes in the tree.
"""

from typing import Any

import numpy as np

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, remove, tighten
from cpqueens.kernels.exact.propagators.circuit import follower
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

NODES, OBJECTIVE, HEADER = range(3)

# Numbers of a node: its potential and the best one met, its edges in the tree, the lightest edge to it and
# where that comes from, whether it waits for one, the nodes in the order in which they came.
POTENTIAL, KEPT, DEGREE, LEAST, PARENT, WAITING, ORDER, ROOM = range(8)
COSTS, EDGES, DEAREST, SQUARES = range(4)

SCALE = 64
"""Parts of a unit of cost, in which potentials are counted."""
LARGEST = 1 << 34
"""No cost is greater, nor is what the row leaves for a tour taken for more."""
ABSENT = 1 << 58
"""More than any tree weighs."""
DECIDED = 1 << 54
"""Taken off an edge that the tree must have; still more than any tree weighs."""

_MOST_TREES, _PATIENCE, _FACTOR = 400, 9, 16
_FARTHEST = 1 << 46


@inner_kernel
def nodes_of(m: Memory, p: int) -> Any:
    """Return the number of nodes."""
    return entry(m.net, entry(m.net, p + at.ROWS) + NODES)


@inner_kernel
def room(m: Memory, p: int, field: int, i: int) -> Any:
    """Return where a number of a node is."""
    return entry(m.net, p + at.ROWS) + HEADER + ROOM * i + field


@inner_kernel
def square(m: Memory, p: int, which: int, i: int, j: int) -> Any:
    """Return where a number of two nodes is."""
    count = nodes_of(m, p)
    return entry(m.net, p + at.ROWS) + HEADER + count * (ROOM + count * which + i) + j


@inner_kernel
def arc(m: Memory, p: int, i: int, j: int) -> Any:
    """Return what an arc costs, without potentials."""
    v = follower(m, p, i)
    if not contains(m, v, j):
        return ABSENT
    cost = entry(m.net, square(m, p, COSTS, i, j))
    return cost - DECIDED if entry(m.x, v + at.LOW) == entry(m.x, v + at.HIGH) else cost


@inner_kernel
def read_edges(m: Memory, p: int) -> None:
    """Give each edge the cost of its cheaper arc, of those that are left."""
    for i in range(nodes_of(m, p)):
        for j in range(i):
            cost = min(arc(m, p, i, j), arc(m, p, j, i))
            put(m.net, square(m, p, EDGES, i, j), cost)
            put(m.net, square(m, p, EDGES, j, i), cost)


@inner_kernel
def edge(m: Memory, p: int, i: int, j: int) -> Any:
    """Return what an edge costs with potentials."""
    potentials = entry(m.net, room(m, p, POTENTIAL, i)) + entry(m.net, room(m, p, POTENTIAL, j))
    return entry(m.net, square(m, p, EDGES, i, j)) + potentials


@inner_kernel
def take(m: Memory, p: int, i: int, j: int, cost: int) -> Any:
    """Count an edge for both of its nodes, and return its cost."""
    for node in (i, j):
        put(m.net, room(m, p, DEGREE, node), entry(m.net, room(m, p, DEGREE, node)) + 1)
    return cost + DECIDED if cost < -DECIDED // 2 else cost


@inner_kernel
def lightest(m: Memory, p: int) -> Any:
    """Return the node with the lightest edge to it, of those that wait; it waits no more."""
    best, least = -1, np.int64(4 * ABSENT)
    for j in range(1, nodes_of(m, p)):
        if entry(m.net, room(m, p, WAITING, j)) and entry(m.net, room(m, p, LEAST, j)) < least:
            best, least = j, entry(m.net, room(m, p, LEAST, j))
    put(m.net, room(m, p, WAITING, best), 0)
    return best


@inner_kernel
def two_edges(m: Memory, p: int) -> Any:
    """Take two edges at node 0; return what they cost and the dearer one, `ABSENT` if there are none."""
    total = dearer = 0
    for j in range(1, nodes_of(m, p)):
        put(m.net, room(m, p, WAITING, j), 1)
        put(m.net, room(m, p, LEAST, j), edge(m, p, 0, j))
    for _ in range(2):
        taken = lightest(m, p)
        dearer = entry(m.net, room(m, p, LEAST, taken))
        if dearer > ABSENT // 2:
            return ABSENT, ABSENT
        total += take(m, p, 0, taken, dearer)
    return total, dearer


@inner_kernel
def tree(m: Memory, p: int) -> Any:
    """Take the lightest tree over all nodes but 0, and return its cost, `ABSENT` if there is none (Prim)."""
    count = nodes_of(m, p)
    total, last = 0, 1
    for j in range(1, count):
        put(m.net, room(m, p, WAITING, j), j != last)
        put(m.net, room(m, p, LEAST, j), 2 * ABSENT)
    put(m.net, room(m, p, ORDER, 0), last)
    for place in range(1, count - 1):
        for j in range(1, count):
            if entry(m.net, room(m, p, WAITING, j)):
                cost = edge(m, p, last, j)
                if cost < entry(m.net, room(m, p, LEAST, j)):
                    put(m.net, room(m, p, LEAST, j), cost)
                    put(m.net, room(m, p, PARENT, j), last)
        last = lightest(m, p)
        cost = entry(m.net, room(m, p, LEAST, last))
        if cost > ABSENT // 2:
            return ABSENT
        total += take(m, p, last, entry(m.net, room(m, p, PARENT, last)), cost)
        put(m.net, room(m, p, ORDER, place), last)
    return total


@inner_kernel
def weigh(m: Memory, p: int) -> Any:
    """Return what a tour costs at least with these potentials, and the dearer edge at node 0."""
    potentials = 0
    m.stack[at.WORK] += nodes_of(m, p) ** 2 >> 4
    for i in range(nodes_of(m, p)):
        potentials += entry(m.net, room(m, p, POTENTIAL, i))
        put(m.net, room(m, p, DEGREE, i), 0)
    total, dearer = two_edges(m, p)
    rest = tree(m, p)
    if total >= ABSENT or rest >= ABSENT:
        return ABSENT, ABSENT
    return total + rest - 2 * potentials, dearer


@inner_kernel
def keep(m: Memory, p: int, source: int, target: int) -> None:
    """Copy the potentials."""
    for i in range(nodes_of(m, p)):
        put(m.net, room(m, p, target, i), entry(m.net, room(m, p, source, i)))


@inner_kernel
def move(m: Memory, p: int, way: int) -> Any:
    """Raise potentials of nodes with too many edges, lower those with too few; say whether any moved."""
    uneven = 0
    for i in range(nodes_of(m, p)):
        uneven += (entry(m.net, room(m, p, DEGREE, i)) - 2) ** 2
    step = way // uneven if uneven else 0
    for i in range(nodes_of(m, p)):
        place = room(m, p, POTENTIAL, i)
        moved = entry(m.net, place) + step * (entry(m.net, room(m, p, DEGREE, i)) - 2)
        put(m.net, place, min(max(moved, -_FARTHEST), _FARTHEST))
    return step > 0


@inner_kernel
def bound(m: Memory, p: int, most: int) -> Any:
    """Return what a tour costs at least, with good potentials; above ``most`` it is not looked further."""
    best = -ABSENT
    failures, factor = 0, _FACTOR
    for _ in range(_MOST_TREES):
        total, _dearer = weigh(m, p)
        if total > most:
            return total
        if total > best:
            best, failures = total, 0
            keep(m, p, POTENTIAL, KEPT)
        else:
            failures += 1
            factor = max(1, factor - factor // 4)
        way = min(most - total, abs(total) // 16 + SCALE) * factor // _FACTOR
        if failures > _PATIENCE or not move(m, p, 2 * way):
            break
    keep(m, p, KEPT, POTENTIAL)
    return best


@inner_kernel
def find_dearest(m: Memory, p: int) -> None:
    """Note the dearest edge between any two nodes of the tree."""
    for place in range(nodes_of(m, p) - 1):
        j = entry(m.net, room(m, p, ORDER, place))
        for before in range(place):
            i, parent = entry(m.net, room(m, p, ORDER, before)), entry(m.net, room(m, p, PARENT, j))
            dearest = entry(m.net, room(m, p, LEAST, j))
            if i != parent:
                dearest = max(dearest, entry(m.net, square(m, p, DEAREST, i, parent)))
            put(m.net, square(m, p, DEAREST, i, j), dearest)
            put(m.net, square(m, p, DEAREST, j, i), dearest)


@inner_kernel
def remove_arcs(m: Memory, p: int, slack: int, dearer: int) -> Any:
    """Remove each arc that makes the tree dearer by more than ``slack``."""
    count = nodes_of(m, p)
    for i in range(count):
        v = follower(m, p, i)
        high = entry(m.x, v + at.HIGH)
        j = max(0, entry(m.x, v + at.LOW))
        while entry(m.x, v + at.LOW) < high and j <= min(high, count - 1):
            if i != j and contains(m, v, j):
                potentials = entry(m.net, room(m, p, POTENTIAL, i)) + entry(m.net, room(m, p, POTENTIAL, j))
                cost = entry(m.net, square(m, p, COSTS, i, j)) + potentials
                cost -= entry(m.net, square(m, p, DEAREST, i, j)) if i and j else dearer
                if cost > slack and not remove(m, v, j):
                    return 0
            j += 1
    return 1


@inner_kernel
def left_for_tour(m: Memory, p: int) -> Any:
    """Return what a tour may cost where the rest of the row is least."""
    left = -entry(m.net, p + at.CONSTANT)
    objective = entry(m.net, entry(m.net, p + at.ROWS) + OBJECTIVE)
    if objective >= 0:
        left -= entry(m.net, objective + at.CONSTANT)
    for k in range(entry(m.net, p + at.START) + 2 * nodes_of(m, p), entry(m.net, p + at.END), 2):
        a, v = entry(m.net, k + 1), entry(m.net, k)
        left -= a * (entry(m.x, v + at.LOW) if a > 0 else entry(m.x, v + at.HIGH))
    return left


@inner_kernel
def limit_rest(m: Memory, p: int, left: int) -> Any:
    """Let the rest of the row be at most so much above its least value."""
    for k in range(entry(m.net, p + at.START) + 2 * nodes_of(m, p), entry(m.net, p + at.END), 2):
        a, v = entry(m.net, k + 1), entry(m.net, k)
        low, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        if (high - low) * abs(a) > left:
            if a > 0:
                high = low + left // a
            else:
                low = high - left // -a
            if not tighten(m, v, low, high):
                return 0
    return 1


@propagator
def tour_bound(m: Memory, p: int) -> Any:
    """Prune for a circuit and a row ``<= 0`` that has the costs of its arcs."""
    left = left_for_tour(m, p)
    most = min(max(left, -LARGEST), LARGEST) * SCALE
    read_edges(m, p)
    least = bound(m, p, most)
    if least > most:
        return 0
    if not limit_rest(m, p, left + -least // SCALE):
        return 0
    dearer = weigh(m, p)[1]
    find_dearest(m, p)
    return remove_arcs(m, p, most - least, dearer)
