"""AllDifferent by matching: every value that is left occurs in a solution of the constraint.

After Regin (1994), "A filtering algorithm for constraints of difference in CSPs". A matching gives every term
a value of its own; it is kept between calls and repaired by augmenting paths. A term that takes the value of
another leaves it to find a new one; only around a cycle of such moves, or along a path to a value that nobody
has, does everybody find one. So the terms are the nodes of a graph with an edge to whose value they could
take, the *sink* stands for the free values and has edges to all, and a value is removed where it leads to
another strongly connected component (Tarjan 1972).

``ROWS`` is where `matching_data` lies: header, a node for each term and the sink, a record for each value.
A node is named by its place in ``net``; 0 is none.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cpqueens.kernels.exact import components as graph, domains as at
from cpqueens.kernels.exact.domains import Memory, contains, next_value, remove, size
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# The header: the least value of a term, where the sink is and where the values begin, the search's number,
# how often it was called and how often that removed something, the first node of an open term, how many are.
BASE, SINK, VALUES, STAMP, CALLS, USES, OPEN, COUNT, HEADER = range(9)

# A node, after what `components` keeps: its term (variable, coefficient, constant), its value's record and
# what the variable is then, the next value (of the sink: node) to look at, the next node of an open term,
# whether its own is open, the last search that reached it, and the last one in which it led to the first.
VARIABLE, FACTOR, SHIFT, MATCH, WORTH, NEXT, LATER, IS_OPEN, REACHED, LEADS, NODE = range(
    graph.OWN, graph.OWN + 11
)

# A value: the node that has it, the last search that saw it, from which node and what its variable is then.
HOLDER, SEEN, SEER, SEEN_AS, VALUE = range(5)

_LARGEST = (1 << 63) - 1

_PATIENCE, _WORTH, _SELDOM = 64, 512, 4
"""So many calls, and so many more for each that removes something, are followed; then one of so many."""


def matching_data(terms: Sequence[tuple[int, int, int]], low: int, high: int) -> list[int]:
    """Return the data for terms (variable, coefficient, constant) with values ``low``..``high``."""
    sink = HEADER + NODE * len(terms)
    nodes = [number for term in [*terms, (0, 0, 0)] for number in (*[0] * graph.OWN, *term, *[0] * 7)]
    return [low, sink, sink + NODE, 0, 0, 0, 0, 0, *nodes, *[0] * VALUE * (high - low + 1)]


@inner_kernel
def value_place(m: Memory, data: int, node: int, w: int) -> Any:
    """Return the record of the value that a node's term has where its variable is ``w``."""
    value = entry(m.net, node + FACTOR) * w + entry(m.net, node + SHIFT) - entry(m.net, data + BASE)
    return data + entry(m.net, data + VALUES) + VALUE * value


@inner_kernel
def find_open(m: Memory, data: int) -> Any:
    """Link the nodes of open terms, and give the others their values.

    Say whether each open term has as many values as there are open terms: no Hall set is smaller.
    """
    open_terms, least, last = 0, np.int64(_LARGEST), 0
    for node in range(data + HEADER, data + entry(m.net, data + SINK), NODE):
        v = entry(m.net, node + VARIABLE)
        w = entry(m.x, v + at.LOW)
        if w != entry(m.x, v + at.HIGH):
            put(m.net, node + IS_OPEN, 1)
            open_terms += 1
            least = min(least, size(m, v))
            put(m.net, last + LATER if last else data + OPEN, node)
            last = node
            continue
        put(m.net, node + IS_OPEN, 0)
        if entry(m.net, node + MATCH) == 0 or entry(m.net, node + WORTH) != w:
            place = value_place(m, data, node, w)
            other = entry(m.net, place + HOLDER)
            if other:
                put(m.net, other + MATCH, 0)
            leave_value(m, node)
            take_value(m, node, place, w)
    put(m.net, last + LATER if last else data + OPEN, 0)
    put(m.net, data + COUNT, open_terms)
    return least >= open_terms


@inner_kernel
def leave_value(m: Memory, node: int) -> None:
    """Take a node's value from it, if it has one."""
    place = entry(m.net, node + MATCH)
    if place:
        put(m.net, node + MATCH, 0)
        put(m.net, place + HOLDER, 0)


