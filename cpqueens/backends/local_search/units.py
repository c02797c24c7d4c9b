"""Finding models that are a permutation under AllDifferents over x[i] + o[i]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.backends.local_search.neighbourhood import plain_scope
from cpqueens.backends.local_search.problem import Kind, Problem

MAX_SPREAD = 64  # counters per variable and constraint that are still worth having
_UNSET = -(2**63)


@dataclass(frozen=True)
class Units:
    """The pattern: all ``size`` variables share the domain ``low`` .. ``low + size - 1``, all differ.

    Attributes
    ----------
    offsets
        int32 of shape (constraints, size): counter number minus (value - low).
    counters
        How many counters there are.
    """

    size: int
    low: int
    offsets: NDArray[np.int32]
    counters: int


def from_offsets(size: int, low: int, offsets: list[Any]) -> Units | None:
    """Return the pattern for AllDifferents x[i] + offsets[c][i]; None if the counters would be too many."""
    base = 0
    rows = np.zeros((len(offsets), size), dtype=np.int32)
    for c, row in enumerate(offsets):
        least, most = int(row.min()), int(row.max())
        span = size + most - least
        if span > MAX_SPREAD * size or base + span >= 2**31:
            return None
        np.subtract(row, least - base, out=rows[c], casting="unsafe")
        base += span
    return Units(size, low, rows, base)


def find_units(problem: Problem) -> Units | None:
    """Return the pattern if ``problem`` has it, else None."""
    n = problem.size
    if n == 0 or problem.definitions or problem.domains or problem.objective is not None:
        return None
    low = int(problem.lower[0])
    if (problem.lower != low).any() or (problem.upper != low + n - 1).any():
        return None
    terms, kept, offsets = problem.terms, False, []
    for constraint in problem.constraints:
        if constraint.kind != Kind.ALL_DIFFERENT or len(constraint.terms) != n:
            return None
        if not kept and plain_scope(problem, constraint) is not None:
            kept = True
            continue
        first = terms.start[constraint.terms]
        if (terms.start[constraint.terms + 1] - first != 1).any() or (terms.coefficients[first] != 1).any():
            return None
        nodes = terms.nodes[first]
        row = np.full(n, _UNSET)
        row[nodes] = terms.constants[constraint.terms]
        if (row == _UNSET).any():
            return None
        offsets.append(row)
    return from_offsets(n, low, offsets) if kept and offsets else None
