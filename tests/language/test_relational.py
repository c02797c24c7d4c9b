"""Partial functions under truths: false where undefined, up to the nearest truth and no farther.

The expected solutions are found by plain loops: a term is an integer or None, where it is undefined.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import oracle
import pytest
from each import each
from seeds import LONG

from cpqueens import (
    ANY,
    AllDifferent,
    AllDifferentExcept,
    AllEqual,
    Among,
    And,
    BinPacking,
    Circuit,
    Count,
    Cumulative,
    Decreasing,
    GlobalCardinality,
    Implication,
    Increasing,
    Inverse,
    LexChainLess,
    LexChainLessEqual,
    LexLess,
    LexLessEqual,
    Model,
    Negation,
    NegativeTable,
    NoOverlap,
    NoOverlap2D,
    NValue,
    Or,
    Predicate,
    Regular,
    ShortTable,
    Status,
    SubCircuit,
    Table,
    Undefined,
    ValuePrecede,
    Xor,
    all_,
    any_,
    div_trunc,
    element,
    maximum,
    mod_trunc,
)
from cpqueens.answers.check import Checker
from cpqueens.backends.cpsat import translation as cpsat
from cpqueens.language.defined_functions import DEFINITION_KINDS
from cpqueens.lowered.lowering import lower

Rows = set[tuple[int, ...]]
X, Y = range(-1, 4), range(-1, 2)
GRID = [[4, 0, 1], [2, 1, 0]]


def _entry(table: list[Any], k: int | None) -> Any:
    return table[k] if k is not None and 0 <= k < len(table) else None


def _c_quotient(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


PARTIAL: dict[str, tuple[Callable[[Any, Any], Any], Callable[[int, int], int | None]]] = {
    "quotient": (lambda x, y: x // y, lambda x, y: x // y if y else None),
    "remainder": (lambda x, y: x % y, lambda x, y: x % y if y else None),
    "quotient_truncated": (div_trunc, lambda x, y: _c_quotient(x, y) if y else None),
    "remainder_truncated": (mod_trunc, lambda x, y: x - y * _c_quotient(x, y) if y else None),
    "element": (lambda x, y: element([2, -1, 1], x), lambda x, y: _entry([2, -1, 1], x)),
    "element of terms": (lambda x, y: element([y, 1 - x, 1], x), lambda x, y: _entry([y, 1 - x, 1], x)),
    "element in a grid": (lambda x, y: _grid(x)[y, x], lambda x, y: _entry(_entry(GRID, y) or [], x)),
    "nested": (
        lambda x, y: element([1, 0, 2], x // y),
        lambda x, y: _entry([1, 0, 2], x // y if y else None),
    ),
    "under a total one": (
        lambda x, y: maximum(abs(6 // y), x),
        lambda x, y: max(abs(6 // y), x) if y else None,
    ),
}
"""Functions of x and y: as terms, and as plain Python with None where undefined."""


def _grid(x: Any) -> Any:
    return (0 * x).reshape(1, 1) + np.array(GRID)


def _different(values: list[int]) -> bool:
    return len(values) == len(set(values))


def _cardinality(t: int, x: int) -> bool:
    return (t, x).count(0) == 1 and (t, x).count(1) == 1


def _inverse(t: int, x: int, y: int) -> bool:
    f, s = (t, x), (y, 0)
    return all(v in (0, 1) for v in f + s) and all((f[i] == j) == (s[j] == i) for i in (0, 1) for j in (0, 1))


def _undefined_is_false(holds: Callable[..., bool]) -> Callable[[int | None, int, int], bool]:
    return lambda t, x, y: t is not None and holds(t, x, y)


def _positive(t: int | None) -> bool:
    return t is not None and t >= 1


ROWS = [(0, 0), (1, 1), (2, 1), (-1, 0), (0, 3)]


def _precede(t: int, x: int, y: int) -> bool:
    return t != 1 and (x != 1 or t == 0)


ARCS = [(0, 0, 0), (0, 1, 1), (1, 0, 1)]
BUILDERS: dict[str, tuple[Callable[..., Any], Callable[[int | None, int, int], bool]]] = {
    name: (build, _undefined_is_false(holds))
    for name, build, holds in [
        ("AllDifferent", lambda t, x, y: AllDifferent(t, x, y), lambda t, x, y: _different([t, x, y])),
        (
            "AllDifferentExcept",
            lambda t, x, y: AllDifferentExcept([t, x, y], [0]),
            lambda t, x, y: _different([v for v in (t, x, y) if v]),
        ),
        ("AllEqual", lambda t, x, y: AllEqual(t, y), lambda t, x, y: t == y),
        (
            "Among",
            lambda t, x, y: Among([t, x], [0, 1], 1),
            lambda t, x, y: (t in (0, 1)) + (x in (0, 1)) == 1,
        ),
        ("Circuit", lambda t, x, y: Circuit([t, x]), lambda t, x, y: (t, x) == (1, 0)),
        (
            "BinPacking",
            lambda t, x, y: BinPacking([x, 0], [t, 1], [y, 1], "<="),
            lambda t, x, y: x in (0, 1) and (t * (x == 0) + 1 <= y) and t * (x == 1) <= 1,
        ),
        ("Count", lambda t, x, y: Count([x, y], t, "<=", 1), lambda t, x, y: (x, y).count(t) <= 1),
        (
            "Cumulative",
            lambda t, x, y: Cumulative([x, 0], 2, [1, y], t),
            lambda t, x, y: y >= 0 and t >= max(1, y, (-2 < x < 2) * (1 + y)),
        ),
        ("Decreasing", lambda t, x, y: Decreasing([x, t]), lambda t, x, y: x >= t),
        (
            "GlobalCardinality",
            lambda t, x, y: GlobalCardinality([t, x], [0, 1], [1, 1]),
            lambda t, x, y: _cardinality(t, x),
        ),
        ("Increasing", lambda t, x, y: Increasing([x, t], True), lambda t, x, y: x < t),
        ("Inverse", lambda t, x, y: Inverse([t, x], [y, 0 * x]), _inverse),
        (
            "LexChainLess",
            lambda t, x, y: LexChainLess([[t, x], [y, 1], [2, 0]]),
            lambda t, x, y: (t, x) < (y, 1),
        ),
        (
            "LexChainLessEqual",
            lambda t, x, y: LexChainLessEqual([[y, x], [t, 1]]),
            lambda t, x, y: (y, x) <= (t, 1),
        ),
        ("LexLess", lambda t, x, y: LexLess([t, x], [y, 1]), lambda t, x, y: (t, x) < (y, 1)),
        ("LexLessEqual", lambda t, x, y: LexLessEqual([y, x], [t, 1]), lambda t, x, y: (y, x) <= (t, 1)),
        ("Linear", lambda t, x, y: t + x != y, lambda t, x, y: t + x != y),
        (
            "NoOverlap",
            lambda t, x, y: NoOverlap([t, x], [1, y]),
            lambda t, x, y: y >= 0 and (t + 1 <= x or x + y <= t),
        ),
        (
            "NoOverlap2D",
            lambda t, x, y: NoOverlap2D([x, 0], [t, 1], [y, 0], 1),
            lambda t, x, y: t >= 0 and (x + t <= 0 or x >= 1 or y != 0),
        ),
        ("Predicate", lambda t, x, y: Predicate(_even, t, x), lambda t, x, y: (t + x) % 2 == 0),
        ("SubCircuit", lambda t, x, y: SubCircuit([t, x]), lambda t, x, y: sorted([t, x]) == [0, 1]),
        (
            "NegativeTable",
            lambda t, x, y: NegativeTable([t, x], ROWS),
            lambda t, x, y: (t, x) not in ROWS,
        ),
        ("NValue", lambda t, x, y: NValue([t, x, y], 2), lambda t, x, y: len({t, x, y}) == 2),
        (
            "Regular",
            lambda t, x, y: Regular([t, x], ARCS, 0, 1),
            lambda t, x, y: (t, x) in ((0, 1), (1, 0)),
        ),
        (
            "ShortTable",
            lambda t, x, y: ShortTable([t, x], [(1, ANY), (ANY, 0)]),
            lambda t, x, y: t == 1 or x == 0,
        ),
        ("ValuePrecede", lambda t, x, y: ValuePrecede([t, x], 0, 1), _precede),
        ("Table", lambda t, x, y: Table([t, x], ROWS), lambda t, x, y: (t, x) in ROWS),
    ]
} | {
    "And": (lambda t, x, y: And(t >= 1, x > 0), lambda t, x, y: _positive(t) and x > 0),
    "Implication": (lambda t, x, y: Implication(t >= 1, x > 0), lambda t, x, y: not _positive(t) or x > 0),
    "Negation": (lambda t, x, y: Negation(t >= 1), lambda t, x, y: not _positive(t)),
    "Or": (lambda t, x, y: Or(t >= 1, x > 0), lambda t, x, y: _positive(t) or x > 0),
    "Xor": (lambda t, x, y: Xor(t >= 1, x > 0), lambda t, x, y: _positive(t) != (x > 0)),
}
"""Kinds over a partial term, built and judged by hand; in connectives, the literals are truths."""


def _even(t: int, x: int) -> bool:
    return (t + x) % 2 == 0


CONTEXTS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[bool, bool], bool]]] = {
    "plain": (lambda c, b: c, lambda c, b: c),
    "negated": (lambda c, b: ~c, lambda c, b: not c),
    "negated twice": (lambda c, b: ~~c, lambda c, b: c),
    "reified": (lambda c, b: c == b, lambda c, b: c == b),
    "implied": (lambda c, b: b.implies(c), lambda c, b: not b or c),
    "implies": (lambda c, b: c.implies(b), lambda c, b: not c or b),
    "or false": (lambda c, b: c | False, lambda c, b: c),
    "in a sum": (lambda c, b: c.sum() + b != 1, lambda c, b: c + b != 1),
}


def small_model(build: Callable[[Any, Any, Any], Any]) -> Model:
    m = Model()
    x, y = m.intvar(X[0], X[-1], name="x"), m.intvar(Y[0], Y[-1], name="y")
    m.add(build(x, y, m.boolvar(name="b")))
    return m


def by_loops(judge: Callable[[int, int, bool], bool]) -> Rows:
    return {(x, y, b) for x, y, b in itertools.product(X, Y, (0, 1)) if judge(x, y, bool(b))}


def rows_of(matrix: Any) -> Rows:
    return {tuple(row) for row in matrix.tolist()}


def accepted(m: Model) -> Rows:
    grid = oracle.assignments(m)
    checker = Checker(m)
    good = checker.accepts(grid)
    assert ((checker.violation(grid) == 0) == good).all()
    return rows_of(grid[good])


@cache
def cases(kind: str) -> list[tuple[str, Model, Rows]]:
    """Return name, model and solutions of a kind over each partial term in each context."""
    build, holds = BUILDERS[kind]
    found = []
    for (name, (term, value)), (context, (post, judge)) in itertools.product(
        PARTIAL.items(), CONTEXTS.items()
    ):
        m = small_model(lambda x, y, b, term=term, post=post: post(build(term(x, y), x, y), b))
        expected = by_loops(lambda x, y, b, value=value, judge=judge: judge(holds(value(x, y), x, y), b))
        found.append((f"{kind}, {name}, {context}", m, expected))
    return found


def paired_cases(kind: str) -> list[tuple[str, Model, Rows]]:
    """Return every third case: over all kinds, any two of kind, partial term and context meet."""
    shift = sorted(BUILDERS).index(kind)
    return [c for k, c in enumerate(cases(kind)) if (shift + sum(divmod(k, len(CONTEXTS)))) % 3 == 0]


def test_nothing_is_left_out() -> None:
    partial = {
        kind for kind, d in DEFINITION_KINDS.items() if d.partial is not DEFINITION_KINDS["abs"].partial
    }
    assert partial <= set(PARTIAL)


@pytest.mark.parametrize("kind", sorted(BUILDERS))
def test_checker_and_oracle_mean_it(kind: str) -> None:
    for name, m, expected in cases(kind):
        assert oracle.solve(m).rows == expected, name
        assert accepted(m) == expected, name


@each("kind", sorted(BUILDERS))
def test_backends_mean_it(solver: str, kind: str) -> None:
    every = (
        (1 if LONG else 2) if solver == "backtracking" else 2 if LONG else 6
    )  # who reads the same definitions shares the cases
    for name, m, expected in paired_cases(kind)[solver == "cpsat" :: every]:
        outcome = m.enumerate(solver=solver)
        assert outcome.complete, name
        assert outcome.count == len(expected), name
        assert rows_of(outcome.solutions.matrix) == expected, name


# ---- what people write --------------------------------------------------------------------------------


def test_a_guarded_quotient(solver: str) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.add((y != 0).implies(x // y == 1))
    expected = {(a, b) for a in range(4) for b in range(4) if b == 0 or a // b == 1}
    assert rows_of(m.enumerate(solver=solver).solutions.matrix) == expected


def test_a_guarded_element(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 5, name="x")
    m.add((x < 3).implies(element([5, 4, 5], x) == 5))
    assert rows_of(m.enumerate(solver=solver).solutions.matrix) == {(0,), (2,), (3,), (4,), (5,)}


@each(
    "around",
    [
        lambda c: c,
        lambda c: c | False,
        lambda c: c & True,
        lambda c: ~~c,
        lambda c: all_([c]),
        lambda c: any_([c, False]),
        lambda c: c == 1,
        lambda c: c.sum() >= 1,
        lambda c: c ^ False,
        lambda c: ~(c.implies(False)),
        lambda c: (c | c) & c,
        lambda c: [c, c | True],
    ],
)
def test_a_truth_keeps_its_condition_when_bounds_decide_the_rest(
    solver: str, around: Callable[..., Any]
) -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    m.add(around((7 % x) >= 0))
    assert m.count(solver=solver) == 3


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (lambda t: t == 1, {(1,)}),
        (lambda t: t != 1, {(2,), (3,)}),
        (lambda t: ~(t == 1), {(0,), (2,), (3,)}),
        (lambda t: ~(t != 1), {(0,), (1,)}),
        (lambda t: ~((t == 1) | (t != 1)), {(0,)}),
    ],
)
def test_a_relation_and_its_opposite_are_both_false(
    solver: str, relation: Callable[[Any], Any], expected: Rows
) -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    m.add(relation(1 // x))
    assert rows_of(m.enumerate(solver=solver).solutions.matrix) == expected


def test_an_array_negates_element_by_element(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=2, name="x")
    m.add(~(4 // x == [4, 2]))
    expected = {(a, b) for a in range(3) for b in range(3) if a != 1 and b != 2}
    assert rows_of(m.enumerate(solver=solver).solutions.matrix) == expected


def test_an_element_of_truths_is_a_truth(solver: str) -> None:
    """Outside its array it is false, and its negation true; the truth around it goes on."""
    for build, judge in [
        (lambda t, b: t, lambda t, b: t),
        (lambda t, b: ~t, lambda t, b: not t),
        (lambda t, b: any_([t, b]), lambda t, b: t or b),
        (lambda t, b: ~all_([t, b]), lambda t, b: not (t and b)),
        (lambda t, b: t.implies(b), lambda t, b: not t or b),
        (lambda t, b: b ^ t, lambda t, b: b != t),
        (lambda t, b: [Or(t, b)], lambda t, b: t or b),
    ]:
        m = Model()
        a, k = m.boolvar(shape=2, name="a"), m.intvar(-1, 2, name="k")
        b = m.boolvar(name="b")
        m.add(build(element(a, k), b))
        expected = {
            (u, v, at, w)
            for u, v, at, w in itertools.product((0, 1), (0, 1), range(-1, 3), (0, 1))
            if judge(at in (0, 1) and bool((u, v)[at]), bool(w))
        }
        assert oracle.solve(m).rows == expected
        assert rows_of(m.enumerate(solver=solver).solutions.matrix) == expected


# ---- the objective, visible conditions ----------------------------------------------------------------


def test_an_objective_must_be_defined(optimizer: str) -> None:
    m = Model()
    k, y = m.intvar(-1, 4, name="k"), m.intvar(0, 2, name="y")
    m.maximize(element([3, 6 // y, 1], k))
    outcome = m.solve(solver=optimizer)
    assert (outcome.status, outcome.objective) == (Status.OPTIMAL, 6)
    assert (outcome[k], outcome[y]) == (1, 1)
    assert m.count(solver=optimizer) == 6
    assert {p.name for p in m.constraints} == {"range of 6 // y", f"range of {m.name_of(3)}"}


def test_without_the_visible_condition_nothing_changes(optimizer: str) -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(0, 2, name="y")
    m.add(x // y == 2)
    m.minimize(5 % x)
    conditions = [k for k, p in enumerate(m.constraints) if p.source is None]
    assert len(conditions) == 2
    bare = m.without(conditions)
    assert len(bare.constraints) == 1
    assert oracle.solve(bare).rows == accepted(bare) == oracle.solve(m).rows
    assert rows_of(bare.enumerate(solver=optimizer).solutions.matrix) == oracle.solve(m).rows
    assert bare.solve(solver=optimizer).objective == m.solve(solver=optimizer).objective == 0


def test_total_models_get_nothing() -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(domain=[-2, 1, 3], name="y")
    m.add((x // y == 2) | (element([1, 2, 3, 4, 5, 6], x) == x % 3))
    assert not m.has_partial
    assert not m.may_be_undefined.any()
    kinds = [d.kind for d in lower(m, cpsat.supports).definitions]
    assert sorted(kinds) == ["element", "quotient", "remainder", "truth", "truth"]


def test_truths_that_bounds_decide_stay_constants() -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    assert not ((7 % x) < 0).truth().width  # false, defined or not
    assert ((7 % x) >= 0).truth().width == 1


# ---- reading ------------------------------------------------------------------------------------------


def test_an_undefined_term_cannot_be_read() -> None:
    m = Model()
    x, y = m.intvar(4, 4, name="x"), m.intvar(0, 1, name="y")
    t, k = x // y, element([7, 8], x + y)
    m.add((t == 4) | (y == 0))
    found = m.enumerate(solver="backtracking").solutions
    undefined, defined = found
    with pytest.raises(Undefined, match=r"^undefined: x // y: divisor y = 0$"):
        undefined[t]
    with pytest.raises(Undefined, match=r"x // y: divisor y = 0"):
        undefined[abs(3 * t + x)]
    with pytest.raises(Undefined, match=r"position x \+ y = 5, allowed are 0\.\.1"):
        defined[k]
    with pytest.raises(Undefined, match="divisor"):
        found.values(t)
    assert defined[t] == 4
    assert [s[t == 4] for s in found] == [0, 1]
    assert found.values(x).tolist() == [4, 4]
    with pytest.raises(Undefined, match="divisor"):
        undefined[t - t]
    assert defined[t - t] == defined[0 * t] == 0


def test_an_outcome_says_what_is_undefined() -> None:
    m = Model()
    x = m.intvar(0, 0, name="x")
    outcome = m.solve()
    with pytest.raises(Undefined, match=r"5 % x: divisor x = 0") as caught:
        outcome[5 % x]
    assert caught.value.exit_code == 2
    assert outcome[x] == 0


def test_an_array_with_an_undefined_element_cannot_be_read() -> None:
    m = Model()
    x = m.intvar([1, 0], [1, 0], shape=2, name="x")
    s = m.solve().solution
    assert s is not None
    with pytest.raises(Undefined, match=r"6 // x\[1\]"):
        s[6 // x]
    assert s[(6 // x)[0]] == 6


# ---- the checker's words ------------------------------------------------------------------------------


def test_violations_say_what_is_undefined() -> None:
    m = Model()
    x, y = m.intvar(0, 5, name="x"), m.intvar(0, 2, name="y")
    m.add(AllDifferent(x // y, x, y), name="distinct")
    first, second = m.check({x: 3, y: 0}).violations
    assert first.undefined == "x // y: divisor y = 0"
    assert first.amount == 1
    assert str(first).endswith("violated by 1: undefined: x // y: divisor y = 0")
    assert second.name == "range of x // y"
    assert not m.check({x: 3, y: 1}).violations[0].undefined  # 3 // 1 is 3 again


def test_an_undefined_objective_is_a_violation() -> None:
    m = Model()
    x = m.intvar(-1, 5, name="x")
    m.minimize(element([2, 1], x))
    bare = m.without([0, 1])
    found = bare.check({"x": 3}).violations
    assert [(v.amount, v.undefined.partition(": ")[2]) for v in found] == [
        (1, "position x = 3, allowed are 0..1")
    ]
    assert Checker(bare).violation(np.array([[3], [1], [-1]])).tolist() == [1, 0, 1]


# ---- copies, heuristics, text -------------------------------------------------------------------------


def test_a_copy_means_the_same() -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 2, name="y")
    m.add(~(x // y == 1))
    other = m.copy()
    assert other.count(solver="backtracking") == m.count(solver="backtracking") == 9
    other.add(x // y <= 1)
    assert accepted(other) == oracle.solve(other).rows == {(0, 1), (0, 2), (1, 2)}
    assert m.count() == 9


def test_heuristics_know_conditions() -> None:
    """Every assignment but one has an undefined term or a wrong value."""
    m = Model()
    k, y = m.intvar(-2, 6, shape=2, name="k"), m.intvar(-1, 1, name="y")
    m.add(~(element([3, 3, 3, 4], k[0]) != 4) & (element([3, 3, 3, 4], k[0]) >= 0), 6 // y == k[1])
    assert m.solve(solver="local-search", time_limit=600, random_seed=1)[k].tolist() == [3, 6]


def test_the_text_for_cpsat_is_safe_only_where_needed() -> None:
    def literals(low: int, position: int) -> int:
        m = Model()
        x, y = m.intvar(0, 5, name="x"), m.intvar(low, 3, name="y")
        m.add(x // y == element([1, 2, 1, 0], x - position))
        return str(cpsat.translate(m).proto).count("enforcement_literal")

    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(1, 3, name="y")
    m.add(x // y == element([1, 2, 1, 0], x))
    total = str(cpsat.translate(m).proto)
    assert "enforcement_literal" not in total
    assert 0 < literals(1, 0) < literals(0, 0) < literals(0, 1)


def test_the_condition_of_an_objective_goes_with_it(optimizer: str) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.minimize(x // y)
    m.add(x <= 2, name="least")
    assert [p.name for p in m.constraints] == ["range of x // y", "least"]
    m.minimize(y)
    assert [p.name for p in m.constraints] == ["least"]
    assert m.solve(solver=optimizer).objective == 0
    m.then_maximize(x // y)  # now y is not 0
    assert m.solve(solver=optimizer).objectives == (1, 2)
    m.drop_objectives()
    assert m.count(solver=optimizer) == 12


def test_a_condition_that_a_constraint_needs_does_not_go_with_an_objective(solver: str) -> None:
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.minimize(x // y)
    m.add(x // y >= 0)
    m.drop_objectives()
    assert m.count(solver=solver) == 12
    assert not m.check({x: 1, y: 0})
