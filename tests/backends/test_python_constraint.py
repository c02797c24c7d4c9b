"""The backend `python-constraint`: sets against brute force, the library's traps, limits and strategies."""

from __future__ import annotations

import itertools
import operator
import os
import random
import signal
import threading
import time
from typing import Any

import constraint as library
import numpy as np
import pytest
from each import each
from seeds import sweep

from cpqueens import (
    AllDifferent,
    AllEqual,
    Among,
    Count,
    Increasing,
    Inverse,
    Model,
    Table,
    all_,
    any_,
    div_trunc,
    element,
    maximum,
    minimum,
    mod_trunc,
)
from cpqueens.answers.outcome import Status, StopReason
from cpqueens.crosscheck import oracle
from cpqueens.errors import BackendFault, ModelInvalid, UnsupportedRequest
from cpqueens.fuzzing.generate import CONTEXTS, random_model
from cpqueens.language.constraints.kinds import KINDS

NAME = "python-constraint"
EXACT = (NAME, f"{NAME}:optimized", f"{NAME}:recursive")


def queens(n: int) -> tuple[Model, Any]:
    model = Model("queens")
    q = model.intvar(0, n - 1, shape=n, name="q")
    rows = np.arange(n)
    model += [AllDifferent(q), AllDifferent(q + rows), AllDifferent(q - rows)]
    return model, q


def listed(model: Model, solver: str = NAME, **options: Any) -> list[tuple[int, ...]]:
    """Return all solutions as delivered; the run must be complete."""
    outcome = model.enumerate(solver=solver, **options)
    assert outcome.complete
    return [tuple(row) for row in outcome.solutions.matrix.tolist()]


def brute_force(domains: list[range], accepted: Any) -> set[tuple[int, ...]]:
    return {row for row in itertools.product(*domains) if accepted(*row)}


def assert_exact(model: Model, solver: str, **options: Any) -> None:
    """Compare solution sets, and the optimum, with the oracle's."""
    truth = oracle.solve(model)
    rows = listed(model, solver, **options)
    assert len(rows) == len(set(rows))
    assert set(rows) == truth.rows
    if model.objective is None:
        return
    outcome = model.solve(solver=solver, **options)
    if not truth.count:
        assert outcome.status is Status.INFEASIBLE
    else:
        assert (outcome.status, outcome.objective, outcome.bound) == (
            Status.OPTIMAL,
            truth.optimum,
            truth.optimum,
        )


# ---- sets ----------------------------------------------------------------------------------------------


@each("context", CONTEXTS)
@each("kind", sorted(KINDS))
def test_every_kind_in_every_context(kind: str, context: str) -> None:
    first = len(kind) % 3  # one kind has one way to search, another another
    for seed in range(first, first + len(sweep(1, 6))):
        model = random_model(seed, kinds=[kind], contexts=[context], constraints=2)
        assert_exact(model, EXACT[seed % 3], random_seed=seed % 2)


@pytest.mark.parametrize("solver", EXACT)
def test_random_models(solver: str) -> None:
    for seed in range(1000, 1040):
        assert_exact(random_model(seed), solver)


def test_without_forward_checking() -> None:
    for seed in range(2000, 2030):
        assert_exact(random_model(seed), NAME, forwardcheck=False)


