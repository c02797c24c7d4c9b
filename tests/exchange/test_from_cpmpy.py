"""CPMpy's models here: every expression against CPMpy's own evaluation of every assignment."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

import cpqueens
from cpqueens import ModelError
from cpqueens.errors import NoSolution

cp = pytest.importorskip("cpmpy", reason="CPMpy is not installed")


def variables() -> tuple[Any, Any, Any]:
    return cp.intvar(-2, 3, shape=3, name="x"), cp.boolvar(shape=2, name="b"), cp.intvar(0, 2, name="y")


def operator(name: str, truth: Any, decided: bool) -> Any:
    """A connective that CPMpy does not simplify at once."""
    from cpmpy.expressions.core import Operator

    return Operator(name, [truth, cp.BoolVal(decided)])


ARCS = [
    ("r", -1, "a"),
    ("r", 2, "c"),
    ("a", 1, "d"),
    ("c", 2, "d"),
    ("c", 0, "e"),
    ("d", 1, "f"),
    ("e", 2, "f"),
]
CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda x, b, y: x[0] + 2 * x[1] - y == 1,
    "wsum of bools": lambda x, b, y: 3 * b[0] - 2 * b[1] + x[0] >= y,
    "negation": lambda x, b, y: -x[0] < y,
    "product": lambda x, b, y: x[0] * x[1] == -2,
    "power": lambda x, b, y: x[0] ** 2 > y + 1,
    "power of exponent 0": lambda x, b, y: x[0] ** 0 + y >= 2,
    "quotient": lambda x, b, y: x[0] // 2 == -1,
    "quotient of terms": lambda x, b, y: x[0] // x[1] == x[2],
    "remainder": lambda x, b, y: x[0] % 3 == -1,
    "remainder of terms": lambda x, b, y: x[0] % x[1] == y,
    "undefined and negated": lambda x, b, y: ~(x[0] // x[1] == y),
    "undefined under a truth": lambda x, b, y: b[0].implies(x[0] // y >= 1),
    "absolute": lambda x, b, y: abs(x[0] - x[1]) == y,
    "minimum": lambda x, b, y: cp.min(x) == -y,
    "maximum": lambda x, b, y: cp.max([x[0], x[1], 1]) == y,
    "element": lambda x, b, y: cp.cpm_array([4, -1, 2])[y] == x[0],
    "element of terms": lambda x, b, y: x[y] == 2,
    "element outside": lambda x, b, y: cp.cpm_array([1, 0])[x[0]] == y,
    "count": lambda x, b, y: cp.Count(x, 1) == y,
    "count of a term": lambda x, b, y: cp.Count(x, y) >= 2,
    "among": lambda x, b, y: cp.Among(x, [0, 3]) == y,
    "nvalue": lambda x, b, y: cp.NValue(x) == y,
    "and or not": lambda x, b, y: (b[0] & ~b[1]) | (x[0] == y),
    "implication": lambda x, b, y: (x[0] > x[1]).implies(b[0] | b[1]),
    "truths are equal": lambda x, b, y: (x[0] > 0) == (x[1] > y),
    "xor": lambda x, b, y: cp.Xor([b[0], b[1], x[0] > 0]),
    "truth in a sum": lambda x, b, y: (x[0] == 1) + (x[1] == 1) + b[0] == y,
    "any and all": lambda x, b, y: cp.any(x > 2) | cp.all(x < 0),
    "alldifferent": lambda x, b, y: cp.AllDifferent(x, y),
    "alldifferent, negated": lambda x, b, y: ~cp.AllDifferent(x),
    "alldifferent, reified": lambda x, b, y: b[0] == cp.AllDifferent(x),
    "alldifferent except": lambda x, b, y: cp.AllDifferentExcept0(x),
    "alldifferent except several": lambda x, b, y: cp.AllDifferentExceptN(x, [0, 1]),
    "allequal": lambda x, b, y: cp.AllEqual(x),
    "allequal except": lambda x, b, y: cp.AllEqualExceptN(x, 0),
    "circuit": lambda x, b, y: cp.Circuit(x),
    "circuit, negated": lambda x, b, y: ~cp.Circuit(x),
    "inverse": lambda x, b, y: cp.Inverse(x, [x[0], x[1], x[2]]),
    "table": lambda x, b, y: cp.Table([x[0], y], [[1, 1], [3, 0], [-2, 2]]),
    "negative table": lambda x, b, y: cp.NegativeTable([x[0], y], [[1, 1], [3, 0]]),
    "short table": lambda x, b, y: cp.ShortTable([x[0], y], [[1, "*"], ["*", 2]]),
    "indomain": lambda x, b, y: cp.InDomain(x[0], [0, 3, 7]),
    "if then else": lambda x, b, y: cp.IfThenElse(b[0], x[0] == 1, x[1] == 2),
    "increasing": lambda x, b, y: cp.Increasing(x),
    "decreasing strictly": lambda x, b, y: cp.DecreasingStrict(x),
    "lex": lambda x, b, y: cp.LexLess([x[0], x[1]], [x[2], y]),
    "lex or equal": lambda x, b, y: cp.LexLessEq([x[0], x[1]], [x[2], y]),
    "precedence": lambda x, b, y: cp.Precedence(x, [0, 1]),
    "cardinalities": lambda x, b, y: cp.GlobalCardinalityCount(x, [0, 1], [y, 1]),
    "cardinalities, closed": lambda x, b, y: cp.GlobalCardinalityCount(x, [0, 1], [y, 2], closed=True),
    "cumulative": lambda x, b, y: cp.Cumulative([x[0], x[1]], [2, 1], demand=[2, 1], capacity=y),
    "cumulative with ends": lambda x, b, y: cp.Cumulative([x[0], x[1]], [2, 1], [x[2], 3], [1, 1], 1),
    "no overlap": lambda x, b, y: cp.NoOverlap([x[0], x[1]], [2, y]),
    "no overlap, durations above 0": lambda x, b, y: cp.NoOverlap([x[0], x[1]], [2, y + 1]),
    "cumulative, any durations": lambda x, b, y: cp.Cumulative(
        [x[0], x[1]], [2, y], demand=[2, 1], capacity=2
    ),
    "cumulative, negative durations": lambda x, b, y: cp.Cumulative(
        [x[0], y], [x[1], 2], demand=[2, 1], capacity=2
    ),
    "cumulative, negative demands and capacity": lambda x, b, y: cp.Cumulative(
        [x[0], y], [2, 2], demand=[x[1], 1], capacity=x[2]
    ),
    "cumulative, optional": lambda x, b, y: cp.CumulativeOptional(
        [x[0], y], [2, 1], demand=[2, 1], capacity=2, is_present=[b[0], b[1]]
    ),
    "cumulative, optional, with ends": lambda x, b, y: cp.CumulativeOptional(
        [x[0], y], [x[2], 1], [x[1], 2], [2, 1], 2, is_present=[b[0], x[2] > 0]
    ),
    "cumulative, optional, a constant demand below 0": lambda x, b, y: cp.CumulativeOptional(
        [x[0], y], [2, x[1]], demand=[-1, 1], capacity=2, is_present=[b[0], True]
    ),
    "cumulative, a constant duration below 0": lambda x, b, y: cp.CumulativeOptional(
        [x[0], y], [-1, 2], demand=[1, 2], capacity=y, is_present=[b[0], b[1]]
    ),
    "no overlap, a constant duration below 0": lambda x, b, y: cp.NoOverlapOptional(
        [x[0], y], [-1, 2], is_present=[b[0], b[1]]
    ),
    "a conjunction within a truth": lambda x, b, y: b[0].implies(
        cp.all([cp.NoOverlap([x[0], y], [1, 2], [x[1], x[2]]), x[0] > 0])
    ),
    "no overlap, optional": lambda x, b, y: cp.NoOverlapOptional([x[0], y], [2, 1], is_present=[b[0], b[1]]),
    "no overlap, optional, any durations": lambda x, b, y: cp.NoOverlapOptional(
        [x[0], y], [x[1], 2], [x[2], y + 2], is_present=[b[0], True]
    ),
    "no overlap, any durations": lambda x, b, y: ~cp.NoOverlap([x[0], y], [x[1], 2]),
    "mdd": lambda x, b, y: cp.MDD(x, ARCS),
    "mdd, negated": lambda x, b, y: ~cp.MDD([x[0], y, x[1]], ARCS, "r"),
    "mdd, reified": lambda x, b, y: b[0] == cp.MDD([x[0], y, x[1]], ARCS),
    "regular": lambda x, b, y: cp.Regular(x, [("a", 1, "b"), ("b", 0, "a"), ("b", 1, "b")], "a", ["b"]),
    "cumulative, presence decided": lambda x, b, y: cp.CumulativeOptional(
        [x[0], y, x[1]], [2, 1, 2], [x[2], 2, 3], [2, 1, 1], 2, is_present=[True, b[0], False]
    ),
    "no overlap, presence decided": lambda x, b, y: cp.NoOverlapOptional(
        [x[0], y, 1], [x[1], 2, 1], is_present=[True, b[0], True]
    ),
    "ends that are decided": lambda x, b, y: cp.CumulativeOptional(
        [1, x[0]], [2, 1], [4, 2], [2, 1], 2, is_present=[b[0], b[1]]
    ),
    "reservoir": lambda x, b, y: cp.Reservoir([x[0], y], [2, -1], 0, 2),
    "reservoir, optional": lambda x, b, y: cp.ReservoirOptional([x[0], y], [2, -1], 0, 2, [b[0], True]),
    "decided parts": lambda x, b, y: [
        cp.any([b[0], x[0] > 5, x[1] == 1]) & ((x[0] > -9) | b[1]),
        cp.IfThenElse(cp.BoolVal(True), x[1] > 0, x[2] > 0),
        cp.BoolVal(False).implies(x[0] == 9),
        b[0].implies(cp.any([cp.BoolVal(False), y == 2])),
    ],
    "connectives of decided ones": lambda x, b, y: [
        operator("or", b[0], True).implies(b[1] | (x[0] > 0)),
        x[1] == operator("and", b[0], False),
        x[2] == operator("or", b[0], False) + operator("and", b[1], True),
    ],
    "xor of decided ones": lambda x, b, y: cp.Xor([b[0], True, x[0] > 0, True, b[1], True]),
    "tables of the same terms": lambda x, b, y: [x[y] == 1, cp.cpm_array([x[0], x[1], 2])[y] >= x[0]],
    "constants": lambda x, b, y: [cp.BoolVal(True), x[0] == 2],
    "nested lists": lambda x, b, y: [[x[0] < x[1]], [[x[1] < x[2]]]],
}


def theirs(model: Any, unknowns: list[Any]) -> set[tuple[int, ...]]:
    """Every assignment that CPMpy's own evaluation accepts."""
    from cpmpy.expressions.utils import argval, flatlist

    accepted = set()
    domains = [range(int(v.lb), int(v.ub) + 1) for v in unknowns]
    for row in product(*domains):
        for variable, value in zip(unknowns, row, strict=True):
            variable._value = bool(value) if variable.is_bool() else value
        if all(argval(c) for c in flatlist(model.constraints)):
            accepted.add(row)
    return accepted


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore")
def test_every_expression_means_the_same(name: str) -> None:
    if name.startswith("reservoir") and not hasattr(cp, "Reservoir"):
        pytest.skip("this CPMpy has none yet")
    x, b, y = variables()
    model = cp.Model(CASES[name](x, b, y))
    from cpmpy.transformations.get_variables import get_variables

    unknowns = get_variables(model.constraints)
    imported = cpqueens.from_cpmpy(model)
    outcome = imported.model.enumerate(solver="backtracking")
    assert outcome.complete
    found = {tuple(int(s[imported.names[v.name]]) for v in unknowns) for s in outcome.solutions}
    assert found == theirs(model, unknowns)


