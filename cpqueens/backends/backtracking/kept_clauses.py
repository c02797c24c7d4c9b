"""Learned clauses on their way from a search to a later one: over variables that both models have.

What was learned follows from the constraints of the model as it was, and from the objective's limit where
there was one. Clauses over variables that only the network has are left out, since another one has others.
"""

from __future__ import annotations

import numpy as np

from cpqueens.backends.backtracking.stated_clauses import all_of, entries, picked
from cpqueens.backends.known import MOST_WORDS, LearnedClauses
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.kernels.exact.learning import literals as lit
from cpqueens.kernels.exact.learning import state as of
from cpqueens.kernels.exact.learning.state import Learner
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled

MOST_VALUES = 1 << 16
"""Listed values that are looked through for those that were removed."""


def exported(
    compiled: Compiled, m: Memory, q: Learner, limit: int | None, last: int = 0
) -> LearnedClauses | None:
    """Return what a search before its first decision has learned, the best clauses first; None if nothing.

    The clause at ``last`` is left out: it says of a solution that it is not wanted.
    """
    c, top, starts = int(q.state[of.FIRST_CLAUSE]), int(q.state[of.ARENA_TOP]), list[int]()
    words = memoryview(q.arena.data)  # in plain Python much faster than NumPy, one by one
    while c < top:
        if words[c] and words[c + of.C_LEVELS] and c != last:
            starts.append(c)
        c += of.C_LITERALS + 2 * words[c]
    places = np.array(starts, dtype=np.int64)
    lengths, levels = q.arena[places], q.arena[places + of.C_LEVELS]
    pairs = entries(places + of.C_LITERALS, lengths, 2)
    facts = np.array(_facts(compiled, m), dtype=np.int64).reshape(-1, 2)
    literals = np.concatenate([facts, np.stack([q.arena[pairs], q.arena[pairs + 1]], axis=1)])
    ones = np.ones(len(facts), dtype=np.int64)
    clauses = LearnedClauses(np.concatenate([ones, lengths]), np.concatenate([ones, levels]), literals, limit)
    clauses = _renumbered(clauses, compiled.stated, at.X_WIDTH, 1)
    order = np.lexsort((clauses.lengths, clauses.levels))
    order = order[np.cumsum(2 + 2 * clauses.lengths[order]) <= MOST_WORDS]
    return picked(clauses, order) if len(order) else None


def imported(compiled: Compiled, m: Memory, clauses: LearnedClauses) -> LearnedClauses:
    """Return clauses for a network; one with a variable, or listed values, that it lacks is left out."""
    number = np.full(int(compiled.stated.max(initial=-1)) + 1, -1, dtype=np.int64)
    there = np.flatnonzero(compiled.stated >= 0)
    number[compiled.stated[there]] = there
    found = _renumbered(clauses, number, 1, at.X_WIDTH)
    v, operator = found.literals[:, 0] >> 2, found.literals[:, 0] & 3
    return picked(found, all_of(found, (operator < lit.IS) | (m.x[v + at.FIRST] >= 0)))


def _renumbered(clauses: LearnedClauses, number: IntArray, before: int, after: int) -> LearnedClauses:
    """Return clauses under other numbers of variables, -1 for none; both are multiplied by something."""
    if not clauses.many:
        return clauses
    v, operator = (clauses.literals[:, 0] >> 2) // before, clauses.literals[:, 0] & 3
    new = np.append(number, -1)[np.minimum(v, len(number))]
    literals = np.stack([4 * after * new + operator, clauses.literals[:, 1]], axis=1)
    return picked(clauses._replace(literals=literals), all_of(clauses, new >= 0))


def _facts(compiled: Compiled, m: Memory) -> list[tuple[int, int]]:
    """Return literals of the model's variables that are true by now and were not at first."""
    found: list[tuple[int, int]] = []
    left = MOST_VALUES
    for v in np.flatnonzero(compiled.stated >= 0).tolist():
        place = v * at.X_WIDTH
        low, high, first = m.x[[place + at.LOW, place + at.HIGH, place + at.FIRST]].tolist()
        if low > compiled.lower[v]:
            found.append((4 * place + lit.AT_LEAST, low))
        if high < compiled.upper[v]:
            found.append((4 * place + lit.AT_MOST, high))
        left -= high - low
        if first >= 0 and high > low + 1 and left > 0 and v not in compiled.domains:
            cells = m.cells[first - int(m.x[place + at.BASE]) + low + 1 :][: high - low - 1]
            found += [(4 * place + lit.IS_NOT, low + 1 + k) for k in np.flatnonzero(cells == 0).tolist()]
    return found
