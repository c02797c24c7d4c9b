"""What counts as a node, where limits end a search, and Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from cpqueens.models.costas_array import costas_array
from cpqueens.models.queens import queens
from each import each

from cpqueens import (
    AllDifferent,
    Circuit,
    CpqueensError,
    Cumulative,
    IncompleteCount,
    Model,
    NoOverlap,
    Status,
    StopReason,
    element,
)
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Clock, Request, Want
from cpqueens.kernels.exact import domains as at, propagation
from cpqueens.kernels.exact.domains import tighten
from cpqueens.kernels.jit import tiers
from cpqueens.lowered.forms import DECOMPOSED, ModelForm, compile_model
from cpqueens.solving.solve import count_solutions
from cpqueens.system.platforms import children_seconds

SAME_TREE = ("check", "table", "rowmask", "bitmask")
# Partial placements of k queens in the first k rows of the 8 by 8 board, k = 0..8: OEIS A319284.
PROFILE_8 = (1, 8, 42, 140, 344, 568, 550, 312, 92)


def checked_generally(model: Model, want: Want, **options: Any) -> ForwardSearch:
    """Run the general engine's strategy ``check``, also where the model has a pattern."""
    compiled = compile_model(model, DECOMPOSED)
    search = ForwardSearch(
        compiled, build_memory(compiled, True), Request(want, Clock(None), **options), True, {}
    )
    ended = search.run(lambda batch: want is not Want.ONE)
    search.facts |= ended.statistics
    return search


@pytest.mark.parametrize("strategy", SAME_TREE)
def test_the_full_tree_of_8_queens_has_2057_nodes(strategy: str) -> None:
    assert sum(PROFILE_8) == 2057
    outcome = queens(8).enumerate(solver=f"backtracking:{strategy}")
    assert outcome.count == 92
    assert outcome.statistics["nodes"] == 2057
    assert outcome.statistics["failures"] == dead_ends([], 8)


def dead_ends(x: list[int], n: int) -> int:
    """Count the nodes other than solutions without a safe child, by the definition."""
    if len(x) == n:
        return 0
    safe = [v for v in range(n) if all(v != w and abs(v - w) != len(x) - i for i, w in enumerate(x))]
    return sum(dead_ends([*x, v], n) for v in safe) if safe else 1


@pytest.mark.parametrize("strategy", SAME_TREE)
@pytest.mark.parametrize(("n", "nodes"), [(8, 114), (12, 262)])
def test_nodes_of_the_first_solution(strategy: str, n: int, nodes: int) -> None:
    outcome = queens(n).solve(solver=f"backtracking:{strategy}")
    assert outcome.statistics["nodes"] == nodes


@each("strategy", SAME_TREE)
@each("workers", [1, 2])
def test_counting_visits_the_same_nodes(strategy: str, workers: int) -> None:
    counted = count_solutions(queens(8), f"backtracking:{strategy}", num_workers=workers)
    listed = queens(8).enumerate(solver=f"backtracking:{strategy}").statistics
    assert counted.count == 92
    assert counted.statistics["nodes"] == 2057
    assert counted.statistics["failures"] == listed["failures"]


def test_the_general_check_visits_the_same_tree() -> None:
    assert checked_generally(queens(8), Want.ALL).facts["nodes"] == 2057
    assert checked_generally(queens(8), Want.ONE).facts["nodes"] == 114
    assert checked_generally(queens(12), Want.ONE).facts["nodes"] == 262


@each("strategy", [*SAME_TREE, "forward"])
@each("limit", [1, 7, 50, 200])
def test_step_limits_are_kept(strategy: str, limit: int) -> None:
    outcome = queens(8).enumerate(solver=f"backtracking:{strategy}", step_limit=limit)
    assert outcome.stop_reason is StopReason.STEP_LIMIT
    assert not outcome.complete
    tried = outcome.statistics["nodes"] - 1
    if strategy == "forward":
        tried += outcome.statistics["failures"]
    assert limit <= tried <= limit + 8  # a solution's last placements are not torn apart
    longer = queens(8).enumerate(solver=f"backtracking:{strategy}", step_limit=2 * limit)
    assert longer.solutions.matrix[: outcome.count].tolist() == outcome.solutions.matrix.tolist()


@each("strategy", [*SAME_TREE, "forward"])
def test_a_generous_step_limit_changes_nothing(strategy: str) -> None:
    outcome = queens(6).enumerate(solver=f"backtracking:{strategy}", step_limit=10**6)
    assert outcome.complete
    assert outcome.count == 4


@each("strategy", ["bitmask", "check", "table", "rowmask", "forward", "halves"])
@each("limit", [0.05])
def test_time_limits_are_kept_while_counting(strategy: str, limit: float) -> None:
    solver = f"backtracking:{strategy}"
    queens(6).count(solver=solver)  # waiting for the compiler would be within the limit
    started, used = time.monotonic(), time.process_time()
    outcome = count_solutions(queens(19), solver, time_limit=limit)
    spent, used = time.monotonic() - started, time.process_time() - used
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert not outcome.complete
    assert limit <= spent
    assert used < limit + 5.0  # the count itself takes hours
    with pytest.raises(IncompleteCount):
        queens(19).count(solver=solver, time_limit=limit)


