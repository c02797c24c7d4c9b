"""Cliques of disequalities: what is stated pair by pair is seen whole."""

from __future__ import annotations

import random
from itertools import combinations, product

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Model
from cpqueens.backends.backtracking.rows import Row
from cpqueens.backends.local_search.audit import violation
from cpqueens.backends.local_search.layers import build_arrays
from cpqueens.crosscheck import oracle
from cpqueens.lowered.compiled import EQ, NE, Compiled, Terms, offsets
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.lowered.forms import WALKED, compile_model
from cpqueens.lowered.presolve import cliques as module
from cpqueens.lowered.presolve.cliques import Members, disequalities, with_cliques

Linear = list[tuple[Row, int]]


def apart(x: int, y: int, gap: int, sign: int = 1) -> tuple[Row, int]:
    """Return ``x - y != gap``, perhaps with all signs turned."""
    return ((x, y), (sign, -sign), -sign * gap), NE


def cliques(linear: Linear) -> list[Members]:
    """Return the cliques of some rows."""
    rows, relation = zip(*linear, strict=True)
    variables, coefficients, constants = zip(*rows, strict=True)
    flat = [np.concatenate(part).astype(np.int64) for part in (variables, coefficients)]
    terms = Terms(offsets([len(v) for v in variables]), *flat, np.array(constants))
    return module.cliques(disequalities(terms, np.array(relation)))


@each("seed", range(20))
def test_cliques_are_cliques(seed: int) -> None:
    source = random.Random(seed)
    shifts = [source.randint(-2, 2) for _ in range(9)]
    edges = {(a, b) for a, b in combinations(range(9), 2) if source.random() < 0.6}
    linear = [apart(a, b, shifts[b] - shifts[a], source.choice((1, -1))) for a, b in edges]
    linear += [((((0, 1)), (1, -1), 0), EQ), (((2, 3), (2, -2), 1), NE), (((4,), (1,), 0), NE)]
    source.shuffle(linear)
    found = cliques(linear)
    for members in found:
        assert len(members) >= module.FEWEST
        for (v, here), (w, there) in combinations(members, 2):
            assert (min(v, w), max(v, w)) in edges
            assert there - here == shifts[w] - shifts[v]


def test_groups_are_found_whole() -> None:
    groups = [range(5), range(4, 9), range(9, 13), range(13, 16)]
    linear = [apart(a, b, 0) for group in groups for a, b in combinations(group, 2)]
    linear.append(apart(0, 9, 3))
    found = [sorted(v for v, _ in members) for members in cliques(linear)]
    assert sorted(found) == [list(group) for group in groups[:3]]


def test_pigeons_that_differ_by_pairs_need_no_search() -> None:
    m = Model()
    x = m.intvar(0, 10, shape=12, name="x")
    m += [x[a] != x[b] for a, b in combinations(range(12), 2)]
    outcome = m.solve(solver="backtracking")
    assert outcome.status.name == "INFEASIBLE"
    assert outcome.statistics["nodes"] == 0


@each("seed", range(8))
def test_all_solutions_stay(seed: int) -> None:
    source = random.Random(seed)
    gaps = [0, source.randint(-1, 1), source.randint(-2, 2), source.randint(-2, 2), 1]
    pairs = [pair for pair in combinations(range(5), 2) if source.random() < 0.9]
    m = Model()
    x = m.intvar(0, 3, shape=5, name="x")
    m += [x[a] + gaps[a] != x[b] + gaps[b] for a, b in pairs]
    expected = [
        list(row)
        for row in product(range(4), repeat=5)
        if all(row[a] + gaps[a] != row[b] + gaps[b] for a, b in pairs)
    ]
    assert m.enumerate(solver="backtracking:forward").solutions.matrix.tolist() == expected


def test_where_edges_are_many_none_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    linear = [apart(a, b, 0) for a, b in combinations(range(6), 2)]
    assert [len(members) for members in cliques(linear)] == [6]
    monkeypatch.setattr(module, "MOST_DISEQUALITIES", 14)
    assert cliques(linear) == []
    monkeypatch.setattr(module, "MOST_DISEQUALITIES", 15)
    monkeypatch.setattr(module, "LOOKS", 0)
    assert cliques(linear) == []


def solutions(c: Compiled) -> set[tuple[int, ...]]:
    entries, n = build_arrays(c, frozenset()).entries, c.decision_count
    ends = zip(c.lower[:n].tolist(), c.upper[:n].tolist(), strict=True)
    every = (np.array(x, dtype=np.int64) for x in product(*(range(low, high + 1) for low, high in ends)))
    return {tuple(x.tolist()) for x in every if not any(violation(e, values_of_all(c, x)) for e in entries)}


@each("seed", range(15))
def test_no_solution_is_lost_and_none_is_added(seed: int) -> None:
    source, m = random.Random(seed), Model()
    x = m.intvar(0, 4, shape=5, name="x")
    gaps = [0, 0, source.randint(-1, 1), source.randint(-2, 2), 1]
    pairs = [pair for pair in combinations(range(5), 2) if pair < (2, 4) or source.random() < 0.5]
    m.add(*(x[a] + gaps[a] != x[b] + gaps[b] for a, b in pairs), x[0] != x[1] + 3, x[2] + x[3] != 4)
    m.add(AllDifferent(x[:2]), 2 * x[0] - 2 * x[1] != 6, x[4] != 0)
    before = compile_model(m, WALKED)
    after = with_cliques(before)
    assert after is not None
    assert len(disequalities(after.linear, after.relation)) < len(pairs)
    assert len(after.different_start) > len(before.different_start)
    assert solutions(after) == set(oracle.solve(m).rows)


def test_pairs_that_make_no_clique_stay() -> None:
    m = Model()
    x = m.intvar(0, 4, shape=8, name="x")
    m.add(*(x[a] != x[(a + 1) % 8] for a in range(8)))
    assert with_cliques(compile_model(m)) is None
