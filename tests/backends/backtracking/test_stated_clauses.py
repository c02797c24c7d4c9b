"""Clauses in columns are attached as one after the other would be."""

from typing import Any

import numpy as np

from cpqueens import Model
from cpqueens.backends.backtracking.clause_search import _learner, _with_log
from cpqueens.backends.backtracking.clauses import StatedClauses, attach
from cpqueens.backends.backtracking.explained import Explained, explained
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory, copied
from cpqueens.kernels.exact.learning import literals as lit, literals as of
from cpqueens.kernels.exact.learning.clauses import clause_end, watch
from cpqueens.kernels.exact.learning.literals import Learner, make_true, standing
from cpqueens.lowered.forms import compile_model


def _started(clauses: list[list[tuple[int, int, int]]]) -> tuple[Memory, Learner, Explained]:
    """A search over three variables in 0..5, {1, 3, 8, 200_000} and 0..1 that has not begun."""
    m = Model("three")
    m.intvar(0, 5, name="x")
    m.var([1, 3, 8, 200_000], name="wide")
    m.boolvar(name="b")
    start = explained(compile_model(m))
    assert not isinstance(start, str)
    collected = StatedClauses()
    for clause in clauses:
        collected.add(clause)
    start = Explained(start.memory, start.objective, collected.of_model(), start.decided)
    memory = _with_log(copied(start.memory))
    return memory, _learner(memory, start, 3, 0), start


def _one_by_one(m: Memory, q: Learner, clauses: list[list[tuple[int, int, int]]]) -> bool:
    """Attach each clause by the kernels, as long as single literals become true."""
    held = [dict.fromkeys((4 * v * at.X_WIDTH + op, value) for v, op, value in clause) for clause in clauses]
    single = True
    while single:
        single = False
        for literals in held:
            found = [standing(m, *literal) for literal in literals]
            left = [literal for literal, its in zip(literals, found, strict=True) if its == lit.OPEN]
            if lit.TRUE not in found and len(left) < 2:
                if not left or not make_true(m, *left[0]):
                    return False
                single = True
    for literals in held:
        found = [standing(m, *literal) for literal in literals]
        if lit.TRUE in found:
            continue
        left = [literal for literal, its in zip(literals, found, strict=True) if its == lit.OPEN]
        c = int(q.state[of.ARENA_TOP])
        q.arena[c] = len(left)
        q.arena[c + of.C_LITERALS : c + of.C_LITERALS + 2 * len(left)] = np.array(left).reshape(-1)
        q.state[of.ARENA_TOP] += of.C_LITERALS + 2 * len(left)
        watch(q, c, 0)
        watch(q, c, 1)
    return True


def _random_clauses(random: np.random.Generator) -> list[list[tuple[int, int, int]]]:
    values: dict[int, list[int]] = {0: list(range(-1, 7)), 1: [0, 1, 2, 3, 8, 9, 200_000], 2: [0, 1]}
    clauses = []
    for _ in range(int(random.integers(1, 6))):
        clause: list[tuple[int, int, int]] = []
        for _ in range(int(random.integers(1, 5))):
            v = int(random.integers(3))
            clause.append((v, int(random.integers(lit.OPERATORS - 1)), int(random.choice(values[v]))))
        clauses.append(clause)
    return clauses


def _bounds(m: Memory) -> Any:
    return m.x[: 3 * at.X_WIDTH].reshape(3, -1)[:, [at.LOW, at.HIGH]].tolist()


def test_random_clauses_leave_the_same_arrays_as_one_after_the_other() -> None:
    random, impossible, attached = np.random.default_rng(0), 0, 0
    for _ in range(300):
        clauses = _random_clauses(random)
        always = [
            k
            for k, clause in enumerate(clauses)
            if any(
                one[0] == other[0]
                and (one[1], other[1]) == (lit.AT_LEAST, lit.AT_MOST)
                and one[2] <= other[2] + 1
                for one in clause
                for other in clause
            )
        ]
        m, q, start = _started(clauses)
        m2, q2, _ = _started(clauses)
        said = attach(m, q, start.clauses)
        assert said == _one_by_one(m2, q2, [clause for k, clause in enumerate(clauses) if k not in always])
        if not said:
            impossible += 1
            continue
        assert _bounds(m) == _bounds(m2)
        top = int(q.state[of.ARENA_TOP])
        assert top == int(q2.state[of.ARENA_TOP])
        assert np.array_equal(q.arena[:top], q2.arena[:top])
        c = int(q.state[of.FIRST_CLAUSE])
        while c < top:
            attached, c = attached + 1, clause_end(q, c)
    assert impossible > 10
    assert attached > 100
