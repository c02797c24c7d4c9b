"""NoOverlap, Cumulative and NoOverlap2D: known numbers and optima, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from collection.schedules import FT06, job_shop

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
    "no truths": (lambda x: NoOverlap(x, 1, x), "a term with values 0..4 is not a truth"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_does_not_fit_is_refused(what: str) -> None:
    make, message = REFUSED[what]
    with pytest.raises(ModelError, match=message):
        make(Model().intvar(0, 4, shape=3, name="x"))
