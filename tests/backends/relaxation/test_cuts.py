"""Cuts hold in every solution, whatever the vertex, and raise the bound."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cpqueens import Model
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.relaxation import cuts as module, relaxation
from cpqueens.backends.relaxation.cuts import cuts
from cpqueens.backends.relaxation.inequalities import Inequality, inequalities
from cpqueens.backends.relaxation.program import LinearProgram
from cpqueens.backends.relaxation.relaxation import relaxed
from cpqueens.crosscheck import oracle
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.lowered.forms import DECOMPOSED, ModelForm, compiled_of


def compiled_form(model: Model) -> Compiled:
    return compiled_of(model, ModelForm(DECOMPOSED.kinds, takes))


def rows_model(source: random.Random) -> Model:
    """Return rows and an equation over 0/1 variables and wider ones, which are missed in some of them."""
    m = Model("rows")
    b, x = m.boolvar(shape=5, name="b"), m.intvar(-2, 5, shape=2, name="x")
    for _ in range(3):
        weights = np.array([source.choice([-9, -4, 2, 3, 5, 6, 8, 11]) for _ in range(5)])
        of_wide = np.array([source.choice([-7, -2, 0, 3, 4]) for _ in range(2)])
        row, room = (b * weights).sum() + (x * of_wide).sum(), source.randint(3, 14)
        m += row == room if source.random() < 0.2 else row <= room
    return m


def cuts_of(c: Compiled, source: random.Random, moved: bool) -> tuple[list[tuple[IntArray, int]], int]:
    """Return cuts of a random vertex of the relaxation, and of a random point with its basis."""
    rows = inequalities(c, (c.lower.tolist(), c.upper.tolist()))
    used = sorted({v for one in rows for v in one.row[0]})
    objective = (tuple(used), tuple(source.randint(-9, 9) for _ in used), 0)
    program = LinearProgram(rows, objective, c.lower, c.upper)
    simplex = program.solve()
    if simplex is None:
        return [], 0
    if moved:
        ends = zip(*(each.tolist() for each in program.ends), strict=True)
        simplex = simplex._replace(vertex=np.array([source.uniform(low, high) for low, high in ends]))
    found, steep = [], 0
    for (variables, coefficients, constant), equal in cuts(program, simplex):
        row = np.zeros(c.variable_count, dtype=np.int64)
        row[list(variables)] = coefficients
        point = np.zeros(c.variable_count)
        point[program.columns] = simplex.vertex
        assert not equal
        assert row @ point + constant > 0, "it excludes the vertex"
        assert np.abs(row).max() <= 1 << module.WIDTH
        found.append((row, constant))
        steep += int(np.abs(row).max() > 11)
    return found, steep


def test_cuts_hold_in_every_solution_and_exclude_the_vertex() -> None:
    met = steep = 0
    for seed in range(150):
        source = random.Random(seed)
        model = rows_model(source)
        c = compiled_form(model)
        solutions = np.array([values_of_all(c, x) for x in oracle.solve(model).solutions])
        for moved in (False, False, True, True):
            found, many = cuts_of(c, source, moved)
            steep += many
            for row, constant in found if len(solutions) else ():
                assert (solutions @ row + constant <= 0).all(), seed
                met += bool((solutions @ row + constant == 0).any())
    assert met > 500, "some solution is at the cut's end"
    assert steep > 200


def test_values_that_are_integers_are_not_cut_off() -> None:
    c = compiled_form(rows_model(random.Random(1)))
    program = LinearProgram(inequalities(c, (c.lower.tolist(), c.upper.tolist())), None, c.lower, c.upper)
    simplex = program.solve()
    assert simplex is not None
    assert not cuts(program, simplex._replace(vertex=np.rint(simplex.vertex)))


def test_sums_that_have_room_are_rounded_without_overflow() -> None:
    """Numbers of any size: what is let through agrees with Python's integers."""
    source, through = random.Random(0), 0
    ends, signs = np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64)
    for _ in range(300):
        wide = 1 << source.randint(4, 30)
        upper = np.array([source.randint(1, 1 << source.randint(1, 20)) for _ in range(3)])
        drawn = [[source.randint(-wide, wide) or 1 for _ in range(4)] for _ in range(2)]
        rows = [Inequality(((0, 1, 2), tuple(each[:3]), each[3])) for each in drawn]
        entries = LinearProgram(rows, None, ends, upper).coefficients
        multipliers = np.array([[source.randint(-wide, wide), source.randint(-wide, wide)]])
        divisor = np.array([1 << source.randint(1, 30)])
        if module._reach(entries, multipliers.astype(np.float64), divisor, upper + 1.0)[0] >= module.ROOM:
            continue
        through += 1
        found = module._rounded(entries, multipliers, divisor, ends, signs)
        d, both = divisor.item(0), list(zip(multipliers[0].tolist(), drawn, strict=True))
        whole, part = divmod(-sum(k * each[3] for k, each in both), d)
        rest = d - part if part else 0
        left = [k // d * rest + max(0, k % d - part) if part else 0 for k, _ in both]
        for j in range(4):
            k = sum(k * each[j] for k, each in both)
            own = k // d * rest + max(0, k % d - part) if part else 0
            own = own if j < 3 else -whole * rest
            expected = own - sum(y * each[j] for y, each in zip(left, drawn, strict=True))
            assert expected == (found[0][0, j] if j < 3 else found[1][0])
    assert 100 < through < 300


@pytest.mark.parametrize(("asked", "kept"), [([0, 1], [[0.5, 0.0], [-0.25, 0.25]]), ([1], [[-0.25, 0.25]])])
def test_columns_of_an_inverse(asked: list[int], kept: list[list[float]]) -> None:
    matrix = np.array([[2.0, 2.0], [0.0, 4.0]])
    assert np.linalg.inv(matrix)[:, asked].T.tolist() == kept
    assert module._solved(matrix, asked).tolist() == kept


def test_a_singular_matrix_has_no_inverse() -> None:
    assert not len(module._solved(np.array([[1.0, 2.0], [2.0, 4.0]]), [0]))


def lots() -> Model:
    """Return amounts to make in six weeks, each of which must be prepared for, and what is stored."""
    m, source = Model("lots"), random.Random(2)
    made, stored = m.intvar(0, 60, shape=6, name="made"), m.intvar(0, 90, shape=6, name="stored")
    prepared = m.boolvar(shape=6, name="prepared")
    for week in range(6):
        before = stored[week - 1] if week else 0
        m += before + made[week] - stored[week] == source.randint(5, 30)
    m += made <= 60 * prepared
    m.minimize((prepared * np.array([source.randint(30, 80) for _ in range(6)])).sum() + stored.sum())
    return m


def assignment() -> Model:
    """Return tasks for machines that have room for some of them."""
    m, source = Model("assignment"), np.random.default_rng(1)
    x, weights = m.boolvar(shape=(4, 16), name="x"), source.integers(5, 26, (4, 16))
    m += [x.sum(axis=0) == 1, (x * weights).sum(axis=1) <= weights.sum(axis=1) // 5]
    m.minimize((x * source.integers(10, 51, (4, 16))).sum())
    return m


@pytest.mark.parametrize("model", [lots(), assignment()], ids=str)
def test_cuts_raise_the_bound(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    c, best = compiled_form(model), model.solve(solver="cpsat").objective
    tighter = relaxed(c, c.lower, c.upper)
    monkeypatch.setattr(relaxation, "ROUNDS", 0)
    without = relaxed(c, c.lower, c.upper)
    assert tighter is not None
    assert tighter.cuts
    assert without is not None
    assert not without.cuts
    assert without.bound is not None
    assert tighter.bound is not None
    assert best is not None
    assert without.bound < tighter.bound <= best
    assert 2 * (best - tighter.bound) <= best - without.bound, "they close half of the gap"
