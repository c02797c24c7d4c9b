"""How often each of several values occurs: domain consistent for the terms, bounds for the numbers.

After Regin (1996), "Generalized arc consistency for global cardinality constraint". Every term flows into a
value, which takes as many as its number's bounds allow; the flow is kept between calls and repaired by
augmenting paths, first for terms that have no value, then for values that have too few terms. A term may
leave its value for another where this lies on a cycle of such moves; the *sink* stands for the room that
values have left, and takes part in cycles. So the values are the nodes of a graph, and a value is removed
from a term where it is in another strongly connected component (Tarjan 1972) than the term's present one.

``ROWS`` is where `cardinality_data` lies: header, a record for each term, a node for each value and the sink.
Records are named by their places in ``net``; 0 is none.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cpqueens.kernels.exact import components as graph, domains as at
from cpqueens.kernels.exact.domains import Memory, contains, next_value, remove, tighten
from cpqueens.kernels.jit.decorators import inner_kernel, propagator
from cpqueens.kernels.jit.instructions import entry, put

# The header: the least value, where the nodes begin, where the sink is, the search's number.
BASE, NODES, SINK, STAMP, HEADER = range(5)

# A term: its variable, its value's node, the term after it with the same value, its next value to look at.
VARIABLE, MATCH, AFTER, NEXT, TERM = range(5)

# A node, after what `components` keeps: the variable that says how often the value occurs (`ANY`, `NEVER`),
# how many terms must and may have it, how many have it and the first of them; the last search that saw it,
# the term that led there; the term (of the sink: node) whose edges are next.
NUMBER, LEAST, MOST, LOAD, FIRST, SEEN, SEER, LOOK, NODE = range(graph.OWN, graph.OWN + 9)

ANY, NEVER = -1, -2
DONE = -1


def cardinality_data(variables: Sequence[int], low: int, high: int, numbers: Mapping[int, int]) -> list[int]:
    """Return the data for variables (places) with values ``low``..``high``, and each one's number.

    ``numbers`` gives for a value the place of its number's variable, `ANY` or `NEVER`.
    """
    nodes = HEADER + TERM * len(variables)
    sink = nodes + NODE * (high - low + 1)
    terms = [number for v in variables for number in (v, *[0] * (TERM - 1))]
    before, after = [0] * graph.OWN, [0] * (NODE - NUMBER - 1)
    values = [number for w in range(low, high + 1) for number in (*before, numbers[w], *after)]
    return [low, nodes, sink, 0, *terms, *values, *[0] * NODE]


@inner_kernel
def value_node(m: Memory, data: int, w: int) -> Any:
    """Return the node of a value."""
    return data + entry(m.net, data + NODES) + NODE * (w - entry(m.net, data + BASE))


@inner_kernel
def value_of(m: Memory, data: int, node: int) -> Any:
    """Return the value of a node."""
    return (node - data - entry(m.net, data + NODES)) // NODE + entry(m.net, data + BASE)


@inner_kernel
def count_terms(m: Memory, data: int) -> None:
    """Count how many terms must have each value, and how many may."""
    nodes, sink = data + entry(m.net, data + NODES), data + entry(m.net, data + SINK)
    for node in range(nodes, sink, NODE):
        put(m.net, node + LEAST, 0)
        put(m.net, node + MOST, 0)
    for term in range(data + HEADER, nodes, TERM):
        v = entry(m.net, term + VARIABLE)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        if w == high:
            node = value_node(m, data, w)
            put(m.net, node + LEAST, entry(m.net, node + LEAST) + 1)
        while w <= high:
            node = value_node(m, data, w)
            put(m.net, node + MOST, entry(m.net, node + MOST) + 1)
            w = next_value(m, v, w + 1)


@inner_kernel
def bound_numbers(m: Memory, data: int) -> Any:
    """Give the numbers the bounds that counting leaves, also by what the other values take and leave.

    Thereafter LEAST and MOST are how many terms a value must and may take by its number as well.
    """
    nodes, sink = data + entry(m.net, data + NODES), data + entry(m.net, data + SINK)
    terms = (nodes - data - HEADER) // TERM
    least = most = 0
    for node in range(nodes, sink, NODE):
        number = entry(m.net, node + NUMBER)
        if number == NEVER:
            if entry(m.net, node + LEAST) > 0:
                return 0
            put(m.net, node + MOST, 0)
        elif number != ANY:
            put(m.net, node + LEAST, max(entry(m.net, node + LEAST), entry(m.x, number + at.LOW)))
            put(m.net, node + MOST, min(entry(m.net, node + MOST), entry(m.x, number + at.HIGH)))
        least += entry(m.net, node + LEAST)
        most += entry(m.net, node + MOST)
    for node in range(nodes, sink, NODE):
        low = max(entry(m.net, node + LEAST), terms - most + entry(m.net, node + MOST))
        high = min(entry(m.net, node + MOST), terms - least + entry(m.net, node + LEAST))
        if low > high:
            return 0
        number = entry(m.net, node + NUMBER)
        if number >= 0:
            if not tighten(m, number, low, high):
                return 0
            low, high = max(low, entry(m.x, number + at.LOW)), min(high, entry(m.x, number + at.HIGH))
        put(m.net, node + LEAST, low)
        put(m.net, node + MOST, high)
    return 1


@inner_kernel
def join(m: Memory, term: int, node: int) -> None:
    """Let a term have a value."""
    put(m.net, term + MATCH, node)
    put(m.net, term + AFTER, entry(m.net, node + FIRST))
    put(m.net, node + FIRST, term)
    put(m.net, node + LOAD, entry(m.net, node + LOAD) + 1)


@inner_kernel
def part(m: Memory, term: int) -> None:
    """Take its value from a term."""
    node = entry(m.net, term + MATCH)
    put(m.net, node + LOAD, entry(m.net, node + LOAD) - 1)
    place = node + FIRST
    while entry(m.net, place) != term:
        place = entry(m.net, place) + AFTER
    put(m.net, place, entry(m.net, term + AFTER))


@inner_kernel
def look_from(m: Memory, data: int, term: int, wanted: int, last: int) -> Any:
    """Look at the values that a term could have; return the one that is ``wanted``.

    That is any with room where it is 0. Those seen first here are appended to the nodes to be visited, the
    last of which is the second result.
    """
    stamp = entry(m.net, data + STAMP)
    v = entry(m.net, term + VARIABLE)
    w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
    while w <= high:
        node = value_node(m, data, w)
        if entry(m.net, node + SEEN) != stamp:
            put(m.net, node + SEEN, stamp)
            put(m.net, node + SEER, term)
            if node == wanted or (wanted == 0 and entry(m.net, node + LOAD) < entry(m.net, node + MOST)):
                return node, last
            put(m.net, last + graph.BELOW, node)
            put(m.net, node + graph.BELOW, 0)
            last = node
        w = next_value(m, v, w + 1)
    return 0, last


@inner_kernel
def turn_path(m: Memory, node: int) -> None:
    """Move terms along the path that ends in a value."""
    while True:
        term = entry(m.net, node + SEER)
        if term == 0:
            return
        before = entry(m.net, term + MATCH)
        if before:
            part(m, term)
        join(m, term, node)
        if before == 0:
            return
        node = before


@inner_kernel
def augment(m: Memory, data: int, term: int, wanted: int) -> Any:
    """Find a value for a term, or for a wanted value a term from one that can do without; say if there is."""
    nodes, sink = data + entry(m.net, data + NODES), data + entry(m.net, data + SINK)
    stamp = entry(m.net, data + STAMP) + 1
    put(m.net, data + STAMP, stamp)
    put(m.net, sink + graph.BELOW, 0)
    goal, last = 0, sink
    if term:
        goal, last = look_from(m, data, term, wanted, last)
    else:
        for node in range(nodes, sink, NODE):
            if entry(m.net, node + LOAD) > entry(m.net, node + LEAST):
                put(m.net, node + SEEN, stamp)
                put(m.net, node + SEER, 0)
                put(m.net, last + graph.BELOW, node)
                put(m.net, node + graph.BELOW, 0)
                last = node
    node = entry(m.net, sink + graph.BELOW)
    while node and not goal:
        other = entry(m.net, node + FIRST)
        while other and not goal:
            goal, last = look_from(m, data, other, wanted, last)
            other = entry(m.net, other + AFTER)
        node = entry(m.net, node + graph.BELOW)
    if goal:
        turn_path(m, goal)
    return goal


@inner_kernel
def find_flow(m: Memory, data: int) -> Any:
    """Repair the flow; say whether there is one."""
    nodes, sink = data + entry(m.net, data + NODES), data + entry(m.net, data + SINK)
    for node in range(nodes, sink, NODE):
        put(m.net, node + LOAD, 0)
        put(m.net, node + FIRST, 0)
    for term in range(data + HEADER, nodes, TERM):
        node = entry(m.net, term + MATCH)
        put(m.net, term + MATCH, 0)
        has_room = node and entry(m.net, node + LOAD) < entry(m.net, node + MOST)
        if has_room and contains(m, entry(m.net, term + VARIABLE), value_of(m, data, node)):
            join(m, term, node)
    for term in range(data + HEADER, nodes, TERM):
        if entry(m.net, term + MATCH) == 0 and not augment(m, data, term, 0):
            return 0
    for node in range(nodes, sink, NODE):
        while entry(m.net, node + LOAD) < entry(m.net, node + LEAST):
            if not augment(m, data, 0, node):
                return 0
    return 1


@inner_kernel
def look_at(m: Memory, node: int, term: int) -> None:
    """Let the edges of a node go on with those of a term (0: the one to the sink, then none)."""
    put(m.net, node + LOOK, term)
    if term:
        put(m.net, term + NEXT, entry(m.x, entry(m.net, term + VARIABLE) + at.LOW))


@inner_kernel
def next_node(m: Memory, data: int, node: int) -> Any:
    """Return where the next edge of a node leads, 0 if there is none left."""
    sink = data + entry(m.net, data + SINK)
    if node == sink:
        other = entry(m.net, node + LOOK)
        while other < sink and entry(m.net, other + LOAD) == entry(m.net, other + LEAST):
            other += NODE
        put(m.net, node + LOOK, other + NODE)
        return other if other < sink else 0
    term = entry(m.net, node + LOOK)
    while term > 0:
        v = entry(m.net, term + VARIABLE)
        w = next_value(m, v, entry(m.net, term + NEXT))
        if w <= entry(m.x, v + at.HIGH):
            put(m.net, term + NEXT, w + 1)
            return value_node(m, data, w)
        term = entry(m.net, term + AFTER)
        look_at(m, node, term)
    put(m.net, node + LOOK, DONE)
    return sink if term == 0 and entry(m.net, node + LOAD) < entry(m.net, node + MOST) else 0


@inner_kernel
def find_components(m: Memory, data: int) -> None:
    """Name each node's strongly connected component."""
    nodes, sink = data + entry(m.net, data + NODES), data + entry(m.net, data + SINK)
    for node in range(nodes, sink, NODE):
        graph.clear(m, node)
        look_at(m, node, entry(m.net, node + FIRST))
    graph.clear(m, sink)
    put(m.net, sink + LOOK, nodes)
    order = top = 0
    for root in range(nodes, sink, NODE):
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


@propagator
def cardinality(m: Memory, p: int) -> Any:
    """Bound the numbers, and remove all values that no flow has."""
    data = entry(m.net, p + at.ROWS)
    count_terms(m, data)
    if not (bound_numbers(m, data) and find_flow(m, data)):
        return 0
    find_components(m, data)
    for term in range(data + HEADER, data + entry(m.net, data + NODES), TERM):
        v = entry(m.net, term + VARIABLE)
        component = entry(m.net, entry(m.net, term + MATCH) + graph.COMPONENT)
        w, high = entry(m.x, v + at.LOW), entry(m.x, v + at.HIGH)
        while w <= high:
            apart = entry(m.net, value_node(m, data, w) + graph.COMPONENT) != component
            if apart and not remove(m, v, w):
                return 0
            w = next_value(m, v, w + 1)
    return 1
