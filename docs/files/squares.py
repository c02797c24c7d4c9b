"""Six queens in two ways: a column for each row, and a Boolean for each square."""

import numpy as np

from cpqueens import AllDifferent, Model


def rows(n: int = 6) -> Model:
    """One variable for each row."""
    m = Model("rows")
    q = m.intvar(0, n - 1, shape=n, name="q")
    i = np.arange(n)
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    return m


def squares(n: int = 6) -> Model:
    """One Boolean for each square; q has the column of the queen in each row."""
    m = Model("squares")
    q = m.intvar(0, n - 1, shape=n, name="q")
    board = m.boolvar(shape=(n, n), name="board")
    m.add(board.sum(axis=1) == 1, board.sum(axis=0) == 1, q == board @ np.arange(n))
    for offset in range(1 - n, n):
        m.add(np.diagonal(board, offset).sum() <= 1, np.diagonal(board[::-1], offset).sum() <= 1)
    return m