DEFINITIONS = {
    "abs": (lambda x, y: abs(x - 2 * y), lambda x, y: abs(x - 2 * y)),
    "product": (lambda x, y: x * y, lambda x, y: x * y),
    "square": (lambda x, y: (x + y) * (x + y), lambda x, y: (x + y) ** 2),
    "quotient": (lambda x, y: x // (y - 1), lambda x, y: x // (y - 1) if y != 1 else None),
    "remainder": (lambda x, y: x % (y - 1), lambda x, y: x % (y - 1) if y != 1 else None),
    "quotient_truncated": (
        lambda x, y: div_trunc(x, y - 5),
        lambda x, y: int(np.trunc(x / (y - 5))) if y != 5 else None,
    ),
    "remainder_truncated": (
        lambda x, y: mod_trunc(x, y - 5),
        lambda x, y: int(np.fmod(x, y - 5)) if y != 5 else None,
    ),
    "remainder of a constant": (lambda x, y: (x + y) % -3, lambda x, y: (x + y) % -3),
    "minimum": (lambda x, y: minimum(x, 1 - y), lambda x, y: min(x, 1 - y)),
    "maximum": (lambda x, y: maximum(x, 1 - y), lambda x, y: max(x, 1 - y)),
    "element": (
        lambda x, y: element([7, 1, -2, 1, 0], x),
        lambda x, y: [7, 1, -2, 1, 0][x] if 0 <= x < 5 else None,
    ),
    "element of variables": (
        lambda x, y: element([y, x, 3, x - y], x),
        lambda x, y: [y, x, 3, x - y][x] if 0 <= x < 4 else None,
    ),
    "truth": (lambda x, y: any_([x == y, x > 3]).truth() * 2, lambda x, y: 2 * (x == y or x > 3)),
    "truth of a kind": (lambda x, y: AllDifferent(x, y, 2).truth(), lambda x, y: len({x, y, 2}) == 3),
}


@each("name", DEFINITIONS)
def test_definitions_against_python(name: str) -> None:
    build, meaning = DEFINITIONS[name]
    domains = [range(-4, 6), range(-3, 7), range(-6, 7)]

    def accepted(x: int, y: int, z: int) -> bool:
        value = meaning(x, y)
        return value is not None and value - z == 1

    model = Model()
    x, y, z = (model.intvar(d.start, d.stop - 1, name=n) for d, n in zip(domains, "xyz", strict=True))
    model.add(build(x, y) - z == 1)
    assert set(listed(model)) == brute_force(domains, accepted)


RELATIONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}


@each("total", [-4, 0, 3])
@each("relation", RELATIONS)
@each("coefficients", [(1, 1, 1), (-1, -1, -1), (1, -1, 0), (2, -3, 1), (-2, 4, 6)])
def test_linear_relations(coefficients: tuple[int, ...], relation: str, total: int) -> None:
    domains = [range(-3, 4), range(-2, 5), range(4)]

    def accepted(*row: Any) -> Any:
        return RELATIONS[relation](sum(a * v for a, v in zip(coefficients, row, strict=True)), total)

    model = Model()
    x = [model.intvar(d.start, d.stop - 1, name=f"x{k}") for k, d in enumerate(domains)]
    model.add(accepted(*x))
    assert set(listed(model)) == brute_force(domains, accepted)


@each("number", range(-1, 5))
@each("relation", RELATIONS)
def test_counts_against_a_number(relation: str, number: int) -> None:
    model = Model()
    x = model.intvar(0, 2, shape=3, name="x")
    model.add(Count(x, 1, relation, number))
    wanted = brute_force([range(3)] * 3, lambda *row: RELATIONS[relation](row.count(1), number))
    assert set(listed(model)) == wanted


def test_table_over_repeated_and_scaled_variables() -> None:
    model = Model()
    x = model.intvar(-2, 3, shape=2, name="x")
    rows = [(1, 2, 7, 1), (2, 3, 7, 2), (3, 4, 7, 3), (3, 4, 8, 3), (-1, 0, 7, -1), (3, 2, 7, 2)]
    model.add(Table([x[0], 2 * x[1], 7, x[0]], rows))
    wanted = brute_force([range(-2, 4)] * 2, lambda a, b: (a, 2 * b, 7, a) in rows)
    assert set(listed(model)) == wanted == {(1, 1), (3, 2), (-1, 0)}


def test_large_numbers_stay_exact() -> None:
    model = Model()
    x = model.intvar(domain=[0, 2**31, 2**53, 2**53 + 1, 2**60], shape=2, name="x")
    model.add(x.sum() == 2**54 + 1)
    model.add(AllDifferent(x))
    assert set(listed(model)) == {(2**53, 2**53 + 1), (2**53 + 1, 2**53)}


# ---- the library's traps -------------------------------------------------------------------------------


