"""What people are used to from NumPy, Python, OR-Tools, CPMpy, MiniZinc and python-constraint.

It works, and means what they expect, or it is refused with what is written here. One table for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from inspect import isclass, isfunction
from typing import Any

import numpy as np
import pytest
from cpqueens.models.queens import queens as problem
from each import each

import cpqueens
from cpqueens import (
    AllDifferent,
    AllEqual,
    Among,
    Circuit,
    Count,
    CpqueensError,
    GlobalCardinality,
    Increasing,
    Inverse,
    Model,
    NValue,
    Regular,
    SubCircuit,
    Table,
    all_,
    any_,
    element,
    maximum,
    minimum,
)
from cpqueens.crosscheck.roles import constraint_roles, redundant_constraints
from cpqueens.exchange.flatzinc import load_flatzinc
from cpqueens.files.modelfile import dump_model, load_model, model_digest, parse_model, save_model
from cpqueens.longrun.partfiles import merge
from cpqueens.testing import (
    all_solutions,
    assert_agree,
    assert_equivalent,
    queens,
    random_model,
    random_models,
)
from cpqueens.text.attributes import NamesOfOtherTools
from cpqueens.text.foreign import SPELLINGS, spelled


class Variables:
    """A small model whose solutions are counted by hand in the tables below."""

    def __init__(self) -> None:
        self.m = Model("habits")
        self.x = self.m.intvar(0, 2, shape=3, name="x")
        self.y = self.m.intvar(0, 2, name="y")
        self.b = self.m.boolvar(shape=2, name="b")
        self.named = {"first": self.x[0], "second": self.x[1], "third": self.x[2]}


NUMBERS = np.array([2, 0, 1])
GRID = np.arange(9).reshape(3, 3)


class Series:
    """What pandas has in a column, as far as arrays are concerned."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype)

    def __iter__(self) -> Any:
        return iter(self.values)


Habit = Callable[[Variables], Any]

