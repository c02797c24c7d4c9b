"""The bound from linear rows: every row that it is made of, and their sum, hold in every solution."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from cpqueens import AllDifferent, Circuit, Model, Status, SubCircuit, element, maximum
from cpqueens.backends.backtracking import alternating, memory
from cpqueens.backends.backtracking.rows import Row, rows_of
from cpqueens.backends.backtracking.wholes.registry import takes
from cpqueens.backends.base import Bounds, Request, Want
from cpqueens.backends.clock import Clock
from cpqueens.backends.local_search import running
from cpqueens.backends.relaxation import relaxation
from cpqueens.backends.relaxation.inequalities import Inequality, ends_of, inequalities
from cpqueens.backends.relaxation.program import LinearProgram, Simplex
from cpqueens.backends.relaxation.relaxation import combined, divided, fits, integers, least, relaxed
from cpqueens.crosscheck import oracle
from cpqueens.fuzzing.generate import random_model
from cpqueens.language.arrays import of_variables
from cpqueens.lowered.compiled import Compiled, DefinitionBlock, Definitions
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.lowered.forms import DECOMPOSED, ModelForm, compiled_of
from cpqueens.lowered.structures.table import Structures


def compiled_form(model: Model) -> Compiled:
    return compiled_of(model, ModelForm(DECOMPOSED.kinds, takes))


def value(row: Row, values: list[int]) -> int:
    return row[2] + sum(a * values[v] for v, a in zip(*row[:2], strict=True))


def assigned(c: Compiled, solved: oracle.Solved, most: int = 40) -> list[list[int]]:
    """Return the values of all compiled variables, as Python numbers, in some of the solutions."""
    some = solved.solutions[:: max(1, len(solved.solutions) // most)]
    return [values_of_all(c, x).tolist() for x in some]


def with_objective(model: Model, source: random.Random) -> Model:
    """Let a sum of some variables, or a variable, be as small or as great as possible."""
    x = of_variables(model, model.decisions, model.decisions.shape)
    picked = x * np.array([source.choice([-3, -2, -1, 0, 1, 2, 5]) for _ in range(len(x))])
    term = maximum(picked) if source.random() < 0.3 else picked.sum()
    (model.minimize if source.random() < 0.5 else model.maximize)(term)
    return model


def sums_model(source: random.Random) -> Model:
    """Return a model of rows, truths of rows, clauses and products."""
    m = Model("sums")
    x = m.intvar(-1, 2, shape=4, name="x")
    b = m.boolvar(shape=3, name="b")
    for _ in range(source.randint(1, 4)):
        row = (x * np.array([source.randint(-3, 3) for _ in range(4)])).sum() + source.randint(-3, 3)
        relation = source.choice(["<=", ">=", "=="])
        c = row <= 0 if relation == "<=" else row >= 0 if relation == ">=" else row == source.randint(-2, 2)
        m += c if source.random() < 0.5 else (c == (b[source.randrange(3)] == 1))
    m += (x[0] * b[0] + x[1] * x[2] + b[1] * b[2]) <= source.randint(-1, 4)
    m += b[0] * (x[0] + 2 * x[3] - 1) + x[3] * b[0] <= source.randint(2, 6)
    if source.random() < 0.5:
        m += (x + 1).sum() <= source.randint(6, 14) * b[source.randrange(3)] + source.randint(0, 1)
    else:
        m += 3 * x[1] + x[2] >= source.randint(-14, -3) * (1 - b[1])
    m += (b[0] == 1) | (x[3] != source.randint(-1, 2)) | ~(b[2] == 1)
    for v in range(-1, 2 + source.randint(0, 1)):
        m += (x[1] == v).implies(b[source.randrange(3)] == source.randint(0, 1))
    return m


def placed_model(source: random.Random) -> Model:
    """Return a model of different values, or of a circuit, that cost what tables and truths say."""
    m = Model("placed")
    n = source.choice([3, 4])
    x = m.intvar(0, n - 1 + source.randint(0, 1), shape=n, name="x")
    m += source.choice([
        lambda: AllDifferent(x),
        lambda: AllDifferent([x[0], *(source.choice([n - x[k], x[k] + 1, x[k]]) for k in range(1, n))]),
        lambda: Circuit(x), lambda: SubCircuit(x),
    ])()  # fmt: skip
    if source.random() < 0.3:
        m += x[source.randrange(n)] != source.randrange(n)
    costs = []
    for k in range(n):
        table = [source.randint(-5, 9) for _ in range(n + 2)]
        costs.append(element(table, source.choice([x[k], n + 1 - x[k], x[0]])))
        costs.append(source.randint(-6, 6) * source.choice([x[k] == k, x[k] != k, x[k] == 0]).truth())
    if source.random() < 0.4:
        m += sum(costs[::2]) <= source.randint(3, 5 * n)
    (m.minimize if source.random() < 0.5 else m.maximize)(sum(costs) + source.randint(-2, 2) * x[0])
    return m


def models() -> Iterator[Model]:
    for seed in range(45):
        source = random.Random(seed)
        yield with_objective(random_model(seed), source)
        yield with_objective(sums_model(source), source)
        yield placed_model(source)


def test_every_row_and_every_sum_of_rows_holds_in_every_solution() -> None:
    met = {"rows": 0, "bounds": 0, "by values": 0, "refuted": 0, "strict": 0}
    for number, model in enumerate(models()):
        source, c, solved = random.Random(number), compiled_form(model), oracle.solve(model)
        ends = c.lower.tolist(), c.upper.tolist()
        rows = list(inequalities(c, ends))
        solutions = assigned(c, solved)
        for values in solutions:
            for inequality in rows:
                found = value(inequality.row, values)
                assert found == 0 if inequality.equal else found <= 0, (number, inequality)
        met["rows"] += len(rows) * len(solutions)
        assert c.objective is not None
        objective = rows_of(c.objective)[0]
        wild = [source.choice([0.0, -1.5, 0.3, 1.0, 1e-9, float("nan"), 2.25]) for _ in rows]
        for denominator, multipliers in integers(wild, rows):
            assert all(y >= 0 or one.equal for y, one in zip(multipliers, rows, strict=True))
            row = combined(rows, multipliers)
            assert 0 not in row[1]
            bound = least(objective, denominator, row, ends)
            for values in solutions:
                assert value(row, values) <= 0
                assert value(divided(row), values) <= 0
                assert value(objective, values) >= bound
        made = relaxed(c, c.lower, c.upper)
        if made is None:
            continue
        assert not (made.refuted and solved.count), number
        met["refuted"] += made.refuted
        if made.bound is not None and (made.row is not None or made.floor is not None):
            met["bounds"] += 1
            met["by values"] += made.floor is not None
            assert made.bound > ends_of(objective, ends)[0]
            proved = [row for row in (made.row, made.floor) if row is not None]
            assert all(value(row, values) <= 0 for values in solutions for row in proved)
            if solved.optimum is not None:
                best = -solved.optimum if model.maximizing else solved.optimum
                assert made.bound <= best, number
                met["strict"] += made.bound == best
    assert all(many > 5 for many in met.values()), met


def test_multipliers_become_integers_that_say_what_they_said() -> None:
    rows = [Inequality(((0, 1), (2, 3), -4)), Inequality(((0,), (1,), -1), equal=True)]
    assert next(integers([0.5, -1 / 3], rows)) == (6, [3, -2])
    assert next(integers([-0.5, 0.2], rows)) == (5, [0, 1])  # what may not be negative is not
    found = list(integers([0.123456, -2.0], rows))  # no small denominator
    assert found[0] == (65536, [8091, -131072])
    assert [denominator for denominator, _ in found] == [1 << bits for bits in range(16, -1, -1)]
    assert combined(rows, [1, -2]) == ((1,), (3,), -2)  # what cancels is not there
    assert divided(((0, 1), (4, -6), 3)) == ((0, 1), (2, -3), 2)  # 4x - 6y <= -3: 2x - 3y <= -2
    assert divided(((0,), (-2,), -5)) == ((0,), (-1,), -2)
    assert least(((0,), (2,), 0), 2, ((0,), (-3,), 4), ([0], [9])) == 2  # 4x - 3x + 4 >= 4, halved
    wide = ([0, 0], [1 << 30, 1])
    assert fits(((0, 1), (1, 5), 0), ((1,), (1,), 0), wide)
    assert not fits(((0,), (1 << 15,), 0), ((1,), (1,), 0), wide)


def facilities(together: bool) -> Model:
    """Facilities that serve while they are open, said of all customers together or of each."""
    source = random.Random(1)
    m = Model("facilities")
    is_open, serves = m.boolvar(shape=5, name="open"), m.boolvar(shape=(5, 9), name="serves")
    m += serves.sum(axis=0) == 1
    m += serves.sum(axis=1) <= 9 * is_open if together else serves <= is_open[:, None]
    costs = np.array([[source.randint(1, 60) for _ in range(9)] for _ in range(5)])
    m.minimize(100 * is_open.sum() + (costs * serves).sum())
    return m


def test_a_sum_that_a_closed_facility_forbids_says_as_much_as_each_of_its_parts() -> None:
    found = [compiled_form(facilities(together)) for together in (True, False)]
    one, other = (relaxed(c, c.lower, c.upper) for c in found)
    assert one is not None
    assert other is not None
    assert one.bound is not None
    assert one.bound == other.bound > 100


def test_a_product_with_a_sum_is_the_sum_of_products() -> None:
    m = Model()
    b, x = m.boolvar(shape=3, name="b"), m.intvar(0, 100, shape=3, name="x")
    m += sum(b[i] * x[i] for i in range(3)) >= 150
    m += b.sum() <= 2
    m.minimize(sum(b[i] * (7 * x[i] + 50) for i in range(3)))
    c = compiled_form(m)
    made = relaxed(c, c.lower, c.upper)
    assert made is not None
    assert made.bound == 7 * 150 + 75  # of 100 each, one and a half are open


def coins(n: int, each: int) -> Model:
    """Coins on a grid, so many in each row and column, near the diagonal (hakank's coins grid)."""
    m = Model("coins")
    x = m.boolvar(shape=(n, n), name="x")
    m += x.sum(axis=0) == each
    m += x.sum(axis=1) == each
    i = np.arange(n)
    m.minimize((x * (i[:, None] - i) ** 2).sum())
    return m


def assignment(agents: int, tasks: int, seed: int) -> Model:
    """Each task by one agent, who have so much time."""
    drawn = np.random.default_rng(seed)
    takes_long, costs = drawn.integers(5, 26, (agents, tasks)), drawn.integers(10, 51, (agents, tasks))
    m = Model("assignment")
    x = m.boolvar(shape=(agents, tasks), name="x")
    m += x.sum(axis=0) == 1
    m += (x * takes_long).sum(axis=1) <= (takes_long.sum(axis=1) * 4) // (5 * agents)
    m.minimize((x * costs).sum())
    return m


def knapsacks(many: int, items: int, seed: int) -> Model:
    """Items in several knapsacks at once; what they are worth is a variable."""
    drawn = np.random.default_rng(seed)
    weights, worth = drawn.integers(1, 101, (many, items)), drawn.integers(1, 101, items)
    m = Model("knapsacks")
    x, z = m.boolvar(shape=items, name="x"), m.intvar(0, int(worth.sum()), name="z")
    m += (x * weights).sum(axis=1) <= weights.sum(axis=1) // 2
    m += z == (x * worth).sum()
    m.maximize(z)
    return m


def cutting(bars: int, seed: int) -> Model:
    """Pieces cut from bars of 100, of which few are used."""
    drawn = np.random.default_rng(seed)
    sizes, need = drawn.integers(15, 60, 8), drawn.integers(2, 6, 8)
    m = Model("cutting")
    x, used = m.intvar(0, 5, shape=(bars, 8), name="x"), m.boolvar(shape=bars, name="used")
    m += x.sum(axis=0) == need
    m += (x * sizes).sum(axis=1) <= 100 * used
    m += used[:-1] >= used[1:]
    m.minimize(used.sum())
    return m


def cover(rows: int, columns: int, seed: int) -> Model:
    """The cheapest columns that cover all rows."""
    drawn = np.random.default_rng(seed)
    holds = drawn.random((rows, columns)) < 0.15
    holds[np.arange(rows), drawn.integers(0, columns, rows)] = True
    m = Model("cover")
    x = m.boolvar(shape=columns, name="x")
    for row in holds:
        m += x[np.flatnonzero(row)].sum() >= 1
    m.minimize((x * drawn.integers(5, 30, columns)).sum())
    return m


def test_nodes_fall_where_rows_bound_the_objective() -> None:
    """The optimum is that of CP-SAT; without the bound most are open after ten times the nodes."""
    cases = [
        (coins(16, 6), 2000),
        (assignment(5, 20, 1), 30_000),
        (knapsacks(5, 50, 0), 10_000),
        (cutting(14, 0), 5000),
        (cover(30, 60, 2), 3000),
    ]
    for model, most in cases:
        found = model.solve(solver="backtracking", num_workers=1)
        peer = model.solve(solver="cpsat")
        assert (found.status, found.objective) == (Status.OPTIMAL, peer.objective), model.name
        told = found.statistics.get("relaxation")
        assert told, model.name
        assert found.statistics["nodes"] < most, (model.name, found.statistics["nodes"])
        assert (told["bound"] >= peer.objective) if model.maximizing else (told["bound"] <= peer.objective)


def costs(n: int) -> np.ndarray:
    return np.random.default_rng(n).integers(1, 100, (n, n))


def placed(n: int) -> Model:
    """Each of n workers another one of n tasks, at the least cost."""
    m = Model("placed")
    x = m.intvar(0, n - 1, shape=n, name="x")
    m += AllDifferent(x)
    m.minimize(sum(element(row, x[k]) for k, row in enumerate(costs(n))))
    return m


def test_costs_of_different_values_are_bounded_by_the_best_assignment() -> None:
    """The optimum is that of SciPy's algorithm for linear assignments."""
    for n in (9, 25, 40):
        best = int(costs(n)[linear_sum_assignment(costs(n))].sum())
        found = placed(n).solve(solver="backtracking", num_workers=1)
        assert (found.status, found.objective) == (Status.OPTIMAL, best)
        assert found.statistics["failures"] < 2000
    assert found.statistics["relaxation"]["bound"] == best


def test_a_model_that_has_all_columns_for_values_before_its_last_variable_is_bounded_too() -> None:
    m, each = Model("placed"), costs(6)
    x, y = m.intvar(0, 5, shape=6, name="x"), m.intvar(0, 9, name="y")
    m += AllDifferent(x)
    m.minimize(((x[:, None] == np.arange(6)) * each).sum() + abs(y - 2))
    c = compiled_form(m)
    found = relaxed(c, c.lower, c.upper)
    assert found is not None
    assert found.bound == int(each[linear_sum_assignment(each)].sum())


def pigeons(n: int) -> Model:
    m = Model("pigeons")
    x = m.boolvar(shape=(n + 1, n), name="x")
    m += x.sum(axis=1) >= 1
    m += x.sum(axis=0) <= 1
    return m


def test_rows_that_contradict_each_other_close_the_root() -> None:
    found = pigeons(12).solve(solver="backtracking", num_workers=1)
    assert found.status is Status.INFEASIBLE
    assert found.statistics["relaxation"]["refuted"]
    assert found.statistics["failures"] < alternating.JOINING


def test_searches_with_the_row_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The row is there from the first failure on, in both searches, of which the second joins at once."""
    monkeypatch.setattr(alternating, "JOINING", 0)
    monkeypatch.setattr(alternating, "TURN", 1)
    with_row = 0
    for number, model in enumerate(models()):
        solved = oracle.solve(model)
        found = model.solve(solver="backtracking:forward", num_workers=1)
        assert found.status is (Status.INFEASIBLE if solved.optimum is None else Status.OPTIMAL), number
        assert found.objective == solved.optimum, number
        told = found.statistics.get("relaxation")
        with_row += isinstance(told, dict) and "bound" in told
    assert with_row > 10


def test_without_the_library_searches_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaxation, "is_installed", lambda: False)
    found = cover(30, 60, 0).solve(solver="backtracking", num_workers=1)
    assert found.status is Status.OPTIMAL
    assert "not installed" in found.statistics["relaxation"]


def test_local_search_has_the_bound_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "AFTER", 0)
    for model in (knapsacks(5, 50, 0), assignment(5, 20, 1), cover(30, 60, 2)):
        found = model.solve(solver="local-search", step_limit=2000, random_seed=0)
        assert (found.status, found.complete) == (Status.FEASIBLE, False), model.name
        assert found.bound == found.statistics["relaxation"]["bound"], model.name
        assert (found.bound >= found.objective) if model.maximizing else (found.bound <= found.objective)
        assert found.faults == ()


def test_what_watches_a_run_looks_for_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks from a thread of its own whether the run is to end, and the run may be over before it knows."""
    monkeypatch.setattr(running, "AFTER", -1)
    model = assignment(5, 20, 1)
    proved = Bounds(model.maximizing)
    structures = Structures(model, "local-search", takes)
    bound = running.ObjectiveBound(structures, Request(Want.BEST, Clock(None), bounds=proved))
    watching = threading.Thread(target=bound.should_stop)
    watching.start()
    watching.join()
    assert (dict(bound.facts), proved.best) == ({}, None)
    assert not bound.should_stop()
    assert proved.best == bound.facts["relaxation"]["bound"]


def test_what_a_model_took_to_prepare_is_no_search_for_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    used = [5.0, 5.0 + running.AFTER / 2, 5.0 + 2 * running.AFTER]
    monkeypatch.setattr(Clock, "used", lambda _: used[0])
    model = assignment(5, 20, 1)
    proved = Bounds(model.maximizing)
    structures = Structures(model, "local-search", takes)
    bound = running.ObjectiveBound(structures, Request(Want.BEST, Clock(None), bounds=proved))
    found = []
    while used:
        assert not bound.should_stop()
        found.append(proved.best)
        del used[0]
    assert found == [None, None, bound.facts["relaxation"]["bound"]]


def test_local_search_goes_on_where_no_network_has_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "AFTER", 0)
    monkeypatch.setattr(memory, "CELLS", 1)
    found = cover(30, 60, 2).solve(solver="local-search", step_limit=2000, random_seed=0)
    assert (found.status, found.bound) == (Status.FEASIBLE, None)


