"""Our models in CPMpy: CPMpy's own evaluation of every assignment against the oracle."""

from __future__ import annotations

import math
import operator
from itertools import product
from typing import Any

import numpy as np
import pytest

from cpqueens import (
    AllDifferent,
    AllDifferentExcept,
    AllEqual,
    Among,
    Count,
    Cumulative,
    Decreasing,
    GlobalCardinality,
    Increasing,
    LexChainLess,
    LexChainLessEqual,
    LexLess,
    LexLessEqual,
    Model,
    NoOverlap,
    NValue,
    Regular,
    Table,
    UnsupportedRequest,
    ValuePrecede,
    Xor,
    from_cpmpy,
    to_cpmpy,
)
from cpqueens.crosscheck import oracle
from cpqueens.errors import ModelError
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.language.constraints.table_rows import STAR, are_disjoint
from cpqueens.language.functions import div_trunc, element, minimum, mod_trunc
from cpqueens.language.ranges import OutOfRange

cpmpy = pytest.importorskip("cpmpy", reason="CPMpy is not installed")


def accepted(model: Model) -> set[tuple[int, ...]]:
    """Every assignment that CPMpy's own evaluation accepts."""
    from cpmpy.expressions.utils import argval

    there = to_cpmpy(model)
    variables = [there.variables[model.name_of(v)] for v in model.decisions.tolist()]
    found = set()
    for row in oracle.assignments(model).tolist():
        for variable, value in zip(variables, row, strict=True):
            variable._value = bool(value) if variable.is_bool() else value
        if all(argval(c) for c in there.model.constraints):
            found.add(tuple(row))
    return found


def expected(model: Model) -> set[tuple[int, ...]]:
    return set(map(tuple, oracle.solve(model).solutions.tolist()))


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.filterwarnings("ignore")
def test_random_models_of_every_kind_mean_the_same(kind: str) -> None:
    for seed in range(3):
        model = random_model(seed, kinds=[kind], constraints=2)
        assert accepted(model) == expected(model), str(model)


