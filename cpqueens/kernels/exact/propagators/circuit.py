"""Circuits and subcircuits: no early closing, and strongly connected components.

Caseau and Laburthe, "Solving small TSPs with constraints" (1997), for chains of decided arcs; Francis and
Stuckey, "Explaining circuit propagation" (2014), for what a depth-first search of the arcs that are left
tells. That successors are different nodes is said apart. The constant of the record is 1 for a subcircuit.

Room of the propagator: the node at which the last search began, then `ROOM` numbers for each node.
"""

from typing import Any

from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains, is_open, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# Numbers of a node: what is known of the arcs to it, its number in the search (0 not found, -1 in
# a closed component), the least number that it reaches, the next value to follow; then by depth or number
# the path, the open nodes, and by branch the only arc back.
MARK, INDEX, LEAST, NEXT, BRANCH, PATH, OPEN, ARC, ROOM = range(9)

# Marks: no decided arc leads to it; one does; it is on a chain of them that is not closed; on a tour.
FREE, LED_TO, CHAINED, TOURED = range(4)


@inner_kernel
def nodes_of(m: Memory, p: int) -> Any:
    """Return the number of nodes."""
    return (entry(m.net, p + at.END) - entry(m.net, p + at.START)) // 2


@inner_kernel
def follower(m: Memory, p: int, i: int) -> Any:
    """Return the variable with the successor of a node."""
    return entry(m.net, entry(m.net, p + at.START) + 2 * i)


@inner_kernel
def room(m: Memory, p: int, field: int, i: int) -> Any:
    """Return where a number of a node is."""
    return entry(m.net, p + at.ROWS) + 1 + ROOM * i + field


@inner_kernel
def mark_heads(m: Memory, p: int) -> Any:
    """Mark the nodes to which a decided arc leads; return how many are on tours for sure, -1 if false."""
    count = nodes_of(m, p)
    needed = 0
    for i in range(count):
        put(m.net, room(m, p, MARK, i), FREE)
    for i in range(count):
        v = follower(m, p, i)
        needed += 1 - contains(m, v, i)
        if not is_open(m, v):
            if not 0 <= entry(m.x, v + at.LOW) < count:
                return -1
            put(m.net, room(m, p, MARK, entry(m.x, v + at.LOW)), LED_TO)
    return needed


@inner_kernel
def close_chain(m: Memory, p: int, first: int, needed: int) -> Any:
    """Follow the chain from ``first``, and forbid to close it while other nodes are needed."""
    count, sub = nodes_of(m, p), entry(m.net, p + at.CONSTANT)
    last, length = first, 1
    mine = 1 - contains(m, follower(m, p, first), first)
    put(m.net, room(m, p, MARK, first), CHAINED)
    while not is_open(m, follower(m, p, last)):
        last = entry(m.x, follower(m, p, last) + at.LOW)
        length += 1
        if length > count:
            return 0
        mine += 1 - contains(m, follower(m, p, last), last)
        put(m.net, room(m, p, MARK, last), CHAINED)
    if sub and (first == last or mine == needed):
        return 1
    return 1 if length == count else remove(m, follower(m, p, last), first)


@inner_kernel
def only_tour(m: Memory, p: int, first: int) -> Any:
    """Leave all out that is not on the closed tour of a node."""
    count = nodes_of(m, p)
    length, i = 0, first
    while entry(m.net, room(m, p, MARK, i)) != TOURED:
        put(m.net, room(m, p, MARK, i), TOURED)
        i = entry(m.x, follower(m, p, i) + at.LOW)
        length += 1
    if length < count and not entry(m.net, p + at.CONSTANT):
        return 0
    for i in range(count):
        if entry(m.net, room(m, p, MARK, i)) != TOURED and not tighten(m, follower(m, p, i), i, i):
            return 0
    return 2


@inner_kernel
def chains(m: Memory, p: int, needed: int) -> Any:
    """Look at the decided arcs; return 0 where they are wrong, 2 where they are a tour."""
    count = nodes_of(m, p)
    for i in range(count):
        if entry(m.net, room(m, p, MARK, i)) == FREE and not close_chain(m, p, i, needed):
            return 0
    for i in range(count):  # what no chain came to is on a cycle, maybe with itself
        if entry(m.net, room(m, p, MARK, i)) == LED_TO:
            alone = entry(m.x, follower(m, p, i) + at.LOW) == i
            if not alone or not entry(m.net, p + at.CONSTANT):
                return only_tour(m, p, i)
    return 1