# What is written, and what is written here in its place: both have the same solutions.
WORKS: dict[str, tuple[Habit, Habit]] = {
    # what holds terms
    "the values of a dict": (lambda v: AllDifferent(v.named.values()), lambda v: AllDifferent(v.x)),
    "a generator": (lambda v: AllDifferent(t + 1 for t in v.x), lambda v: AllDifferent(v.x)),
    "a map": (lambda v: AllDifferent(map(abs, v.x)), lambda v: AllDifferent(v.x)),
    "a generator of truths": (lambda v: any_(t == 2 for t in v.x), lambda v: any_(v.x == 2)),
    "terms beside an array": (lambda v: AllDifferent([v.x[:2], v.y]), lambda v: AllDifferent(*v.x[:2], v.y)),
    "arguments of two kinds": (lambda v: AllDifferent(v.x[:2], v.y), lambda v: AllDifferent(*v.x[:2], v.y)),
    "lists in lists": (
        lambda v: AllDifferent([[v.x[0]], [v.x[1:2], v.y]]),
        lambda v: AllDifferent(*v.x[:2], v.y),
    ),
    "truths beside an array": (lambda v: any_([v.b, v.y == 1]), lambda v: any_([*v.b, v.y == 1])),
    "an array of objects": (
        lambda v: AllDifferent(np.array([v.x[0], v.y])),
        lambda v: AllDifferent(v.x[0], v.y),
    ),
    "arithmetic on an array of objects": (
        lambda v: AllDifferent(2 * np.array([v.x[0], v.y]) - v.x[1:]),
        lambda v: 2 * v.x[0] - v.x[1] != 2 * v.y - v.x[2],
    ),
    "the sum of an array of objects": (
        lambda v: np.array([v.x[0], v.y]).sum() == 3,
        lambda v: v.x[0] + v.y == 3,
    ),
    "a list of terms beside an array": (
        lambda v: AllDifferent(np.arange(1, 3) * [v.x[0], v.y]),
        lambda v: v.x[0] != 2 * v.y,
    ),
    "a dict of numbers": (
        lambda v: GlobalCardinality(v.x, {0: 1, 2: 2}.keys(), {0: 1, 2: 2}.values()),
        lambda v: GlobalCardinality(v.x, [0, 2], [1, 2]),
    ),
    "rows from a generator": (
        lambda v: Table(v.x[:2], ((k, k) for k in range(3))),
        lambda v: v.x[0] == v.x[1],
    ),
    "a set of values": (lambda v: Among(v.x, {0, 2}, 2), lambda v: Among(v.x, [0, 2], 2)),
    "a column of integers": (lambda v: v.x * Series([1, 2, 3]) <= 3, lambda v: v.x * [1, 2, 3] <= 3),
    "a column of terms": (lambda v: AllDifferent(Series(list(v.x))), lambda v: AllDifferent(v.x)),
    "a dual pair": (lambda v: Inverse(iter(v.x), v.named.values()), lambda v: Inverse(v.x, v.x)),
    "x.cumsum()": (lambda v: v.x.cumsum()[2] == 2, lambda v: v.x.sum() == 2),
    "(x == 1).cumsum(axis)": (
        lambda v: ((v.x == 1).cumsum(axis=0) <= 1).all(),
        lambda v: (v.x == 1).sum() <= 1,
    ),
    "how many values": (lambda v: NValue(v.x) > 1, lambda v: ~AllEqual(v.x)),
    "how many of some values": (lambda v: Among(v.x, [0, 2]) >= 2, lambda v: (v.x != 1).sum() >= 2),
    "how many of no values": (lambda v: Among(terms=v.x, values=[]) >= v.y, lambda v: v.y == 0),
    "how many values of nothing": (lambda v: NValue([]) == v.y, lambda v: v.y == 0),
    "circuits from 1, shifted": (
        lambda v: Circuit(v.m.intvar(1, 3, shape=3, name="from1") - 1) & (v.m["from1"] == v.x + 1),
        lambda v: Circuit(v.x) & (v.m.intvar(1, 3, shape=3, name="from1") == v.x + 1),
    ),
    # methods and functions of NumPy
    ".any()": (lambda v: (v.x == 2).any(), lambda v: any_(v.x == 2)),
    ".all()": (lambda v: (v.x >= 1).all(), lambda v: all_(v.x >= 1)),
    ".any() of Boolean variables": (lambda v: v.b.any(), lambda v: any_(v.b)),
    ".any() of terms": (lambda v: v.x.any(), lambda v: any_(v.x != 0)),
    ".all() of terms": (lambda v: v.x.all(), lambda v: all_(v.x != 0)),
    ".max() of truths": (lambda v: (v.x == 2).max(), lambda v: any_(v.x == 2)),
    ".min() of truths": (lambda v: (v.x >= 1).min(), lambda v: all_(v.x >= 1)),
    ".max()": (lambda v: v.x.max() == 1, lambda v: maximum(v.x) == 1),
    ".min()": (lambda v: v.x.min() == 1, lambda v: minimum(v.x) == 1),
    ".max(axis)": (
        lambda v: v.x[[0, 1, 1, 2]].reshape(2, 2).max(axis=1) == 1,
        lambda v: [maximum(v.x[0], v.x[1]) == 1, maximum(v.x[1], v.x[2]) == 1],
    ),
    ".any(axis)": (
        lambda v: (v.x[[0, 1, 1, 2]].reshape(2, 2) == 1).any(axis=0, keepdims=True),
        lambda v: [any_(v.x[:2] == 1), any_(v.x[1:] == 1)],
    ),
    "np.max": (lambda v: np.max(v.x) == 1, lambda v: maximum(v.x) == 1),
    "np.min": (lambda v: np.min(v.x, axis=0) == 1, lambda v: minimum(v.x) == 1),
    "np.amax": (lambda v: np.amax(v.x) == 1, lambda v: maximum(v.x) == 1),
    "np.maximum.reduce": (lambda v: np.maximum.reduce(v.x) == 1, lambda v: maximum(v.x) == 1),
    "np.minimum": (lambda v: np.minimum(v.x, v.y) == 1, lambda v: minimum(v.x, v.y) == 1),
    "np.abs": (lambda v: np.abs(v.x - v.y) == 1, lambda v: abs(v.x - v.y) == 1),
    "np.any": (lambda v: np.any(v.x == 2), lambda v: any_(v.x == 2)),
    "np.all": (lambda v: np.all(v.x >= 1), lambda v: all_(v.x >= 1)),
    "np.sum": (lambda v: np.sum(v.x) == 4, lambda v: v.x.sum() == 4),
    "Python's sum": (lambda v: sum(v.x) == 4, lambda v: v.x.sum() == 4),
    "Python's abs": (lambda v: abs(v.y - 1) == 1, lambda v: v.y != 1),
    # whole floats
    "2.0 * y": (lambda v: 2.0 * v.y <= 3, lambda v: v.y <= 1),
    "y == 2.0": (lambda v: v.y == 2.0, lambda v: v.y == 2),
    "a float of NumPy": (lambda v: np.float64(2) * v.y <= 2.0, lambda v: v.y <= 1),
    "an array of whole floats": (
        lambda v: v.x @ np.array([1.0, 2.0, 0.0]) == 4.0,
        lambda v: v.x[0] + 2 * v.x[1] == 4,
    ),
    "a column of whole floats": (lambda v: v.x <= Series([1.0, 2.0, 0.0]), lambda v: v.x <= [1, 2, 0]),
    "bounds and domains of whole floats": (
        lambda v: [v.m.intvar(0.0, 3.0, name="z") == v.y, v.m.intvar(domain=[1.0, 2.0], name="w") == v.y],
        lambda v: [v.m.intvar(0, 3, name="z") == v.y, v.m.intvar(domain=[1, 2], name="w") == v.y],
    ),
    # lookups
    "element of an array of numbers": (
        lambda v: element(NUMBERS, v.y) == 2,
        lambda v: v.y == 0,
    ),
    "element of two axes": (lambda v: element(GRID, v.x[0], v.y) == 5, lambda v: [v.x[0] == 1, v.y == 2]),
    "element of three axes": (
        lambda v: element(np.arange(27).reshape(3, 3, 3), *v.x) == 14,
        lambda v: v.x == [1, 1, 2],
    ),
    # counting
    "Count(x, v) == n": (lambda v: Count(v.x, 1) == 2, lambda v: Count(v.x, 1, 2)),
    "Count(x, v) <= y": (lambda v: Count(v.x, 1) <= v.y, lambda v: Count(v.x, 1, "<=", v.y)),
    "Count of a generator": (lambda v: Count((t for t in v.x), v.y) == 1, lambda v: Count(v.x, v.y, 1)),
    "Count of nothing": (lambda v: Count([], v.y) == 0, lambda v: v.y >= 0),
}


