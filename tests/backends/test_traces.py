"""Traces of all own engines: the search is the same as without, each state follows from the one before."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import Model, Outcome, UnsupportedRequest
from cpqueens.answers.trace import UNSET, Trace
from cpqueens.backends.local_search.strategies import STRATEGIES
from cpqueens.problems import catalog

MANY = 10**6


def problem(name: str, *parameters: str) -> Model:
    model = catalog.load(name, parameters).model
    assert isinstance(model, Model)
    return model


def twice(model: Model, solver: str, verb: str = "solve", **options: Any) -> tuple[Outcome, Trace]:
    """Return what a recorded run says, which must be what an unrecorded one does, and its trace."""
    plain = getattr(model, verb)(solver=solver, random_seed=3, **options)
    run = getattr(model, verb)(solver=solver, random_seed=3, trace=MANY, **options)
    for fact in ("trajectory", "steps", "moves", "evaluations", "restarts", "nodes", "failures", "attempts"):
        assert run.statistics.get(fact) == plain.statistics.get(fact), fact
    assert run.solutions.matrix.tolist() == plain.solutions.matrix.tolist()
    assert (plain.trace, run.trace is None) == (None, False)
    return run, run.trace


def surplus(places: np.ndarray) -> int:
    """Return how many queens too many stand on columns and diagonals."""
    rows = np.arange(len(places))
    return sum(len(places) - len(np.unique(lines)) for lines in (places, places + rows, places - rows))


@each("strategy", sorted({*STRATEGIES} - {"reversal"}))
def test_walks_of_queens(strategy: str) -> None:
    run, trace = twice(problem("queens", "n=9"), f"local-search:{strategy}", step_limit=400)
    states = list(trace.states())
    weighted = "weights" in trace.kinds
    assert run.solution is None or (states[-1] == run.solution.values).all()
    before = surplus(states[0])
    assert before == trace.cost
    for kind, cost, state in zip(trace.kinds, trace.costs, states[1:], strict=True):
        now = surplus(state)
        assert weighted or now == cost
        if not weighted and kind in ("move", "sideways", "uphill"):
            assert np.sign(now - before) == {"move": -1, "sideways": 0, "uphill": 1}[kind]
        before = now
    steps = [0, *trace.steps.tolist()]
    assert sorted(steps) == steps
    assert steps[-1] <= run.statistics["steps"]


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("name", ["magic_square n=3", "costas_array n=7", "all_interval n=8"])
def test_walks_of_other_models(name: str) -> None:
    model = problem(*name.split())
    only = {"sosic-gu-4": "queens", "reversal": "all_interval"}
    for strategy in STRATEGIES:
        if not name.startswith(only.get(strategy, "")):
            continue
        run, trace = twice(model, f"local-search:{strategy}", step_limit=150)
        assert run.solution is None or (trace.state(len(trace)) == run.solution.values).all()


def test_schedules_and_tours() -> None:
    for name in ("job_shop", "travelling_salesman"):
        run, trace = twice(problem(name), "local-search", step_limit=300)
        assert run.statistics["special"] in ("schedule", "tours")
        assert len(trace) > 10
        solved = [state.tolist() for state in trace.states()]
        assert run.solution.values.tolist() in solved


def test_named_events() -> None:
    queens, square = problem("queens", "n=8"), problem("magic_square", "n=4")
    found: Counter[str] = Counter()
    for model, solver, options in [
        (queens, "local-search:hill-climbing", {}),
        (queens, "local-search:random-restart", {}),
        (queens, "local-search:annealing", {"schedule": "rowwise"}),
        (square, "local-search:annealing", {"cooling_steps": 200}),
        (square, "local-search:adaptive", {}),
        (square, "local-search:jump", {}),
    ]:
        run, trace = twice(model, solver, step_limit=900, **options)
        found.update(trace.kinds)
        assert trace.kinds.count("restart") == run.statistics["restarts"]
        heated = solver.endswith("annealing")
        assert np.ma.getmaskarray(trace.temperatures).all() != heated
    expected = {"move", "sideways", "uphill", "reset", "restart", "temperature", "tabu", "weights"}
    assert expected <= set(found)


PLACING = ["check", "table", "rowmask", "bitmask", "sums", "las-vegas"]


@each("strategy", PLACING)
def test_placements(strategy: str) -> None:
    model = problem("costas_array", "n=5") if strategy == "sums" else problem("queens", "n=6")
    if strategy == "las-vegas":
        run, trace = twice(model, "las-vegas", stop_vegas=2)
        assert trace.kinds.count("restart") == run.statistics["attempts"] - 1
    else:
        run, trace = twice(model, f"backtracking:{strategy}", "enumerate")
        assert trace.kinds.count("place") == run.statistics["nodes"] - 1
        assert Counter(trace.kinds)["backtrack"] == Counter(trace.kinds)["place"]
    before, solutions = trace.start, []
    for kind, state in zip(trace.kinds, list(trace.states())[1:], strict=True):
        placed = int((state != UNSET).sum())
        assert (state[:placed] != UNSET).all()
        assert int((state != before).sum()) == (kind in ("place", "backtrack"))
        if strategy != "sums":
            assert surplus(state[:placed]) == 0
        if kind == "solution":
            solutions.append(state.tolist())
        before = state
    assert solutions == run.solutions.matrix.tolist()


@pytest.mark.parametrize("name", ["queens n=6", "magic_square n=3", "golomb_ruler marks=5"])
def test_domains_under_propagation(name: str) -> None:
    model = problem(*name.split())
    run, trace = twice(model, "backtracking:forward", "solve" if model.objective is not None else "enumerate")
    cells = np.ones(len(trace.cells), dtype=bool)
    for k, state in enumerate(trace.states()):
        if k:
            cells[trace.toggled[trace.first_toggled[k - 1] : trace.first_toggled[k]]] ^= True
        left = np.bincount(trace.cells[cells, 0], minlength=len(state))
        for v in np.flatnonzero(state != UNSET):
            assert left[v] <= 1
            assert trace.cells[cells & (trace.cells[:, 0] == v), 1].tolist() in ([], [state[v]])
        if k and trace.kinds[k - 1] == "solution":
            assert (left == 1).all()
    assert trace.kinds.count("solution") >= len(run.solutions.matrix)
    assert len(trace.toggled)


def test_general_check_and_las_vegas_without_a_pattern() -> None:
    model = problem("magic_square", "n=3")
    for solver, options in (("backtracking:check", {}), ("las-vegas", {"stop_vegas": 3})):
        run, trace = twice(model, solver, **options)
        assert (trace.state(len(trace)) == run.solution.values).all()
        assert trace.kinds[-1] == "solution"


def test_a_count_is_not_recorded() -> None:
    with pytest.raises(UnsupportedRequest, match="a count is not recorded"):
        problem("queens", "n=6").count(solver="backtracking", trace=10)
