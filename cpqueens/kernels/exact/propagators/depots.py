"""Tours of which each has one depot: a chain of decided arcs may close where it has one, and meet no second.

The bookkeeping of chains is that of circuits (Caseau and Laburthe, "Solving small TSPs with constraints",
1997). That successors are different nodes is said apart.

Room of the propagator: `ROOM` numbers for each node.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, is_open, remove
from cpqueens.kernels.exact.propagators.circuit import follower, nodes_of
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# Numbers of a node: whether it is a depot, what is known of the arcs to it, and of a head with a depot the
# last node of its chain.
DEPOT, MARK, LAST, ROOM = range(4)

# Marks: no decided arc leads to it, so it is the head of a chain; one does; it was visited.
HEAD, LED_TO, VISITED = range(3)


@inner_kernel
def field(m: Memory, p: int, name: int, i: int) -> Any:
    """Return where a number of a node is."""
    return entry(m.net, p + at.ROWS) + ROOM * i + name


@inner_kernel
def mark_all(m: Memory, p: int) -> Any:
    """Mark the nodes to which a decided arc leads; return 0 if one leads away from all nodes."""
    count = nodes_of(m, p)
    for i in range(count):
        put(m.net, field(m, p, MARK, i), HEAD)
        put(m.net, field(m, p, LAST, i), -1)
    for i in range(count):
        v = follower(m, p, i)
        if not is_open(m, v):
            if not 0 <= entry(m.x, v + at.LOW) < count:
                return 0
            put(m.net, field(m, p, MARK, entry(m.x, v + at.LOW)), LED_TO)
    return 1


@inner_kernel
def follow(m: Memory, p: int, first: int) -> Any:
    """Visit the chain of a head; return 0 if it has two depots, or has none and cannot be kept open."""
    i, found = first, entry(m.net, field(m, p, DEPOT, first))
    for _ in range(nodes_of(m, p)):
        v = follower(m, p, i)
        if is_open(m, v):
            if found == 1:
                put(m.net, field(m, p, LAST, first), i)
                return 1
            return remove(m, v, first) if found == 0 else 0
        i = entry(m.x, v + at.LOW)
        found += entry(m.net, field(m, p, DEPOT, i))
        put(m.net, field(m, p, MARK, i), VISITED)
    return 0


@inner_kernel
def goes_round(m: Memory, p: int, first: int) -> Any:
    """Visit the cycle of a node; return whether it has one depot."""
    i, found = first, 0
    while entry(m.net, field(m, p, MARK, i)) == LED_TO:
        put(m.net, field(m, p, MARK, i), VISITED)
        found += entry(m.net, field(m, p, DEPOT, i))
        i = entry(m.x, follower(m, p, i) + at.LOW)
    return found == 1


@propagator
def depots(m: Memory, p: int) -> Any:
    """Prune the successors on tours that each have one depot."""
    if not mark_all(m, p):
        return 0
    count = nodes_of(m, p)
    for i in range(count):
        if entry(m.net, field(m, p, MARK, i)) == HEAD and not follow(m, p, i):
            return 0
    for i in range(count):
        if entry(m.net, field(m, p, MARK, i)) == LED_TO and not goes_round(m, p, i):
            return 0
    for i in range(count):
        last = entry(m.net, field(m, p, LAST, i))
        if last >= 0:
            for j in range(count):
                if (
                    j != i
                    and entry(m.net, field(m, p, LAST, j)) >= 0
                    and not remove(m, follower(m, p, last), j)
                ):
                    return 0
    return 1
