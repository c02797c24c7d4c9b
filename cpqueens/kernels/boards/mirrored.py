"""Listing queens on a full board: half of the solutions searched, the others their mirror images.

Solutions that come before their mirror image (columns reversed) in lexicographic order have their first
queen in the west half or, in a middle column, their second. The images in reversed order are the second half
of the list, in lexicographic order too.
"""

from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from cpqueens.kernels.boards.bitmask import BitmaskSearch
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.kernels.boards.sum_pattern import SumPattern
from cpqueens.kernels.jit.pace import Pace

SMALLEST = 6  # on every larger board each queen of the first row leaves squares in the second
MAX_KEPT = 1 << 26  # bytes of solutions kept for their images; beyond it the second half is searched too


def is_mirrored(pattern: Pattern | SumPattern) -> TypeGuard[Pattern]:
    """Say whether `MirroredSearch` lists the pattern: queens on a full board that is not tiny."""
    full = bool(np.all(pattern.allowed == (1 << pattern.width) - 1))
    return full and min(pattern.n, pattern.width) >= SMALLEST and pattern.is_queens


@dataclass(frozen=True, eq=False)
class _Part:
    """A search of some columns of the first row, and how many of its nodes are above them."""

    search: BitmaskSearch
    above: int

    @property
    def nodes(self) -> int:
        return max(0, self.search.nodes - self.above)


class MirroredSearch:
    """Lists what `BitmaskSearch` lists, in the same order and with the same nodes and failures in the end.

    The images' nodes and failures are those of the originals, and are added when the images begin.

    Parameters
    ----------
    pattern
        One for which `is_mirrored` holds.
    max_kept
        Bytes of solutions that may be kept; with more, the second half is searched like the first.

    Raises
    ------
    ValueError
        If `is_mirrored` does not hold.
    """

    def __init__(self, pattern: Pattern, max_kept: int = MAX_KEPT) -> None:
        if not is_mirrored(pattern):
            raise ValueError("only queens on a full board are listed by mirroring")
        self.pattern = pattern
        half, odd = divmod(pattern.width, 2)
        west, middle = (1 << half) - 1, 1 << half
        east = west << (half + odd)
        self._parts = [self._part(west)]
        self._others: list[tuple[int, ...]] = [(east,)]
        if odd:
            self._parts.append(self._part(middle, west))
            self._others.insert(0, (middle, east))
        self._at = 0  # the part under way
        self._room = max_kept
        self._kept: list[NDArray[np.uint8]] = []
        self._factor = 1  # 2 once the images have begun

    def _part(self, *columns: int) -> _Part:
        """Return the search with the columns of the first rows limited."""
        allowed = self.pattern.allowed.copy()
        allowed[: len(columns)] = columns
        return _Part(BitmaskSearch(replace(self.pattern, allowed=allowed)), len(columns))

    @property
    def exhausted(self) -> bool:
        """Say whether everything has been listed."""
        return self._at == len(self._parts) and not self._kept

    @property
    def nodes(self) -> int:
        """Return the nodes of the tree so far: the root and every safe placement."""
        middle = any(part.above == 2 and part.search.nodes > 1 for part in self._parts)
        return 1 + middle + self._factor * sum(part.nodes for part in self._parts)

    @property
    def failures(self) -> int:
        """Return the dead ends so far."""
        return self._factor * sum(part.search.failures for part in self._parts)

    @property
    def pace(self) -> Pace:
        """How many placements a call is given."""
        return self._parts[min(self._at, len(self._parts) - 1)].search.pace

    def fill(self, out: NDArray[np.uint8], budget: int | None = None) -> int:
        """Write the next solutions into ``out`` (batch, n), uint8; return how many. See `PatternSearch`."""
        if self._at == len(self._parts):
            return self._fill_images(out)
        search = self._parts[self._at].search
        filled = search.fill(out, budget)
        self._keep(out[:filled])
        if search.exhausted:
            self._at += 1
            if self._at == len(self._parts) and self._kept:
                self._factor = 2
        return filled

    def _keep(self, solutions: NDArray[np.uint8]) -> None:
        """Keep solutions for their images; without room forget all, and search the other half as well."""
        if not self._others:
            return
        self._room -= solutions.nbytes
        if self._room >= 0:
            self._kept.append(solutions.copy())
            return
        self._kept = []
        self._parts += [self._part(*columns) for columns in self._others]
        self._others = []

    def _fill_images(self, out: NDArray[np.uint8]) -> int:
        filled = 0
        while self._kept and filled < len(out):
            part = self._kept.pop()
            taken = part[max(0, len(part) - (len(out) - filled)) :]
            np.subtract(self.pattern.width - 1, taken[::-1], out=out[filled : filled + len(taken)])
            filled += len(taken)
            if len(taken) < len(part):
                self._kept.append(part[: len(part) - len(taken)])
        return filled