def solutions(habit: Habit) -> list[dict[str, Any]]:
    v = Variables()
    v.m.add(habit(v))
    return [s.as_dict() for s in v.m.enumerate(solver="backtracking").solutions]


@each("name", WORKS)
def test_a_habit_that_works_means_what_it_says(name: str) -> None:
    habit, ours = WORKS[name]
    found = solutions(habit)
    assert found == solutions(ours)
    assert found


def subtract(v: Variables) -> None:
    v.m -= v.y == 1


def added_twice(v: Variables) -> None:
    c = v.m.add(v.y == 1)  # type: ignore[func-returns-value]
    v.m.add(c)


REFUSED: dict[str, tuple[Habit, type[Exception], str]] = {
    # Python's own
    "max": (lambda v: max(v.x), TypeError, r"maximum\(x\)"),
    "min": (lambda v: min(v.x[0], v.y), TypeError, r"minimum\(x\)"),
    "all": (lambda v: all(v.x == 1), TypeError, r"all_\(b\)"),
    "all of Boolean variables": (lambda v: all(v.b), TypeError, r"all_\(b\)"),
    "any": (lambda v: any(t == 1 for t in v.x), TypeError, r"any_\(b\)"),
    "sorted": (lambda v: sorted(v.x), TypeError, r"Increasing\(x\)"),
    "x in list": (lambda v: v.y in [1, 2], TypeError, r"any_\(\[x == 1, x == 2\]\)"),
    "x not in range": (lambda v: v.y not in range(2), TypeError, r"Among\(\[x\], \[1, 2\], 1\)"),
    "value in x": (lambda v: 1 in v.x, TypeError, r"any_\(x == v\)"),
    "and": (lambda v: (v.y == 1) and (v.b[0] == 1), TypeError, r"write & \| ~ instead of and/or/not"),
    "not": (lambda v: not v.b[0], TypeError, "write ~b instead of not b.* of a number x != 0"),
    "if": (lambda v: 1 if v.y == 1 else 2, TypeError, r"c\.implies\(d\) instead of if"),
    "a < b < c": (lambda v: 0 < v.y < 2, TypeError, "two comparisons"),  # type: ignore[operator]
    "int": (lambda v: int(v.y), TypeError, r"s\[x\]"),
    "np.array([x, y]) <= 1": (
        lambda v: np.array([v.x[0], v.y]) <= 1, TypeError, r"np\.stack\(\[x, y\]\)",
    ),
    "m -= ...": (subtract, TypeError, r"m\.without\(positions\)"),
    # numbers
    "2.5 * y": (lambda v: 2.5 * v.y, TypeError, "got 2.5; in units of 1/10 it is 25: write "),
    "y <= 2.5": (lambda v: v.y <= 2.5, ValueError, r"10\*x <= 25 for x <= 2.5"),
    "floats of which one is not whole": (
        lambda v: v.x * [1.0, 0.5, 2.0], ValueError,
        r"got 0.5 at 1; in units of 1/10 write scaled\(values, 10\), which is \[10, 5, 20\]$",
    ),
    "thirds": (lambda v: v.y <= 1 / 3, ValueError, r"got 0\.33\d+; round to multiples of a unit, as in "),
    "bounds in a list": (
        lambda v: v.m.intvar(0, [1.25, 2], shape=2), ValueError,
        r"write scaled\(values, 100\), which is \[125, 200\]$"
    ),
    "b >> c": (lambda v: v.b[0] >> v.b[1], TypeError, r"^write b\.implies\(c\) instead of b >> c"),
    "1 >> c": (lambda v: True >> v.b[1], TypeError, r"^write b\.implies\(c\) instead of b >> c"),
    "b << c": (lambda v: v.b[0] << v.b[1], TypeError, r"^write c\.implies\(b\) instead of b << c"),
    "8 << x": (lambda v: 8 << v.y, TypeError, r"^write c\.implies\(b\) instead of b << c"),
    "a circuit from 1": (
        lambda v: Circuit(v.m.intvar(1, 4, shape=4)), ValueError,
        "^Circuit: successors count from 0 to 3, these variables have the values 1 to 4; write x - 1 for x",
    ),
    "a subcircuit from 1": (
        lambda v: SubCircuit(v.m.intvar(1, 3, shape=3)), ValueError,
        "^SubCircuit: successors count from 0 to 2"
    ),
    "an inverse from 1": (
        lambda v: Inverse(v.x, v.m.intvar(1, 3, shape=3)), ValueError, "^Inverse: positions count from 0 to 2"
    ),
    "nan": (lambda v: v.y == float("nan"), ValueError, "integers only, got nan$"),
    "inf": (lambda v: v.y <= float("inf"), ValueError, "integers only, got inf$"),
    "a huge float": (lambda v: v.y <= 2.0**53, ValueError, "integers only"),
    "bounds that are not whole": (lambda v: v.m.intvar(0.5, 3), ValueError, "integers only, got 0.5"),
    "y / 2": (lambda v: v.y / 2, TypeError, "write // "),
    # arrays
    "numbers[y]": (lambda v: NUMBERS[v.y], IndexError, r"write element\(table, x\)"),
    "grid[y, y]": (lambda v: GRID[v.y, v.y], IndexError, r"element\(table, x, y\)"),
    "grid[:, y]": (lambda v: GRID[:, v.y], IndexError, r"element\(table, x\)"),
    "numbers[x]": (lambda v: NUMBERS[v.x], IndexError, r"element\(table, x\)"),
    "list[y]": (lambda v: [1, 2, 3][v.y], TypeError, r"element\(list, term\)"),
    "np.array(x, float)": (lambda v: np.array(v.x, dtype=float), TypeError, r"s\[x\]"),
    "np.prod": (lambda v: np.prod(v.x), TypeError, r"write a product"),
    "np.mean": (lambda v: np.mean(v.x), TypeError, r"write x\.sum\(\)"),
    "np.argmax": (lambda v: np.argmax(v.x), TypeError, r"maximum\(x\)"),
    "np.where": (lambda v: np.where(v.x == 1, 1, 0), TypeError, r"write element"),
    "max of truths": (lambda v: np.max(v.x == 1), TypeError, r"1 \* booleans"),
    "max of nothing": (lambda v: v.x[:0].max(), ValueError, "maximum of nothing"),
    "a dict": (lambda v: AllDifferent(v.named), TypeError, r"\.values\(\)"),
    "a set of terms": (lambda v: AllDifferent({v.y, v.x[0]}), TypeError, "a set has no order"),
    "an endless iterator": (lambda v: AllDifferent(iter(int, 1)), ValueError, "more than 1000000 elements"),
    "one index of two": (lambda v: element(GRID, v.y), ValueError, "1 indices for an array"),
    # names of OR-Tools
    "m.NewIntVar": (lambda v: v.m.NewIntVar(0, 3, "z"), AttributeError, r"write m\.intvar\(lower"),
    "m.new_bool_var": (lambda v: v.m.new_bool_var("z"), AttributeError, r"write m\.boolvar\("),
    "m.Add": (lambda v: v.m.Add(v.y == 1), AttributeError, r"write m\.add\("),
    "m.AddAllDifferent": (lambda v: v.m.AddAllDifferent(v.x), AttributeError, r"m\.add\(AllDifferent"),
    "m.add_max_equality": (lambda v: v.m.add_max_equality(v.y, v.x), AttributeError, r"y == maximum\(x\)"),
    "m.Minimize": (lambda v: v.m.Minimize(v.y), AttributeError, "write minimize$"),
    "only_enforce_if": (lambda v: (v.y == 1).only_enforce_if(v.b[0]), AttributeError, r"b\.implies"),
    "OnlyEnforceIf": (lambda v: AllDifferent(v.x).OnlyEnforceIf(v.b[0]), AttributeError, r"b\.implies"),
    "m.add(m.add(...))": (added_twice, ValueError, "^a constraint is needed, got NoneType None$"),
    "m.add(c, only_enforce_if=)": (
        lambda v: v.m.add(v.y == 1, only_enforce_if=v.b[0]), TypeError, r"write m\.add\(b\.implies",
    ),
    "m.add(c, weight=)": (lambda v: v.m.add(v.y == 1, weight=2), TypeError, r"m\.add_soft\(\.\.\., weight="),
    "m.add_soft(c, penalty=)": (lambda v: v.m.add_soft(v.y == 1, penalty=2), TypeError, "write weight=$"),
    "AllDifferent(x, name=)": (
        lambda v: AllDifferent(v.x, name="d"), TypeError, r"m\.add\(constraint, name=\.\.\.\)$",
    ),
    "Model(constraints)": (lambda v: Model([v.y == 1]), ValueError, r"m = Model\(\), then m\.add\(\.\.\.\)"),
    "Model(minimize=)": (lambda v: Model(minimize=v.y), TypeError, r"write m\.minimize\(\.\.\.\)$"),
    "b.Not()": (lambda v: v.b[0].Not(), AttributeError, "write ~b"),
    "CpModel": (lambda v: cpqueens.CpModel, AttributeError, "write Model"),
    "outcome.ObjectiveValue()": (lambda v: v.m.solve().ObjectiveValue(), AttributeError, r"write outcome"),
    "solution.Value(x)": (lambda v: v.m.solve().solution.Value(v.y), AttributeError, r"outcome\[x\]"),
    "max_time_in_seconds=": (lambda v: v.m.solve(max_time_in_seconds=3), TypeError, "write time_limit="),
    # names of CPMpy
    "x.value()": (lambda v: v.y.value(), AttributeError, r"write outcome\[x\]"),
    "m.solveAll": (lambda v: v.m.solveAll(), AttributeError, r"m\.enumerate\(\) or m\.solutions\(\)"),
    "intvar": (lambda v: cpqueens.intvar, AttributeError, r"m\.intvar\("),
    "SolverLookup": (lambda v: cpqueens.SolverLookup, AttributeError, r"m\.solve\(solver=name\)"),
    "intvar(lb=)": (lambda v: v.m.intvar(lb=0, ub=3), TypeError, "no keyword 'lb'; write lower="),
    "intvar(nmae=)": (lambda v: v.m.intvar(0, 3, nmae="z"), TypeError, "did you mean 'name'"),
    "m.enumerate(solver)": (lambda v: v.m.enumerate("cpsat"), ValueError, "write solver='cpsat'$"),
    "a problem's keyword": (lambda v: problem(size=8), ValueError, r"^queens\(\) has no keyword 'size'; "),
    "display=": (lambda v: v.m.solve(display=print), TypeError, r"m\.enumerate\(function\)"),
    # names of MiniZinc and python-constraint
    "alldifferent": (lambda v: cpqueens.alldifferent, AttributeError, "write AllDifferent"),
    "all_different": (lambda v: cpqueens.all_different, AttributeError, "write AllDifferent"),
    "m.alldifferent": (lambda v: v.m.alldifferent(v.x), AttributeError, r"m\.add\(AllDifferent"),
    "bool2int": (lambda v: cpqueens.bool2int, AttributeError, "Booleans as 0 and 1"),
    "forall": (lambda v: cpqueens.forall, AttributeError, r"all_\(booleans\)"),
    "addConstraint": (lambda v: v.m.addConstraint(max, ["y"]), AttributeError, r"Predicate\(function"),
    "addVariable": (lambda v: v.m.addVariable("z", [1, 2]), AttributeError, r"m\.intvar\(domain="),
    "getSolutions": (lambda v: v.m.getSolutions(), AttributeError, r"m\.enumerate\(\)\.solutions"),
    # words that are nearly those of here, and other names of solvers
    "m.minimise": (lambda v: v.m.minimise(v.y), AttributeError, "did you mean 'minimize'"),
    "m.then_maximise": (lambda v: v.m.then_maximise(v.y), AttributeError, "did you mean 'then_maximize'"),
    "outcome.stat": (lambda v: v.m.solve().stat, AttributeError, r"write outcome\.status, or outcome\.stati"),
    "outcome.statisics": (lambda v: v.m.solve().statisics, AttributeError, "did you mean 'statistics'"),
    "solver ortools": (lambda v: v.m.solve("ortools"), LookupError, r"'ortools'; did you mean 'cpsat'\?$"),
    "solver Gecode": (lambda v: v.m.solve("Gecode"), LookupError, "did you mean 'minizinc:gecode'"),
    "except_0=": (lambda v: AllDifferent(v.x, except_0=True), TypeError, r"write AllDifferentExcept\(x, 0\)"),
    "NValue(x, relation, 2)": (
        lambda v: NValue(v.x, "<=", 2), TypeError, r"^NValue\(\) takes terms, count without a keyword, got 3",
    ),
    "bool(b)": (lambda v: bool(v.y == 1), TypeError, r"what bool\(b\) is to say, a solution says: s\[b\]$"),
    "bool of any": (lambda v: any([v.y == 1]), TypeError, "instead of Python's and NumPy's all, any"),
    "Count(relation=) without a count": (
        lambda v: Count(v.x, 1, relation="<="), ValueError, "the count behind <= is missing",
    ),
    # twice, or without what it is of
    "seed= and random_seed=": (lambda v: v.m.solve(seed=1, random_seed=2), ValueError, "the same as"),
    "strategy= of no backend": (lambda v: v.m.solve(strategy="forward"), ValueError, 'solver="backtracking"'),
    "strategy= twice": (
        lambda v: v.m.solve("backtracking:forward", strategy="forward"), ValueError, "^strategy: 'forward'",
    ),
    "an unknown strategy=": (
        lambda v: v.m.solve("backtracking", strategy="forwards"), LookupError, "did you mean 'forward'",
    ),
}  # fmt: skip


