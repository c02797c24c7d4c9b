"""Strongly connected components without recursion (Tarjan 1972), for the graphs of propagators.

A node is the place in ``net`` where its record begins; 0 is none. Who walks through the graph keeps the order
and the top of the stack, and knows the edges.
"""

from typing import Any

from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.jit.decorators import inner_kernel
from cpqueens.kernels.jit.instructions import entry, put

# How a node begins: its component, named by one of its nodes (0: none yet), its number in order (0: not
# visited) and the least that it leads back to, who came here, who is below on the stack. What comes after
# these is its own.
COMPONENT, ORDER, LINK, CALLER, BELOW, OWN = range(6)


@inner_kernel
def clear(m: Memory, node: int) -> None:
    """Let a node not be visited yet."""
    put(m.net, node + ORDER, 0)
    put(m.net, node + COMPONENT, 0)


@inner_kernel
def enter(m: Memory, node: int, caller: int, order: int, top: int) -> None:
    """Visit a node for the first time; it is the top of the stack then."""
    put(m.net, node + ORDER, order)
    put(m.net, node + LINK, order)
    put(m.net, node + CALLER, caller)
    put(m.net, node + BELOW, top)


@inner_kernel
def meet(m: Memory, node: int, other: int) -> None:
    """Take note of an edge to a node that was visited before."""
    if entry(m.net, other + COMPONENT) == 0:
        put(m.net, node + LINK, min(entry(m.net, node + LINK), entry(m.net, other + ORDER)))


@inner_kernel
def leave(m: Memory, node: int, top: int) -> Any:
    """Leave a node, whose edges have all been seen; return the top of the stack."""
    link = entry(m.net, node + LINK)
    if link == entry(m.net, node + ORDER):
        other = 0
        while other != node:
            other = top
            put(m.net, other + COMPONENT, node)
            top = entry(m.net, other + BELOW)
    caller = entry(m.net, node + CALLER)
    if caller:
        put(m.net, caller + LINK, min(entry(m.net, caller + LINK), link))
    return top
