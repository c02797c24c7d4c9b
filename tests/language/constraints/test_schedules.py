"""NoOverlap, Cumulative and NoOverlap2D: known numbers and optima, and what is refused."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from collection.schedules import FT06, job_shop
from each import each

from cpqueens import Cumulative, Model, ModelError, NoOverlap, NoOverlap2D
from cpqueens.language.constraints.cumulative import Cumulative as Kind
from cpqueens.lowered.lowering import Scratch


@pytest.mark.parametrize(("tasks", "room"), [(2, 1), (3, 2), (4, 0)])
def test_orders_and_gaps_of_equal_tasks(tasks: int, room: int, solver: str) -> None:
    """The tasks in any order, and their idle times a choice with repetition of ``tasks + 1`` gaps."""
    m = Model()
    start = m.intvar(0, 2 * tasks + room - 2, shape=tasks, name="start")
    m.add(NoOverlap(start, 2))
    assert m.count(solver=solver) == math.factorial(tasks) * math.comb(tasks + room, room)


@each("room", [0, 2])
def test_orders_and_gaps_with_setups(room: int, solver: str) -> None:
    """Two types of two tasks each: the time that an order leaves idle is spread over 5 gaps."""
    types, setup = [0, 1, 0, 1], np.array([[0, 1], [3, 0]])
    m = Model()
    start = m.intvar(0, 7 + room, shape=4, name="start")
    m.add(NoOverlap(start, 2, setup=setup, types=types))
    expected = 0
    for order in itertools.permutations(range(4)):
        needed = 8 + sum(int(setup[types[a], types[b]]) for a, b in itertools.pairwise(order))
        expected += math.comb(9 + room - needed + 4, 4) if needed <= 9 + room else 0
    assert m.count(solver=solver) == expected > 0


def test_setups_may_depend_on_types_that_are_chosen(optimizer: str) -> None:
    m = Model()
    start, colour = m.intvar(0, 9, shape=3, name="start"), m.intvar(0, 1, shape=3, name="colour")
    here = m.boolvar(shape=3, name="here")
    m.add(NoOverlap(start, 1, here, setup=[[0, 2], [2, 0]], types=colour))
    m.add(colour[0] == 0, colour[1] == 1, here.sum() >= 2, here[0], here[1], start[2] <= start[0])
    m.maximize(5 * here.sum() - start.max())
    outcome = m.solve(solver=optimizer)
    assert (outcome.objective, outcome[colour][2]) == (
        11,
        0,
    )  # first, in the colour of the next


def test_a_time_between_any_two_tasks_and_one_that_lets_them_overlap(solver: str) -> None:
    for setup, number in ((1, 6), (-1, 16 - 4)):  # of 16 pairs those at least 2, and at least 1, apart
        m = Model()
        m.add(NoOverlap(m.intvar(0, 3, shape=2, name="start"), 1 if setup > 0 else 2, setup=setup))
        assert m.count(solver=solver) == number


def test_a_setup_counts_also_across_other_tasks(solver: str) -> None:
    """The detour by the second task is shorter than the setup from the first to the third."""
    m = Model()
    start = m.intvar(0, 7, shape=3, name="start")
    m.add(NoOverlap(start, 1, setup=[[0, 0, 6], [9, 0, 0], [9, 9, 0]]))
    assert m.enumerate(solver=solver).solutions.values(start)[:, [0, 2]].tolist() == [[0, 7]] * 6


def test_rows_of_dominoes(solver: str) -> None:
    """Four numbered dominoes, each lying or standing, on two rows of four: 5 tilings (Fibonacci)."""
    m = Model()
    x, y = m.intvar(0, 3, shape=4, name="x"), m.intvar(0, 1, shape=4, name="y")
    lying = m.boolvar(shape=4, name="lying")
    m.add(NoOverlap2D(x, 1 + lying, y, 2 - lying), x + lying <= 3, y <= lying)
    assert m.count(solver=solver) == 5 * math.factorial(4)


def test_a_cumulative_of_capacity_one_is_a_no_overlap(solver: str) -> None:
    m = Model()
    start = m.intvar(0, 3, shape=3, name="start")
    duration = m.intvar(1, 2, shape=3, name="duration")
    here = m.boolvar(shape=3, name="here")
    m.add(Cumulative(start, duration, 1, 1, here) != NoOverlap(start, duration, here))
    assert m.count(solver=solver) == 0


def test_as_few_machines_as_tasks_at_once(optimizer: str) -> None:
    """The capacity may be a term: the largest number of intervals with a common point."""
    m = Model()
    capacity = m.intvar(0, 9, name="capacity")
    m.add(Cumulative([0, 1, 2, 4, 5, 9], [3, 3, 3, 3, 1, 1], 1, capacity))
    m.minimize(capacity)
    assert m.solve(solver=optimizer).objective == 3


def test_fisher_and_thompsons_small_job_shop() -> None:
    assert job_shop(FT06, 60).solve(solver="cpsat").objective == 55


@pytest.mark.parametrize(("span", "few"), [(2, True), (9, False)])
def test_loads_are_looked_at_by_times_or_by_tasks_whichever_are_fewer(span: int, few: bool) -> None:
    m = Model()
    tasks = Kind(m.intvar(0, span, shape=5, name="start"), 2, 1, 3)
    assert (tasks._times() is not None) == few
    assert len([c for c in tasks.decompose(Scratch(m)) if c.arguments[0].width > 1]) == (3 if few else 5)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "lengths": (lambda x: NoOverlap(x, [1, 2]), "NoOverlap: arrays of one length, .* got 2 and 3"),
    "lengths of truths": (lambda x: Cumulative(x, 1, 1, 1, [True]), "Cumulative: arrays of one length"),
    "sides": (lambda x: NoOverlap2D(x, 1, x[:2], 1), "NoOverlap2D: arrays of one length"),
    "capacities": (lambda x: Cumulative(x, 1, 1, x), "Cumulative: one capacity, got 3"),
    "no durations": (lambda x: NoOverlap(x, None), "NoOverlap: duration: integers only, got None"),
    "half a capacity": (lambda x: Cumulative(x, 1, 1, 2.5), "Cumulative: capacity: integers only, got 2.5"),
    "setups": (lambda x: NoOverlap(x, 1, setup=[1, 2]), r"setup: one time, or shape \(3, 3\), or types"),
    "types without a square": (lambda x: NoOverlap(x, 1, setup=2, types=[0, 1, 0]), "a row and a column for"),
    "a type too many": (lambda x: NoOverlap(x, 1, setup=[[0]], types=[0, 1, 0]), "types: from 0 to 0, got 1"),
    "types of other tasks": (lambda x: NoOverlap(x, 1, setup=[[0]], types=[0, 0]), r"got shape \(2, 2\)"),
    "no truths": (lambda x: NoOverlap(x, 1, x), "present: Booleans or 0/1 terms are needed"),
}


@each("what", REFUSED)
def test_what_does_not_fit_is_refused(what: str) -> None:
    make, message = REFUSED[what]
    with pytest.raises(ModelError, match=message):
        make(Model().intvar(0, 4, shape=3, name="x"))


def test_ends_in_the_place_of_demands_are_refused_where_starts_are_chosen() -> None:
    m = Model()
    x, d = m.intvar(0, 2, name="x"), m.intvar(0, 2, name="d")
    with pytest.raises(ModelError, match=r"^Cumulative: demand is start \+ duration; ends are not given$"):
        Cumulative([x], [d], [x + d], 1)
    m.add(Cumulative([0], [d], [d], 1))  # a task that begins at 0 may take as much as it lasts
    assert m.count(solver="backtracking") == 6