def test_what_the_simplex_says_wrongly_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Simplex(np.array([1.0, float("inf")]), np.array([0.0]), 0.0, 1)
    monkeypatch.setattr(LinearProgram, "solve", lambda _: wrong)
    rows = [Inequality(((0,), (1,), -1)), Inequality(((0,), (-1,), -3))]  # x <= 1, x >= -3
    found = relaxation._refuted(rows, np.array([0]), np.array([5]))
    assert found is not None
    assert not found.refuted
    rows[0] = Inequality(((0,), (1,), 1))  # x <= -1
    found = relaxation._refuted(rows, np.array([0]), np.array([5]))
    assert found is not None
    assert found.refuted


def test_a_truth_of_nothing_implies_nothing() -> None:
    """Decompositions may define what a disjunction without a literal is."""
    m = Model()
    x, y = m.intvar(0, 3, name="x"), m.boolvar(name="y")
    m.add(x + y <= 3)
    c = compiled_of(m, ModelForm(DECOMPOSED.kinds, takes, False), "backtracking")
    nothing = DefinitionBlock("truth_or", np.array([1]), c.linear.part(0, 0), 0)
    ends = c.lower.tolist(), c.upper.tolist()
    stated = list(inequalities(replace(c, definitions=Definitions([nothing])), ends))
    assert stated == list(inequalities(c, ends)) != []


