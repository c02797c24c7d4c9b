"""Solutions counted up to symmetry as they come, none of them kept, and the count proved by another way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from cpqueens.answers.symmetry import Generated, Group, OrbitsMet, fixed, images
from cpqueens.language.rows import IntArray


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
