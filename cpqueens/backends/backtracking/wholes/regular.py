"""`Regular` for the exact engine: its layered graph."""

import numpy as np

from cpqueens.backends.backtracking.wholes.parts import Parts, Propagator, WholeKind
from cpqueens.kernels.exact.propagators import regular as at
from cpqueens.language.constraints.regular import Regular
from cpqueens.lowered.compiled import LE


def _lay_out(constraint: Regular, parts: Parts) -> None:
    """Add the graph of the transitions that lead from the start to an accepting state."""
    layers, possible = constraint.layers()
    if not possible:
        parts.linear(((), (), 1), LE)  # false
        return
    states = [np.unique(arcs[:, 0]) for arcs in layers]
    states += [np.unique(arcs[:, 2]) for arcs in layers[-1:]]
    first = np.cumsum([0, *map(len, states)])
    marks = at.LAYERS + len(layers)
    starts = marks + int(first[-1]) + at.ARC * np.cumsum([0, *map(len, layers)])
    arcs = [
        np.stack(
            [
                first[k] + np.searchsorted(states[k], tails),
                values,
                first[k + 1] + np.searchsorted(states[k + 1], heads),
            ],
            axis=1,
        )
        for k, (tails, values, heads) in enumerate(layer.T for layer in layers)
    ]
    head = np.array([0, marks, *starts[:-1], *[0] * int(first[-1])], dtype=np.int64)
    if layers:
        parts.propagator(
            Propagator(
                "regular",
                parts.variables(constraint.terms),
                numbers=np.concatenate([head, *(a.reshape(-1) for a in arcs)]),
                words=[0, *map(len, layers)],
            )
        )


TAKEN = WholeKind(_lay_out)
