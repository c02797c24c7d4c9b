"""Schedules: shops, where each machine works on one thing at a time, and projects with resources."""

from __future__ import annotations

import numpy as np

from collection.instance import Instance
from cpqueens import Cumulative, Model, NoOverlap, maximum

FT06 = (
    ((2, 1), (0, 3), (1, 6), (3, 7), (5, 3), (4, 6)),
    ((1, 8), (2, 5), (4, 10), (5, 10), (0, 10), (3, 4)),
    ((2, 5), (3, 4), (5, 8), (0, 9), (1, 1), (4, 7)),
    ((1, 5), (0, 5), (2, 5), (3, 3), (4, 8), (5, 9)),
    ((2, 9), (1, 3), (4, 5), (5, 4), (0, 3), (3, 1)),
    ((1, 3), (3, 3), (5, 9), (0, 10), (4, 4), (2, 1)),
)
"""(machine, duration) of each job's tasks in their order."""

TAI_4_4_1 = ((54, 34, 61, 2), (9, 15, 89, 70), (38, 19, 28, 87), (95, 34, 7, 29))
TAI_4_4_1_MACHINES = ((3, 1, 4, 2), (4, 1, 2, 3), (1, 2, 3, 4), (1, 3, 2, 4))
"""Durations and machines of each job's tasks, which may come in any order."""

J301_1 = (
    (0, (0, 0, 0, 0), (2, 3, 4)),
    (8, (4, 0, 0, 0), (6, 11, 15)),
    (4, (10, 0, 0, 0), (7, 8, 13)),
    (6, (0, 0, 0, 3), (5, 9, 10)),
    (3, (3, 0, 0, 0), (20,)),
    (8, (0, 0, 0, 8), (30,)),
    (5, (4, 0, 0, 0), (27,)),
    (9, (0, 1, 0, 0), (12, 19, 27)),
    (2, (6, 0, 0, 0), (14,)),
    (7, (0, 0, 0, 1), (16, 25)),
    (9, (0, 5, 0, 0), (20, 26)),
    (2, (0, 7, 0, 0), (14,)),
    (6, (4, 0, 0, 0), (17, 18)),
    (3, (0, 8, 0, 0), (17,)),
    (9, (3, 0, 0, 0), (25,)),
    (10, (0, 0, 0, 5), (21, 22)),
    (6, (0, 0, 0, 8), (22,)),
    (5, (0, 0, 0, 7), (20, 22)),
    (3, (0, 1, 0, 0), (24, 29)),
    (7, (0, 10, 0, 0), (23, 25)),
    (2, (0, 0, 0, 6), (28,)),
    (7, (2, 0, 0, 0), (23,)),
    (2, (3, 0, 0, 0), (24,)),
    (3, (0, 9, 0, 0), (30,)),
    (3, (4, 0, 0, 0), (30,)),
    (7, (0, 0, 4, 0), (31,)),
    (8, (0, 0, 0, 7), (28,)),
    (3, (0, 8, 0, 0), (31,)),
    (7, (0, 7, 0, 0), (32,)),
    (2, (0, 7, 0, 0), (32,)),
    (2, (0, 0, 2, 0), (32,)),
    (0, (0, 0, 0, 0), ()),
)
J301_1_CAPACITIES = (12, 13, 4, 12)
"""Duration, demands and successors (from 1) of each activity of PSPLIB's first, and its resources."""


def job_shop(jobs: tuple[tuple[tuple[int, int], ...], ...], horizon: int) -> Model:
    """The earliest end of all jobs, the tasks of each in their order."""
    machine, duration = np.array(jobs).transpose(2, 0, 1)
    m = Model("job shop")
    start = m.intvar(0, horizon, shape=duration.shape, name="start")
    end = start + duration
    m.add(start[:, 1:] >= end[:, :-1])
    m += [NoOverlap(start[machine == k], duration[machine == k]) for k in range(machine.max() + 1)]
    m.minimize(maximum(end[:, -1]))
    return m


def open_shop(
    durations: tuple[tuple[int, ...], ...], machines: tuple[tuple[int, ...], ...], horizon: int
) -> Model:
    """The earliest end of all jobs, the tasks of each in any order."""
    duration, machine = np.array(durations), np.array(machines)
    m = Model("open shop")
    start = m.intvar(0, horizon, shape=duration.shape, name="start")
    m += [NoOverlap(s, d) for s, d in zip(start, duration, strict=True)]
    m += [NoOverlap(start[machine == k], duration[machine == k]) for k in range(1, machine.max() + 1)]
    m.minimize(maximum(start + duration))
    return m


def project(
    activities: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...],
    capacities: tuple[int, ...],
    horizon: int,
) -> Model:
    """The earliest start of the last activity (CSPLib prob061: RCPSP)."""
    durations, demands, successors = zip(*activities, strict=True)
    m = Model("project")
    start = m.intvar(0, horizon, shape=len(activities), name="start")
    for k, behind in enumerate(successors):
        m.add(start[[b - 1 for b in behind]] >= start[k] + durations[k])
    for demand, capacity in zip(np.array(demands).T, capacities, strict=True):
        uses = demand > 0
        m.add(Cumulative(start[uses], np.array(durations)[uses], demand[uses], capacity))
    m.minimize(start[-1])
    return m


INSTANCES = (
    Instance("job shop ft06", lambda: job_shop(FT06, 60), "Fisher and Thompson 1963", optimum=55),
    Instance(
        "open shop, Taillard's 4 by 4, 1", lambda: open_shop(TAI_4_4_1, TAI_4_4_1_MACHINES, 250),
        "Taillard 1993", optimum=193,
    ),
    Instance("project j301_1", lambda: project(J301_1, J301_1_CAPACITIES, 60), "PSPLIB", optimum=43),
)  # fmt: skip
