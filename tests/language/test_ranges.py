"""The one range of all arithmetic: inside it everything is right or refused, outside it refused, in one line.

What is right says a second evaluation in Python's integers, which have no ends.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from seeds import LONG

from cpqueens import (
    AllDifferent,
    AllDifferentExcept,
    AllEqual,
    Among,
    Circuit,
    Count,
    Cumulative,
    Decreasing,
    GlobalCardinality,
    Increasing,
    Inverse,
    LexLess,
    LexLessEqual,
    Model,
    NoOverlap,
    NoOverlap2D,
    SubCircuit,
    Table,
    div_trunc,
    element,
    maximum,
    minimum,
    mod_trunc,
)
from cpqueens.answers.check import Checker
from cpqueens.errors import CpqueensError, IntegerError, ModelInvalid
from cpqueens.language.ranges import DIFFERENCE, LIMIT, OutOfRange, saturated_sum

E = LIMIT
DOMAINS = {
    "both ends": [-E, -E + 1, -1, 0, 1, E - 1, E],
    "upper end": [E - 2, E - 1, E],
    "lower end": [-E, -E + 1, -E + 3],
}

Meaning = Callable[[tuple[int, ...]], bool]
GLOBAL: dict[str, tuple[Callable[[Any], Any], Meaning]] = {
    "AllDifferent": (AllDifferent, lambda v: len(set(v)) == 3),
    "AllDifferent of negated": (lambda x: AllDifferent([-x[0], x[1]]), lambda v: -v[0] != v[1]),
    "AllDifferentExcept": (
        lambda x: AllDifferentExcept(x, [E, -E]),
        lambda v: all(n == 1 for w, n in Counter(v).items() if abs(w) != E),
    ),
    "AllEqual": (AllEqual, lambda v: len(set(v)) == 1),
    "Among": (lambda x: Among(x, [-E, E - 1], 1), lambda v: sum(w in (-E, E - 1) for w in v) == 1),
    "Among, counted by a term": (lambda x: Among(x[:2], [E], x[2]), lambda v: v[:2].count(E) == v[2]),
    "Circuit": (lambda x: Circuit([x[0], 0]), lambda v: v[0] == 1),
    "Count": (lambda x: Count(x, E, ">=", 2), lambda v: v.count(E) >= 2),
    "Count of a term": (lambda x: Count(x[:2], x[2], "<", x[0]), lambda v: v[:2].count(v[2]) < v[0]),
    "Cumulative": (lambda x: Cumulative(0, 1, [x[0]], x[1]), lambda v: 0 <= v[0] <= v[1]),
    "Decreasing": (lambda x: Decreasing(x), lambda v: v[0] >= v[1] >= v[2]),
    "GlobalCardinality": (
        lambda x: GlobalCardinality(x[:2], [E, -E], x[1:]),
        lambda v: v[:2].count(E) == v[1] and v[:2].count(-E) == v[2],
    ),
    "Increasing": (Increasing, lambda v: v[0] <= v[1] <= v[2]),
    "Increasing strictly": (lambda x: Increasing(x, strict=True), lambda v: v[0] < v[1] < v[2]),
    "Inverse": (lambda x: Inverse(x[:1], x[1:2]), lambda v: v[0] == 0 and v[1] == 0),
    "LexLess": (lambda x: LexLess(x[:2], x[1:]), lambda v: v[:2] < v[1:]),
    "LexLessEqual": (lambda x: LexLessEqual(x[:2], x[1:]), lambda v: v[:2] <= v[1:]),
    "NoOverlap": (lambda x: NoOverlap([x[0], 0], [0, E]), lambda v: not 0 < v[0] < E),
    "NoOverlap2D": (
        lambda x: NoOverlap2D([x[0], 0], [0, E], [x[1], 0], [0, E]),
        lambda v: not (0 < v[0] < E and 0 < v[1] < E),
    ),
    "SubCircuit": (lambda x: SubCircuit([x[0], 1]), lambda v: v[0] == 0),
    "Table": (
        lambda x: Table(x, [(E, -E, E), (-E, E, 0), (E, E, E - 1)]),
        lambda v: v in {(E, -E, E), (-E, E, 0), (E, E, E - 1)},
    ),
    "abs": (lambda x: AllEqual([abs(x[0]), x[1]]), lambda v: abs(v[0]) == v[1]),
    "minimum": (lambda x: AllEqual([minimum(x[0], -x[1]), x[2]]), lambda v: min(v[0], -v[1]) == v[2]),
    "maximum": (lambda x: AllEqual([maximum(x[0], -x[1]), x[2]]), lambda v: max(v[0], -v[1]) == v[2]),
    "quotient": (lambda x: AllEqual([x[0] // 2, x[1] // -3]), lambda v: v[0] // 2 == v[1] // -3),
    "remainder": (lambda x: x[0] % (E - 1) == 1, lambda v: v[0] % (E - 1) == 1),
    "quotient, truncated": (lambda x: div_trunc(x[0], E - 1) == -1, lambda v: v[0] in (-E, -E + 1)),
    "remainder, truncated": (lambda x: mod_trunc(x[0], -E + 1) == -1, lambda v: v[0] in (-E, -1)),
    "element": (
        lambda x: AllEqual([element([E, -E, x[1]], x[2] % 3), x[0]]),
        lambda v: (E, -E, v[1])[v[2] % 3] == v[0],
    ),
    "product": (
        lambda x: AllDifferent([(x[0] // 2**31) * (x[1] // 2**31), x[2]]),
        lambda v: (v[0] >> 31) * (v[1] >> 31) != v[2],
    ),
    "truths": (
        lambda x: AllEqual([E // 2 * (x[:2] > 0).sum(), x[2]]),
        lambda v: E // 2 * sum(w > 0 for w in v[:2]) == v[2],
    ),
}  # fmt: skip
CONTEXTS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[bool, int], bool]]] = {
    "plain": (lambda c, b: c, lambda held, b: held),
    "negated": (lambda c, b: ~c, lambda held, b: not held),
    "reified": (lambda c, b: c == b, lambda held, b: held == bool(b)),
    "implied": (lambda c, b: b.implies(c), lambda held, b: held or not b),
}
SOLVERS = ("backtracking:check", "backtracking:forward", "cpsat", "python-constraint")


def in_one_line(error: CpqueensError) -> bool:
    """Say whether a message is one readable line."""
    return "\n" not in str(error) and len(str(error)) < 400


def model_of(kind: str, context: str, domain: list[int]) -> tuple[Model, set[tuple[int, ...]]]:
    """Return a model of one constraint over three variables and a Boolean one, and its solutions."""
    make, meaning = GLOBAL[kind]
    post, use = CONTEXTS[context]
    m = Model("ends")
    x = m.intvar(domain=domain, shape=3, name="x")
    b = m.boolvar(name="b")
    m.add(post(make(x), b == 1))
    rows = itertools.product(*[domain] * 3, (0, 1))
    return m, {row for row in rows if use(meaning(row[:3]), row[3])}


def enumerated(m: Model, solver: str) -> set[tuple[int, ...]] | None:
    """Return all solutions, None if the solver refuses the numbers in one line."""
    try:
        outcome = m.enumerate(solver=solver)
    except ModelInvalid as refusal:
        if in_one_line(refusal) and "numbers are too large" in str(refusal):
            return None
        raise
    assert outcome.complete
    return {tuple(row) for row in outcome.solutions.matrix.tolist()}


@pytest.mark.parametrize("ends", DOMAINS)
@pytest.mark.parametrize("kind", GLOBAL)
def test_at_the_ends_every_solver_is_right_or_refuses(kind: str, ends: str) -> None:
    for place, context in enumerate(CONTEXTS):
        m, expected = model_of(kind, context, DOMAINS[ends])
        grid = np.array(list(itertools.product(*[DOMAINS[ends]] * 3, (0, 1))))
        checker = Checker(m)
        accepted = checker.accepts(grid)
        assert {tuple(row) for row in grid[accepted].tolist()} == expected
        assert ((checker.violation(grid) == 0) == accepted).all()
        for solver in SOLVERS if LONG else [SOLVERS[(place + len(kind) + len(ends)) % len(SOLVERS)]]:
            found = enumerated(m, solver)
            assert found in (expected, None), (context, solver)
            assert found is not None or solver == "cpsat"  # the others take the whole range


@pytest.mark.parametrize("ends", ["upper end", "lower end"])
def test_cpsat_takes_the_ends_of_a_few_variables(ends: str) -> None:
    m = Model()
    x = m.intvar(domain=DOMAINS[ends], shape=3, name="x")
    m.add(AllDifferent(x), Increasing(x))
    assert m.enumerate(solver="cpsat").solutions.matrix.tolist() == [DOMAINS[ends]]


@pytest.mark.parametrize("relation", ["==", "!=", "<=", "<", ">=", ">"])
def test_relations_at_the_ends(relation: str, solver: str) -> None:
    domain = [-LIMIT, -LIMIT + 1, 0, LIMIT - 1, LIMIT]
    m = Model()
    x = m.intvar(domain=domain, shape=2, name="x")
    compare: dict[str, Callable[[Any, Any], Any]] = {
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b,
        "<=": lambda a, b: a <= b,
        "<": lambda a, b: a < b,
        ">=": lambda a, b: a >= b,
        ">": lambda a, b: a > b,
    }
    m.add(compare[relation](x[0], -x[1]))
    rows = m.enumerate(solver=solver).solutions.matrix.tolist()
    wanted = [[a, b] for a in domain for b in domain if compare[relation](a, -b)]
    assert sorted(rows) == wanted


@pytest.mark.parametrize("sense", ["minimize", "maximize"])
@pytest.mark.parametrize("ends", DOMAINS)
def test_objectives_at_the_ends(sense: str, ends: str, optimizer: str) -> None:
    m = Model()
    x = m.intvar(domain=DOMAINS[ends], name="x")
    m.add(Among([x], [DOMAINS[ends][0], DOMAINS[ends][-1]], 0))
    getattr(m, sense)(-x)
    outcome = m.solve(solver=optimizer)
    assert outcome.complete
    assert outcome.objective == (min if sense == "minimize" else max)(-v for v in DOMAINS[ends][1:-1])


# ---- just outside ----------------------------------------------------------------------------------------

OUTSIDE: dict[str, Callable[[Model, Any, Any], Any]] = {
    "a relation": lambda m, x, b: m.add(2 * x[0] + 1 >= 0),
    "a relation, reified": lambda m, x, b: m.add((2 * x[0] + 1 >= 0) | b),
    "a relation, negated": lambda m, x, b: m.add(~(x[0] + x[1] + 1 >= 0)),
    "a relation of two": lambda m, x, b: m.add(x[0] <= x[1] + 1),
    "a global constraint": lambda m, x, b: m.add(AllDifferent([x[0] + 1, x[1]])),
    "a global constraint, reified": lambda m, x, b: m.add(AllDifferent([x[0] + 1, x[1]]) | b),
    "a global constraint, negated": lambda m, x, b: m.add(~Increasing([x[0] + 1, x[1]])),
    "a global constraint, implied": lambda m, x, b: m.add((b == 1).implies(Table([x[0] + 1], [[3]]))),
    "a counted value": lambda m, x, b: m.add(Count(x, x[0] + 1, 1)),
    "a count": lambda m, x, b: m.add(Count(x, 0, x[0] + 1)),
    "counts": lambda m, x, b: m.add(GlobalCardinality(x, [0], [2 * x[0]])),
    "an order": lambda m, x, b: m.add(LexLess([x[0] + 1], [x[1]])),
    "an end of a task": lambda m, x, b: m.add(NoOverlap(x, b)),
    "an end of a task, reified": lambda m, x, b: m.add(NoOverlap(x, 1) | b),
    "an end of a rectangle": lambda m, x, b: m.add(NoOverlap2D(0, 1, x, 1)),
    "all demands": lambda m, x, b: m.add(Cumulative(0, 1, x, 5)),
    "constant demands": lambda m, x, b: m.add(Cumulative(b, 1, [LIMIT] * 9, 5)),
    "a function": lambda m, x, b: m.add(abs(x[0] + 1) >= 0),
    "a function in a function": lambda m, x, b: m.add(minimum(abs(x[0]) + 1, x[1]) >= 0),
    "a function, reified": lambda m, x, b: m.add((maximum(x[0] + 1, 0) >= 0) | b),
    "a product": lambda m, x, b: m.add(x[0] * (2 * b + 1) >= 0),
    "a dividend": lambda m, x, b: m.add((x[0] + 1) // 2 >= 0),
    "a table of terms": lambda m, x, b: m.add(element([x[0] + 1, 3], b) >= 0),
    "an index": lambda m, x, b: m.add(element([1, 3], x[0] + 1) >= 0),
    "the objective": lambda m, x, b: m.minimize(x[0] + 1),
    "a negated objective": lambda m, x, b: m.maximize(-x[0] - 1),
    "a coefficient": lambda m, x, b: m.add(DIFFERENCE * b >= 0),
    "a constant": lambda m, x, b: m.add(AllDifferent([x[0] * 0 + LIMIT + 1, b])),
    "far beyond 64 bits": lambda m, x, b: m.add(b + 2**200 >= 0),
    "table rows": lambda m, x, b: m.add(Table(x, [(0, LIMIT + 1)])),
    "listed values": lambda m, x, b: m.add(Among(x, [-LIMIT - 1], 1)),
    "excepted values": lambda m, x, b: m.add(AllDifferentExcept(x, [2**62])),
    "counted values": lambda m, x, b: m.add(GlobalCardinality(x, [LIMIT + 1], [1])),
    "a bound": lambda m, x, b: m.intvar(0, LIMIT + 1),
    "a domain": lambda m, x, b: m.intvar(domain=[-LIMIT - 1, 0]),
}


def _build_and_use(m: Model, *steps: Callable[[Model], object]) -> None:
    for step in steps:
        step(m)


@pytest.mark.parametrize("place", OUTSIDE)
def test_just_outside_is_refused_wherever_it_stands(place: str, optimizer: str) -> None:
    uses: list[Callable[[Model], object]] = [
        lambda m: m.solve(solver=optimizer),
        lambda m: m.count(solver=optimizer),
        lambda m: m.check({"x": [0, 0], "b": 0}),
        lambda m: m.to_cpsat(),
    ]
    for use in uses:
        m = Model("outside")
        x = m.intvar(-LIMIT, LIMIT, shape=2, name="x")
        b = m.boolvar(name="b")
        with pytest.raises(OutOfRange) as caught:  # either where it is built or where it is used
            _build_and_use(m, lambda m, x=x, b=b: OUTSIDE[place](m, x, b), use)
        assert in_one_line(caught.value)
        assert "2^61 - 1" in str(caught.value)


def test_the_message_says_which_term_of_which_constraint() -> None:
    m = Model()
    x = m.intvar(0, LIMIT, shape=3, name="x")
    m.add(x[0] >= 0, name="fine")
    m.add(AllDifferent([x[0], x[1] + x[2]]), name="too far")
    with pytest.raises(OutOfRange, match=r"^too far: x\[1\] \+ x\[2\]: a term may reach 46116[0-9]+; "):
        m.solve()
    with pytest.raises(OutOfRange, match=r"^y: upper bound: 2305843009213693952 is out of range; "):
        m.intvar(0, 2**61, name="y")


def test_values_of_expressions_out_of_range_are_refused() -> None:
    m = Model()
    x = m.intvar(LIMIT - 1, LIMIT, name="x")
    outcome = m.solve(solver="backtracking")
    assert outcome[x] == LIMIT - 1
    assert outcome[4 * x] == 4 * (LIMIT - 1)  # one term is added up in Python's own integers
    with pytest.raises(OutOfRange):
        outcome[x + np.array([0, 3 * LIMIT - 1])]


# ---- violations ------------------------------------------------------------------------------------------


def test_amounts_are_exact_at_the_ends() -> None:
    m = Model()
    x = m.intvar(-LIMIT, LIMIT, name="x")
    m.add(x == 0, x <= 0, x < 0, x > 0, x >= 0)
    for value in (-LIMIT, LIMIT):
        amounts = [v.amount for v in m.check({x: value}).violations]
        expected = [abs(value), max(0, value), max(0, value + 1), max(0, 1 - value), max(0, -value)]
        assert amounts == [a for a in expected if a]


def test_many_huge_violations_never_add_up_to_none() -> None:
    m = Model()
    x = m.intvar(-LIMIT, LIMIT, shape=8, name="x")
    m.add(x >= LIMIT - LIMIT)
    for k in range(8):
        m.add(GlobalCardinality(x[:1], [7, 8, 9, 10], [x[k], x[k], x[k], x[k]]))
    row = np.full((1, 8), -LIMIT)
    checker = Checker(m)
    assert checker.violation(row).tolist() == [DIFFERENCE]
    assert not checker.accepts(row)[0]
    for width in (1, 2, 3, 4, 5, 8, 1024):
        assert saturated_sum(np.full((2, width), 2**61)).tolist() == [min(width * 2**61, DIFFERENCE)] * 2
    assert saturated_sum(np.zeros((3, 0), dtype=np.int64)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("far", [LIMIT, -LIMIT, 2**62, -(2**62), 2**63 - 1, -(2**63)])
def test_assignments_far_outside_their_domains(far: int) -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(x.sum() == 3, name="sum")
    m.add(x[0] * x[0] <= 9, name="square")
    found = m.check({x: [far, 3]})
    assert not found.ok
    assert f"x[0] = {far} is outside its domain 0..3" in found.problems[0]
    assert "the constraints are not evaluated" in found.problems[1]
    assert not found.violations


def test_assignments_outside_their_domains_are_evaluated_where_they_can_be() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(x.sum() == 3, name="sum")
    m.add(x[0] * x[0] <= 9, name="square")
    found = m.check({x: [-(2**30), 3]})
    assert [(v.name, v.amount) for v in found.violations] == [("sum", 2**30), ("square", 2**60 - 9)]


def test_bounds_in_arrays_of_python_integers() -> None:
    """Accepted where they fit, whatever is beyond 2^31, and refused by the one that does not."""
    m = Model()
    wide = np.array([2**31, -(2**40), np.int64(3)], dtype=object)
    x = m.intvar(wide, wide + 2**40, shape=3, name="x")
    assert x.bounds()[0].tolist() == [2**31, -(2**40), 3]
    assert m.intvar(domain=np.array([2**40, 0], dtype=object)).bounds()[1].max() == 2**40
    with pytest.raises(OutOfRange, match=r"^y: upper bound: 2305843009213693952 is out of range; "):
        m.intvar(0, np.array([2**31, 2**61], dtype=object), shape=2, name="y")
    with pytest.raises(IntegerError, match="integers only"):
        m.intvar(0, np.array([2**31, True], dtype=object), shape=2, name="z")
