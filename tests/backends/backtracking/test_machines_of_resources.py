"""Tasks any two of which are too heavy for some resource follow one another, as on a machine."""

import random
from itertools import combinations

import numpy as np
import pytest

from cpqueens import Cumulative, Model, Status


def project(seed: int, tasks: int = 4) -> Model:
    """Return tasks on two resources; some take no time, demand a variable amount, or may be left out."""
    draw = random.Random(seed)
    m = Model()
    start, here = m.intvar(0, 3, shape=tasks, name="start"), m.boolvar(shape=tasks, name="here")
    low = np.array([draw.choice([0, 1, 1, 2]) for _ in range(tasks)])
    duration = m.intvar(low, np.maximum(low, draw.choice([0, 1])), shape=tasks, name="duration")
    capacity = m.intvar(3, 4, name="capacity")
    for most in (capacity, 3):
        m += Cumulative(start, duration, [draw.randint(0, 3) for _ in range(tasks)], most, here)
    m.add(here[: tasks - 1] == 1, (~here).implies(start == 0))
    m.minimize(((start + duration) * here).max() + capacity)
    return m


@pytest.mark.parametrize("seed", range(6))
def test_no_schedule_is_lost(seed: int) -> None:
    assert project(seed).count(solver="backtracking") == project(seed).count(solver="python-constraint")
    best = project(seed).solve(solver="python-constraint").objective
    for strategy in ("auto", "learning"):
        found = project(seed).solve(solver="backtracking", strategy=strategy)
        assert (found.status, found.objective) == (Status.OPTIMAL, best)


def test_a_resource_may_have_no_tasks() -> None:
    m = Model()
    m += Cumulative([], [], [], m.intvar(-1, 1, name="capacity"))
    assert m.count(solver="backtracking") == 2


def test_pairs_on_different_resources_are_one_machine() -> None:
    """Each pair of tasks is too heavy for one of three resources, no resource for all pairs."""
    tasks = 8
    duration = np.array([5, 4, 3, 5, 4, 3, 5, 4])
    m = Model()
    start = m.intvar(0, 60, shape=tasks, name="start")
    halves = [[1 + (k >> bit & 1) for k in range(tasks)] for bit in range(3)]
    assert all(any(half[i] != half[j] for half in halves) for i, j in combinations(range(tasks), 2))
    for half in halves:
        m += Cumulative(start, duration, half, 2)
    m.minimize((start + duration).max())
    found = m.solve(solver="backtracking", num_workers=1)
    assert (found.status, found.objective) == (Status.OPTIMAL, duration.sum())
    assert found.statistics["nodes"] < 200
