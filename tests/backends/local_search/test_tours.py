"""Tours: optima against exact ones, the kernel's state by its audit, and what is no tour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import AllDifferent, Circuit, Model, SubCircuit, Table, element, maximum
from cpqueens.backends.local_search import tours as module
from cpqueens.backends.local_search.audit import AuditError
from cpqueens.backends.local_search.search import Limits
from cpqueens.backends.local_search.slices import Alone
from cpqueens.backends.local_search.tours import TourWalk
from cpqueens.kernels.local import tour_moves as codes
from cpqueens.lowered.structures.table import Structures
from cpqueens.lowered.structures.tours import Tours
from cpqueens.lowered.tour_times import FREE

N = 6


def tours_of(m: Model) -> Tours | None:
    """Return the tours that a model is, if it is that."""
    return Structures(m).find("tours")


def roads(seed: int) -> Any:
    """Return lengths of arcs, in one direction and the other."""
    return np.random.default_rng(seed).integers(10, 99, (N, N)) * (1 - np.eye(N, dtype=np.int64))


def by_elements(seed: int) -> Model:
    m, d = Model(), roads(seed)
    x = m.intvar(0, N - 1, shape=N, name="x")
    m.add(Circuit(x))
    m.minimize(sum(element(d[i], x[i]) for i in range(N)))
    return m


def by_tables(seed: int, low: int = 0, high: int = 90) -> Model:
    m, d = Model(), roads(seed)
    x, c = m.intvar(0, N - 1, shape=N, name="x"), m.intvar(low, high, shape=N, name="c")
    m.add(Circuit(x), *(Table([x[i], c[i]], [[j, d[i, j]] for j in range(N)]) for i in range(N)))
    m.minimize(c.sum())
    return m


def narrow_sums(seed: int) -> Model:
    """Return one that equalities divide into two sums, each within limits."""
    m, d = Model(), roads(seed)
    x, z = m.intvar(0, N - 1, shape=N, name="x"), m.intvar(120, 150, shape=2, name="z")
    m.add(Circuit(x), *(z[k] == sum(element(d[i], x[i]) for i in range(k, N, 2)) for k in range(2)))
    m.minimize(z[0] + 2 * z[1])
    return m


def by_truths(seed: int) -> Model:
    """Return one whose nodes count from 1 and whose objective is a variable that equalities define."""
    m, d = Model(), roads(seed)
    x, half, z = m.intvar(1, N, shape=N, name="x"), m.intvar(0, 130, name="half"), m.intvar(0, 900, name="z")
    m.add(Circuit(x - 1), AllDifferent(x), z == half + sum(d[i, j] * (x[i] == j + 1) for i, j in HALVES[1]))
    m.add(half == sum(d[i, j] * (x[i] == j + 1) for i, j in HALVES[0]), x[0] != 2, (x[1] != 3) | (x[1] > 4))
    m.minimize(z)
    return m


HALVES = tuple([(i, j) for i, j in product(range(N), repeat=2) if i % 2 == k] for k in range(2))


def symmetric(seed: int) -> Model:
    """Return one where what is turned costs the same, and an even number of steps backwards is asked for."""
    m, d = Model(), roads(seed)
    x, pairs = m.intvar(0, N - 1, shape=N, name="x"), m.intvar(0, N, name="pairs")
    m.add(Circuit(x), sum((x[i] < i) * 1 for i in range(N)) == 3, pairs == 3)
    m.minimize(sum(element(d[i] + d[:, i], x[i]) for i in range(N)))
    return m


def prizes(seed: int) -> Model:
    """Return the most that is collected on a tour of a limited length, from node 0."""
    m, d = Model(), roads(seed)
    x = m.intvar(0, N - 1, shape=N, name="x")
    m.add(SubCircuit(x), x[0] != 0, sum(element(d[i], x[i]) for i in range(N)) <= 160)
    m.maximize(sum((7 * i % 5 + 1) * (x[i] != i) for i in range(N)))
    return m


def windows(seed: int, form: str) -> Model:
    """Return the shortest tour from node 0 that is at each other node in time."""
    m, d = Model(), roads(seed)
    random = np.random.default_rng(seed)
    x = m.intvar(0, N - 1, shape=N, name="x")
    opens = random.integers(0, 200, N) * (np.arange(N) > 0)
    t = m.intvar(opens, opens + 150 * (np.arange(N) > 0), shape=N, name="t")
    m.add(Circuit(x))
    arcs = [(i, j) for i, j in product(range(N), range(1, N)) if i != j]
    if form == "elements":
        home = d.copy()
        home[:, 0] = -1000
        m.add(*(element(t, x[i]) >= t[i] + element(home[i], x[i]) for i in range(N)))
    elif form == "clauses":
        m.add(*((x[i] == j).implies(t[j] >= t[i] + d[i, j]) for i, j in arcs))
    else:
        m.add(*(t[j] - t[i] - d[i, j] + 1000 * (x[i] != j) >= 0 for i, j in arcs))
    m.minimize(sum(element(d[i], x[i]) for i in range(N)) + (t[3] if seed % 2 else 0))
    return m


def tight() -> tuple[Model, Any]:
    """Return a tour of 20 nodes at random places with narrow windows around a known one, and that."""
    random = np.random.default_rng(1)
    n, tour = 20, np.concatenate([[0], 1 + random.permutation(19)])
    at = random.integers(0, 100, (n, 2))
    d = np.rint(np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))).astype(int)
    moment = np.zeros(n, dtype=int)
    moment[tour[1:]] = np.cumsum(d[tour[:-1], tour[1:]])
    m = Model()
    x = m.intvar(0, n - 1, shape=n, name="x")
    slack = 20 * (np.arange(n) > 0)
    t = m.intvar(np.maximum(moment - slack, 0), moment + slack, shape=n, name="t")
    m.add(Circuit(x))
    m.add(*((x[i] == j).implies(t[j] >= t[i] + d[i, j]) for i, j in product(range(n), range(1, n)) if i != j))
    m.minimize(sum(element(d[i], x[i]) for i in range(n)))
    return m, d[tour, np.roll(tour, -1)].sum()


def test_no_arc_sets_time_free() -> None:
    tours = tours_of(tight()[0])
    assert tours is not None
    (times,) = tours.times
    waits = times.lag.max(axis=0) > FREE
    assert (times.lag[(tours.forbidden == 1) & waits] > FREE).all()


@pytest.mark.slow
def test_narrow_windows_are_met() -> None:
    m, known = tight()
    found = m.solve(solver="local-search", random_seed=1, step_limit=40_000)
    assert found.status == "FEASIBLE"
    assert found.objective is not None
    assert found.objective <= known


def loads(seed: int) -> Model:
    """Return two rounds from a depot, which is nodes 0 and 1, of vehicles with limited room."""
    m, d = Model(), roads(seed)
    wanted = np.array([0, 0, 3, 4, 2, 5])
    x = m.intvar(0, N - 1, shape=N, name="x")
    load = m.intvar(wanted, np.where(wanted, 8, 0), shape=N, name="load")
    m.add(Circuit(x))
    for i, j in product(range(N), range(2, N)):
        if i != j:
            earlier, later = load[i] + wanted[j], load[j]
            m.add((x[i] == j).implies(later == earlier if j % 2 else earlier == later))
    m.minimize(sum(element(d[i], x[i]) for i in range(N)))
    return m


def arrivals(seed: int, first: int) -> tuple[Model, Any, Any, Any]:
    """Return rounds from node 0 (and 1), on which others open at times: successors, times and roads."""
    m, d = Model(), roads(seed)
    opens = np.random.default_rng(seed).integers(0, 150, N - first)
    x = m.intvar(0, N - 1, shape=N, name="x")
    t = m.intvar(opens, 900, shape=N - first, name="t")
    m.add(Circuit(x))
    for i, j in product(range(N), range(first, N)):
        if i != j:
            m.add((x[i] == j).implies(t[j - first] >= d[i, j] + (0 if i < first else t[i - first])))
    return m, x, t, d


def last_return(seed: int) -> Model:
    """Return the one that is back first; by which node it comes back is told in two ways."""
    m, x, t, d = arrivals(seed, 1)
    end = m.intvar(0, 330 + 99 * (seed % 2), name="end")
    if seed % 2:
        m.add([(x[i] == 0).implies(end >= t[i - 1] + d[i, 0]) for i in range(1, N)])
    else:
        m.add([(x[i] == 0).implies(t[i - 1] + d[i, 0] == end) for i in range(1, N)])
    m.minimize(end)
    return m


def last_arrival(seed: int) -> Model:
    """Return the one whose last node is reached first, and then one with short ways, in one objective."""
    m, x, t, d = arrivals(seed, 1)
    z = m.intvar(0, 2000, name="z")
    costs = sum(element(d[i], x[i]) for i in range(N))
    if seed % 2:
        m.add(z == maximum(t), z <= 700)
    else:
        m.add(z >= t + 3)
    m.minimize(20 * z + costs)
    return m


def two_rounds(seed: int) -> Model:
    """Return two rounds, of which the longer one is as short as possible."""
    m, x, t, d = arrivals(seed, 2)
    ends = m.intvar(0, 400, shape=2, name="ends")
    for i, k in product(range(2, N), range(2)):
        m.add((x[i] == k).implies(ends[k] >= t[i - 2] + d[i, 0]))
    m.minimize(maximum(ends))
    return m


FORMS: Mapping[str, Callable[[int], Model]] = {
    "elements": by_elements,
    "tables": by_tables,
    "narrow tables": lambda seed: by_tables(seed, 30, 80),
    "narrow sums": narrow_sums,
    "truths": by_truths,
    "symmetric": symmetric,
    "prizes": prizes,
    "windows by elements": lambda seed: windows(seed, "elements"),
    "windows by clauses": lambda seed: windows(seed, "clauses"),
    "windows by large numbers": lambda seed: windows(seed, "large"),
    "loads": loads,
    "last return": last_return,
    "last arrival": last_arrival,
    "two rounds": two_rounds,
}


def test_parts_of_the_arena_are_apart() -> None:
    """Two of them lie where the kernel of cells has them, whose cooling this one calls."""
    names = [name for name, value in vars(codes).items() if name.isupper() and isinstance(value, int)]
    first, last = names.index("COST"), names.index("PARTS")
    assert [getattr(codes, name) for name in names[first : last + 1]] == list(range(codes.PARTS + 1))


@each("form", FORMS)
def test_the_best_tour_is_found(form: str) -> None:
    m = FORMS[form](3)
    found = m.solve(solver="local-search", random_seed=1, step_limit=3000)
    best = m.solve(solver="backtracking")
    assert found.statistics["special"] == "tours"
    if best.status == "OPTIMAL":
        assert (found.status, found.objective) == ("FEASIBLE", best.objective)
    else:
        assert found.status == "UNKNOWN"


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_best_tours_are_found(form: str) -> None:
    for seed in range(10):
        m = FORMS[form](seed)
        found = m.solve(solver="local-search", random_seed=seed, step_limit=20_000)
        best = m.solve(solver="cpsat")
        assert (found.status == "FEASIBLE", found.objective) == (best.status == "OPTIMAL", best.objective)


@each("form", FORMS)
def test_the_state_is_that_of_a_fresh_computation(form: str) -> None:
    found = FORMS[form](1).solve(solver="local-search", random_seed=2, step_limit=400, audit="full")
    assert found.statistics["special"] == "tours"
    assert found.statistics["steps"] == 400


@pytest.mark.parametrize("part", ["ACTIVITY", "PLACE", "INFO"])
def test_the_audit_notices(part: str) -> None:
    tours = tours_of(prizes(1))
    assert tours is not None
    walk = TourWalk(tours, 1)
    walk.check()
    at = codes.cooling.VIOLATION if part == "INFO" else -1
    walk.part(getattr(codes, part))[at] += 1
    with pytest.raises(AuditError):
        walk.check()


def test_a_hint_is_the_first_tour() -> None:
    m, tour = by_elements(1), [2, 3, 1, 5, 0, 4]
    tours = tours_of(m)
    assert tours is not None
    walk = TourWalk(tours, 1, (np.array(tour), np.ones(N, dtype=bool)))
    assert walk.values(walk.tour).tolist() == tour
    unhinted = m.solve(solver="local-search", step_limit=20)
    hinted = m.solve(solver="local-search", step_limit=20, hint={"x": tour})
    assert hinted.statistics["trajectory"] != unhinted.statistics["trajectory"]


def test_a_trace_has_tours_and_their_violation() -> None:
    traced = prizes(1).solve(solver="local-search", random_seed=1, step_limit=100, trace=200)
    untraced = prizes(1).solve(solver="local-search", random_seed=1, step_limit=100)
    assert traced.trace is not None
    assert len(traced.trace) > 5
    assert traced.statistics["trajectory"] == untraced.statistics["trajectory"]


def test_what_no_tour_satisfies_goes_to_the_general_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHARE", 150)
    m = by_elements(1)
    m.add(m.objective <= 0)
    found = m.solve(solver="local-search", step_limit=250)
    assert found.status == "UNKNOWN"
    assert found.statistics["steps"] <= 250


def test_limits_are_kept() -> None:
    tours = tours_of(by_elements(1))
    assert tours is not None
    walk = TourWalk(tours, 1)
    run = Alone(walk, Limits(10), None)
    while walk.walk(run) == "solved":
        pass
    assert walk.walk(run) == "step_limit"
    assert run.steps == 10
    run.limits = Limits(None, lambda: True)
    assert walk.walk(run) == "stopped"


MORE: dict[str, Callable[[Model, Any], None]] = {
    "two circuits": lambda m, x: m.add(Circuit(x[::-1])),
    "what depends on two successors": lambda m, x: m.add(x[0] + x[1] != 5, (x[0] == x[1] + 1) | (x[2] == 1)),
    "an element of successors": lambda m, x: m.add(element(x, x[0]) != 3),
    "a product of two": lambda m, x: m.minimize(x[0] * x[1]),
    "an AllDifferent with other shifts": lambda m, x: m.add(AllDifferent(x + np.arange(N))),
    "late is better": lambda m, x: (
        m.add((x[1] == 2).implies((t := m.intvar(0, 9, shape=2))[1] >= t[0] + 1)), m.maximize(t.sum())
    ),
    "times that circuits do not order": lambda m, x: m.add(
        (t := m.intvar(0, 9, shape=2))[0] >= t[1] + 3, (x[1] == 2).implies(t[1] >= t[0] + 1)
    ),
    "a time at two nodes": lambda m, x: m.add(
        (x[1] == 2).implies((t := m.intvar(0, 9, shape=3))[1] >= t[0] + 1),
        (x[4] == 3).implies(t[2] >= t[0] + 1),
    ),
    "a time that must be late": lambda m, x: m.add(
        (x[1] == 2).implies((t := m.intvar(0, 9, shape=3))[1] >= t[0] + 1), maximum(t) >= 5
    ),
    "an end before a node": lambda m, x: m.add(
        (x[1] == 2).implies((t := m.intvar(0, 9, shape=3))[1] >= t[0] + 1), t[2] >= t, t[0] >= t[2]
    ),
}  # fmt: skip


@each("what", MORE)
def test_other_models_are_no_tours(what: str) -> None:
    m = by_elements(1)
    assert tours_of(m) is not None
    m.drop_objectives()
    MORE[what](m, m["x"])
    assert tours_of(m) is None