def pairs_model(source: random.Random) -> Model:
    """Return a model of pairs of literals that exclude each other, stated in several ways, and a sum."""
    m = Model("pairs")
    x = m.boolvar(shape=7, name="x")
    flipped = [source.random() < 0.3 for _ in x]
    for i in range(7):
        for j in range(i):
            if source.random() < 0.6:
                a, b = ((1 - x[v] if flipped[v] else x[v]) for v in (i, j))
                way = source.randrange(3)
                m += a + b <= 1 if way == 0 else ~((a == 1) & (b == 1)) if way == 1 else 2 * a + 3 * b <= 4
    total = sum(1 - x[v] if flipped[v] else x[v] for v in range(7))
    m += total == source.randint(1, 3)
    return m


def test_cliques_of_pairs_and_equations_hold_in_every_solution() -> None:
    met = {"cliques": 0, "equations": 0, "solutions": 0}
    for seed in range(150):
        source = random.Random(seed)
        model = pairs_model(source) if seed % 3 else sums_model(source)
        c, solutions = compiled_form(model), oracle.solve(model)
        ends = c.lower.tolist(), c.upper.tolist()
        rows = inequalities(c, ends)
        made = relaxed(c, c.lower, c.upper)
        assert made is None or not (made.refuted and solutions.count), seed
        cliques = [one for one in rows if len(one.row[0]) > 2 and set(map(abs, one.row[1])) == {1}]
        equations = () if made is None else made.equations
        for values in assigned(c, solutions):
            assert all(value(one.row, values) <= 0 for one in rows), seed
            assert all(value(row, values) == 0 for row in equations), seed
            met["solutions"] += 1
        met["cliques"] += len(cliques) * bool(solutions.count)
        met["equations"] += len(equations) * bool(solutions.count)
    assert all(many > 50 for many in met.values()), met