@each("name", REFUSED)
def test_a_habit_that_does_not_work_is_answered_with_the_spelling_of_here(name: str) -> None:
    habit, error, match = REFUSED[name]
    with pytest.raises(error, match=match) as caught:
        habit(Variables())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) <= 330


@pytest.mark.parametrize("name", ["alldifferent", "CpModel", "forall", "boolvar", "Routes", "Gantt"])
def test_an_import_of_a_foreign_name_is_answered_too(name: str) -> None:
    advice = spelled(name, cpqueens.__all__)
    with pytest.raises(ImportError, match=re.escape(advice)):
        exec(f"from cpqueens import {name}")
    assert not hasattr(cpqueens, name)


INNER = {"CompilableFunctionConstraint", "FloatSum", "GlobalConstraint", "GlobalFunction", "Solver"}
"""Classes of other tools that their users do not call."""


def test_every_constraint_and_function_of_other_tools_is_answered() -> None:
    import constraint
    from cpmpy.expressions import globalconstraints, globalfunctions
    from ortools.sat.python.cp_model import CpModel

    classes = {
        n
        for m in (globalconstraints, globalfunctions)
        for n, o in vars(m).items()
        if getattr(o, "__module__", "") == m.__name__
    }
    classes |= {name for name in dir(constraint) if name.endswith(("Constraint", "Solver"))}
    ours = {name for name in classes if hasattr(cpqueens, name)}
    foreign = {n for n in classes - ours - INNER if "_" not in n}
    silent = {name for name in foreign if not spelled(name, cpqueens.__all__)}
    stems = ("add", "new", "clear", "export", "max", "min", "Add", "New")
    methods = {name for name in dir(CpModel) if name.startswith(stems) and not hasattr(Model, name)}
    silent |= {name for name in methods if not spelled(name)}
    assert silent == set()
    assert (len(foreign), len(methods)) > (40, 40)


