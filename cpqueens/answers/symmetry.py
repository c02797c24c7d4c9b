"""Symmetries as maps of whole solutions: canonical forms, orbits, fundamental solutions.

A symmetry maps solutions to solutions, as an array (batch, variables) to an array of the same shape, so
that a million boards are turned by a few numpy calls. A *group* is a tuple of symmetries, closed under
composition, whose first is the identity. The *orbit* of a solution is the set of its images; its size is
the order of the group divided by the number of symmetries that fix the solution.

A group too large to write down, as that of a Latin square, is `Generated` by a few of its symmetries: orbits
are then found by going from image to image until nothing new comes.

>>> from cpqueens.answers.symmetry import QUEENS_BOARD, fundamental, orbit_sizes
>>> import numpy as np
>>> six = np.array([[1, 3, 5, 0, 2, 4], [2, 5, 1, 4, 0, 3], [3, 0, 4, 1, 5, 2], [4, 2, 0, 5, 3, 1]])
>>> fundamental(six, QUEENS_BOARD)
array([[1, 3, 5, 0, 2, 4]])
>>> orbit_sizes(six, QUEENS_BOARD)
array([4, 4, 4, 4])
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.constraints.ordered import LexLessEqual
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import IntArray, Mask, Positions, as_integers
from cpqueens.text.plaintext import shown


@dataclass(frozen=True)
class Symmetry:
    """A named map of solutions (batch, variables) -> (batch, variables)."""

    name: str
    map: Callable[[IntArray], IntArray]

    def __call__(self, solutions: Any) -> IntArray:
        """Return the images of ``solutions``, of the same shape."""
        return self.map(as_solutions(solutions))


Group = tuple[Symmetry, ...]


class Generated(tuple[Symmetry, ...]):
    """Symmetries of which the group has all products; the identity is the first, if only it is there."""

    __slots__ = ()


def as_solutions(solutions: Any) -> IntArray:
    """Return ``solutions`` as an int64 array of shape (batch, variables).

    Raises
    ------
    ModelError
        For another number of axes, or values that are not integers.
    """
    array = as_integers(solutions, "solutions")
    if array.ndim != 2:
        raise ModelError(f"solutions: an array (batch, variables) is needed, got shape {array.shape}")
    return array


def as_group(group: Any) -> Group:
    """Return a group as a tuple, a generated one as it is.

    Raises
    ------
    ModelError
        If it is no sequence of symmetries.
    """
    if not isinstance(group, tuple | list) or not all(isinstance(part, Symmetry) for part in group):
        raise ModelError(f"symmetries: a tuple of Symmetry objects is needed, got {shown(group)}")
    return group if isinstance(group, Generated) else tuple(group)


# ---- boards with one queen per row --------------------------------------------------------------------


def _inverse(columns: IntArray) -> IntArray:
    """Return the transposed boards: in row c the row of the queen of column c."""
    batch, n = columns.shape
    if not np.array_equal(np.sort(columns, axis=1), np.broadcast_to(np.arange(n), (batch, n))):
        raise ModelError("symmetries of a board need one queen in each row and column, columns 0..n-1")
    inverse = np.empty_like(columns)
    np.put_along_axis(inverse, columns, np.broadcast_to(np.arange(n), (batch, n)), axis=1)
    return inverse


def _mirror(columns: IntArray) -> IntArray:
    """Return the boards mirrored left to right."""
    mirrored: IntArray = columns.shape[1] - 1 - columns
    return mirrored


def _reverse(columns: IntArray) -> IntArray:
    """Return the boards mirrored top to bottom."""
    return columns[:, ::-1]


IDENTITY = Symmetry("identity", lambda solutions: solutions)

QUEENS_BOARD: Group = (
    IDENTITY,
    Symmetry("rotation by 90", lambda q: _reverse(_inverse(q))),
    Symmetry("rotation by 180", lambda q: _mirror(_reverse(q))),
    Symmetry("rotation by 270", lambda q: _mirror(_inverse(q))),
    Symmetry("mirror left to right", _mirror),
    Symmetry("mirror top to bottom", _reverse),
    Symmetry("transposition", _inverse),
    Symmetry("transposition along the other diagonal", lambda q: _mirror(_reverse(_inverse(q)))),
)
"""The eight symmetries of the square on boards given as the column (from 0) of the queen in each row."""


# ---- boards given cell by cell ------------------------------------------------------------------------


def _cells(turn: Callable[[Positions], Positions]) -> Callable[[IntArray], IntArray]:
    def moved(solutions: IntArray) -> IntArray:
        n = math.isqrt(solutions.shape[1])
        if n * n != solutions.shape[1]:
            raise ModelError(f"a square of cells is needed, got {solutions.shape[1]} variables")
        return solutions[:, turn(np.arange(n * n).reshape(n, n)).reshape(-1)]

    return moved


CELL_BOARD: Group = (
    IDENTITY,
    Symmetry("rotation by 90", _cells(lambda cells: np.rot90(cells, 1))),
    Symmetry("rotation by 180", _cells(lambda cells: np.rot90(cells, 2))),
    Symmetry("rotation by 270", _cells(lambda cells: np.rot90(cells, 3))),
    Symmetry("mirror left to right", _cells(lambda cells: cells[:, ::-1])),
    Symmetry("mirror top to bottom", _cells(lambda cells: cells[::-1])),
    Symmetry("transposition", _cells(lambda cells: cells.T)),
    Symmetry("transposition along the other diagonal", _cells(lambda cells: cells[::-1, ::-1].T)),
)
"""The eight symmetries of the square on boards of n * n cells, row after row."""


# ---- sequences ----------------------------------------------------------------------------------------

REVERSAL: Group = (IDENTITY, Symmetry("reversal", _reverse))
"""Reading a sequence backwards."""

PERMUTATIONS: Group = (
    IDENTITY,
    Symmetry("reversal", _reverse),
    Symmetry("complement", _mirror),
    Symmetry("reversed complement", lambda p: _mirror(_reverse(p))),
)
"""Reversal and complement (n - 1 minus each value) of permutations of 0..n-1."""


# ---- orbits -------------------------------------------------------------------------------------------


def images(solutions: Any, group: Group = QUEENS_BOARD) -> IntArray:
    """Return all images, of shape (order of the group, batch, variables).

    Of a generated group these are the images under its generators.
    """
    array = as_solutions(solutions)
    return np.stack([symmetry.map(array) for symmetry in as_group(group)])


def _less(left: IntArray, right: IntArray) -> Mask:
    """Return which rows of ``left`` are lexicographically less than those of ``right``."""
    if not left.shape[1]:
        return np.zeros(len(left), dtype=bool)
    first = (left != right).argmax(axis=1)[:, None]
    less: Mask = np.take_along_axis(left, first, 1) < np.take_along_axis(right, first, 1)
    return less[:, 0]


def canonical(solutions: Any, group: Group = QUEENS_BOARD) -> IntArray:
    """Return for each solution its lexicographically least image, of shape (batch, variables).

    Two solutions are equal up to symmetry exactly if their canonical forms are equal.
    """
    array = as_solutions(solutions)
    if isinstance(group, Generated):
        return OrbitsMet(group).canonical(array)
    least = array.copy()
    for symmetry in as_group(group):
        image = symmetry.map(array)
        better = _less(image, least)
        least[better] = image[better]
    return least


def fixed(solutions: Any, symmetry: Symmetry) -> Mask:
    """Return which solutions the symmetry leaves as they are, of shape (batch,)."""
    array = as_solutions(solutions)
    same: Mask = (symmetry.map(array) == array).all(axis=1)
    return same


def orbit_sizes(solutions: Any, group: Group = QUEENS_BOARD) -> IntArray:
    """Return the number of distinct images of each solution, of shape (batch,)."""
    array = as_solutions(solutions)
    if isinstance(group, Generated):
        return OrbitsMet(group).sizes(array)
    stabilisers = np.zeros(len(array), dtype=np.int64)
    group = as_group(group) or (IDENTITY,)
    for symmetry in group:
        stabilisers += fixed(array, symmetry)
    return len(group) // stabilisers


def fundamental(solutions: Any, group: Group = QUEENS_BOARD) -> IntArray:
    """Return the distinct canonical forms in lexicographic order: one solution of each orbit."""
    return np.unique(canonical(solutions, group), axis=0)


LARGEST = 2_000_000
"""Solutions of generated orbits that are kept in memory."""


class OrbitsMet:
    """Canonical forms and sizes of orbits, of solutions that come in parts.

    Those of a generated group are remembered with all their members, so that each orbit is gone through once.
    """

    def __init__(self, group: Group) -> None:
        self.group = as_group(group)
        self._of: dict[bytes, int] = {}
        self._forms: list[IntArray] = []
        self._sizes: list[int] = []

    def canonical(self, solutions: IntArray) -> IntArray:
        """Return the least solution of each orbit, of shape (batch, variables)."""
        if not isinstance(self.group, Generated):
            return canonical(solutions, self.group)
        forms = [self._forms[k] for k in self._numbers(solutions)]
        return np.array(forms, dtype=np.int64).reshape(solutions.shape)

    def sizes(self, solutions: IntArray) -> IntArray:
        """Return the size of each orbit, of shape (batch,)."""
        if not isinstance(self.group, Generated):
            return orbit_sizes(solutions, self.group)
        return np.array([self._sizes[k] for k in self._numbers(solutions)], dtype=np.int64)

    def members(self, solution: IntArray) -> IntArray:
        """Return the orbit of one solution (variables,) in lexicographic order, of a generated group."""
        number = self._numbers(solution[None])[0]
        rows = {row for row, orbit in self._of.items() if orbit == number}
        return np.unique(_solutions(rows, len(solution)), axis=0)

    def _numbers(self, solutions: IntArray) -> list[int]:
        rows = _rows(solutions)
        for row, solution in zip(rows, solutions, strict=True):
            if row not in self._of:
                self._add(solution[None])
        return [self._of[row] for row in rows]

    def _add(self, new: IntArray) -> None:
        """Remember the orbit of one solution, of shape (1, variables)."""
        members = set(_rows(new))
        while len(new):
            fresh = {row for symmetry in self.group for row in _rows(symmetry.map(new))} - members
            members |= fresh
            if len(self._of) + len(members) > LARGEST:
                raise ModelError(f"symmetries: the orbits have more than {LARGEST:,} solutions together")
            new = _solutions(fresh, new.shape[1])
        self._of.update(dict.fromkeys(members, len(self._forms)))
        self._forms.append(_least(_solutions(members, new.shape[1])))
        self._sizes.append(len(members))


def _rows(solutions: IntArray) -> list[bytes]:
    return [row.tobytes() for row in np.ascontiguousarray(solutions, dtype=np.int64)]


def _solutions(rows: set[bytes], width: int) -> IntArray:
    return np.frombuffer(b"".join(rows), dtype=np.int64).reshape(len(rows), width)


def _least(solutions: IntArray) -> IntArray:
    """Return the lexicographically least row."""
    for k in range(solutions.shape[1]):
        solutions = solutions[solutions[:, k] == solutions[:, k].min()]
    least: IntArray = solutions[0]
    return least


@dataclass(frozen=True)
class Orbits:
    """Solutions sorted into orbits.

    ``representatives`` (orbits, variables) are canonical; ``labels`` (batch,) says to which orbit each
    solution belongs; ``sizes`` (orbits,) are the orbits' full sizes and ``found`` (orbits,) the numbers of
    solutions in hand, duplicates included.
    """

    representatives: IntArray
    labels: IntArray
    sizes: IntArray
    found: IntArray

    @property
    def total(self) -> int:
        """The number of solutions in these orbits when each is complete."""
        return int(self.sizes.sum())


def orbits(solutions: Any, group: Group = QUEENS_BOARD) -> Orbits:
    """Return the orbits that the solutions belong to."""
    forms = canonical(solutions, group)
    representatives, labels, found = np.unique(forms, axis=0, return_inverse=True, return_counts=True)
    return Orbits(
        representatives, labels.reshape(-1), orbit_sizes(representatives, group), found.astype(np.int64)
    )


# ---- constraints that keep one solution of each orbit ----------------------------------------------------


def lex_leader(terms: LinearArray, group: Group) -> list[LexLessEqual]:
    """Return constraints that hold for the lexicographically least solution of each orbit alone.

    >>> from cpqueens import AllDifferent, Model
    >>> from cpqueens.answers.symmetry import PERMUTATIONS
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=4, name="x")
    >>> m += [AllDifferent(x), *lex_leader(x, PERMUTATIONS)]
    >>> m.count(solver="cpsat")
    8

    Parameters
    ----------
    terms
        All variables of a solution, in the order of the model.
    group
        Their symmetries, as a problem's ``symmetries`` gives them.

    Raises
    ------
    ModelError
        For a symmetry that puts values in the place of variables, as turning a board does that is told by the
        column of each row: state it square by square, or break the others alone.
    """
    row = terms.reshape(1, -1)
    found = []
    for symmetry in group:
        if symmetry is IDENTITY:
            continue
        try:
            image = symmetry.map(row)  # type: ignore[arg-type]
        except (TypeError, ValueError, IndexError, ModelError):
            raise ModelError(
                f"symmetries: {symmetry.name} is not a map of terms; state the model square by square"
            ) from None
        found.append(LexLessEqual(row[0], image[0]))
    return found


# ---- solutions counted up to symmetry as they come, none of them kept ------------------------------------


class OrbitTally:
    """Counts orbits by their canonical members, each of which is a solution that comes exactly once.

    >>> import numpy as np
    >>> from cpqueens.answers.symmetry import QUEENS_BOARD
    >>> tally = OrbitTally(QUEENS_BOARD)
    >>> tally.take(np.array([[1, 3, 0, 2], [2, 0, 3, 1]]))
    >>> tally.orbits, tally.solutions, tally.total, dict(tally.sizes)
    (1, 2, 2, {2: 1})
    """

    def __init__(self, group: Group) -> None:
        self._met = OrbitsMet(group)
        self.solutions = 0
        self.sizes: Counter[int] = Counter()

    def take(self, solutions: IntArray) -> None:
        """Count distinct solutions (batch, variables)."""
        least = solutions[(self._met.canonical(solutions) == solutions).all(axis=1)]
        self.solutions += len(solutions)
        self.sizes.update(self._met.sizes(least).tolist())

    @property
    def orbits(self) -> int:
        """The number of solutions up to symmetry."""
        return self.sizes.total()

    @property
    def total(self) -> int:
        """The sum of the orbits' sizes: the number of all solutions, if all have come."""
        return sum(size * many for size, many in self.sizes.items())