def test_first_queens_solution_takes_no_time() -> None:
    model, _ = queens(8)
    model.solve(solver=NAME)
    outcome = model.solve(solver=NAME)
    assert outcome.statistics["nodes"] < 200


def test_queens_with_every_strategy() -> None:
    model, _ = queens(6)
    for solver in EXACT:
        assert len(listed(model, solver)) == 4  # OEIS A000170


def test_problem_is_fresh_has_a_solver_and_gets_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    start, add = library.Problem.__init__, library.Problem.addConstraint

    def init(self: Any, solver: Any = None) -> None:
        assert isinstance(solver, library.BacktrackingSolver)
        made.append(self)
        start(self, solver)

    def add_constraint(self: Any, item: Any, variables: Any = None) -> None:
        assert isinstance(item, library.Constraint)
        assert variables  # without any the library would take all of them
        add(self, item, variables)

    monkeypatch.setattr(library.Problem, "__init__", init)
    monkeypatch.setattr(library.Problem, "addConstraint", add_constraint)
    model, q = queens(6)
    model.add(q[0] + q[1] == abs(q[2] - 3) + 2)
    assert listed(model) == listed(model)
    assert len(made) == 2


def test_two_runs_of_one_model_interleaved() -> None:
    model, q = queens(6)
    with model.solutions(solver=NAME) as first, model.solutions(solver=NAME) as second:
        pairs = [(a[q].tolist(), b[q].tolist()) for a, b in zip(first, second, strict=True)]
    assert len(pairs) == 4
    assert all(a == b for a, b in pairs)


def test_no_variables() -> None:
    assert listed(Model()) == [()]
    model = Model()
    model.add(False)
    outcome = model.enumerate(solver=NAME)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.statistics["constraints"] == ["own"]


def test_constraint_without_variables_beside_variables() -> None:
    model = Model()
    model.boolvar(shape=2, name="b")
    model.add(AllDifferent(1, 2, 3))
    assert len(listed(model)) == 4
    model.add(AllDifferent(1, 2, 1))
    assert model.solve(solver=NAME).status is Status.INFEASIBLE


def test_variables_without_constraints_count() -> None:
    model = Model()
    model.intvar(0, 2, shape=2, name="x")
    y = model.boolvar(name="y")
    model.add(y == 1)
    assert model.count(solver=NAME) == 9


def test_domain_emptied_before_a_sum() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=3, name="x")
    model.add(2 * x[0] + 4 * x[1] - 6 * x[2] == 1)  # never: the left side is even
    model.add(x[0] + x[1] + x[2] >= 9)
    model.add(x[0] + x[1] <= 2)
    assert model.solve(solver=NAME).status is Status.INFEASIBLE


def test_model_is_not_changed() -> None:
    model, q = queens(6)
    model.add(~Increasing(q))
    before = (model.variable_count, len(model.definitions), len(model.constraints), model.domains.copy())
    listed(model)
    after = (model.variable_count, len(model.definitions), len(model.constraints), model.domains)
    assert after == before


def test_hidden_values_come_back() -> None:
    """Values are hidden in bulk through the library's own list, which must keep its meaning."""
    domain = library.Domain(list(range(10)))
    from cpqueens.backends.python_constraint.objects import hide

    domain.pushState()
    assert hide(domain, [1, 2, 3, 4, 5])
    domain.pushState()
    assert hide(domain, [7])
    assert sorted(domain) == [0, 6, 8, 9]
    domain.popState()
    assert sorted(domain) == [0, 6, 7, 8, 9]
    domain.popState()
    assert sorted(domain) == list(range(10))
    assert not hide(domain, list(range(10)))


# ---- how the constraints run ---------------------------------------------------------------------------


def test_statistics_say_how_each_constraint_ran() -> None:
    model = Model()
    x = model.intvar(0, 4, shape=4, name="x")
    model.add(AllDifferent(x))
    model.add(x.sum() == 10)
    model.add(AllDifferent(x + np.arange(4)))
    model.add(2 * x[0] - x[1] <= 3)
    model.add(Count(x, 2, ">=", 1))
    model.add(Among(x, [1, 2], 2))
    model.add(x[3] != 4)
    model.add(Inverse(x, x[::-1]))
    outcome = model.enumerate(solver=NAME)
    wanted = ["native", "own", "own", "own", "native", "native", "own", "decomposed"]
    assert outcome.statistics["constraints"] == wanted