@pytest.mark.parametrize("function", [np.any, np.all, lambda a: a.any(), lambda a: a.all()])
def test_numpy_has_the_last_word_about_arrays_of_objects_and_ours_is_its_cause(function: Any) -> None:
    v = Variables()
    for truths in (np.array([v.b[0], v.b[1]]), np.array([v.x[0] > 1, v.y > 1])):
        with pytest.raises(ValueError, match="setting an array element") as raised:
            function(truths)
        assert re.search(r"instead of .* write all_\(b\), any_\(b\)", str(raised.value.__cause__))


def test_every_attribute_that_values_have_in_other_tools_is_answered() -> None:
    import cpmpy
    from ortools.sat.python import cp_model

    native = cp_model.CpModel()
    theirs = native.new_bool_var("b")
    y = cpmpy.intvar(0, 1, shape=2)
    values = [theirs, ~theirs, 2 * theirs + 1, theirs <= 0, native.add(theirs <= 0)]
    values += [y, y[0], y[0] + 1 <= y[1], cpmpy.AllDifferent(y), np.zeros(2)]
    names = {name for value in values for name in dir(value) if not name.startswith("_")}
    v = Variables()
    ours: list[Any] = [v.x, v.y, v.y == 1, AllDifferent(v.x), v.b[0] & v.b[1], ~v.b[0]]
    answered = {
        name for name in names if spelled(name) and name not in ("name", "tofile", "var", "vars", "view")
    }
    for name in answered:
        for value in ours:
            if name not in dir(value):
                with pytest.raises(AttributeError, match=re.escape(spelled(name))):
                    getattr(value, name)
    assert len(answered) > 25