@inner_kernel
def take_value(m: Memory, node: int, place: int, w: int) -> None:
    """Give a node the value of this record, which its variable has as ``w``."""
    put(m.net, node + MATCH, place)
    put(m.net, node + WORTH, w)
    put(m.net, place + HOLDER, node)


@inner_kernel
def turn_path(m: Memory, place: int, root: int) -> None:
    """Hand the values on along the path that ends in a free one."""
    node = 0
    while node != root:
        node = entry(m.net, place + SEER)
        left = entry(m.net, node + MATCH)
        take_value(m, node, place, entry(m.net, place + SEEN_AS))
        place = left


@inner_kernel
def augment(m: Memory, data: int, root: int) -> Any:
    """Find a value for a node that has none, breadth first, others moving on; say whether there is one."""
    stamp = entry(m.net, data + STAMP) + 1
    put(m.net, data + STAMP, stamp)
    last = node = root
    put(m.net, root + graph.BELOW, 0)
    while node:
        v = entry(m.net, node + VARIABLE)
        high = entry(m.x, v + at.HIGH)
        w = entry(m.x, v + at.LOW)
        while w <= high:
            place = value_place(m, data, node, w)
            if entry(m.net, place + SEEN) != stamp:
                put(m.net, place + SEEN, stamp)
                put(m.net, place + SEER, node)
                put(m.net, place + SEEN_AS, w)
                holder = entry(m.net, place + HOLDER)
                if holder == 0:
                    turn_path(m, place, root)
                    return 1
                put(m.net, last + graph.BELOW, holder)
                put(m.net, holder + graph.BELOW, 0)
                last = holder
            w = next_value(m, v, w + 1)
        node = entry(m.net, node + graph.BELOW)
    return 0


@inner_kernel
def match_all(m: Memory, data: int) -> Any:
    """Repair the matching; say whether all open terms have a value."""
    node = entry(m.net, data + OPEN)
    while node:
        if entry(m.net, node + MATCH) and not contains(
            m, entry(m.net, node + VARIABLE), entry(m.net, node + WORTH)
        ):
            leave_value(m, node)
        node = entry(m.net, node + LATER)
    node = entry(m.net, data + OPEN)
    while node:
        if entry(m.net, node + MATCH) == 0 and not augment(m, data, node):
            return 0
        node = entry(m.net, node + LATER)
    return 1


@inner_kernel
def reaches_all(m: Memory, data: int, stamp: int) -> Any:
    """Say whether edges lead from the first open term's node to all others, breadth first."""
    node = last = entry(m.net, data + OPEN)
    put(m.net, node + REACHED, stamp)
    put(m.net, node + graph.BELOW, 0)
    left = entry(m.net, data + COUNT) - 1
    while node and left:
        v = entry(m.net, node + VARIABLE)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high and left:
            holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
            if holder == 0:  # free values are for all
                return 1
            if entry(m.net, holder + REACHED) != stamp and entry(m.net, holder + IS_OPEN):
                put(m.net, holder + REACHED, stamp)
                put(m.net, last + graph.BELOW, holder)
                put(m.net, holder + graph.BELOW, 0)
                last = holder
                left -= 1
            w = next_value(m, v, w + 1)
        node = entry(m.net, node + graph.BELOW)
    return left == 0


@inner_kernel
def leads_on(m: Memory, data: int, node: int, stamp: int) -> Any:
    """Say whether an edge leads to the sink, or to a node from which the first one is reached."""
    v = entry(m.net, node + VARIABLE)
    w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    while w <= high:
        holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
        if holder == 0 or entry(m.net, holder + LEADS) == stamp:
            return 1
        w = next_value(m, v, w + 1)
    return 0


@inner_kernel
def is_connected(m: Memory, data: int) -> Any:
    """Say whether all open terms are in one component, so that they lose nothing: where it is cheap to see.

    All are if the first leads to all others and all others lead to it.
    """
    stamp = entry(m.net, data + STAMP) + 1
    put(m.net, data + STAMP, stamp)
    if not reaches_all(m, data, stamp):
        return 0
    first = entry(m.net, data + OPEN)
    put(m.net, first + LEADS, stamp)
    left = entry(m.net, data + COUNT) - 1
    before = left + 1
    while left and left < before:
        before = left
        node = entry(m.net, first + LATER)
        while node:
            if entry(m.net, node + LEADS) != stamp and leads_on(m, data, node, stamp):
                put(m.net, node + LEADS, stamp)
                left -= 1
            node = entry(m.net, node + LATER)
    return left == 0


