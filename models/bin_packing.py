"""Bin packing (Johnson 1973): things into as few bins as possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import BinPacking, Model, ModelError, NValue
from cpqueens.language.views import Groups
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, unlike

WEIGHTS = (48, 30, 19, 36, 36, 27, 42, 42, 36, 24, 30)


@validated
def bin_packing(
    weights: tuple[int, ...] = WEIGHTS,
    capacity: Annotated[int, Between(1, 10**9)] = 100,
    viewpoint: Literal["bins", "booleans"] = "bins",
) -> Model:
    """Put things into bins of one capacity so that as few bins as possible are used.

    ``x[k]`` is the bin of thing k, ``used`` the number of bins. As many bins are at hand as putting each
    thing into the first bin that has room needs. ``viewpoint="booleans"`` also decides whether a thing is in
    each bin, ``b[k, bin]``, and whether a bin is open, ``opened[bin]``; all is linear there.

    Source: D. S. Johnson, *Near-Optimal Bin Packing Algorithms* (dissertation, MIT 1973).

    >>> bin_packing().solve(solver="cpsat").objective
    4
    """
    if not weights or not all(1 <= weight <= capacity for weight in weights):
        raise ModelError(f"weights: at least one thing is needed, of weight 1 to the capacity {capacity}")
    bins = first_fit(weights, capacity)
    m = Model("bin packing")
    used = m.intvar(1, bins, name="used")
    if viewpoint == "booleans":
        b, _ = by_booleans(m, "x", 0, bins - 1, len(weights))
        opened = m.boolvar(shape=bins, name="opened")
        m += [b.T @ np.array(weights) <= capacity * opened, opened <= b.sum(axis=0), used == opened.sum()]
    else:
        x = m.intvar(0, bins - 1, shape=len(weights), name="x")
        m.add(BinPacking(x, weights, [capacity] * bins, "<="), NValue(x, used))
    m.minimize(used)
    m.view = Groups("x", weights=weights)
    return m


def first_fit(weights: tuple[int, ...], capacity: int) -> int:
    """Return how many bins are used if each thing goes into the first one that has room."""
    loads: list[int] = []
    for weight in weights:
        place = next((k for k, load in enumerate(loads) if load + weight <= capacity), len(loads))
        loads[place : place + 1] = [weight + (loads[place] if place < len(loads) else 0)]
    return len(loads)


published = (Published("optimum", 4, "OR-Tools' guide, the bin packing problem"),)


def verify(
    solution: Mapping[str, Any], weights: tuple[int, ...], capacity: int, viewpoint: str = "bins"
) -> list[str]:
    """Return what is wrong with the bins ``solution["x"]``; whether fewer would do is not judged."""
    x = [int(place) for place in solution["x"]]
    if len(x) != len(weights):
        return [f"{len(x)} things instead of {len(weights)}"]
    loads: dict[int, int] = {}
    for place, weight in zip(x, weights, strict=True):
        loads[place] = loads.get(place, 0) + weight
    wrong = [
        f"bin {b} holds {load}, more than {capacity}" for b, load in sorted(loads.items()) if load > capacity
    ]
    used = int(solution["used"])
    wrong += [] if used == len(loads) else [f"{len(loads)} bins are used, not {used}"]
    if viewpoint == "booleans":
        wrong += unlike(solution, "x", 0)
        told = [int(b in loads) for b in range(len(solution["opened"]))]
        wrong += [] if [int(o) for o in solution["opened"]] == told else ["other bins are open than are used"]
    return wrong