def test_all_equal_is_native_over_variables_only() -> None:
    model = Model()
    x = model.intvar(0, 3, shape=3, name="x")
    model.add(AllEqual(x))
    assert model.solve(solver=NAME).statistics["constraints"] == ["native"]
    other = Model()
    y = other.intvar(0, 3, shape=3, name="y")
    other.add(AllEqual(y + np.arange(3)))
    assert other.solve(solver=NAME).statistics["constraints"] == ["decomposed"]


def test_large_scopes_are_not_left_to_the_library() -> None:
    model, _ = queens(100)
    assert model.solve(solver=NAME).statistics["constraints"] == ["own"] * 3


def test_partial_assignments_are_refuted() -> None:
    """Intervals end branches long before all variables of a constraint are assigned."""
    model = Model()
    x = model.intvar(0, 9, shape=8, name="x")
    model.add(maximum(*(x * x)) <= 1)
    model.add(x.sum() + abs(x[0] - x[1]) >= 8)
    outcome = model.enumerate(solver=NAME)
    assert outcome.count == 3  # all ones, or seven of them and a 0 first or second
    assert outcome.statistics["nodes"] < 2000


# ---- objective -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", EXACT)
def test_optimum_is_proved(solver: str) -> None:
    model = Model("golomb")
    x = model.intvar(0, 20, shape=5, name="x")
    first, second = np.triu_indices(5, 1)
    model += [x[0] == 0, Increasing(x, strict=True), AllDifferent(x[second] - x[first])]
    model.minimize(x[4])
    outcome = model.solve(solver=solver)
    assert (outcome.status, outcome.objective, outcome.bound) == (Status.OPTIMAL, 11, 11)  # OEIS A003022


def test_a_bound_ends_branches_over_other_variables() -> None:
    model = Model()
    x, y = model.intvar(0, 9, name="x"), model.intvar(0, 9, shape=5, name="y")
    model.add(x + 0 * y.sum() >= 3)
    model.minimize(x)
    improved: list[int] = []
    outcome = model.solve(solver=NAME, on_improvement=lambda s: improved.append(s[x]))
    assert (outcome.objective, improved) == (3, [3])
    assert outcome.statistics["delivered"] == 1


def test_constant_objective() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=6, name="x")
    model.maximize(0 * x[0] + 5)
    outcome = model.solve(solver=NAME)
    assert (outcome.status, outcome.objective, outcome.statistics["delivered"]) == (Status.OPTIMAL, 5, 1)


def test_stopped_optimisation_has_an_honest_bound() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=6, name="x")
    model.add(AllDifferent(x))
    model.maximize(x @ np.arange(6))
    outcome = model.solve(solver=NAME, step_limit=8)
    assert outcome.status is Status.FEASIBLE
    assert outcome.stop_reason is StopReason.STEP_LIMIT
    assert outcome.bound == 9 * 15


# ---- limits and refusals -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [10**6 + 1, 10**8, 2**61 - 1])
def test_huge_domains_are_refused_at_once(size: int) -> None:
    model = Model()
    model.intvar(1, size, shape=3, name="x")
    started = time.process_time()
    with pytest.raises(ModelInvalid, match=rf"x\[0\] in 1\.\.{size} has {size}, allowed are at most 1000000"):
        model.solve(solver=NAME)
    assert time.process_time() - started < 10


def test_many_large_domains_are_refused() -> None:
    model = Model()
    model.intvar(1, 10**6, shape=11, name="x")
    with pytest.raises(ModelInvalid, match="11000000 for 11 variables"):
        model.solve(solver=NAME)


def test_explicit_domain_over_a_wide_range_is_fine() -> None:
    model = Model()
    x = model.intvar(domain=[-(2**61 - 1), 0, 2**61 - 1], name="x")
    model.add(x != 0)
    assert set(listed(model)) == {(-(2**61 - 1),), (2**61 - 1,)}