def test_what_other_tools_have_is_not_offered() -> None:
    v = Variables()
    for value in (v.x, v.y, v.y == 1, AllDifferent(v.x)):
        assert not {"OnlyEnforceIf", "only_enforce_if", "value", "lb", "Not"} & set(dir(value))
        assert {"implies", "sum", "shape"} <= set(dir(value))
    assert repr(vars(NamesOfOtherTools)["Not"]) == "<not here; write ~b>"
    with pytest.raises(AttributeError, match=r"^type object 'BoolArray' has no attribute 'Not'; write ~b$"):
        _ = cpqueens.BoolArray.Not  # type: ignore[attr-defined]


@pytest.mark.parametrize("solver", ["backtracking", "local-search", "cpsat"])
def test_seeds_and_strategies_have_two_spellings(solver: str) -> None:
    v = Variables()
    v.m.add(AllDifferent(v.x), Increasing(v.x[:2]))
    for seed in range(3):
        one, other = v.m.solve(solver, random_seed=seed), v.m.solve(solver=solver, seed=seed)
        assert one.solution == other.solution
        assert other.statistics["seed"] == seed
    assert v.m.solve("backtracking", strategy="forward").solver == "backtracking:forward"
    assert v.m.count("backtracking", strategy="forward") == 36
    assert len(list(v.m.solutions("backtracking", strategy="forward", seed=1))) == 36