@pytest.mark.parametrize("strategy", ["bitmask", "forward"])
def test_time_limits_are_kept_while_listing(strategy: str) -> None:
    used = time.process_time()
    outcome = queens(16).enumerate(lambda s: None, solver=f"backtracking:{strategy}", time_limit=0.3)
    assert outcome.stop_reason is StopReason.TIME_LIMIT
    assert outcome.status is Status.FEASIBLE
    assert time.process_time() - used < 5


def test_solution_limits_deliver_exactly_so_many() -> None:
    for k in (1, 2, 91, 92):
        outcome = queens(8).enumerate(solver="backtracking", solution_limit=k, prove_complete=True)
        assert outcome.count == k
        assert outcome.complete == (k == 92)


PROGRAM = """
from cpqueens.models.queens import queens
from cpqueens.models.costas_array import costas_array
from cpqueens.solving.solve import count_solutions
for name, size, solver, workers in {counts}:
    make = dict(queens=queens, costas_array=costas_array)[name]
    count_solutions(make(5), solver)
    print("ready", flush=True)
    outcome = count_solutions(make(size), solver, num_workers=workers, time_limit=600)
    print(outcome.stop_reason, outcome.complete, flush=True)
"""
COUNTS = [
    ("queens", 19, "backtracking:bitmask", 1),
    ("queens", 19, "backtracking:bitmask", 2),
    ("queens", 21, "backtracking:halves", 2),
    ("queens", 19, "backtracking:table", 1),
    ("costas_array", 16, "backtracking:forward", 1),
    ("costas_array", 16, "backtracking:forward", 2),
    ("costas_array", 16, "backtracking:check", 1),
]


def test_ctrl_c_ends_compiled_search() -> None:
    used = children_seconds()
    program = PROGRAM.format(counts=COUNTS)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for count in COUNTS:
            assert process.stdout.readline() == "ready\n", count
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted False\n", count
        assert process.stdout.read() == ""
    assert process.returncode == 0
    assert children_seconds() - used < 60  # with the interpreter's beginning


def test_progress_is_reported_while_counting() -> None:
    seen: list[Any] = []
    count_solutions(queens(18), "backtracking:bitmask", time_limit=0.5, on_progress=seen.append)
    assert seen
    assert all(report["count"] >= 0 for report in seen)


def test_costas_arrays_are_found_by_both_general_strategies() -> None:
    assert costas_array(6).count(solver="backtracking:forward") == 116  # OEIS A008404
    assert costas_array(6).count(solver="backtracking:check") == 116


def test_forward_looks_ahead() -> None:
    m = Model()
    x = m.intvar(0, 3, shape=5, name="x")  # five pigeons, four holes: AllDifferent alone does not see it
    m += [AllDifferent(x), x[4] > 2, x[np.array([0, 1])] < 2]
    ahead = m.enumerate(solver="backtracking:forward").statistics
    behind = m.enumerate(solver="backtracking:check").statistics
    assert ahead["nodes"] < behind["nodes"]


def test_what_changes_wake_ends_a_call_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """One value may change the bounds of a million variables, which no limit would end within a call."""
    m = Model()
    x = m.intvar(0, 3, shape=14, name="x")
    m.add(x[1:] >= x[:-1], AllDifferent(x[:4] + np.arange(4)))
    with tiers.mode("plain"):
        few, found = calls_of_a_count(m, monkeypatch)
        monkeypatch.setattr(propagation, "WAKES", 2)
        many, again = calls_of_a_count(m, monkeypatch)
    assert again == found
    assert many > 10 * few


def calls_of_a_count(m: Model, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Any]:
    """Count solutions; return the calls of the kernel, and what must not depend on where these end."""
    compiled, calls = compile_model(m, ModelForm(takes=takes)), [0]
    search = ForwardSearch(
        compiled, build_memory(compiled, False), Request(Want.COUNT, Clock(None)), False, {}
    )
    advance = search._advance

    def counted() -> int:
        calls[0] += 1
        return advance()

    monkeypatch.setattr(search, "_advance", counted)
    ended = search.run(lambda batch: True)
    return calls[0], (ended.count, ended.statistics["nodes"], ended.statistics["failures"])


def scheduled(n: int) -> Model:
    """Return a model of n tasks of which two may run at once, within a time that leaves a little room."""
    m = Model()
    start = m.intvar(0, n + 1, shape=n, name="start")
    m.add(Cumulative(start, 2, 1, 2), start[1:] >= start[:-1])
    return m


