"""Knapsacks and sums of subsets: linear rows and an objective."""

from __future__ import annotations

import numpy as np

from collection.instance import Instance
from cpqueens import Model

BURKARDT = "Burkardt, KNAPSACK_01"
P01 = (165, (23, 31, 29, 44, 53, 38, 63, 85, 89, 82), (92, 57, 49, 68, 60, 43, 67, 84, 87, 72))
P02 = (26, (12, 7, 11, 8, 9), (24, 13, 23, 15, 16))
P07 = (
    750,
    (70, 73, 77, 80, 82, 87, 90, 94, 98, 106, 110, 113, 115, 118, 120),
    (135, 139, 149, 150, 156, 163, 173, 184, 192, 201, 210, 214, 221, 229, 240),
)
P08 = (
    6404180,
    (
        382745, 799601, 909247, 729069, 467902, 44328, 34610, 698150, 823460, 903959, 853665, 551830,
        610856, 670702, 488960, 951111, 323046, 446298, 931161, 31385, 496951, 264724, 224916, 169684,
    ),
    (
        825594, 1677009, 1676628, 1523970, 943972, 97426, 69666, 1296457, 1679693, 1902996, 1844992,
        1049289, 1252836, 1319836, 953277, 2067538, 675367, 853655, 1826027, 65731, 901489, 577243,
        466257, 369261,
    ),
)  # fmt: skip


def knapsack(capacity: int, weights: tuple[int, ...], profits: tuple[int, ...]) -> Model:
    """Greatest profit within the capacity."""
    m = Model("knapsack")
    x = m.boolvar(shape=len(weights), name="x")
    m.add((x * np.array(weights)).sum() <= capacity)
    m.maximize((x * np.array(profits)).sum())
    return m


def subset_sums(total: int, numbers: tuple[int, ...]) -> Model:
    """Subsets with this sum."""
    m = Model("subset sums")
    x = m.boolvar(shape=len(numbers), name="x")
    m.add((x * np.array(numbers)).sum() == total)
    return m


INSTANCES = (
    Instance("knapsack P01", lambda: knapsack(*P01), BURKARDT, optimum=309),
    Instance("knapsack P02", lambda: knapsack(*P02), BURKARDT, optimum=51),
    Instance("knapsack P07", lambda: knapsack(*P07), BURKARDT, optimum=1458),
    Instance("knapsack P08", lambda: knapsack(*P08), BURKARDT, optimum=13549094),
    Instance(
        "subsets of 1..12 with sum 39", lambda: subset_sums(39, tuple(range(1, 13))), "OEIS A025591", 124
    ),
    Instance("even numbers with an odd sum", lambda: subset_sums(501, tuple(range(2, 62, 2))), "parity", 0),
)