def test_terms_are_found_among_terms() -> None:
    v = Variables()
    seen, number, owner = {v.y, (v.x[0], 1)}, {v.y: 5, v.x[0]: 6}, {"seen": {v.x[1]}}
    assert v.y in seen
    assert v.x[0] not in seen
    assert (v.x[0], 1) in seen
    assert v.x[1] in owner["seen"]
    assert (number[v.y], number.get(v.x[0]), number.get(v.x[2], 7)) == (5, 6, 7)
    assert v.y not in seen - {v.y}
    none: dict[Any, int] = {}
    assert (none.get(v.y), none.pop(v.y, 3)) == (None, 3)


MADE_BY_US = ("BoolArray", "LinearArray", "Outcome", "Solution", "SolutionSet")
CALLED = {
    name: thing
    for name, thing in {n: getattr(cpqueens, n) for n in cpqueens.__all__}.items()
    if isfunction(thing)
    or (isclass(thing) and not issubclass(thing, BaseException | Enum) and name not in MADE_BY_US)
}
"""All that is public and called; `test_docstrings` has the same that nobody makes by its name."""
FURTHER = [
    all_solutions, assert_agree, assert_equivalent, queens, random_model, random_models,
    dump_model, load_model, model_digest, parse_model, save_model, load_flatzinc, merge,
    constraint_roles, redundant_constraints, Regular.from_expression,
]  # fmt: skip
METHODS: dict[str, Callable[[Variables], Any]] = {
    "x.sum": lambda v: v.x.sum,
    "x.min": lambda v: v.x.min,
    "x.max": lambda v: v.x.max,
    "truths.all": lambda v: v.b.all,
    "truths.any": lambda v: (v.x == 1).any,
    "m.without": lambda v: v.m.without,
    "solutions.values": lambda v: v.m.enumerate(solver="backtracking").solutions.values,
}
VERBS = [
    "add", "add_soft", "boolvar", "check", "count", "enumerate", "explain_infeasible", "fix", "intvar",
    "maximize", "minimize", "runs", "solutions", "solve", "then_maximize", "then_minimize", "var",
]  # fmt: skip