@pytest.mark.parametrize("solver", EXACT)
def test_time_limit(solver: str) -> None:
    model = Model()
    x = model.intvar(0, 30, shape=30, name="x")
    model.add(AllDifferent(x * x % 31))  # never, with 16 squares for 30 variables
    started = time.process_time()
    outcome = model.solve(solver=solver, time_limit=0.3)
    assert time.process_time() - started < 10
    assert (outcome.status, outcome.stop_reason) == (Status.UNKNOWN, StopReason.TIME_LIMIT)


def test_time_limit_within_one_constraint() -> None:
    model = Model()
    x = model.intvar(0, 10**6 - 1, shape=2, name="x")
    model.add((x[0] * x[1]) % 1_000_003 == 1_000_002)
    started = time.process_time()
    outcome = model.enumerate(solver=NAME, time_limit=0.3)
    assert time.process_time() - started < 10
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert not outcome.complete


def test_ctrl_c_gives_a_partial_outcome() -> None:
    model = Model()
    model.intvar(0, 9, shape=12, name="x")
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.process_time()
    outcome = model.enumerate(lambda s: None, solver=NAME, time_limit=600)
    timer.join()
    assert time.process_time() - started < 10
    assert outcome.stop_reason is StopReason.INTERRUPTED
    assert not outcome.complete
    assert outcome.count > 0


def test_step_limit_counts_nodes() -> None:
    model = Model()
    model.intvar(0, 9, shape=5, name="x")
    outcome = model.enumerate(solver=NAME, step_limit=50)
    assert (outcome.stop_reason, outcome.statistics["nodes"]) == (StopReason.STEP_LIMIT, 50)
    assert not outcome.complete
    assert 0 < outcome.count < 50


def test_solution_limit_is_exact_and_looks_ahead() -> None:
    model, _ = queens(6)
    few = model.enumerate(solver=NAME, solution_limit=3)
    assert (few.count, few.complete) == (3, False)
    every = model.enumerate(solver=NAME, solution_limit=4)
    assert (every.count, every.complete) == (4, True)


def test_batches_grow_and_do_not_wait() -> None:
    model = Model()
    x = model.intvar(0, 9, shape=3, name="x")
    sizes: list[int] = []
    from cpqueens.backends.base import Clock, Request, Want
    from cpqueens.backends.python_constraint.backend import PythonConstraint

    def take(batch: Any) -> bool:
        sizes.append(len(batch))
        return True

    ended = PythonConstraint().run(model, Request(Want.ALL, Clock(None)), take)
    assert ended.exhausted
    assert sum(sizes) == 1000
    assert sizes[:3] == [1, 2, 4] or max(sizes[:3]) <= 4
    sizes.clear()
    model.add((x @ np.array([100, 10, 1]) * 7919) % 1000 == 1)
    PythonConstraint().run(model, Request(Want.ALL, Clock(None)), take)
    assert sizes == [1]


