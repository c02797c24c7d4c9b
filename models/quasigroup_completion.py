"""Quasigroup completion (Gomes and Selman 1997): a Latin square with holes is to be filled."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from cpqueens import AllDifferent, Inverse, Model, ModelError
from cpqueens.answers import groups
from cpqueens.answers.symmetry import Group
from cpqueens.language.views import Cages
from cpqueens.problems.published import series
from cpqueens.problems.signatures import Between, validated
from cpqueens.problems.viewpoints import by_booleans, inverse_of, unlike


@validated
def quasigroup_completion(
    n: Annotated[int, Between(1, 100)] = 8,
    holes: Annotated[int, Between(0, 10_000)] = 30,
    seed: Annotated[int, Between(0, 2**31)] = 1,
    viewpoint: Literal["rows", "booleans", "dual"] = "rows",
) -> Model:
    """Fill the holes of a square of 0..n-1 so that each number stands once in each row and column.

    The square is the cyclic one with rows, columns and numbers shuffled, of which ``holes`` cells are
    emptied, both by ``seed``; so there is a solution. With few holes or many it is easily found; it is
    hardest to find where about two of five cells are empty. ``viewpoint`` is that of Latin squares.

    Source: C. P. Gomes and B. Selman, *Problem structure in the presence of perturbations*, AAAI (1997).

    >>> quasigroup_completion(4, 16).count(solver="cpsat")
    576
    """
    cells, numbers = given_cells(n, holes, seed)
    m = Model("quasigroup completion")
    if viewpoint == "booleans":
        b, x = by_booleans(m, "x", 0, n - 1, (n, n))
        m += [b.sum(axis=0) == 1, b.sum(axis=1) == 1]
    else:
        x = m.intvar(0, n - 1, shape=(n, n), name="x")
        m += [AllDifferent(line) for square in (x, x.T) for line in square]
    if viewpoint == "dual":
        y = m.intvar(0, n - 1, shape=(n, n), name="y")
        m += [Inverse(row, places) for row, places in zip(x, y, strict=True)]
        m += [AllDifferent(column) for column in y.T]
    if cells:
        m.add(x.flat[cells] == numbers, name="given cells")
    m.view = Cages("x", given=tuple(divmod(cell, n) for cell in cells))
    return m


def given_cells(n: int, holes: int, seed: int) -> tuple[list[int], list[int]]:
    """Return the cells that are not emptied, row by row from 0, and their numbers.

    Raises
    ------
    ModelError
        For more holes than cells.
    """
    if holes > n * n:
        raise ModelError(f"holes: at most the {n * n} cells, got {holes}")
    shuffle = random.Random(seed)
    rows, columns, values = (np.array(shuffle.sample(range(n), n)) for _ in range(3))
    square = values[(rows[:, None] + columns) % n]
    kept = random.Random(seed + 1).sample(range(n * n), n * n - holes)
    return kept, square.flat[kept].tolist()


def symmetries(n: int, holes: int, seed: int, viewpoint: str = "rows") -> Group:
    """Return those of Latin squares, if all cells are holes."""
    return groups.latin_square(n) if (holes, viewpoint) == (n * n, "rows") else ()


published = tuple(
    value
    for n, many in {1: 1, 2: 2, 3: 12, 4: 576}.items()
    for value in series("solutions", "OEIS A002860, all cells empty", {n: many}, holes=n * n)
)


def verify(solution: Mapping[str, Any], n: int, holes: int, seed: int, viewpoint: str = "rows") -> list[str]:
    """Return what is wrong with the square ``solution["x"]``."""
    rows = [[int(value) for value in row] for row in solution["x"]]
    if len(rows) != n or any(len(row) != n for row in rows):
        return [f"not a square of {n} by {n}"]
    numbers = list(range(n))
    wrong = [f"row {i} is not 0..{n - 1}" for i in range(n) if sorted(rows[i]) != numbers]
    columns = [[row[j] for row in rows] for j in range(n)]
    wrong += [f"column {j} is not 0..{n - 1}" for j in range(n) if sorted(columns[j]) != numbers]
    for cell, number in zip(*given_cells(n, holes, seed), strict=True):
        if rows[cell // n][cell % n] != number:
            wrong.append(f"the given {number} in row {cell // n}, column {cell % n} is gone")
    wrong += unlike(solution, "x", 0) if viewpoint == "booleans" else []
    if viewpoint == "dual" and not wrong and solution["y"] != [inverse_of(row) for row in rows]:
        wrong.append("the places of the numbers are not those of the square")
    return wrong
