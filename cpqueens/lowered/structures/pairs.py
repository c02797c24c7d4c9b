"""Inequalities ``x != y + c`` of two variables at a time, as in colourings of graphs."""

from dataclasses import dataclass

import numpy as np

from cpqueens.language.rows import IntArray
from cpqueens.lowered.columns import merged
from cpqueens.lowered.compiled import NE, Compiled

MOST_CELLS = 2_000_000


@dataclass(frozen=True)
class Pairs:
    """``rows`` (pairs, 3): v, u, c of ``x[v] != x[u] + c``, in both directions."""

    rows: IntArray


def find(compiled: Compiled) -> Pairs | None:
    """Return a model of inequalities ``x != y + c``, its objective, if any, the largest of ``x + c``."""
    c, n = compiled, compiled.decision_count
    if not len(c.relation) or len(c.literals) or c.tables or c.counts or (c.relation != NE).any():
        return None
    if len(c.different) or int((c.upper[:n] - c.lower[:n] + 1).sum()) > MOST_CELLS or not _are_bounds(c):
        return None
    rows = _differing(c)
    return None if rows is None else Pairs(rows)


def _are_bounds(compiled: Compiled) -> bool:
    """Say whether the objective is the largest of single variables, if there is one."""
    objective = compiled.objective
    if objective is None:
        return True
    single = objective.singles(0, len(objective)) if objective.start[-1] else None
    if single is None:
        return False
    return bool((single[1] == 1).all() and (single[0] < compiled.decision_count).all())


def _differing(compiled: Compiled) -> IntArray | None:
    """Return (pairs, 3): v, u, c of ``x[v] != x[u] + c``, in both directions; None if a row is another."""
    rows, variables, coefficients = merged(compiled.linear)
    number = len(compiled.linear)
    if (
        len(rows) != 2 * number
        or (rows[::2] != rows[1::2]).any()
        or (variables >= compiled.decision_count).any()
    ):
        return None
    a, b = coefficients[::2], coefficients[1::2]
    if (a != -b).any() or (np.abs(a) != 1).any():
        return None
    # a * v - a * u + constant != 0
    v, u, c = variables[::2], variables[1::2], -a * compiled.linear.constant
    pairs = np.concatenate([np.stack([v, u, c], axis=1), np.stack([u, v, -c], axis=1)])
    return np.unique(pairs, axis=0)