def test_callback_error_comes_back() -> None:
    model, _ = queens(8)

    def fail(solution: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model.enumerate(fail, solver=NAME)


# ---- seeds, hints, strategies --------------------------------------------------------------------------


def test_seed_shuffles_and_repeats() -> None:
    model, q = queens(8)

    def first(seed: int) -> list[int]:
        return model.solve(solver=NAME, random_seed=seed)[q].tolist()

    assert first(0) == first(0)
    assert first(5) == first(5)
    assert len({tuple(first(seed)) for seed in range(8)}) > 2
    assert set(listed(model, random_seed=3)) == set(listed(model))


@pytest.mark.parametrize("solver", EXACT)
def test_hinted_solution_is_found_first(solver: str) -> None:
    model, q = queens(8)
    for columns in random.Random(1).sample(listed(model), 5):
        outcome = model.solve(solver=solver, hint={q: columns})
        assert outcome[q].tolist() == list(columns)
        assert outcome.statistics["nodes"] == 8
        assert outcome.statistics["hint"] == "tried first"


def test_min_conflicts_finds_and_never_proves() -> None:
    solver = f"{NAME}:min-conflicts"
    model, q = queens(8)
    found = model.solve(solver=solver, random_seed=1)
    assert found.status is Status.FEASIBLE
    assert not found.complete
    assert model.check({q: found[q]}).ok
    assert found[q].tolist() == model.solve(solver=solver, random_seed=1)[q].tolist()
    for n in (2, 3):
        none = queens(n)[0].solve(solver=solver)
        assert (none.status, none.complete) == (Status.UNKNOWN, False)
        assert none.stop_reason is StopReason.GAVE_UP
        assert none.statistics["gave_up"] == "no limit was given, and 1,000 steps were made"


@pytest.mark.parametrize("limit", [1, 7, 50])
def test_min_conflicts_makes_no_step_beyond_its_limit(limit: int) -> None:
    none = queens(3)[0].solve(solver=f"{NAME}:min-conflicts", step_limit=limit)
    assert (none.stop_reason, none.statistics["steps"]) == (StopReason.STEP_LIMIT, limit)


def test_min_conflicts_sees_single_pairs() -> None:
    """With three AllDifferents as a whole, 20 queens are not solved in 10 s; by pairs in 0.1 s."""
    for seed in range(3):
        outcome = queens(20)[0].solve(solver=f"{NAME}:min-conflicts", random_seed=seed)
        assert outcome.status is Status.FEASIBLE
        assert outcome.statistics["constraints"] == ["decomposed"] * 3


def test_min_conflicts_does_not_prove_what_the_domains_show() -> None:
    model = Model()
    x = model.intvar(0, 3, name="x")
    model.add(x > 3)
    nothing = model.solve(solver=f"{NAME}:min-conflicts", step_limit=9)
    assert (nothing.status, nothing.stop_reason) == (Status.UNKNOWN, StopReason.GAVE_UP)
    assert model.solve(solver=NAME).status is Status.INFEASIBLE


def test_min_conflicts_on_random_models() -> None:
    for seed in range(3000, 3040):
        model = random_model(seed)
        if model.objective is not None:
            continue
        outcome = model.solve(solver=f"{NAME}:min-conflicts", step_limit=50)
        assert outcome.status in (Status.FEASIBLE, Status.UNKNOWN)
        if outcome.status is Status.FEASIBLE:
            assert tuple(outcome.solutions.matrix[0].tolist()) in oracle.solve(model).rows


def test_min_conflicts_refuses_what_it_cannot() -> None:
    model, q = queens(6)
    with pytest.raises(UnsupportedRequest, match="one solution only"):
        model.enumerate(solver=f"{NAME}:min-conflicts")
    with pytest.raises(UnsupportedRequest, match="no hint"):
        model.solve(solver=f"{NAME}:min-conflicts", hint={q: [0] * 6})
    model.minimize(q[0])
    with pytest.raises(UnsupportedRequest, match="one solution only"):
        model.solve(solver=f"{NAME}:min-conflicts")


def test_recursive_refuses_deep_models() -> None:
    model = Model()
    model.boolvar(shape=600, name="b")
    with pytest.raises(ModelInvalid, match="600 variables, allowed are at most 500"):
        model.solve(solver=f"{NAME}:recursive")


def test_a_planted_fault_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker, not this backend, has the last word: a constraint that accepts everything is caught."""
    from cpqueens.backends.python_constraint.objects import Different

    monkeypatch.setattr(Different, "__call__", lambda *a, **k: True)
    with pytest.raises(BackendFault, match="INVALID_SOLUTION"):
        listed(queens(6)[0])


def test_reified_conjunctions_inside_connectives() -> None:
    model = Model()
    x = model.intvar(0, 2, shape=3, name="x")
    model.add(~all_([x[0] == 1, x[1] < x[2]]) ^ AllEqual(x))
    wanted = brute_force([range(3)] * 3, lambda a, b, c: (not (a == 1 and b < c)) != (a == b == c))
    assert set(listed(model)) == wanted
