"""Models in plain loops over single variables and terms, as a newcomer writes them, each three times.

As in `writing.py`: for us, for OR-Tools by one who knows it well, and for CPMpy. `bench_writing` races them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from writing import Job

_RANDOM = np.random.default_rng(7)
MACHINES = [_RANDOM.permutation(20).tolist() for _ in range(20)]
DURATIONS = _RANDOM.integers(1, 100, (20, 20)).tolist()
HORIZON = sum(map(sum, DURATIONS))
TASKS = _RANDOM.integers(1, 10, 120).tolist()
DEMANDS = _RANDOM.integers(0, 6, (4, 120)).tolist()
EARLIER = [sorted({int(k) for k in _RANDOM.integers(0, j, 2)}) if j else [] for j in range(120)]
QUADRUPLES = _RANDOM.integers(0, 100, (100_000, 4)).tolist()
PRICES = _RANDOM.integers(1, 100, (20, 30)).tolist()


# ---- queens: every variable by a call of its own --------------------------------------------------------


def _queens(n: int) -> Job:
    def ours(cp: Any) -> Any:
        m = cp.Model()
        q = [m.intvar(0, n - 1, name=f"q{i}") for i in range(n)]
        m.add(cp.AllDifferent(q))
        m.add(cp.AllDifferent([q[i] + i for i in range(n)]))
        m.add(cp.AllDifferent([q[i] - i for i in range(n)]))
        return m

    def ortools(cp: Any) -> Any:
        m = cp.CpModel()
        q = [m.new_int_var(0, n - 1, f"q{i}") for i in range(n)]
        m.add_all_different(q)
        m.add_all_different([q[i] + i for i in range(n)])
        m.add_all_different([q[i] - i for i in range(n)])
        return m

    def cpmpy(cp: Any) -> Any:
        q = [cp.intvar(0, n - 1, name=f"q{i}") for i in range(n)]
        m = cp.Model()
        m += cp.AllDifferent(q)
        m += cp.AllDifferent([q[i] + i for i in range(n)])
        m += cp.AllDifferent([q[i] - i for i in range(n)])
        return m

    return Job(ours, ortools, cpmpy, 2.0)


def _queens_array(n: int) -> Job:
    def ours(cp: Any) -> Any:
        m = cp.Model()
        q, i = m.intvar(0, n - 1, shape=n, name="q"), np.arange(n)
        m.add(cp.AllDifferent(q), cp.AllDifferent(q + i), cp.AllDifferent(q - i))
        return m

    def cpmpy(cp: Any) -> Any:
        q, i = cp.intvar(0, n - 1, shape=n, name="q"), np.arange(n)
        return cp.Model(cp.AllDifferent(q), cp.AllDifferent(q + i), cp.AllDifferent(q - i))

    return Job(ours, _queens(n).ortools, cpmpy, 1.0 if n >= 300 else 2.0)


def _variables(n: int) -> Job:
    def ours(cp: Any) -> Any:
        m = cp.Model()
        for i in range(n):
            m.intvar(0, 9, name=f"x{i}")
        return m

    def ortools(cp: Any) -> Any:
        m = cp.CpModel()
        for i in range(n):
            m.new_int_var(0, 9, f"x{i}")
        return m

    def cpmpy(cp: Any) -> Any:
        return cp.Model([cp.intvar(0, 9, name=f"x{i}") >= 0 for i in range(n)])

    return Job(ours, ortools, cpmpy, 2.0)


# ---- schedules ------------------------------------------------------------------------------------------


def _ours_shop(cp: Any) -> Any:
    m = cp.Model()
    start = {(j, k): m.intvar(0, HORIZON, name=f"s{j}_{k}") for j in range(20) for k in range(20)}
    end = m.intvar(0, HORIZON, name="end")
    tasks: list[list[tuple[Any, int]]] = [[] for _ in range(20)]
    for j in range(20):
        for k in range(20):
            tasks[MACHINES[j][k]].append((start[j, k], DURATIONS[j][k]))
            if k:
                m.add(start[j, k] >= start[j, k - 1] + DURATIONS[j][k - 1])
        m.add(end >= start[j, 19] + DURATIONS[j][19])
    for machine in tasks:
        m.add(cp.NoOverlap([s for s, _ in machine], [d for _, d in machine]))
    m.minimize(end)
    return m


def _ours_shop_arrays(cp: Any) -> Any:
    m = cp.Model()
    start, duration = m.intvar(0, HORIZON, shape=(20, 20), name="s"), np.array(DURATIONS)
    end = m.intvar(0, HORIZON, name="end")
    m.add(start[:, 1:] >= start[:, :-1] + duration[:, :-1])
    m.add(end >= start[:, -1] + duration[:, -1])
    place, jobs = np.argsort(MACHINES, axis=1), np.arange(20)
    for machine in range(20):
        m.add(cp.NoOverlap(start[jobs, place[:, machine]], duration[jobs, place[:, machine]]))
    m.minimize(end)
    return m


def _raw_shop(cp: Any) -> Any:
    m = cp.CpModel()
    start = {(j, k): m.new_int_var(0, HORIZON, f"s{j}_{k}") for j in range(20) for k in range(20)}
    end = m.new_int_var(0, HORIZON, "end")
    tasks: list[list[Any]] = [[] for _ in range(20)]
    for j in range(20):
        for k in range(20):
            task = m.new_fixed_size_interval_var(start[j, k], DURATIONS[j][k], "")
            tasks[MACHINES[j][k]].append(task)
            if k:
                m.add(start[j, k] >= start[j, k - 1] + DURATIONS[j][k - 1])
        m.add(end >= start[j, 19] + DURATIONS[j][19])
    for machine in tasks:
        m.add_no_overlap(machine)
    m.minimize(end)
    return m


def _cpmpy_shop(cp: Any) -> Any:
    m = cp.Model()
    start = {(j, k): cp.intvar(0, HORIZON, name=f"s{j}_{k}") for j in range(20) for k in range(20)}
    end = cp.intvar(0, HORIZON, name="end")
    tasks: list[list[tuple[Any, int]]] = [[] for _ in range(20)]
    for j in range(20):
        for k in range(20):
            tasks[MACHINES[j][k]].append((start[j, k], DURATIONS[j][k]))
            if k:
                m += start[j, k] >= start[j, k - 1] + DURATIONS[j][k - 1]
        m += end >= start[j, 19] + DURATIONS[j][19]
    for machine in tasks:
        m += cp.NoOverlap([s for s, _ in machine], [d for _, d in machine])
    m.minimize(end)
    return m


def _ours_project(cp: Any) -> Any:
    m = cp.Model()
    start = [m.intvar(0, 600, name=f"s{j}") for j in range(120)]
    end = m.intvar(0, 600, name="end")
    for j in range(120):
        for i in EARLIER[j]:
            m.add(start[j] >= start[i] + TASKS[i])
        m.add(end >= start[j] + TASKS[j])
    for demands in DEMANDS:
        used = [j for j in range(120) if demands[j]]
        m.add(
            cp.Cumulative([start[j] for j in used], [TASKS[j] for j in used], [demands[j] for j in used], 12)
        )
    m.minimize(end)
    return m


def _raw_project(cp: Any) -> Any:
    m = cp.CpModel()
    start = [m.new_int_var(0, 600, f"s{j}") for j in range(120)]
    end = m.new_int_var(0, 600, "end")
    task = [m.new_fixed_size_interval_var(start[j], TASKS[j], "") for j in range(120)]
    for j in range(120):
        for i in EARLIER[j]:
            m.add(start[j] >= start[i] + TASKS[i])
        m.add(end >= start[j] + TASKS[j])
    for demands in DEMANDS:
        used = [j for j in range(120) if demands[j]]
        m.add_cumulative([task[j] for j in used], [demands[j] for j in used], 12)
    m.minimize(end)
    return m


def _cpmpy_project(cp: Any) -> Any:
    m = cp.Model()
    start = [cp.intvar(0, 600, name=f"s{j}") for j in range(120)]
    end = cp.intvar(0, 600, name="end")
    for j in range(120):
        for i in EARLIER[j]:
            m += start[j] >= start[i] + TASKS[i]
        m += end >= start[j] + TASKS[j]
    for demands in DEMANDS:
        used = [j for j in range(120) if demands[j]]
        starts, spans = [start[j] for j in used], [TASKS[j] for j in used]
        m += cp.Cumulative(starts, spans, None, [demands[j] for j in used], 12)
    m.minimize(end)
    return m


# ---- tables, elements, counts ---------------------------------------------------------------------------


def _ours_quadruples(cp: Any) -> Any:
    m = cp.Model()
    m.add(cp.Table([m.intvar(0, 99, name=f"x{k}") for k in range(4)], QUADRUPLES))
    return m


def _raw_quadruples(cp: Any) -> Any:
    m = cp.CpModel()
    m.add_allowed_assignments([m.new_int_var(0, 99, f"x{k}") for k in range(4)], QUADRUPLES)
    return m


def _cpmpy_quadruples(cp: Any) -> Any:
    return cp.Model(cp.Table([cp.intvar(0, 99, name=f"x{k}") for k in range(4)], QUADRUPLES))


def _ours_vectors(cp: Any) -> Any:
    m = cp.Model()
    x, y, z = (m.intvar(0, 9, shape=1000, name=name) for name in "xyz")
    for i in range(1000):
        m.add(x[i] + y[i] + z[i] <= 20)
    return m


def _raw_vectors(cp: Any) -> Any:
    m = cp.CpModel()
    x, y, z = ([m.new_int_var(0, 9, f"{name}{i}") for i in range(1000)] for name in "xyz")
    for i in range(1000):
        m.add(x[i] + y[i] + z[i] <= 20)
    return m


def _cpmpy_vectors(cp: Any) -> Any:
    m = cp.Model()
    x, y, z = (cp.intvar(0, 9, shape=1000, name=name) for name in "xyz")
    for i in range(1000):
        m += x[i] + y[i] + z[i] <= 20
    return m


def _ours_prices(cp: Any) -> Any:
    m = cp.Model()
    x = [m.intvar(0, 29, name=f"x{i}") for i in range(200)]
    for i in range(200):
        total = sum(cp.element(PRICES[(i + 7 * k) % 20], x[(i + k) % 200]) for k in range(3))
        m.add(total <= 200)
    return m


def _raw_prices(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 29, f"x{i}") for i in range(200)]
    for i in range(200):
        prices = [m.new_int_var(1, 99, "") for _ in range(3)]
        for k, price in enumerate(prices):
            m.add_element(x[(i + k) % 200], PRICES[(i + 7 * k) % 20], price)
        m.add(sum(prices) <= 200)
    return m


def _cpmpy_prices(cp: Any) -> Any:
    m = cp.Model()
    x = [cp.intvar(0, 29, name=f"x{i}") for i in range(200)]
    for i in range(200):
        m += sum(cp.Element(PRICES[(i + 7 * k) % 20], x[(i + k) % 200]) for k in range(3)) <= 200
    return m


def _ours_matrix(cp: Any) -> Any:
    m = cp.Model()
    x = [m.intvar(0, 19, name=f"x{i}") for i in range(200)]
    y = [m.intvar(0, 29, name=f"y{i}") for i in range(200)]
    for i in range(200):
        m.add(cp.element(PRICES, x[i], y[i]) <= 50)
    return m


def _raw_matrix(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 19, f"x{i}") for i in range(200)]
    y = [m.new_int_var(0, 29, f"y{i}") for i in range(200)]
    flat = [price for row in PRICES for price in row]
    for i in range(200):
        price, place = m.new_int_var(1, 99, ""), m.new_int_var(0, 599, "")
        m.add(place == 30 * x[i] + y[i])
        m.add_element(place, flat, price)
        m.add(price <= 50)
    return m


def _cpmpy_matrix(cp: Any) -> Any:
    m = cp.Model()
    x = [cp.intvar(0, 19, name=f"x{i}") for i in range(200)]
    y = [cp.intvar(0, 29, name=f"y{i}") for i in range(200)]
    flat = [price for row in PRICES for price in row]
    for i in range(200):
        m += cp.Element(flat, 30 * x[i] + y[i]) <= 50
    return m


def _ours_counts(cp: Any) -> Any:
    m = cp.Model()
    x = [m.intvar(0, 9, name=f"x{i}") for i in range(100)]
    for i in range(90):
        m.add(cp.Count(x[i : i + 10], i % 10) <= 3)
    return m


def _raw_counts(cp: Any) -> Any:
    m = cp.CpModel()
    x = [m.new_int_var(0, 9, f"x{i}") for i in range(100)]
    truths: dict[tuple[int, int], Any] = {}
    for i in range(90):
        for j in range(i, i + 10):
            if (j, i % 10) not in truths:
                truth = truths[j, i % 10] = m.new_bool_var("")
                m.add(x[j] == i % 10).only_enforce_if(truth)
                m.add(x[j] != i % 10).only_enforce_if(~truth)
        m.add(sum(truths[j, i % 10] for j in range(i, i + 10)) <= 3)
    return m


def _cpmpy_counts(cp: Any) -> Any:
    m = cp.Model()
    x = [cp.intvar(0, 9, name=f"x{i}") for i in range(100)]
    for i in range(90):
        m += cp.Count(x[i : i + 10], i % 10) <= 3
    return m


def _ours_cardinalities(cp: Any) -> Any:
    m = cp.Model()
    x = [[m.intvar(0, 4, name=f"x{i}_{j}") for j in range(10)] for i in range(40)]
    for row in x:
        m.add(cp.GlobalCardinality(row, [0, 1, 2, 3, 4], [2, 2, 2, 2, 2]))
    return m


def _raw_cardinalities(cp: Any) -> Any:
    m = cp.CpModel()
    x = [[m.new_int_var(0, 4, f"x{i}_{j}") for j in range(10)] for i in range(40)]
    for row in x:
        for value in range(5):
            truths = [m.new_bool_var("") for _ in row]
            for variable, truth in zip(row, truths, strict=True):
                m.add(variable == value).only_enforce_if(truth)
                m.add(variable != value).only_enforce_if(~truth)
            m.add(sum(truths) == 2)
    return m


def _cpmpy_cardinalities(cp: Any) -> Any:
    m = cp.Model()
    x = [[cp.intvar(0, 4, name=f"x{i}_{j}") for j in range(10)] for i in range(40)]
    for row in x:
        m += cp.GlobalCardinalityCount(row, [0, 1, 2, 3, 4], [2, 2, 2, 2, 2])
    return m


# ---- clauses over truths, and extremes of sums ----------------------------------------------------------


def _rota(implied: Any) -> Any:
    """Return the writer of 20 nurses for 28 days: a night is followed by a night, or a day off."""

    def write(m: Any, shift: Any, either: Any, greatest: Any) -> Any:
        for p in range(20):
            for d in range(27):
                implied(m, shift[p, d] == 2, either(shift[p, d + 1] == 2, shift[p, d + 1] == 0))
        loads = [sum(shift[p, d] == 2 for d in range(28)) for p in range(20)]
        m.minimize(greatest(loads))
        return m

    return write


def _ours_rota(cp: Any) -> Any:
    m = cp.Model()
    shift = m.intvar(0, 2, shape=(20, 28), name="s")
    write = _rota(lambda m, a, b: m.add(a.implies(b)))
    return write(m, shift, lambda a, b: a | b, cp.maximum)


def _cpmpy_rota(cp: Any) -> Any:
    m = cp.Model()
    shift = cp.intvar(0, 2, shape=(20, 28), name="s")
    write = _rota(lambda m, a, b: m.add(a.implies(b)))
    return write(m, shift, lambda a, b: a | b, cp.max)


def _raw_rota(cp: Any) -> Any:
    m = cp.CpModel()
    shift = {(p, d): m.new_int_var(0, 2, "") for p in range(20) for d in range(28)}
    truths = {}
    for (p, d), variable in shift.items():
        for value in (0, 2):
            truth = truths[p, d, value] = m.new_bool_var("")
            m.add(variable == value).only_enforce_if(truth)
            m.add(variable != value).only_enforce_if(~truth)
    for p in range(20):
        for d in range(27):
            m.add_bool_or([~truths[p, d, 2], truths[p, d + 1, 2], truths[p, d + 1, 0]])
    most = m.new_int_var(0, 28, "")
    m.add_max_equality(most, [sum(truths[p, d, 2] for d in range(28)) for p in range(20)])
    m.minimize(most)
    return m


LOOPS = {
    "queens 100 in loops": _queens(100),
    "queens 1,000 in loops": _queens(1000),
    "queens 3,000 in loops": _queens(3000),
    "queens 100 in arrays": _queens_array(100),
    "queens 1,000 in arrays": _queens_array(1000),
    "queens 3,000 in arrays": _queens_array(3000),
    "3,000 separate variables": _variables(3000),
    "job shop 20 x 20 in loops": Job(_ours_shop, _raw_shop, _cpmpy_shop, 2.0),
    "job shop 20 x 20 in arrays": Job(_ours_shop_arrays, _raw_shop, _cpmpy_shop, 1.0),
    "project of 120 tasks, 4 resources": Job(_ours_project, _raw_project, _cpmpy_project, 2.0),
    "table of 10^5 rows of 4 from lists": Job(_ours_quadruples, _raw_quadruples, _cpmpy_quadruples, 2.0),
    "1,000 sums of three vectors' elements": Job(_ours_vectors, _raw_vectors, _cpmpy_vectors, 2.0),
    "200 sums of three element terms": Job(_ours_prices, _raw_prices, _cpmpy_prices, 2.0),
    "200 elements of a matrix": Job(_ours_matrix, _raw_matrix, _cpmpy_matrix, 2.0),
    "90 Counts of 10": Job(_ours_counts, _raw_counts, _cpmpy_counts, 2.0),
    "40 GlobalCardinality of 10": Job(_ours_cardinalities, _raw_cardinalities, _cpmpy_cardinalities, 2.0),
    "rota of 20 for 28 days": Job(_ours_rota, _raw_rota, _cpmpy_rota, 2.0),
}