@pytest.mark.parametrize("solver", ["cpsat", "backtracking"])
@pytest.mark.parametrize("constants", [[True], [False, False], [False, True, False], [True, True]])
def test_constraints_of_constants_alone(constants: list[bool], solver: str) -> None:
    imported = cpqueens.from_cpmpy(cp.Model(cp.Xor(constants)))
    assert imported.model.count(solver=solver) == sum(constants) % 2


def test_names_shapes_and_objective() -> None:
    x = cp.intvar(0, 5, shape=(2, 2), name="x")
    z = cp.intvar(1, 3, name="z[7]")
    model = cp.Model(cp.AllDifferent(x), x[0, 0] + z == 4, maximize=cp.sum(x) - z)
    imported = cpqueens.from_cpmpy(model)
    assert imported.model["x"].shape == (2, 2)
    assert [c.where for c in imported.model.constraints] == ["", ""]  # CPMpy knows no lines
    assert ".py:" not in str(imported.model)
    answer = imported.model.solve(solver="cpsat")
    values = imported.write_back(answer)
    assert values == {name: int(answer.solution[term]) for name, term in imported.names.items()}  # type: ignore[index]
    assert answer.objective == model.objective_value()
    x[0, 0]._value = None
    assert answer.write_back() == values
    assert x[0, 0].value() == values["x[0,0]"]
    assert model.solve()
    assert model.objective_value() == answer.objective