def orbits_text(sizes: Mapping[int, int]) -> str:
    """Return how many orbits there are of each size.

    >>> orbits_text({8: 11, 4: 1})
    '11 of 8, 1 of 4'
    """
    return ", ".join(f"{many:,} of {size}" for size, many in sorted(sizes.items(), reverse=True)) or "none"


def symmetry_class(solution: IntArray, group: Group) -> tuple[str, ...]:
    """Return the names of the symmetries that leave one solution (variables,) as it is.

    Of a generated group these are among the generators.

    >>> import numpy as np
    >>> from cpqueens.answers.symmetry import QUEENS_BOARD
    >>> symmetry_class(np.array([1, 3, 0, 2]), QUEENS_BOARD)
    ('identity', 'rotation by 90', 'rotation by 180', 'rotation by 270')
    """
    return tuple(symmetry.name for symmetry in group if fixed(solution[None], symmetry)[0])


def orbit_members(solution: IntArray, group: Group) -> tuple[list[str], IntArray]:
    """Return the distinct images of one solution (variables,), and for each a symmetry that gives it.

    Of a generated group the images are numbered, in lexicographic order.

    >>> import numpy as np
    >>> from cpqueens.answers.symmetry import QUEENS_BOARD
    >>> names, members = orbit_members(np.array([1, 3, 0, 2]), QUEENS_BOARD)
    >>> names, members.tolist()
    (['identity', 'mirror left to right'], [[1, 3, 0, 2], [2, 0, 3, 1]])
    """
    if isinstance(group, Generated):
        members = OrbitsMet(group).members(solution)
        return [str(k + 1) for k in range(len(members))], members
    every = images(solution[None], group)[:, 0]
    first = np.sort(np.unique(every, axis=0, return_index=True)[1])
    return [group[int(k)].name for k in first], every[first]
