"""Sudoku (Garns 1979)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Inverse, Model, ModelError
from cpqueens.answers import groups
from cpqueens.answers.symmetry import Group
from cpqueens.language.views import Cages
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, inverse_of, unlike

DIGITS = ".123456789ABCDEFGHIJKLMNOP"

EXAMPLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"

ROYLE = (
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
    "000000010400000000020000000000050604008000300001090000300400200050100000000807000",
    "000000012000035000000600070700000300000400800100000000000120000080000040050000600",
    "000000012003600000000007000410020000000500300700000600280000040000300500000000000",
)
"""Of the list of those with 17 clues; no sudoku has fewer (McGuire 2012)."""

NORVIG = "000005080000601043000000000010500000000106000300000005530000061000000004000000000"


@validated
def sudoku(
    clues: str = EXAMPLE,
    box: Annotated[int, Between(1, 5)] = 3,
    viewpoint: Literal["cells", "booleans", "dual"] = "cells",
) -> Model:
    """Fill a square with 1, 2, ... so that each row, column and box has each number once.

    ``clues`` are the cells row by row, ``.`` or ``0`` where there is none, and A, B, ... for 10, 11, ...;
    spaces do not count, and no clues at all ask for every square. ``box`` is the side of a
    box: 3 for nine by nine.

    ``viewpoint="booleans"`` also decides whether a number stands in a cell, ``b[i, j, number - 1]``, an exact
    cover; ``"dual"`` in which column of each row a number stands, ``y[i, number - 1]``.

    Source: H. Garns, *Number Place*, Dell Pencil Puzzles and Word Games 16 (1979); G. McGuire, B. Tugemann
    and G. Civario, *There is no 16-clue sudoku* (2012).

    >>> sudoku().count(solver="cpsat")
    1
    >>> sudoku("", box=2).count(solver="cpsat")
    288
    """
    n = box * box
    given = read_clues(clues, n)
    m = Model("sudoku")
    corners = [(slice(i, i + box), slice(j, j + box)) for i in range(0, n, box) for j in range(0, n, box)]
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 1, n, (n, n))
        m += [b.sum(axis=0) == 1, b.sum(axis=1) == 1]
        m += [b[corner].sum(axis=(0, 1)) == 1 for corner in corners]
    else:
        x = m.intvar(1, n, shape=(n, n), name="x")
        m += [AllDifferent(line) for square in (x, x.T) for line in square]
        m += [AllDifferent(x[corner].flat) for corner in corners]
    if viewpoint == "dual":
        y = m.intvar(0, n - 1, shape=(n, n), name="y")
        m += [Inverse(row - 1, places) for row, places in zip(x, y, strict=True)]
        m += [AllDifferent(column) for column in y.T]
    if given:
        m.add(x.flat[list(given)] == list(given.values()), name="clues")
    boxes = tuple("".join(DIGITS[i // box * box + j // box + 1] for j in range(n)) for i in range(n))
    m.view = Cages("x", boxes, tuple(divmod(cell, n) for cell in given))
    return m


def read_clues(clues: str, n: int) -> dict[int, int]:
    """Return the given numbers by cell, row by row from 0.

    Raises
    ------
    ModelError
        For another number of cells, or a sign that is no number up to n.
    """
    signs = "".join(clues.split()).upper().replace("0", ".")
    if len(signs) not in (0, n * n):
        raise ModelError(f"clues: {n * n} cells are needed, got {len(signs)}")
    for cell, sign in enumerate(signs):
        if sign not in DIGITS[: n + 1]:
            raise ModelError(f"clues: {sign!r} in row {cell // n}, column {cell % n} is no number of 1..{n}")
    return {cell: DIGITS.index(sign) for cell, sign in enumerate(signs) if sign != "."}


def symmetries(clues: str, box: int, viewpoint: str = "cells") -> Group:
    """Return those of numbers, bands, stacks, and lines within these, if there are no clues."""
    n = box * box
    if "".join(clues.split()).strip(".0") or viewpoint != "cells":
        return ()
    cells = np.arange(n * n)
    bands = groups.exchanges(box, 0, (box, box, n), "bands")
    rows = groups.exchanges(box, 0, (n, n), "rows of the first band")
    turned = groups.placed("transposition", cells.reshape(n, n).T)
    return groups.generated(groups.values(1, n), bands, rows, [turned])


published = (
    Published("fundamental", 2, "OEIS A109741", {"clues": "", "box": 2}),
    Published("solutions", 1, "Wikipedia, Sudoku"),
    *(Published("solutions", 1, "Royle's list of minimum sudokus", {"clues": clues}) for clues in ROYLE),
    Published("solutions", 0, "Norvig, Solving Every Sudoku Puzzle", {"clues": NORVIG}),
    Published("solutions", 288, "OEIS A107739", {"clues": "", "box": 2}),
)


def verify(solution: Mapping[str, Any], clues: str, box: int, viewpoint: str = "cells") -> list[str]:
    """Return what is wrong with the square ``solution["x"]``."""
    n = box * box
    rows = [[int(value) for value in row] for row in solution["x"]]
    if len(rows) != n or any(len(row) != n for row in rows):
        return [f"not a square of {n} by {n}"]
    lines = {f"row {i}": row for i, row in enumerate(rows)}
    lines |= {f"column {j}": [row[j] for row in rows] for j in range(n)}
    for i in range(0, n, box):
        for j in range(0, n, box):
            lines[f"the box at {(i, j)}"] = [rows[i + a][j + b] for a in range(box) for b in range(box)]
    wrong = [f"{name} is not 1..{n}" for name, line in lines.items() if sorted(line) != list(range(1, n + 1))]
    for cell, number in read_clues(clues, n).items():
        if rows[cell // n][cell % n] != number:
            wrong.append(f"the clue {number} in row {cell // n}, column {cell % n} is gone")
    wrong += unlike(solution, "x", 1) if viewpoint == "booleans" else []
    if viewpoint == "dual" and not wrong:
        places = [inverse_of([value - 1 for value in row]) for row in rows]
        wrong += [] if solution["y"] == places else ["the places of the numbers are not those of the square"]
    return wrong
