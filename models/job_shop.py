"""Job shop scheduling (Fisher and Thompson 1963): tasks in order, one at a time on a machine."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any, Literal

import numpy as np

from cpqueens import Model, ModelError, NoOverlap, maximum
from cpqueens.language.views import Schedule
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import validated

Jobs = tuple[tuple[tuple[int, int], ...], ...]
"""(machine, duration) of each job's tasks in their order."""

INSTANCES: dict[str, Jobs] = {
    "guide": (((0, 3), (1, 2), (2, 2)), ((0, 2), (2, 1), (1, 4)), ((1, 4), (2, 3), (0, 1))),
    "ft06": (
        ((2, 1), (0, 3), (1, 6), (3, 7), (5, 3), (4, 6)),
        ((1, 8), (2, 5), (4, 10), (5, 10), (0, 10), (3, 4)),
        ((2, 5), (3, 4), (5, 8), (0, 9), (1, 1), (4, 7)),
        ((1, 5), (0, 5), (2, 5), (3, 3), (4, 8), (5, 9)),
        ((2, 9), (1, 3), (4, 5), (5, 4), (0, 3), (3, 1)),
        ((1, 3), (3, 3), (5, 9), (0, 10), (4, 4), (2, 1)),
    ),
}


@validated
def job_shop(
    instance: Literal["guide", "ft06", "own"] = "guide",
    jobs: Jobs = (),
    viewpoint: Literal["intervals", "orders"] = "intervals",
) -> Model:
    """Schedule the tasks of jobs so that the last one ends as early as possible.

    The tasks of a job come in their order; a machine works on one task at a time. ``start[j, t]`` is the
    start of task t of job j. ``jobs``, with ``instance="own"``, has (machine, duration) of each job's tasks,
    as many for each job. ``viewpoint="orders"`` also decides of each two tasks of a machine which comes
    first, ``first`` (Manne 1960), in the place of intervals that do not overlap.

    Source: H. Fisher and G. L. Thompson, *Probabilistic learning combinations of local job-shop scheduling
    rules*, in *Industrial Scheduling* (1963).

    >>> job_shop().solve(solver="cpsat").objective
    11
    """
    machine, duration = np.array(tasks_of(instance, jobs)).transpose(2, 0, 1)
    m = Model("job shop")
    start = m.intvar(0, int(duration.sum() - duration.min()), shape=duration.shape, name="start")
    end = start + duration
    m.add(start[:, 1:] >= end[:, :-1])
    if viewpoint == "orders":
        tasks = [np.flatnonzero(machine.ravel() == k) for k in np.unique(machine)]
        pairs = [pair for together in tasks for pair in combinations(together.tolist(), 2)]
        first = m.boolvar(shape=len(pairs), name="first")
        for chosen, (a, b) in zip(first, pairs, strict=True):
            m += [
                chosen.implies(end.flat[a] <= start.flat[b]),
                (~chosen).implies(end.flat[b] <= start.flat[a]),
            ]
    else:
        m += [NoOverlap(start[machine == k], duration[machine == k]) for k in np.unique(machine)]
    m.minimize(maximum(end[:, -1]))
    m.view = Schedule("start", tuple(duration.ravel().tolist()), tuple(machine.ravel().tolist()))
    return m


def tasks_of(instance: str, jobs: Jobs) -> Jobs:
    """Return the jobs of an instance by name, or the given ones.

    Raises
    ------
    ModelError
        For jobs that are not of equally many tasks, or given with another instance.
    """
    if instance != "own":
        if jobs:
            raise ModelError(f"jobs: given together with instance={instance}; write instance=own")
        return INSTANCES[instance]
    if not jobs or not jobs[0] or len({len(job) for job in jobs}) > 1:
        raise ModelError("jobs: at least one job is needed, and equally many tasks of each")
    if any(duration < 1 or machine < 0 for job in jobs for machine, duration in job):
        raise ModelError("jobs: durations from 1 and machines from 0 are needed")
    return jobs


published = (
    Published("optimum", 11, "OR-Tools' guide, the job shop problem"),
    Published("optimum", 55, "Fisher and Thompson 1963", {"instance": "ft06"}),
)


def verify(solution: Mapping[str, Any], instance: str, jobs: Jobs, viewpoint: str = "intervals") -> list[str]:
    """Return what is wrong with the times ``solution["start"]``; not whether there are better ones."""
    start = [[int(time) for time in row] for row in solution["start"]]
    wrong, busy = [], []
    for j, job in enumerate(tasks_of(instance, jobs)):
        for t, (machine, duration) in enumerate(job):
            if t and start[j][t] < start[j][t - 1] + job[t - 1][1]:
                wrong.append(f"task {t} of job {j} starts before the one in front of it ends")
            busy.append((machine, start[j][t], start[j][t] + duration, f"task {t} of job {j}"))
    busy.sort()
    for k, (machine, _, end, name) in enumerate(busy):
        for other, begin, _, late in busy[k + 1 :]:
            if other == machine and begin < end:
                wrong.append(f"{name} and {late} are on machine {machine} at the same time")
    if viewpoint == "orders" and not wrong:
        machines = [machine for job in tasks_of(instance, jobs) for machine, _ in job]
        flat = [time for row in start for time in row]
        tasks = [[t for t, m in enumerate(machines) if m == k] for k in sorted(set(machines))]
        told = [int(flat[a] < flat[b]) for together in tasks for a, b in combinations(together, 2)]
        wrong += [] if [int(f) for f in solution["first"]] == told else ["tasks are in another order"]
    return wrong
