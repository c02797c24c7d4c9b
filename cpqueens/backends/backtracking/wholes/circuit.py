"""`Circuit` and `SubCircuit` for the exact engine."""

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.propagators.circuit import ROOM
from cpqueens.language.constraints.circuit import Circuit, SubCircuit
from cpqueens.lowered.compiled import GE, LE


def _lay_out(constraint: Circuit | SubCircuit, parts: Parts) -> None:
    """Add that the successors are different nodes, and what arcs must do."""
    nodes = parts.variables(constraint.successor)
    last = len(nodes) - 1
    for v in nodes:
        low, high = parts.bounds(v)
        if low < 0:
            parts.linear(((v,), (1,), 0), GE)
        if high > last:
            parts.linear(((v,), (1,), -last), LE)
    if nodes:
        parts.all_different([((v,), (1,), 0) for v in nodes])
        if isinstance(constraint, Circuit) and constraint.depots:
            marks = [number for k in range(len(nodes)) for number in (int(k in constraint.depots), 0, -1)]
            parts.propagator(Propagator("depots", nodes, numbers=marks, queue=at.DEAR))
            return
        sub = isinstance(constraint, SubCircuit)
        room = [-1, *[0] * (ROOM * (len(nodes) + 1))]
        parts.propagator(Propagator("circuit", nodes, numbers=room, constant=int(sub), queue=at.DEAR))


TAKEN = WholeKind(_lay_out)
