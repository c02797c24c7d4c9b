"""Rewriting a model for a backend: nothing is skipped, nothing free is added, order of evaluation."""

from __future__ import annotations

import itertools

import numpy as np
import oracle
import pytest
from each import each
from seeds import seeds, sweep

from cpqueens import (
    AllDifferent,
    GlobalCardinality,
    Inverse,
    LinearArray,
    Model,
    ModelError,
    Table,
    UnsupportedConstraint,
    element,
    maximum,
    minimum,
)
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.constraints.kinds import KINDS
from cpqueens.language.conversion import define
from cpqueens.language.defined_functions import DEFINITION_KINDS, Maximum
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.ranges import OutOfRange
from cpqueens.language.rows import IntArray
from cpqueens.lowered.lowering import Scratch, lower
from cpqueens.lowered.reached import blocks_of, in_order, reached_by

CORE = {"Linear", "Or"}


def only(plain: set[str], truths: set[str] = CORE):
    return lambda constraint, context: constraint.kind in (plain if context == "plain" else truths)


def _meaning(model: Model, lowered) -> set[tuple[int, ...]]:
    """Return the solutions of a lowered model by its definitions in their order."""
    grid = oracle.assignments(model)
    values = np.zeros((len(grid), lowered.store.variable_count), dtype=np.int64)
    values[:, model.decisions] = grid
    for definition in lowered.definitions:
        values[:, definition.results] = definition.evaluate(values)
    good = np.ones(len(grid), dtype=bool)
    for constraint in lowered.constraints:
        good &= constraint.holds(values)
    return {tuple(row) for row in grid[good].tolist()}


@seeds(range(150))
def test_down_to_the_core_the_solutions_stay_the_same(seed: int) -> None:
    model = random_model(seed)
    lowered = lower(model, only(CORE))
    assert {c.kind for c in lowered.constraints} <= CORE
    truths = [d.constraint.kind for d in lowered.definitions if isinstance(d, Truth)]
    assert set(truths) <= CORE
    assert _meaning(model, lowered) == oracle.solve(model).rows
    assert np.array_equal(lowered.store.decisions, model.decisions)


@seeds(range(40))
def test_partial_support(seed: int) -> None:
    model = random_model(10_000 + seed)
    lowered = lower(model, only(set(KINDS), {"And", "Linear", "Or"}))
    assert _meaning(model, lowered) == oracle.solve(model).rows


def test_what_reaches_a_truth_that_is_taken_apart_is_decomposed() -> None:
    """A clause over it too, which is native as such, and a relation over a function of it."""
    m = Model()
    x, b = m.intvar(0, 3, shape=3, name="x"), m.boolvar(shape=2, name="b")
    different = AllDifferent(x)
    m += [b[0] | different, b[0] | b[1], abs(different.truth() - x[0]) >= 1, x[1] < x[2], b[0] | (x[0] > 2)]
    lowered = lower(m, only({"AllDifferent", *CORE}))
    assert lowered.how == ["decomposed", "native", "decomposed", "native", "native"]


def test_how_and_origins_name_the_users_constraints() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m += [AllDifferent(x), x[0] < 2, Table(x, [(0, 1, 2)])]
    lowered = lower(m, only({"AllDifferent", *CORE}))
    assert lowered.how == ["native", "native", "decomposed"]
    assert set(lowered.origins) == {0, 1, 2}
    assert len(lowered.origins) == len(lowered.constraints)


def test_lowering_leaves_the_model_alone() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(AllDifferent(x) | (x[0] == 3))
    before = (m.variable_count, len(m.definitions))
    lower(m, only(CORE))
    assert (m.variable_count, len(m.definitions)) == before


def test_unreached_definitions_are_dropped() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    used, _unused = abs(x[0] - x[1]), x[0] * x[1]
    m.add(used > 1)
    lowered = lower(m, only(CORE))
    assert [d.kind for d in lowered.definitions] == ["abs"]


def test_what_only_relations_that_are_always_true_look_at_is_dropped() -> None:
    m = Model()
    b, x = m.boolvar(shape=3, name="b"), m.intvar(0, 2, name="x")
    m.add((b[0] & b[1]) <= 1, element([0, 1], x) <= 1, x <= 1)
    rows = m._constraints.rows()
    assert [row.size for row in rows] == [2]
    assert m._constraints.row_positions() == [[1, 3]]
    assert [d.kind for d in lower(m, only(CORE), joined=True).definitions] == ["element"]
    for solver in ("cpsat", "backtracking"):
        assert m.count(solver) == 16
    m.add((b[1] & b[2]) <= 1, (b[0] & b[1]) >= 1)
    for solver in ("cpsat", "backtracking"):
        assert m.count(solver) == 4


