"""Project scheduling with scarce resources (RCPSP; Pritsker 1969, CSPLib prob061)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from cpqueens import Cumulative, Model, ModelError
from cpqueens.language.views import Schedule
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import validated
from cpqueens.problems.viewpoints import by_booleans, unlike

Activities = tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]
"""Duration, demand of each resource and successors (from 1) of each activity; the last ends the project."""

SMALL: Activities = (
    (3, (2,), (4,)), (2, (1,), (5,)), (4, (2,), (6,)), (2, (3,), (6,)), (3, (2,), (6,)), (0, (0,), ()),
)  # fmt: skip

J301_1: Activities = (
    (0, (0, 0, 0, 0), (2, 3, 4)), (8, (4, 0, 0, 0), (6, 11, 15)), (4, (10, 0, 0, 0), (7, 8, 13)),
    (6, (0, 0, 0, 3), (5, 9, 10)), (3, (3, 0, 0, 0), (20,)), (8, (0, 0, 0, 8), (30,)),
    (5, (4, 0, 0, 0), (27,)), (9, (0, 1, 0, 0), (12, 19, 27)), (2, (6, 0, 0, 0), (14,)),
    (7, (0, 0, 0, 1), (16, 25)), (9, (0, 5, 0, 0), (20, 26)), (2, (0, 7, 0, 0), (14,)),
    (6, (4, 0, 0, 0), (17, 18)), (3, (0, 8, 0, 0), (17,)), (9, (3, 0, 0, 0), (25,)),
    (10, (0, 0, 0, 5), (21, 22)), (6, (0, 0, 0, 8), (22,)), (5, (0, 0, 0, 7), (20, 22)),
    (3, (0, 1, 0, 0), (24, 29)), (7, (0, 10, 0, 0), (23, 25)), (2, (0, 0, 0, 6), (28,)),
    (7, (2, 0, 0, 0), (23,)), (2, (3, 0, 0, 0), (24,)), (3, (0, 9, 0, 0), (30,)),
    (3, (4, 0, 0, 0), (30,)), (7, (0, 0, 4, 0), (31,)), (8, (0, 0, 0, 7), (28,)),
    (3, (0, 8, 0, 0), (31,)), (7, (0, 7, 0, 0), (32,)), (2, (0, 7, 0, 0), (32,)),
    (2, (0, 0, 2, 0), (32,)), (0, (0, 0, 0, 0), ()),
)  # fmt: skip

INSTANCES = {"small": (SMALL, (4,)), "j301_1": (J301_1, (12, 13, 4, 12))}


@validated
def project_scheduling(
    instance: Literal["small", "j301_1", "own"] = "small",
    activities: Activities = (),
    capacities: tuple[int, ...] = (),
    viewpoint: Literal["starts", "times"] = "starts",
) -> Model:
    """Start the activities of a project so that it ends as early as possible.

    An activity starts after those before it have ended; what runs at one time never needs more of a
    resource than there is. ``start[k]`` is the start of activity k + 1. ``activities``, with
    ``instance="own"``, has (duration, demands, successors from 1); the last one is the end of the project.
    ``viewpoint="times"`` also decides for each time whether an activity starts then, ``b[k, time]``, and says
    of each time what is in use, as Pritsker did.

    Source: A. A. B. Pritsker, L. J. Watters and P. M. Wolfe, *Multiproject scheduling with limited resources:
    a zero-one programming approach*, Management Science 16 (1969); R. Kolisch and A. Sprecher, *PSPLIB - a
    project scheduling problem library*, European Journal of Operational Research 96 (1997); CSPLib prob061.

    >>> project_scheduling().solve(solver="cpsat").objective
    8
    """
    durations, demands, successors, limits = parts(instance, activities, capacities)
    m = Model("project scheduling")
    horizon = sum(durations)
    if viewpoint == "times":
        b, start = by_booleans(m, "start", 0, horizon, len(durations))
    else:
        start = m.intvar(0, horizon, shape=len(durations), name="start")
    m += [start[b - 1] >= start[k] + durations[k] for k, after in enumerate(successors) for b in after]
    for demand, capacity in zip(np.array(demands).T, limits, strict=True):
        uses = demand > 0
        if viewpoint == "times":
            for time in range(horizon + 1):
                running = [
                    b[k, max(0, time - durations[k] + 1) : time + 1].sum() for k in np.flatnonzero(uses)
                ]
                m += sum(int(d) * r for d, r in zip(demand[uses], running, strict=True)) <= capacity
        else:
            m.add(Cumulative(start[uses], np.array(durations)[uses], demand[uses], capacity))
    m.minimize(start[-1])
    m.view = Schedule("start", tuple(durations))
    return m


def parts(instance: str, activities: Activities, capacities: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    """Return durations, demands, successors and capacities of an instance by name, or of the given one.

    Raises
    ------
    ModelError
        For activities of other resources, or that have successors that are none.
    """
    if instance != "own":
        if activities or capacities:
            raise ModelError(f"activities: given together with instance={instance}; write instance=own")
        activities, capacities = INSTANCES[instance]
    for number, (duration, demands, behind) in enumerate(activities, 1):
        if duration < 0 or len(demands) != len(capacities) or min(demands, default=0) < 0:
            raise ModelError(
                f"activities: number {number} needs a duration and {len(capacities)} demands from 0"
            )
        if any(not 1 <= b <= len(activities) for b in behind):
            raise ModelError(f"activities: the successors of {number} are of 1..{len(activities)}")
    if not activities:
        raise ModelError("activities: at least one is needed")
    durations, demands, successors = zip(*activities, strict=True)
    return durations, demands, successors, capacities


published = (Published("optimum", 43, "PSPLIB, j301_1", {"instance": "j301_1"}),)


def verify(
    solution: Mapping[str, Any],
    instance: str,
    activities: Activities,
    capacities: tuple[int, ...],
    viewpoint: str = "starts",
) -> list[str]:
    """Return what is wrong with the times ``solution["start"]``; not whether there are better ones."""
    durations, demands, successors, limits = parts(instance, activities, capacities)
    start = [int(time) for time in solution["start"]]
    wrong = [
        f"activity {behind} starts before {k + 1} ends"
        for k, all_behind in enumerate(successors)
        for behind in all_behind
        if start[behind - 1] < start[k] + durations[k]
    ]
    for time in sorted(set(start)):
        running = [k for k, begin in enumerate(start) if begin <= time < begin + durations[k]]
        for resource, limit in enumerate(limits):
            used = sum(demands[k][resource] for k in running)
            if used > limit:
                wrong.append(f"at time {time} {used} of resource {resource} are in use, there are {limit}")
    return wrong + (unlike(solution, "start", 0) if viewpoint == "times" else [])
