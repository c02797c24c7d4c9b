"""Of tasks one after another a search that looks for few solutions decides which comes first."""

import random

import numpy as np
import pytest

from cpqueens import Model, NoOverlap, maximum
from cpqueens.backends.backtracking import orders, rows
from cpqueens.backends.backtracking.forward import ForwardSearch


@pytest.fixture(autouse=True)
def restarting_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "FIRST_RESTART", 1)
    monkeypatch.setattr(orders, "TRIAL", 1)


def shop(seed: int, jobs: int = 3, machines: int = 2) -> Model:
    """Return a job shop with tasks of no length, of two lengths, and some that may be left out."""
    draw = random.Random(seed)
    shape = (jobs, machines)
    m = Model()
    start = m.intvar(0, 16, shape=shape, name="start")
    length = m.intvar(
        np.array([[draw.randint(0, 4) for _ in range(machines)] for _ in range(jobs)]), 5, shape=shape
    )
    here = m.boolvar(shape=shape, name="here")
    m.add(start[:, 1:] >= start[:, :-1] + length[:, :-1], length.sum() >= 5 * jobs)
    for line in np.array([draw.sample(range(machines), machines) for _ in range(jobs)]).T:
        at = np.arange(jobs), line
        m += NoOverlap(start[at], length[at], here[at])
    present = np.array([[draw.random() < 0.8 for _ in range(machines)] for _ in range(jobs)])
    m.add(here[present] == 1, here.sum() >= present.sum() + 1)
    m.minimize(maximum(start + length))
    return m


@pytest.mark.parametrize("seed", range(2))
def test_the_best_schedule_is_found_whatever_its_tasks_are(seed: int) -> None:
    outcome = shop(seed).solve(solver="backtracking", random_seed=seed)
    assert str(outcome.status) == "OPTIMAL"
    assert outcome.objective == shop(seed).solve(solver="cpsat", num_workers=1).objective


def test_they_are_decided_where_the_search_may_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []
    made = ForwardSearch._orders

    def noted(search: ForwardSearch) -> list[int]:
        orders = made(search)
        found.append(len(orders))
        return orders

    monkeypatch.setattr(ForwardSearch, "_orders", noted)
    m = Model()
    x = m.intvar(0, 12, shape=5, name="x")
    m += NoOverlap(x, [3, 1, 0, 2, 2], [1, 1, 1, 1, m.boolvar(name="here")])
    assert len(m.solve(solver="backtracking")[x]) == 5
    assert found == [3]  # of tasks that take time and are there
    m.minimize(maximum(x))
    assert m.solve(solver="backtracking").objective == 3
    assert found == [3, 3]
    m.enumerate(solver="backtracking", variable_order="dom/wdeg", solution_limit=1)
    assert set(found[2:]) == {0}
    monkeypatch.setattr(rows, "MOST_DECIDED", 2)
    m.fix(x[0], 0)
    assert m.solve(solver="backtracking").objective == 4
    assert found[-1] == 0


def test_a_deadline_is_refuted_by_deciding_orders() -> None:
    """Whether it can be met is said as CP-SAT says it."""
    m = Model()
    x = m.intvar(0, 60, shape=(3, 4), name="x")
    length = np.array([[7, 3, 9, 4], [8, 6, 5, 7], [4, 9, 6, 8]])
    m.add(x[:, 1:] >= x[:, :-1] + length[:, :-1], x + length <= 33)
    m += [
        NoOverlap(x[np.arange(3), line], length[np.arange(3), line])
        for line in ([0, 1, 2], [1, 0, 3], [2, 3, 1])
    ]
    m += NoOverlap(x[np.arange(3), [3, 2, 0]], length[np.arange(3), [3, 2, 0]])
    mine, other = (m.solve(solver=solver) for solver in ("backtracking", "cpsat"))
    assert mine.status == other.status
