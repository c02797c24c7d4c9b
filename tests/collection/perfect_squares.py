"""Squares of different sizes that fill a rectangle."""

from __future__ import annotations

import numpy as np

from collection.instance import Instance
from cpqueens import Cumulative, Model, NoOverlap2D

MORON = (18, 15, 14, 10, 9, 8, 7, 4, 1)
DUIJVESTIJN = (50, 42, 37, 35, 33, 29, 27, 25, 24, 19, 18, 17, 16, 15, 11, 9, 8, 7, 6, 4, 2)


def squares(sizes: tuple[int, ...], width: int, height: int) -> Model:
    """Places of squares in a rectangle of the same area; each line cuts no more than its length."""
    size = np.array(sizes)
    m = Model("perfect squares")
    x = m.intvar(0, width - size, shape=len(sizes), name="x")
    y = m.intvar(0, height - size, shape=len(sizes), name="y")
    m += [NoOverlap2D(x, size, y, size), Cumulative(x, size, size, height), Cumulative(y, size, size, width)]
    return m


INSTANCES = (
    Instance(
        "rectangle of nine squares", lambda: squares(MORON, 33, 32),
        "Moron 1925: one, in four positions", 4,
    ),
    Instance(
        "square of 21 squares", lambda: squares(DUIJVESTIJN, 112, 112), "Duijvestijn 1978, CSPLib prob009",
        asked=("solve",), slow=("solve",),
    ),
)  # fmt: skip