def test_entries_of_an_array_have_bounds_of_their_own() -> None:
    x = [cp.intvar(k, 2 * k + 1, name=f"x[{k}]") for k in (2, 0, 1)]
    array = cpqueens.from_cpmpy(cp.Model(cp.AllDifferent(x))).model["x"]
    assert [ends.tolist() for ends in array.bounds()] == [[0, 1, 2], [1, 3, 5]]


def test_values_that_do_not_hold_are_not_given_back_silently() -> None:
    x = cp.intvar(0, 5, name="x")
    imported = cpqueens.from_cpmpy(cp.Model(x >= 3))
    loose = imported.model.copy()
    other = type(imported)(loose.without([0]), imported.names, imported.write)
    answer = other.model.solve(solver="backtracking")
    with pytest.raises(ModelError, match="does not accept the values"):
        other.write_back(answer)
    with pytest.raises(ModelError, match="does not accept the values"):
        answer.write_back()
    imported.model.copy().solve(solver="backtracking").write_back()
    plain = pickle.loads(pickle.dumps(imported.model))
    with pytest.raises(ModelError, match="was not imported from another library"):
        plain.solve(solver="backtracking").write_back()
    nothing = cpqueens.from_cpmpy(cp.Model(x > 7))
    with pytest.raises(NoSolution):
        nothing.write_back(nothing.model.solve(solver="backtracking"))
    with pytest.raises(NoSolution):
        nothing.model.solve(solver="backtracking").write_back()


