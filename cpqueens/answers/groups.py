"""Groups that problems declare: of cells that change places, of values, of lines, of the torus.

Each function returns symmetries that generate a group, for `generated` to put together.

>>> from cpqueens.answers.symmetry import fundamental
>>> import numpy as np
>>> squares = np.array([[0, 1, 1, 0], [1, 0, 0, 1]])
>>> fundamental(squares, generated(exchanges(2, axis=0, shape=(2, 2))))
array([[0, 1, 1, 0]])
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from cpqueens.answers.symmetry import IDENTITY, QUEENS_BOARD, Generated, Group, Symmetry
from cpqueens.errors import ModelError
from cpqueens.language.rows import IntArray


def generated(*parts: Iterable[Symmetry]) -> Generated:
    """Return the group that all these symmetries generate."""
    return Generated(
        (IDENTITY, *(symmetry for part in parts for symmetry in part if symmetry is not IDENTITY))
    )


def placed(name: str, places: ArrayLike) -> Symmetry:
    """Return the symmetry that puts the variable ``places[k]`` in place k; ``places`` is of any shape."""
    order = np.asarray(places, dtype=np.intp).reshape(-1)

    def moved(solutions: IntArray) -> IntArray:
        if solutions.shape[1] != len(order):
            raise ModelError(f"symmetries: {len(order)} variables are needed, got {solutions.shape[1]}")
        return solutions[:, order]

    return Symmetry(name, moved)


def renamed(name: str, low: int, values: ArrayLike) -> Symmetry:
    """Return the symmetry that puts ``values[k]`` for each low + k."""
    table = np.asarray(values, dtype=np.int64)

    def put(solutions: IntArray) -> IntArray:
        places = solutions - low
        if places.size and not (places.min() >= 0 and places.max() < len(table)):
            raise ModelError(f"symmetries: values {low}..{low + len(table) - 1} are needed")
        return table[places]

    return Symmetry(name, put)


def _orders(many: int) -> dict[str, IntArray]:
    """Return two permutations of 0..many-1 that generate all."""
    if many < 2:
        return {}
    first = np.arange(many)
    first[:2] = 1, 0
    orders = {"the first two exchanged": first}
    return orders if many == 2 else orders | {"each moved on by one": np.roll(np.arange(many), -1)}


def values(low: int, many: int) -> tuple[Symmetry, ...]:
    """Return generators of all renamings of the values low..low+many-1."""
    return tuple(renamed(f"values: {name}", low, low + order) for name, order in _orders(many).items())


def exchanges(many: int, axis: int, shape: tuple[int, ...], what: str = "") -> tuple[Symmetry, ...]:
    """Return generators of all orders of the first ``many`` lines along an axis of an array of variables."""
    cells = np.arange(math.prod(shape)).reshape(shape)
    what = what or ("rows", "columns")[axis]
    found = []
    for name, order in _orders(many).items():
        whole = np.concatenate([order, np.arange(many, shape[axis])])
        found.append(placed(f"{what}: {name}", cells.take(whole, axis)))
    return tuple(found)


def latin_square(n: int) -> Generated:
    """Return what makes Latin squares of Latin squares: rows, columns and numbers, in any order and role.

    Squares that it maps to one another are of one main class (paratopic).
    """
    cells = np.arange(n * n).reshape(n, n)

    def conjugate(squares: IntArray) -> IntArray:
        rows = np.argsort(squares.reshape(-1, n, n), axis=2)
        return rows.reshape(len(squares), n * n)

    return generated(
        exchanges(n, 0, (n, n)),
        exchanges(n, 1, (n, n)),
        values(0, n),
        [placed("transposition", cells.T), Symmetry("columns and numbers exchanged", conjugate)],
    )


def torus(n: int, units: bool = False) -> Generated:
    """Return the symmetries of the n by n torus on boards given as the column of the queen in each row.

    The eight of the square and shifts of rows and columns: "congruent on the torus" (OEIS A062164). With
    ``units`` also multiplying both coordinates by a number that has no factor in common with n: "similar"
    (OEIS A062165).
    """
    rows = np.arange(n)

    def by(unit: int) -> Symmetry:
        source = rows * pow(unit, -1, n) % n if n > 1 else rows
        return Symmetry(f"multiplication by {unit}", lambda q: q[:, source] * unit % n)

    shifts = [
        Symmetry("shift of the rows", lambda q: np.roll(q, 1, axis=1)),
        Symmetry("shift of the columns", lambda q: (q + 1) % n),
    ]
    factors = [unit for unit in range(2, n - 1) if math.gcd(unit, n) == 1] if units else []
    return generated((QUEENS_BOARD[1], QUEENS_BOARD[4]), shifts, map(by, factors))


def then(group: Group, last: Callable[[IntArray], IntArray]) -> Group:
    """Return the symmetries, each followed by a map that gives every solution its normal form."""

    def followed(symmetry: Symmetry) -> Symmetry:
        return Symmetry(symmetry.name, lambda solutions: last(symmetry.map(solutions)))

    return type(group)(s if s is IDENTITY else followed(s) for s in group)


def sorted_rows(arrays: IntArray) -> IntArray:
    """Return arrays (batch, rows, columns) with their rows in lexicographic order."""
    for column in reversed(range(arrays.shape[2])):
        order = np.argsort(arrays[:, :, column], axis=1, kind="stable")
        arrays = np.take_along_axis(arrays, order[:, :, None], axis=1)
    return arrays


def numbered(lines: IntArray, many: int) -> IntArray:
    """Return lines (batch, places) with their values 0..many-1 renamed in the order of their first places."""
    there = lines[:, :, None] == np.arange(many)
    first = np.where(there.any(axis=1), there.argmax(axis=1), lines.shape[1])
    rank = np.argsort(np.argsort(first, axis=1, kind="stable"), axis=1)
    return np.take_along_axis(rank, lines, axis=1)