def test_parts_of_blocks_are_dropped() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=5, name="x")
    m.add(abs(x - 2)[3] == 1)
    (block,) = lower(m, only(CORE)).definitions
    assert block.size == 1


def test_the_objective_counts_only_where_it_is_wanted() -> None:
    m = Model()
    x = m.intvar(0, 3, name="x")
    m.minimize(x * x)
    assert lower(m, only(CORE)).definitions
    assert lower(m, only(CORE)).objective is not None
    assert not lower(m, only(CORE), objective=False).definitions


def test_what_cannot_be_expressed_is_refused() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add(AllDifferent(x))
    with pytest.raises(UnsupportedConstraint, match=r"^weak cannot express x\[0\] != x\[1\] \(plain\)$") as e:
        lower(m, only({"Or"}), "weak")
    assert e.value.exit_code == 20
    m = Model()
    x = m.intvar(0, 3, shape=2, name="x")
    m.add((x[0] < x[1]) | (x[0] == 3))
    with pytest.raises(UnsupportedConstraint, match="reified"):
        lower(m, only({"Linear", "Or"}, {"Or"}), "weak")
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(Table(x, [(0, 1, 2), (1, 2, 3)]) | (x[0] == 3))
    with pytest.raises(UnsupportedConstraint, match=r"auxiliary #|reified"):
        lower(m, only({"Linear", "Or"}, {"Or"}), "weak")


def test_a_scratch_defines_only_total_functions() -> None:
    m = Model()
    x = m.intvar(-1, 3, shape=2, name="x")
    scratch = Scratch(m)
    terms = x.bind(scratch)
    assert abs(terms[0]).registry is scratch
    for partial in (lambda: terms[0] // terms[1], lambda: element([1, 2], terms[0])):
        with pytest.raises(ModelError, match="partial"):
            partial()


def test_bounds_are_checked_before_any_backend(solver: str) -> None:
    m = Model()
    x = m.intvar(0, 2**60, shape=4, name="x")
    m.add(x.sum() >= 0)
    with pytest.raises(OutOfRange, match=r"allowed are differences of integers up to 2\^61 - 1"):
        m.solve(solver=solver)


class Distance(Definition):
    """|x - y|, which no backend knows, by two functions that all know."""

    kind = "distance"

    def compute(self, *arguments: IntArray) -> IntArray:
        return abs(arguments[0] - arguments[1])

    def bounds(self) -> tuple[IntArray, IntArray]:
        return abs(self.arguments[0] - self.arguments[1]).bounds()

    def simpler(self) -> LinearArray:
        first, second = self.arguments
        return maximum(first, second) - minimum(first, second)


def test_a_definition_is_written_in_simpler_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DEFINITION_KINDS, "distance", Distance)
    m = Model()
    x = m.intvar(-1, 2, shape=3, name="x")
    m.add(define("distance", x[:2], x[1:]) + define("distance", x[2], x[0]) == [2, 3])
    lowered = lower(m, only(CORE))
    assert {d.kind for d in lowered.definitions} == {"maximum", "minimum"}
    wanted = {r for r in itertools.product(range(-1, 3), repeat=3) if _steps(r) == (2, 3)}
    assert _meaning(m, lowered) == wanted
    assert wanted


def _steps(row: tuple[int, ...]) -> tuple[int, int]:
    around = abs(row[2] - row[0])
    return abs(row[0] - row[1]) + around, abs(row[1] - row[2]) + around


def test_deep_chains_do_not_recurse() -> None:
    m = Model()
    x = m.intvar(0, 1, shape=3, name="x")
    term = x[0]
    for k in range(1400):
        term = abs(term - x[k % 3])
    m.add(term == 1)
    assert len(lower(m, only(CORE)).definitions) > 1000
    truth = x[0] == 1
    for k in range(1100):
        truth = (truth & (x[k % 3] == k % 2)) | (x[(k + 1) % 3] == 1)
    m.add(truth)
    assert _meaning(m, lower(m, only(CORE))) == oracle_rows(m)


def oracle_rows(m: Model) -> set[tuple[int, ...]]:
    """Return the solutions by the checker (the oracle recurses along chains)."""
    from cpqueens.fuzzing.testing import all_solutions

    return all_solutions(m)