@inner_kernel
def find(m: Memory, p: int, i: int, found: int, depth: int, opened: int, branch: int) -> None:
    """Number a node that the search comes to."""
    put(m.net, room(m, p, INDEX, i), found)
    put(m.net, room(m, p, LEAST, i), found)
    put(m.net, room(m, p, NEXT, i), max(0, entry(m.x, follower(m, p, i) + at.LOW)))
    put(m.net, room(m, p, BRANCH, i), branch)
    put(m.net, room(m, p, PATH, depth), i)
    put(m.net, room(m, p, OPEN, opened), i)


@inner_kernel
def explore(m: Memory, p: int, root: int) -> Any:
    """Search depth-first from ``root``; return how many branches it has, and the nodes of its component."""
    count = nodes_of(m, p)
    for i in range(count):
        put(m.net, room(m, p, INDEX, i), 0)
    find(m, p, root, 1, 0, 0, 0)
    depth, opened, found, branches = 0, 1, 1, 0
    while True:
        i = entry(m.net, room(m, p, PATH, depth))
        w = entry(m.net, room(m, p, NEXT, i))
        if w < count and w <= entry(m.x, follower(m, p, i) + at.HIGH):
            put(m.net, room(m, p, NEXT, i), w + 1)
            if w == i or not contains(m, follower(m, p, i), w):
                continue
            index = entry(m.net, room(m, p, INDEX, w))
            if index == 0:
                found, depth = found + 1, depth + 1
                branches += 1 if depth == 1 else 0
                find(m, p, w, found, depth, opened, branches)
                opened += 1
            elif 0 < index < entry(m.net, room(m, p, LEAST, i)):
                put(m.net, room(m, p, LEAST, i), index)
            continue
        if depth == 0:
            return branches, opened
        depth -= 1
        above = room(m, p, LEAST, entry(m.net, room(m, p, PATH, depth)))
        least = entry(m.net, room(m, p, LEAST, i))
        put(m.net, above, min(least, entry(m.net, above)))
        while least == entry(m.net, room(m, p, INDEX, i)):  # a closed component: out of the way
            opened -= 1
            put(m.net, room(m, p, INDEX, entry(m.net, room(m, p, OPEN, opened))), -1)


@inner_kernel
def cross(m: Memory, p: int, root: int, branches: int) -> Any:
    """Keep the arcs by which a tour from ``root`` can go through all branches: from the last to the first.

    No arc leads from a branch to a later one; so each is left for the one before it, the first for the root.
    """
    count = nodes_of(m, p)
    for b in range(branches + 1):
        put(m.net, room(m, p, ARC, b), -1)
    for i in range(count):
        v, mine = follower(m, p, i), entry(m.net, room(m, p, BRANCH, i))
        for w in range(max(0, entry(m.x, v + at.LOW)), min(count - 1, entry(m.x, v + at.HIGH)) + 1):
            if w != i and contains(m, v, w):
                to = entry(m.net, room(m, p, BRANCH, w))
                if to < (branches if i == root else mine - 1):
                    if not remove(m, v, w):
                        return 0
                elif to == mine - 1:
                    several = entry(m.net, room(m, p, ARC, mine)) != -1
                    put(m.net, room(m, p, ARC, mine), count * count if several else i * count + w)
    for b in range(1, branches + 1):
        arc = entry(m.net, room(m, p, ARC, b))
        if arc < 0 or (
            arc < count * count and not tighten(m, follower(m, p, arc // count), arc % count, arc % count)
        ):
            return 0
    return 1


@inner_kernel
def next_root(m: Memory, p: int) -> Any:
    """Return an open node that a tour has for sure, behind the last search's; -1 if there is none."""
    count, place = nodes_of(m, p), entry(m.net, p + at.ROWS)
    sub = entry(m.net, p + at.CONSTANT)
    for k in range(1, count + 1):
        i = (entry(m.net, place) + k) % count
        v = follower(m, p, i)
        if is_open(m, v) and not (sub and contains(m, v, i)):
            put(m.net, place, i)
            return i
    return -1


@propagator
def circuit(m: Memory, p: int) -> Any:
    """Prune the successors in a circuit, or in a subcircuit."""
    needed = mark_heads(m, p)
    state = chains(m, p, needed) if needed >= 0 else 0
    if state != 1:
        return 1 if state else 0
    root = next_root(m, p)
    if root < 0:
        return 1
    branches, reached = explore(m, p, root)
    if not entry(m.net, p + at.CONSTANT):
        return cross(m, p, root, branches) if reached == nodes_of(m, p) else 0
    for i in range(nodes_of(m, p)):
        if entry(m.net, room(m, p, INDEX, i)) <= 0 and not tighten(m, follower(m, p, i), i, i):
            return 0
    return 1