@inner_kernel
def next_node(m: Memory, data: int, node: int) -> Any:
    """Return where the next edge of a node leads, 0 if there is none left."""
    sink = data + entry(m.net, data + SINK)
    if node == sink:
        other = entry(m.net, node + NEXT)
        if other:
            put(m.net, node + NEXT, entry(m.net, other + LATER))
        return other
    v = entry(m.net, node + VARIABLE)
    high = entry(m.x, v + at.HIGH)
    w = next_value(m, v, entry(m.net, node + NEXT))
    while w <= high:
        holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
        if holder == 0:
            put(m.net, node + NEXT, w + 1)
            return sink
        if entry(m.net, holder + IS_OPEN):
            put(m.net, node + NEXT, w + 1)
            return holder
        w = next_value(m, v, w + 1)
    put(m.net, node + NEXT, w)
    return 0


@inner_kernel
def find_components(m: Memory, data: int) -> None:
    """Name the strongly connected component of each open term's node."""
    first, sink = entry(m.net, data + OPEN), data + entry(m.net, data + SINK)
    node = first
    while node:
        graph.clear(m, node)
        put(m.net, node + NEXT, entry(m.x, entry(m.net, node + VARIABLE) + at.LOW))
        node = entry(m.net, node + LATER)
    graph.clear(m, sink)
    put(m.net, sink + NEXT, first)
    order = top = 0
    root = first
    while root:
        node, other = 0, root
        while node or other:
            if other and entry(m.net, other + graph.ORDER) == 0:
                order += 1
                graph.enter(m, other, node, order, top)
                node = top = other
            elif node and other:
                graph.meet(m, node, other)
            elif node:
                top = graph.leave(m, node, top)
                node = entry(m.net, node + graph.CALLER)
            other = next_node(m, data, node) if node else 0
        root = entry(m.net, root + LATER)


@inner_kernel
def are_together(m: Memory, data: int) -> Any:
    """Say whether all open terms are in one component: they lose nothing then."""
    node = entry(m.net, data + OPEN)
    component = entry(m.net, node + graph.COMPONENT)
    while node:
        if entry(m.net, node + graph.COMPONENT) != component:
            return False
        node = entry(m.net, node + LATER)
    return True


@inner_kernel
def is_skipped(m: Memory, data: int) -> Any:
    """Count a call; say whether it is skipped because those before have seldom removed anything."""
    calls = entry(m.net, data + CALLS) + 1
    put(m.net, data + CALLS, calls)
    return calls > _PATIENCE + _WORTH * entry(m.net, data + USES) and calls % _SELDOM != 0


@inner_kernel
def remove_apart(m: Memory, data: int) -> Any:
    """Remove the values that lead to another component."""
    node = entry(m.net, data + OPEN)
    while node:
        v = entry(m.net, node + VARIABLE)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high:
            holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
            apart = holder and entry(m.net, holder + graph.COMPONENT) != entry(m.net, node + graph.COMPONENT)
            if apart and not remove(m, v, w):
                return 0
            w = next_value(m, v, w + 1)
        node = entry(m.net, node + LATER)
    return 1


@propagator
def all_different_values(m: Memory, p: int) -> Any:
    """Remove all values that no solution of the AllDifferent has; seldom where that is hardly ever of use.

    Open terms have lost the values of fixed ones already, see `propagators.all_different`, and fixed ones
    differ: only open terms are in the graph.
    """
    data = entry(m.net, p + at.ROWS)
    if is_skipped(m, data) or find_open(m, data):
        return 1
    possible = match_all(m, data)
    if possible:
        if is_connected(m, data):
            return 1
        find_components(m, data)
        if are_together(m, data):
            return 1
    put(m.net, data + USES, entry(m.net, data + USES) + 1)
    return remove_apart(m, data) if possible else 0