@each("name", [*CALLED, *(f"m.{verb}" for verb in VERBS)])
def test_a_keyword_that_does_not_exist_is_answered_with_one_that_does(name: str) -> None:
    v = Variables()
    verb = getattr(v.m, name[2:]) if name.startswith("m.") else CALLED[name]
    given = [v.y == 1] if name in ("m.add", "m.add_soft") else []
    with pytest.raises((TypeError, CpqueensError), match=r"has no (keyword|parameter) 'minutes'"):
        list(verb(*given, minutes=3))  # solutions are looked for when they are asked for


@pytest.mark.parametrize("called", FURTHER, ids=lambda called: called.__name__)
def test_so_is_one_of_what_is_imported_from_inside(called: Callable[..., Any]) -> None:
    model = Model()
    given = {"assert_agree": [model], "assert_equivalent": [model, model]}.get(called.__name__, [])
    with pytest.raises((TypeError, CpqueensError), match=r"has no (keyword|parameter) 'minutes'"):
        called(*given, minutes=3)


@pytest.mark.parametrize("name", METHODS)
def test_so_is_one_of_a_method(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name.partition('.')[2]}\(\) has no keyword 'minutes'; "):
        METHODS[name](Variables())(minutes=3)


OWN = re.compile(r"\b(m|outcome)\.([a-z_]+)|\b([A-Z][A-Za-z0-9]+)\(|\b([a-z]+_?)\(")
PYTHON = {"sum", "abs", "len", "list", "print", "diagonal"}  # the last one is of NumPy


def test_what_is_advised_exists() -> None:
    v = Variables()
    outcome = v.m.solve("backtracking")
    owners = {"m": v.m, "outcome": outcome}
    for name, advice in SPELLINGS.items():
        for owner, attribute, kind, function in OWN.findall(advice):
            if attribute:
                assert hasattr(owners[owner], attribute), (name, attribute)
            if (kind or function) and {kind, function}.isdisjoint(PYTHON):
                methods = any(hasattr(o, function) for o in (v.x, v.m, outcome.solutions))
                assert methods or (kind or function) in cpqueens.__all__, (name, kind, function)
        assert not hasattr(v.m, name) or name in ("constraint",)
