"""Things in few bins, shops at open warehouses, labels on printed sheets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from collection.instance import ALL, BOTH, Instance
from cpqueens import BinPacking, GlobalCardinality, LexChainLessEqual, Model, NValue, element

WEIGHTS = (48, 30, 19, 36, 36, 27, 42, 42, 36, 24, 30)


def fewest_bins(weights: Sequence[int], capacity: int, bins: int) -> Model:
    """Bins of one capacity, as few as possible."""
    m = Model("bins")
    x = m.intvar(0, bins - 1, shape=len(weights), name="x")
    used = m.intvar(1, bins, name="used")
    m.add(BinPacking(x, weights, [capacity] * bins, "<="), NValue(x, used))
    m.minimize(used)
    return m


CAPACITIES = (1, 4, 2, 1, 3)
COSTS = np.array([
    [20, 24, 11, 25, 30], [28, 27, 82, 83, 74], [74, 97, 71, 96, 70], [2, 55, 73, 69, 61],
    [46, 96, 59, 83, 4], [42, 22, 29, 67, 59], [1, 5, 73, 59, 56], [10, 73, 13, 43, 96],
    [93, 35, 63, 85, 46], [47, 65, 55, 71, 95],
])  # fmt: skip
"""By shop and warehouse."""


def warehouses(capacities: Sequence[int], costs: np.ndarray, opening: int) -> Model:
    """Each shop is supplied by one warehouse, which has to be open."""
    m = Model("warehouses")
    many = len(capacities)
    supplier = m.intvar(0, many - 1, shape=len(costs), name="supplier")
    used = m.intvar(1, many, name="open")
    m.add(GlobalCardinality(supplier, range(many), upper=capacities), NValue(supplier, used))
    m.minimize(sum(element(row, s) for row, s in zip(costs, supplier, strict=True)) + opening * used)
    return m


CATFOOD = (250, 255, 260, 500, 500, 800, 1100)


def templates(demand: Sequence[int], slots: int, many: int) -> Model:
    """Labels on sheets of ``slots`` places, the fewest sheets to print."""
    m = Model("templates")
    on = m.intvar(0, slots, shape=(many, len(demand)), name="on")
    runs = m.intvar(0, max(demand), shape=many, name="runs")
    m += [sheet.sum() == slots for sheet in on]
    m += [(column * runs).sum() >= wanted for column, wanted in zip(on.T, demand, strict=True)]
    m += LexChainLessEqual([[runs[k], *on[k]] for k in range(many)])
    m.add(runs.sum() * slots >= sum(demand))
    m.minimize(runs.sum())
    return m


INSTANCES = (
    Instance(
        "11 things in bins", lambda: fewest_bins(WEIGHTS, 100, 6), "OR-Tools' guide: 4", optimum=4, exact=BOTH
    ),
    Instance(
        "warehouses", lambda: warehouses(CAPACITIES, COSTS, 30), "CSPLib 34: 383", optimum=383, exact=BOTH
    ),
    Instance(
        "catfood on 1 template",
        lambda: templates(CATFOOD, 9, 1),
        "Proll and Smith 1998: 550",
        optimum=550,
        exact=ALL,
    ),
    Instance(
        "catfood on 2 templates", lambda: templates(CATFOOD, 9, 2), "Proll and Smith 1998: 418", optimum=418
    ),
)