def test_shared_expressions_are_shared() -> None:
    x = cp.intvar(0, 9, shape=2, name="x")
    shared = abs(x[0] - x[1])
    imported = cpqueens.from_cpmpy(cp.Model([shared >= k for k in range(5)]))
    assert len([d for d in imported.model.definitions if d.kind == "abs"]) == 1


@pytest.mark.parametrize("value", [None, 3, "model"])
def test_only_models_are_read(value: Any) -> None:
    with pytest.raises(ModelError, match=r"a cpmpy\.Model is needed"):
        cpqueens.from_cpmpy(value)


def test_relations_of_constants_that_hold_are_left_out() -> None:
    x = cp.intvar(0, 5, shape=3, name="x")
    ends = [x[0] + 1, x[1] + 2, x[2] + 2]
    model = cp.Model(cp.Cumulative(x, [1, 2, 2], ends, [1, 1, 1], 1), x[0] - x[0] <= 1)
    imported = cpqueens.from_cpmpy(model)
    assert [p.constraint.kind for p in imported.model.constraints] == ["Cumulative"]
    assert imported.model.count(solver="backtracking") == cp.Model(model.constraints).solveAll()
    late = cp.Model(cp.Cumulative(x, [1, 2, 2], [x[0] + 2, *ends[1:]], [1, 1, 1], 1))
    assert cpqueens.from_cpmpy(late).model.count(solver="backtracking") == 0


def test_a_model_there_where_one_is_needed_here_says_how_to_read_it() -> None:
    there = cp.Model(cp.intvar(0, 1, name="x") == 1)
    imported = cpqueens.from_cpmpy(there)
    advice = r"got a Model of cpmpy; write from_cpmpy\(\.\.\.\)\.model$"
    with pytest.raises(ModelError, match=f"^a: a model is needed, {advice}"):
        cpqueens.compare(there, imported.model)
    with pytest.raises(ModelError, match=advice):
        cpqueens.cross_check(there)
    with pytest.raises(ModelError, match=advice):
        cpqueens.evaluate("local-search", there, runs=1)
    with pytest.raises(ModelError, match=r"b: a model is needed, got an object of the class Imported; its"):
        cpqueens.compare(imported.model, imported)
    with pytest.raises(
        AttributeError, match=r"'Imported' object has no attribute 'solve'; write \.model\.solve"
    ):
        imported.solve()
    with pytest.raises(AttributeError, match="'Imported' object has no attribute 'nothing'"):
        _ = imported.nothing


@pytest.mark.parametrize("bounds", [(0, 2**31), (2**31, 2**31 + 2), (-(2**40), 2**40)])
def test_arrays_with_wide_bounds(bounds: tuple[int, int]) -> None:
    x = cp.intvar(*bounds, shape=2, name="x")
    ours = cpqueens.from_cpmpy(cp.Model(x[0] < x[1])).model
    assert ours["x"].shape == (2,)
    assert (ours.lower[0], ours.upper[1]) == bounds
    with pytest.raises(ModelError, match=r"x\[0\]: upper bound: 4611686018427387904 is out of range"):
        cpqueens.from_cpmpy(cp.Model(cp.intvar(0, 2**62, shape=2, name="x").sum() >= 1))


def test_all_different_except_0_is_whole() -> None:
    x = cp.intvar(0, 3, shape=3, name="x")
    theirs = cp.Model(cp.AllDifferentExcept0(x), cp.AllDifferentExcept0([x[0], 2, 0]))
    ours = cpqueens.from_cpmpy(theirs).model
    assert [p.constraint.kind for p in ours.constraints] == ["AllDifferentExcept"] * 2
    assert ours.count() == theirs.solveAll()
