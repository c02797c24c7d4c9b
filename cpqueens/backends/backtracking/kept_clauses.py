"""Learned clauses on their way from a search to a later one: over variables that both models have.

What was learned follows from the constraints of the model as it was, and from the objective's limit where
there was one. Clauses over variables that only the network has are left out, since another one has others.
"""

from __future__ import annotations

import numpy as np

from cpqueens.backends.backtracking.decomposed import Clause
from cpqueens.backends.known import MOST_WORDS, LearnedClauses
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, contains
from cpqueens.kernels.exact.learning import literals as lit
from cpqueens.kernels.exact.learning import state as of
from cpqueens.kernels.exact.learning.state import Learner
from cpqueens.lowered.compiled import Compiled

MOST_VALUES = 1 << 16
"""Listed values that are looked through for those that were removed."""


def exported(
    compiled: Compiled, m: Memory, q: Learner, limit: int | None, last: int = 0
) -> LearnedClauses | None:
    """Return what a search before its first decision has learned, the best clauses first; None if nothing.

    The clause at ``last`` is left out: it says of a solution that it is not wanted.
    """
    stated = compiled.stated
    found: list[list[int]] = [[1, 1, *literal] for literal in _facts(compiled, m)]
    c, top = int(q.state[of.FIRST_CLAUSE]), int(q.state[of.ARENA_TOP])
    while c < top:
        length, levels = q.arena[c : c + 2].tolist()
        pairs = q.arena[c + of.C_LITERALS : c + of.C_LITERALS + 2 * length].reshape(-1, 2)
        variables = (pairs[:, 0] >> 2) // at.X_WIDTH
        if levels and c != last and variables.max() < len(stated) and (stated[variables] >= 0).all():
            own = np.stack([4 * stated[variables] + (pairs[:, 0] & 3), pairs[:, 1]], axis=1)
            found.append([length, levels, *own.reshape(-1).tolist()])
        c += of.C_LITERALS + 2 * length
    found.sort(key=lambda clause: (clause[1], clause[0]))
    room = np.cumsum([len(clause) for clause in found]) <= MOST_WORDS
    found = found[: int(room.sum())]
    if not found:
        return None
    return LearnedClauses(
        np.array([n for clause in found for n in clause], dtype=np.int64), len(found), limit
    )


def _facts(compiled: Compiled, m: Memory) -> list[tuple[int, int]]:
    """Return literals of the model's variables that are true by now and were not at first."""
    found: list[tuple[int, int]] = []
    left = MOST_VALUES
    for v in np.flatnonzero(compiled.stated >= 0).tolist():
        place, number = v * at.X_WIDTH, 4 * int(compiled.stated[v])
        low, high = int(m.x[place + at.LOW]), int(m.x[place + at.HIGH])
        if low > compiled.lower[v]:
            found.append((number + lit.AT_LEAST, low))
        if high < compiled.upper[v]:
            found.append((number + lit.AT_MOST, high))
        left -= high - low
        if m.x[place + at.FIRST] >= 0 and left > 0 and v not in compiled.domains:
            gaps = [w for w in range(low + 1, high) if not contains(m, place, w)]
            found += [(number + lit.IS_NOT, w) for w in gaps]
    return found


def imported(compiled: Compiled, m: Memory, clauses: LearnedClauses) -> list[tuple[Clause, int]]:
    """Return clauses with their levels for a network; one with a variable that it lacks is left out."""
    number = np.full(int(compiled.stated.max(initial=-1)) + 1, -1, dtype=np.int64)
    there = np.flatnonzero(compiled.stated >= 0)
    number[compiled.stated[there]] = there
    found, words, k = list[tuple[Clause, int]](), clauses.words, 0
    for _ in range(clauses.many):
        length, levels = words[k : k + 2].tolist()
        pairs = words[k + 2 : k + 2 + 2 * length].reshape(-1, 2)
        k += 2 + 2 * length
        variables = pairs[:, 0] >> 2
        if variables.max() >= len(number) or (number[variables] < 0).any():
            continue
        mine, operators = number[variables], pairs[:, 0] & 3
        if (m.x[mine * at.X_WIDTH + at.FIRST] < 0)[operators >= lit.IS].any():
            continue  # whose values are not listed now
        literals = zip(mine.tolist(), operators.tolist(), pairs[:, 1].tolist(), strict=True)
        found.append((list(literals), levels))
    return found