@each("kind", ["Cumulative", "NoOverlap", "Circuit"])
def test_what_takes_long_counts_as_many_short_propagators(kind: str) -> None:
    m, n = Model(), 20
    x = m.intvar(0, 3 * n, shape=n, name="x")
    if kind == "Circuit":
        m.add(Circuit(x), x < n)
        m.minimize(sum(element([(3 * i + k) % 7 for k in range(n)], x[i]) for i in range(n)))
    else:
        m.add(Cumulative(x, 2, 1, 2) if kind == "Cumulative" else NoOverlap(x, 2))
        m.minimize(x.max())
    compiled = compile_model(m, ModelForm(takes=takes))
    request = Request(Want.BEST, Clock(None))
    search = ForwardSearch(compiled, build_memory(compiled, False), request, False, {})
    assert search.propagates()
    assert search.memory.stack[at.WORK] >= search.work + n * n // 16


def test_the_work_of_a_call_is_limited_however_many_steps_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """After quick steps a call is given many more, each of which may run propagators that take long."""
    with tiers.mode("plain"):
        few, found = calls_of_a_count(scheduled(5), monkeypatch)
        monkeypatch.setattr(at, "MOST_WORK", 4)
        many, again = calls_of_a_count(scheduled(5), monkeypatch)
    assert again == found
    assert many > 10 * few


def test_removing_from_many_terms_counts_as_many_changes() -> None:
    m = Model()
    m.add(AllDifferent(m.intvar(0, 999, shape=1000, name="x")))
    compiled = compile_model(m)
    memory, _ = build_memory(compiled, False)
    with tiers.mode("plain"):
        for v, high in ((0, 0), (at.X_WIDTH, 5)):
            assert tighten(memory, v, 0, high)
        # the last change first: a bound, and then a value that is removed from the other terms
        assert propagation.waking(memory) == 1
        memory.stack[at.CHANGED_TOP] -= at.CHANGE_WIDTH
        assert propagation.waking(memory) > 3 * 1000 >> 6


def test_the_best_so_far_is_no_bound() -> None:
    m = Model()
    x = m.intvar(0, 5, shape=6, name="x")
    m.add(AllDifferent(x))
    m.maximize((x * np.arange(6)).sum())
    outcome = m.solve(solver="backtracking:forward", step_limit=15)
    assert (outcome.status, outcome.complete) == ("FEASIBLE", False)
    assert outcome.bound is not None
    assert outcome.bound >= 55 > outcome.objective  # 0 * 0 + 1 * 1 + ... + 5 * 5
    proved = m.solve(solver="backtracking:forward")
    assert (proved.status, proved.bound, proved.objective) == ("OPTIMAL", 55, 55)


@each("strategy", [*SAME_TREE, "forward"])
def test_boards_whose_values_do_not_begin_at_0(strategy: str) -> None:
    m, i = Model(), np.arange(6)
    q = m.intvar(-3, 2, shape=6, name="q")
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    wanted = queens(6).enumerate(solver="backtracking:check").solutions.matrix - 3
    assert len(wanted) == 4
    assert m.enumerate(solver=f"backtracking:{strategy}").solutions.matrix.tolist() == wanted.tolist()
    behind = m.enumerate(solver=f"backtracking:{strategy}", after={"q": wanted[1]})
    assert behind.solutions.matrix.tolist() == wanted[2:].tolist()


@pytest.mark.parametrize("order", [{"value_order": "random"}, {"variable_order": "smallest-domain"}])
def test_other_orders_of_search_promise_no_order(order: dict[str, str]) -> None:
    """What is promised is held against the engine: solutions out of order would be a fault."""
    m = queens(6)
    for seed in range(3):
        found = m.enumerate(solver="backtracking:forward", random_seed=seed, **order)
        assert (found.complete, found.count) == (True, 4)
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    m.add(x[2] > x[1])
    assert m.enumerate(solver="backtracking:forward", **order).count == 24


@pytest.mark.parametrize("width", [6, 7])
def test_only_queens_on_square_boards_are_counted_by_halves(width: int) -> None:
    """A permutation without diagonals, and queens with a column to spare."""
    m, i = Model(), np.arange(6)
    q = m.intvar(0, width - 1, shape=6, name="q")
    m.add(AllDifferent(q))
    if width > 6:
        m += [AllDifferent(q + i), AllDifferent(q - i)]
    with pytest.raises(CpqueensError, match="halves"):
        m.count(solver="backtracking:halves")


@pytest.mark.parametrize("verb", ["solve", "count", "enumerate"])
def test_more_things_than_holes_are_refuted_at_the_root(verb: str) -> None:
    """Masks of taken values would try 11! ways."""
    m = Model()
    m += AllDifferent(m.intvar(0, 10, shape=12, name="x"))
    outcome = (
        count_solutions(m, "backtracking") if verb == "count" else getattr(m, verb)(solver="backtracking")
    )
    assert outcome.complete
    assert outcome.statistics["nodes"] == 0
