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

from cpqueens.kernels import components as graph
from cpqueens.kernels import domains as at
from cpqueens.kernels.domains import Memory, contains, next_value, remove, size
from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import inner_kernel, propagator

# The header: the least value of a term, where the sink is and where the values begin, the search's number,
# how often it was called and how often that removed something.
BASE, SINK, VALUES, STAMP, CALLS, USES, HEADER = range(7)

# A node, after what `components` keeps: its term (variable, coefficient, constant), its value's record, the
# next value (of the sink: node) to look at.
VARIABLE, FACTOR, SHIFT, MATCH, NEXT, NODE = range(graph.OWN, graph.OWN + 6)

# A value: the node that has it, the last search that saw it, from which node.
HOLDER, SEEN, SEER, VALUE = range(4)

_LARGEST = (1 << 63) - 1

_PATIENCE, _WORTH, _SELDOM = 64, 512, 4
"""So many calls, and so many more for each that removes something, are followed; then one of so many."""


def matching_data(terms: Sequence[tuple[int, int, int]], low: int, high: int) -> list[int]:
    """Return the data for terms (variable, coefficient, constant) with values ``low``..``high``."""
    sink = HEADER + NODE * len(terms)
    nodes = [number for term in [*terms, (0, 0, 0)] for number in (*[0] * graph.OWN, *term, 0, 0)]
    return [low, sink, sink + NODE, 0, 0, 0, *nodes, *[0] * VALUE * (high - low + 1)]


@inner_kernel
def value_place(m: Memory, data: int, node: int, w: int) -> Any:
    """Return the record of the value that a node's term has where its variable is ``w``."""
    value = entry(m.net, node + FACTOR) * w + entry(m.net, node + SHIFT) - entry(m.net, data + BASE)
    return data + entry(m.net, data + VALUES) + VALUE * value


@inner_kernel
def is_possible(m: Memory, data: int, node: int, place: int) -> Any:
    """Say whether a node's term can still have the value of this record, which it had once."""
    value = (place - data - entry(m.net, data + VALUES)) // VALUE + entry(m.net, data + BASE)
    a = entry(m.net, node + FACTOR)
    w = value - entry(m.net, node + SHIFT)
    return contains(m, entry(m.net, node + VARIABLE), w if a == 1 else w // a)


@inner_kernel
def turn_path(m: Memory, place: int, root: int) -> None:
    """Hand the values on along the path that ends in a free one."""
    node = 0
    while node != root:
        node = entry(m.net, place + SEER)
        left = entry(m.net, node + MATCH)
        put(m.net, node + MATCH, place)
        put(m.net, place + HOLDER, node)
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
    """Repair the matching; say whether all terms have a value."""
    first, sink = data + HEADER, data + entry(m.net, data + SINK)
    for node in range(first, sink, NODE):
        place = entry(m.net, node + MATCH)
        if place and not is_possible(m, data, node, place):
            put(m.net, node + MATCH, 0)
            put(m.net, place + HOLDER, 0)
    for node in range(first, sink, NODE):
        if entry(m.net, node + MATCH) == 0 and not augment(m, data, node):
            return 0
    return 1


@inner_kernel
def next_node(m: Memory, data: int, node: int) -> Any:
    """Return where the next edge of a node leads, 0 if there is none left."""
    sink = data + entry(m.net, data + SINK)
    if node == sink:
        other = entry(m.net, node + NEXT)
        put(m.net, node + NEXT, other + NODE)
        return other if other < sink else 0
    v = entry(m.net, node + VARIABLE)
    w = next_value(m, v, entry(m.net, node + NEXT))
    put(m.net, node + NEXT, w + 1)
    if w > entry(m.x, v + at.HIGH):
        return 0
    holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
    return holder if holder else sink


@inner_kernel
def find_components(m: Memory, data: int) -> None:
    """Name each node's strongly connected component."""
    first, sink = data + HEADER, data + entry(m.net, data + SINK)
    for node in range(first, sink, NODE):
        graph.clear(m, node)
        put(m.net, node + NEXT, entry(m.x, entry(m.net, node + VARIABLE) + at.LOW))
    graph.clear(m, sink)
    put(m.net, sink + NEXT, first)
    order = top = 0
    for root in range(first, sink, NODE):
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


@inner_kernel
def is_roomy(m: Memory, data: int) -> Any:
    """Say whether each open term has as many values as there are open terms: no Hall set is smaller."""
    open_terms, least = 0, np.int64(_LARGEST)
    for node in range(data + HEADER, data + entry(m.net, data + SINK), NODE):
        v = entry(m.net, node + VARIABLE)
        if entry(m.x, v + at.LOW) != entry(m.x, v + at.HIGH):
            open_terms += 1
            least = min(least, size(m, v))
    return least >= open_terms


@inner_kernel
def are_together(m: Memory, data: int) -> Any:
    """Say whether all open terms are in one component: they lose nothing then."""
    component = 0
    for node in range(data + HEADER, data + entry(m.net, data + SINK), NODE):
        v = entry(m.net, node + VARIABLE)
        if entry(m.x, v + at.LOW) != entry(m.x, v + at.HIGH):
            mine = entry(m.net, node + graph.COMPONENT)
            if component and mine != component:
                return False
            component = mine
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
    for node in range(data + HEADER, data + entry(m.net, data + SINK), NODE):
        v = entry(m.net, node + VARIABLE)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high:
            holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
            apart = holder and entry(m.net, holder + graph.COMPONENT) != entry(m.net, node + graph.COMPONENT)
            if apart and not remove(m, v, w):
                return 0
            w = next_value(m, v, w + 1)
    return 1


@propagator
def all_different_values(m: Memory, p: int) -> Any:
    """Remove all values that no solution of the AllDifferent has; seldom where that is hardly ever of use.

    The others have lost the values of fixed terms already, see `propagators.all_different`.
    """
    data = entry(m.net, p + at.ROWS)
    if is_skipped(m, data) or is_roomy(m, data):
        return 1
    possible = match_all(m, data)
    if possible:
        find_components(m, data)
        if are_together(m, data):
            return 1
    put(m.net, data + USES, entry(m.net, data + USES) + 1)
    return remove_apart(m, data) if possible else 0
