"""Boards of squares with a 0/1 variable each: who sees whom, diagonals, squares in use, drawn boards."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpqueens.errors import ModelError
from cpqueens.text.plaintext import shown

Steps = NDArray[np.intp]

MOVES: dict[str, Callable[[Steps, Steps], NDArray[np.bool_]]] = {
    "queen": lambda down, across: (down == 0) | (across == 0) | (abs(down) == abs(across)),
    "knight": lambda down, across: abs(down * across) == 2,
    "king": lambda down, across: (abs(down) <= 1) & (abs(across) <= 1),
}
"""Which steps a piece makes on an empty board, by rows down and columns across; staying is one for lines."""


def sees(rows: int, columns: int, piece: str) -> NDArray[np.bool_]:
    """Return which square attacks which other one, of shape (squares, squares), squares row by row.

    >>> sees(3, 3, "knight").sum(axis=1).tolist()
    [2, 2, 2, 2, 0, 2, 2, 2, 2]
    """
    row, column = np.divmod(np.arange(rows * columns), max(columns, 1))
    found = MOVES[piece](row[:, None] - row, column[:, None] - column)
    np.fill_diagonal(found, False)
    return found


def diagonals(cells: Any) -> Iterator[Any]:
    """Yield the diagonals of two and more cells of a two-dimensional array, both directions."""
    rows, columns = cells.shape
    for turned in (cells, cells[:, ::-1]):
        for offset in range(2 - rows, columns - 1):
            first, length = max(0, -offset), min(rows, columns - offset) - max(0, -offset)
            if length > 1:
                steps = np.arange(length) + first
                yield turned[steps, steps + offset]


def occupied(solution: Mapping[str, Any], name: str = "x") -> list[tuple[int, int]]:
    """Return the squares (row, column) of a raw 0/1 board that are not 0."""
    return [(r, c) for r, row in enumerate(solution[name]) for c, cell in enumerate(row) if int(cell)]


def text_rows(rows: Sequence[str], what: str, columns: int | None = None) -> tuple[str, ...]:
    """Return the rows of a drawn board without spaces.

    Raises
    ------
    ModelError
        If there are none, or one has another length than the first, or than ``columns``, or a sign that
        cannot be printed.
    """
    tight = tuple("".join(row.split()) for row in rows)
    width = len(tight[0]) if tight and columns is None else columns
    if not tight or not width:
        raise ModelError(f'{what}: at least one row is needed, such as {what}=\'["..", ".."]\'')
    for number, row in enumerate(tight, 1):
        if len(row) != width:
            raise ModelError(f"{what}: row {number}, {shown(row)}, has {len(row)} squares instead of {width}")
        if not row.isprintable():
            raise ModelError(f"{what}: row {number}, {shown(row)}, has a sign that cannot be printed")
    return tight