def divided(m: Model, x: Any, y: Any) -> list[Any]:
    return [(x // y == 1) | (x % y == -1), ~(div_trunc(x, y) == -1), mod_trunc(x, 3) != -2]


def of_constants(m: Model, x: Any, y: Any) -> list[Any]:
    return [element([3, 0, -2], y) == x, -7 // y != 3, mod_trunc(-5, y) >= -1, (y == 2) | (5 % y == -1)]


@pytest.mark.parametrize("make", [divided, of_constants])
def test_partial_functions_mean_the_same(make: Any) -> None:
    m = Model()
    x, y = m.intvar(-4, 4, name="x"), m.intvar(domain=[-2, 0, 1, 2], name="y")
    m += make(m, x, y)
    assert accepted(m) == expected(m)
    assert expected(m)


ROUNDED = {
    "quotient": (lambda x, y: x // y, operator.floordiv),
    "remainder": (lambda x, y: x % y, operator.mod),
    "quotient_truncated": (div_trunc, lambda x, y: int(x / y)),
    "remainder_truncated": (mod_trunc, lambda x, y: int(math.fmod(x, y))),
}


@pytest.mark.parametrize("name", sorted(ROUNDED))
@pytest.mark.parametrize("divisor", [-3, 3, None])
def test_quotients_and_remainders_of_every_sign(name: str, divisor: int | None) -> None:
    """Each value is that of Python's own arithmetic, constants beside variables included."""
    function, plain = ROUNDED[name]
    m = Model()
    x, y, z = m.intvar(-7, 7, name="x"), m.intvar(-3, 3, name="y"), m.intvar(-7, 7, name="z")
    m.add(function(x, y if divisor is None else divisor) == z)
    m.add((y != 0) if divisor is None else (y == 0))
    found = accepted(m)
    divisors = [d for d in range(-3, 4) if d] if divisor is None else [divisor]
    assert found == {
        (n, 0 if divisor is not None else d, plain(n, d)) for n in range(-7, 8) for d in divisors
    }


def listed(model: Model) -> int:
    """How many solutions CPMpy's solver lists."""
    return int(to_cpmpy(model).model.solveAll())


def test_variables_in_no_constraint_are_kept() -> None:
    m = Model()
    x, y, _ = m.intvar(0, 3, name="x"), m.intvar(1, 6, name="y"), m.boolvar(name="b")
    free = to_cpmpy(m)
    assert free.model.solveAll() == 48
    assert len(from_cpmpy(free.model).model.decisions) == 3
    m.add(y >= 2)
    assert listed(m) == m.count() == 40
    m.maximize(x + y)
    assert set(from_cpmpy(to_cpmpy(m).model).names) == {"x", "y", "b"}
    assert to_cpmpy(m).model.solve()
    fixed = Model()
    fixed.intvar(3, 3, shape=2, name="x")
    fixed.intvar(domain=[-2, 5, 9], name="y")
    assert listed(fixed) == 3


def test_names_that_cpmpy_keeps_for_itself() -> None:
    theirs = cpmpy.Model()
    x, y = cpmpy.intvar(0, 3), cpmpy.boolvar()
    theirs += [x >= y, x != 2]
    ours = from_cpmpy(theirs).model
    assert listed(ours) == ours.count() == 5
    m = Model()
    made = [m.intvar(0, 2, name=name) for name in ("IV0", "_IV0", "BVx", "IVORY", "BV")]
    m.add(LexLess(made[:2], made[2:4]))
    there = to_cpmpy(m)
    assert list(there.variables) == ["IV0", "_IV0", "BVx", "IVORY", "BV"]
    assert [v.name for v in there.variables.values()] == ["__IV0", "_IV0", "_BVx", "_IVORY", "_BV"]
    assert there.model.solveAll() == m.count() == 36 * 3
    there.model.solve()
    assert m.check(there.assignment()).ok


def test_an_element_at_a_truth() -> None:
    m = Model()
    b, x = m.boolvar(name="b"), m.intvar(0, 5, shape=3, name="x")
    m.add(element(x, b) == 3, element([4, 7], 1 - b) == 4, element([0, 1, 2], b + 1) == 2)
    assert accepted(m) == expected(m)
    assert listed(m) == len(expected(m)) == 36


def test_an_automaton_of_one_term() -> None:
    for low, high in ((0, 1), (0, 3)):
        m = Model()
        x, b = m.intvar(low, high, shape=1, name="x"), m.boolvar(name="b")
        m.add(Regular(x, [(0, 1, 1), (0, 3, 1), (1, 1, 1)], 0, [1]) | b)
        m.add(Regular([b], [(0, 0, 1), (0, 1, 1)], 0, [1]))
        assert listed(m) == m.count() == len(expected(m))


def refused_there(m: Model, x: Any, b: Any) -> dict[str, Any]:
    """Constraints of which CPMpy, or its solver, does not take the first words that come to mind."""
    return {
        "an automaton without transitions": ~Regular(x, [], 0, [0]) & (b == 1),
        "no way from the start": [Regular(x, [(1, 1, 1)], 0, [1])],
        "a state that no transition knows": [Regular(x, [(0, 1, 0), (0, 2, 0)], 0, [0, 7])],
        "nothing that is accepted": [Regular(x, [(0, 1, 0)], 0, [7])],
        "a constant among what is read": [
            Regular([x[0], 1, x[1]], [(0, 1, 1), (1, 1, 0), (0, 2, 1)], 0, [1])
        ],
        "a decided truth in a sum": 2 * Table(x, []) + x[0] == 2,
        "a decided truth in a minimum": minimum(Table(x, []) * 1, x[0]) == 0,
        "a remainder with a decided sign": (x[2] // (x[0] - 2)) * mod_trunc(x[1], x[1]) % (b + 1) >= 0,
        "rows that have tuples in common": [Table(x, [(1, "*", 2), ("*", 1, 2), (0, 0, 0), (0, "*", 0)])],
    }


def test_its_solver_takes_everything_and_lists_each_solution_once() -> None:
    for name in refused_there(*(lambda m: (m, m.intvar(0, 3, shape=3), m.boolvar()))(Model())):
        m = Model()
        x, b = m.intvar(0, 3, shape=3, name="x"), m.boolvar(name="b")
        m.add(refused_there(m, x, b)[name])
        assert listed(m) == len(expected(m)) == len(accepted(m)), name


def test_rows_are_disjoint_or_not() -> None:
    for seed in range(60):
        random = np.random.default_rng(seed)
        rows = np.unique(random.integers(0, 3, (random.integers(1, 5), 3)), axis=0)
        rows = np.unique(np.where(random.random(rows.shape) < 0.4, STAR, rows), axis=0)
        instances = [
            {
                t
                for t in product(range(4), repeat=3)
                if all(v in (STAR, w) for v, w in zip(row, t, strict=True))
            }
            for row in rows.tolist()
        ]
        assert are_disjoint(rows) == (len(set().union(*instances)) == sum(map(len, instances)))


def written_as(m: Model, x: Any, b: Any) -> dict[str, list[Any]]:
    """Posted constraints, by the globals of CPMpy that they are."""
    return {
        "alldifferent": [AllDifferent(x)],
        "alldifferent_except_n": [AllDifferentExcept(x, [0, 2])],
        "allequal": [AllEqual(x)],
        "among": [Among(x, [1, 3], b)],
        "count": [Count(x, x[0], ">=", 1 + b)],
        "cumulative": [Cumulative(x, [1, 2, 1], [1, 2, 1], 2 + b)],
        "cumulative_optional": [Cumulative(x, [1, 2, 1], [1, 2, 1], 2, [b, 1 - b, 1])],
        "decreasing": [Decreasing(x)],
        "gcc": [
            GlobalCardinality(x, [0, 1], [b, 1]),
            GlobalCardinality(x, [0, 1, 2], [1, b, 1], closed=True),
        ],
        "increasing": [Increasing(x)],
        "lex_chain_less": [LexChainLess([[x[0], b], [x[1], x[2]], [2, x[0]]])],
        "lex_chain_lesseq": [LexChainLessEqual([[x[0], b], [x[1], x[2]]])],
        "lex_less": [LexLess(x, [b, 2, x[0]])],
        "lex_lesseq": [LexLessEqual(x, [b, 2, x[0]])],
        "no_overlap": [NoOverlap(x, [1, 2, 1])],
        "no_overlap_optional": [NoOverlap(x, [1, 2, 1], [b, 1, 1])],
        "nvalue": [NValue(x, 1 + b)],
        "precedence": [ValuePrecede(x, [0, 2, 1])],
        "strictly_decreasing": [Decreasing(x, strict=True)],
        "strictly_increasing": [Increasing(x, strict=True)],
    }


@pytest.mark.parametrize(
    "name", sorted(written_as(*(lambda m: (m, m.intvar(0, 3, shape=3), m.boolvar()))(Model())))
)
def test_what_cpmpy_has_is_written_as_that(name: str) -> None:
    m = Model()
    x, b = m.intvar(0, 3, shape=3, name="x"), m.boolvar(name="b")
    m.add(*written_as(m, x, b)[name])
    there = to_cpmpy(m).model
    assert all(
        name in names_in(constraint) for constraint in there.constraints[: len(written_as(m, x, b)[name])]
    )
    assert accepted(m) == expected(m)
    assert there.solveAll() == len(expected(m)) > 0
    assert from_cpmpy(there).model.count() == len(expected(m))


def names_in(expression: Any) -> set[str]:
    if isinstance(expression, list | tuple):
        return {name for part in expression for name in names_in(part)}
    return {getattr(expression, "name", "")} | names_in(list(getattr(expression, "args", ())))


def test_tasks_of_which_cpmpy_means_another_thing_are_decomposed() -> None:
    """There a task without duration may lie within another one, and what is negative is refused oddly."""
    m = Model()
    x, d = m.intvar(0, 2, shape=2, name="x"), m.intvar(-1, 2, shape=2, name="d")
    for stated in (
        NoOverlap(x, d),
        Cumulative(x, d, 1, 1),
        Cumulative(x, 1, d, 2),
        Cumulative(x, 1, 1, d[0]),
    ):
        each = m.copy()
        each.add(stated)
        there = to_cpmpy(each).model
        assert not names_in(there.constraints) & {"cumulative", "no_overlap"}
        assert accepted(each) == expected(each)


def test_setup_times_are_kept() -> None:
    m = Model()
    x = m.intvar(0, 4, shape=2, name="x")
    m.add(NoOverlap(x, 1, setup=[[0, 1], [2, 0]]))
    assert accepted(m) == expected(m)
    assert 0 < len(expected(m)) < 20


@pytest.mark.parametrize("constants", [[0], [1], [1, 1], [1, 0, 1, 1]])
def test_a_parity_with_constants(constants: list[int]) -> None:
    m = Model()
    b = m.boolvar(shape=2, name="b")
    m.add(Xor([*constants, b[0], b[1]]))
    assert accepted(m) == expected(m)


def test_names_values_and_objective() -> None:
    m = Model("three")
    x = m.intvar(0, 4, shape=(1, 3), name="x")
    b = m.boolvar(name="b")
    m += [AllDifferent(x), b.implies(x[0, 0] == 0)]
    m.maximize(x.sum() + 2 * b)
    there = to_cpmpy(m)
    assert list(there.variables) == ["x[0,0]", "x[0,1]", "x[0,2]", "b"]
    assert there.model.solve()
    assert there.model.objective_value() == m.solve(solver="backtracking").objective == 9
    assert m.check(there.assignment()).ok


def test_there_and_back_again() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    m += [AllDifferent(x + np.arange(4)), AllDifferent(x - np.arange(4)), AllDifferent(x)]
    back = from_cpmpy(to_cpmpy(m).model).model
    assert back["x"].shape == (4,)
    assert back.count(solver="backtracking") == 2


def test_refused() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.minimize(x[0], x[1])
    with pytest.raises(UnsupportedRequest, match=r"this one 2; write objective=False .*one\.add\("):
        to_cpmpy(m)
    assert to_cpmpy(m, objective=False).model.objective_ is None
    with pytest.raises(UnsupportedRequest, match=r"one objective, this one 2; .*one\.minimize\(first\)"):
        m.to_cpsat()
    one = m.copy()
    one.minimize(one["x"][0])
    assert to_cpmpy(one).model.solve()
    with pytest.raises(ModelError, match="a model"):
        to_cpmpy(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "use",
    [
        lambda t, x, y: element([t, x, y], y) == 1,
        lambda t, x, y: minimum(t, x) == 0,
        lambda t, x, y: t // x == 0,
        lambda t, x, y: AllDifferent([t, x, y]),
        lambda t, x, y: Table([t, x], [(0, 1), (1, 2)]),
        lambda t, x, y: Cumulative([x, y], [2, 1], [t, 1], 1),
    ],
)
def test_a_truth_that_cpmpy_decides_may_stand_in_any_term(use: Any) -> None:
    """Its solvers refuse a constant of its own where a number may stand."""
    m = Model()
    b, x, y = m.boolvar(shape=2, name="b"), m.intvar(0, 2, name="x"), m.intvar(0, 2, name="y")
    m.add(use(Table(b, [(0, 5)]) * 1, x, y))
    assert to_cpmpy(m).model.solveAll() == m.count()


def test_terms_beyond_all_range_are_refused_as_everywhere_else() -> None:
    m = Model()
    x = m.intvar(0, 2**40, name="x")
    m.add(x * 2**31 >= 5)
    with pytest.raises(OutOfRange, match=r"^[^\n]*2147483648\*x[^\n]* a term may reach[^\n]*$"):
        to_cpmpy(m)