def test_searches_with_equations_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are there from the first failure on, in all searches, and what is learned with them is audited."""
    for name, number in (("JOINING", 0), ("TURN", 1), ("LATER", 0)):
        monkeypatch.setattr(alternating, name, number)
    with_equations = 0
    for seed in range(60):
        model = pairs_model(random.Random(seed))
        solved = oracle.solve(model)
        found = model.solve(solver="backtracking:forward", num_workers=1, audit=True)
        assert found.status is (Status.FEASIBLE if solved.count else Status.INFEASIBLE), seed
        listed = list(model.solutions(solver="backtracking:forward", num_workers=1))
        assert len(listed) == solved.count, seed
        with_equations += bool(found.statistics.get("relaxation", {}).get("equations"))
    assert with_equations > 5


def numbers(n: int, most: int) -> Model:
    """Permutations, no two with three neighbours in common (hakank's generating numbers)."""
    m = Model("numbers")
    orders = list(permutations(range(n)))
    having = [{order[i : i + 3] for i in range(n - 2)} for order in orders]
    x = m.boolvar(shape=len(orders), name="x")
    m += x.sum() == most
    for i, j in combinations(range(len(orders)), 2):
        if having[i] & having[j]:
            m += x[i] + x[j] <= 1
    return m


def test_as_many_as_there_can_be_use_up_each_clique() -> None:
    """Each of 60 triples is in one of 20 permutations; the pairs that say so leave that open for long."""
    found = numbers(5, 20).solve(solver="backtracking", num_workers=1, time_limit=60)
    assert found.status is Status.FEASIBLE
    assert found.statistics["relaxation"]["equations"] == 60
    assert found.statistics["nodes"] < 5000


def test_what_the_simplex_says_wrongly_makes_no_equation() -> None:
    rows = [Inequality(((0, 1), (1, 1), -1)), Inequality(((0, 1), (-1, -1), 1))]  # x + y <= 1, x + y >= 1
    ends = [0, 0], [1, 1]
    for multipliers, many in (([1.0, 1.0], 2), ([1.0, 0.5], 0), ([1.0, 0.0], 0), ([float("nan"), 1.0], 0)):
        simplex = Simplex(np.array(multipliers), np.array([]), 0.0, 1)
        found = relaxation._equations(rows, simplex, ends, ends)
        assert found == tuple(one.row for one in rows[:many]), multipliers
