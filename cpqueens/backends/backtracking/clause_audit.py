"""Audit of learned clauses: the opposite of each is refuted by exhaustive search without learning."""

import numpy as np

from cpqueens.backends.backtracking.explained import Explained
from cpqueens.backends.backtracking.orders import tree_search
from cpqueens.errors import BackendFault
from cpqueens.kernels.exact import branching as tree, domains as at
from cpqueens.kernels.exact.domains import Memory, contains, copied, tighten
from cpqueens.kernels.exact.forward import PAUSED, search
from cpqueens.kernels.exact.learning import literals as lit, literals as of

Literal = tuple[int, int]
"""Four times the variable's position and the operator, and the value."""


class Audit:
    """Refutes the opposite of each learned clause in the model as it was at first.

    Parameters
    ----------
    start
        The model's network with its clauses as propagators; its variables are those of the search.
    count
        The number of decision variables.
    """

    def __init__(self, start: Explained, count: int) -> None:
        self._start, self._count = start, count
        self.checked = 0

    def check(self, learner: of.Learner, constant: int) -> None:
        """Refute the opposite of the clause that was learned last, under the objective's ``constant``.

        Raises
        ------
        BackendFault
            If there is a solution in which no literal of the clause is true.
        """
        self.refute(learned(learner), constant)

    def refute(self, literals: list[Literal], constant: int) -> None:
        """Refute the opposite of a clause; see `check`."""
        memory = copied(self._start.memory)
        if self._start.objective >= 0:
            memory.net[self._start.objective + at.CONSTANT] = constant
        self.checked += 1
        solution = self._denied(memory, literals)
        if solution is not None:
            raise BackendFault(f"a learned clause, {shown(literals)}, excludes {solution}", "MISSING")

    def _denied(self, memory: Memory, literals: list[Literal]) -> list[int] | None:
        """Return a solution in which all literals are false, None if there is none."""
        for k, (literal, value) in enumerate(literals):
            if literal & 3 != lit.IS:
                if not deny(memory, literal, value):
                    return None
                continue
            below, above = copied(memory), copied(memory)  # where values are not listed, it stays between
            v = literal >> 2
            for side, low, high in (
                (below, memory.x[v + at.LOW], value - 1),
                (above, value + 1, memory.x[v + at.HIGH]),
            ):
                found = (
                    self._denied(side, literals[k + 1 :]) if tighten(side, v, int(low), int(high)) else None
                )
                if found is not None:
                    return found
            return None
        return self._solution(memory)

    def _solution(self, memory: Memory) -> list[int] | None:
        """Return a solution, None if there is none."""
        variables = len(memory.x) // at.X_WIDTH
        q = tree_search(self._count, depth=70 * variables)
        room = np.zeros(len(memory.x) * 70, dtype=np.int64)
        memory = memory._replace(stack=np.concatenate([memory.stack, room]))
        answer = PAUSED
        while answer == PAUSED and not q.state[tree.FOUND]:
            answer = int(search(memory, q, 100))
        found: list[int] = q.solutions[0].tolist()
        return found if q.state[tree.FOUND] else None


def learned(learner: of.Learner) -> list[Literal]:
    """Return the literals of the clause that was learned last."""
    c = int(learner.state[of.LAST_CLAUSE])
    if not c:
        return [(int(learner.state[of.SINGLE]), int(learner.state[of.SINGLE_VALUE]))]
    words = learner.arena[c + of.C_LITERALS : c + of.C_LITERALS + 2 * learner.arena[c + of.C_LENGTH]]
    return [(literal, value) for literal, value in words.reshape(-1, 2).tolist()]


def deny(m: Memory, literal: int, value: int) -> bool:
    """Make a literal, which is no `IS`, false; say whether that is possible."""
    v, operator = literal >> 2, literal & 3
    if operator == lit.IS_NOT:
        return bool(contains(m, v, value) and tighten(m, v, value, value))
    if operator == lit.AT_LEAST:
        return bool(tighten(m, v, int(m.x[v + at.LOW]), value - 1))
    return bool(tighten(m, v, value + 1, int(m.x[v + at.HIGH])))


def shown(literals: list[Literal]) -> str:
    """Return a clause as text; variables are numbers."""
    signs = {lit.AT_LEAST: ">=", lit.AT_MOST: "<=", lit.IS: "==", lit.IS_NOT: "!="}
    return " or ".join(f"x{a // (4 * at.X_WIDTH)} {signs[a & 3]} {value}" for a, value in literals)
