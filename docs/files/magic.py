"""A problem in your own file."""

import numpy as np

from cpqueens import AllDifferent, Grid, Model


def magic(n: int = 3) -> Model:
    """Fill an n by n square with 1..n*n so that rows, columns and diagonals have one sum."""
    m = Model("magic")
    x = m.intvar(1, n * n, shape=(n, n), name="x")
    total = n * (n * n + 1) // 2
    m.add(AllDifferent(x))
    m.add(x.sum(axis=0) == total, x.sum(axis=1) == total, name="rows and columns")
    m.add(np.diagonal(x).sum() == total, np.diagonal(x[::-1]).sum() == total, name="diagonals")
    m.view = Grid("x")
    return m