def test_a_condition_that_was_taken_out_is_still_meant() -> None:
    m = Model()
    x, y = m.intvar(0, 2, name="x"), m.intvar(0, 2, name="y")
    m.add(x // y == 0)
    fewer = m.without([k for k, posted in enumerate(m.constraints) if posted.name])
    assert len(fewer.constraints) == 1
    assert _meaning(fewer, lower(fewer, only(CORE))) == {(0, 1), (0, 2), (1, 2)}


def test_the_condition_of_an_objective_is_meant_without_being_a_constraint() -> None:
    m = Model()
    x, y = m.intvar(0, 1, name="x"), m.intvar(0, 1, name="y")
    m.minimize(x // y)
    fewer = m.without(range(len(m.constraints)))
    assert not fewer.constraints
    assert _meaning(fewer, lower(fewer, only(CORE))) == {(0, 1), (1, 1)}


@pytest.mark.parametrize("lacking", ["implied", "negated"])
def test_a_truth_must_be_expressible_in_both_contexts(lacking: str) -> None:
    m = Model()
    x = m.intvar(0, 2, shape=3, name="x")
    m.add((AllDifferent(x) & (x[0] < x[1])) | (x[2] == 0))

    def supports(constraint, context: str) -> bool:
        return constraint.kind in (CORE if context in (lacking, "plain") else set(KINDS))

    lowered = lower(m, supports)
    assert {d.constraint.kind for d in lowered.definitions if isinstance(d, Truth)} <= CORE
    assert _meaning(m, lowered) == oracle.solve(m).rows


@each("context", ["plain", "negated"])
@each("kind", sorted(KINDS))
def test_a_kind_by_itself_means_the_same_down_to_the_core(kind: str, context: str) -> None:
    for seed in sweep(2, 12):
        model = random_model(seed, kinds=[kind], contexts=[context], constraints=1)
        assert _meaning(model, lower(model, only(CORE))) == oracle.solve(model).rows, f"seed {seed}"


DECOMPOSED = {
    "every value is counted": lambda x, y: GlobalCardinality(x, [0, 1], [1, 1]),
    "and others are none, if closed": lambda x, y: GlobalCardinality(x, [0, 1], [1, y[0]], closed=True),
    "no position is outside an inverse": lambda x, y: Inverse(x, y),
}


@pytest.mark.parametrize("make", DECOMPOSED.values(), ids=DECOMPOSED)
def test_a_decomposition_leaves_nothing_out(make) -> None:
    """Of what random constraints seldom reach, for most of theirs have no solution."""
    m = Model()
    x, y = m.intvar(-1, 2, shape=2, name="x"), m.intvar(-1, 2, shape=2, name="y")
    m.add(make(x, y))
    meaning = oracle.solve(m).rows
    assert meaning
    assert _meaning(m, lower(m, only(CORE))) == meaning


def test_a_model_is_lowered_once_for_each_question_until_it_changes():
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.intvar(0, 3, name="y")
    m.add(AllDifferent(x, y))
    m.minimize(maximum(x, y))
    supports = only({"Linear"})
    asked = [(objective, joined) for objective in (True, False) for joined in (True, False)]
    made = [lower(m, supports, objective=objective, joined=joined) for objective, joined in asked]
    assert len({id(lowered) for lowered in made}) == len(asked)
    for (objective, joined), lowered in zip(asked, made, strict=True):
        assert (lowered.objective is not None) == objective
        assert lower(m, supports, objective=objective, joined=joined) is lowered
    m.add(x < y)
    again = lower(m, supports)
    assert again is not made[1]
    assert len(again.how) == len(made[1].how) + 1


def test_blocks_that_need_each_other_are_put_in_order_row_by_row() -> None:
    """Results that are defined together may be those of a truth and of what it is made of."""
    m = Model()
    x = m.intvar(-2, 2, shape=2, name="x")
    scratch = Scratch(m)
    first = scratch.define("abs", (2,), x.bind(scratch))
    last = abs(1 - first[0])
    replaced = Maximum((np.concatenate([x.bind(scratch)[:1], last.reshape(1)]),), first.variables[:, 0])
    kept = reached_by([last, *replaced.arguments], scratch, [replaced])
    order = in_order([*blocks_of(scratch, kept), replaced])
    assert [d.results.tolist() for d in order] == [[2], [4], [3]]
