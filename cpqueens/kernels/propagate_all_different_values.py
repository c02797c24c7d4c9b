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

from cpqueens.kernels import domains as at
from cpqueens.kernels.domains import Memory, contains, next_value, remove
from cpqueens.kernels.entries import entry, put
from cpqueens.kernels.jit import inner_kernel, propagator

# The header: the least value of a term, where the sink is and where the values begin, the search's number.
BASE, SINK, VALUES, STAMP, HEADER = range(5)

# A node: its term (variable, coefficient, constant), its value's record, its component, its number in order
# and the least that it leads back to, the next value (of the sink: node) to look at, who came here, who is
# below.
VARIABLE, FACTOR, SHIFT, MATCH, COMPONENT, ORDER, LINK, NEXT, CALLER, BELOW, NODE = range(11)

# A value: the node that has it, the last search that saw it, from which node.
HOLDER, SEEN, SEER, VALUE = range(4)


def matching_data(terms: Sequence[tuple[int, int, int]], low: int, high: int) -> list[int]:
    """Return the data for terms (variable, coefficient, constant) with values ``low``..``high``."""
    sink = HEADER + NODE * len(terms)
    nodes = [number for term in [*terms, (0, 0, 0)] for number in (*term, *[0] * (NODE - 3))]
    return [low, sink, sink + NODE, 0, *nodes, *[0] * VALUE * (high - low + 1)]


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
    put(m.net, root + BELOW, 0)
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
                put(m.net, last + BELOW, holder)
                put(m.net, holder + BELOW, 0)
                last = holder
            w = next_value(m, v, w + 1)
        node = entry(m.net, node + BELOW)
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
def close_component(m: Memory, node: int, top: int) -> Any:
    """Take the component that began at a node from the stack; return what is below."""
    while True:
        below = entry(m.net, top + BELOW)
        put(m.net, top + COMPONENT, node)
        if top == node:
            return below
        top = below


@inner_kernel
def find_components(m: Memory, data: int) -> None:
    """Name each node's strongly connected component, by one of its nodes."""
    first, sink = data + HEADER, data + entry(m.net, data + SINK)
    for node in range(first, sink, NODE):
        put(m.net, node + ORDER, 0)
        put(m.net, node + COMPONENT, 0)
        put(m.net, node + NEXT, entry(m.x, entry(m.net, node + VARIABLE) + at.LOW))
    put(m.net, sink + ORDER, 0)
    put(m.net, sink + COMPONENT, 0)
    put(m.net, sink + NEXT, first)
    order = top = 0
    for root in range(first, sink, NODE):
        other = 0 if entry(m.net, root + ORDER) else root
        node = 0
        while node or other:
            if other and entry(m.net, other + ORDER) == 0:
                order += 1
                put(m.net, other + ORDER, order)
                put(m.net, other + LINK, order)
                put(m.net, other + CALLER, node)
                put(m.net, other + BELOW, top)
                node = top = other
            elif other:
                if entry(m.net, other + COMPONENT) == 0:
                    put(m.net, node + LINK, min(entry(m.net, node + LINK), entry(m.net, other + ORDER)))
            else:
                if entry(m.net, node + LINK) == entry(m.net, node + ORDER):
                    top = close_component(m, node, top)
                caller = entry(m.net, node + CALLER)
                if caller:
                    put(m.net, caller + LINK, min(entry(m.net, caller + LINK), entry(m.net, node + LINK)))
                node = caller
            other = next_node(m, data, node) if node else 0


@propagator
def all_different_values(m: Memory, p: int) -> Any:
    """Remove all values that no solution of the AllDifferent has."""
    data = entry(m.net, p + at.ROWS)
    if not match_all(m, data):
        return 0
    find_components(m, data)
    for node in range(data + HEADER, data + entry(m.net, data + SINK), NODE):
        v = entry(m.net, node + VARIABLE)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high:
            holder = entry(m.net, value_place(m, data, node, w) + HOLDER)
            apart = holder and entry(m.net, holder + COMPONENT) != entry(m.net, node + COMPONENT)
            if apart and not remove(m, v, w):
                return 0
            w = next_value(m, v, w + 1)
    return 1
