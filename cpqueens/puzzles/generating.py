"""Region puzzles with one solution, made by a seed: so many queens in each line and region, none touching."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np

from cpqueens.backends.clock import limited, now
from cpqueens.errors import ModelError, NotInTime
from cpqueens.puzzles.growing import grown, joined
from cpqueens.puzzles.placing import random_placement
from cpqueens.puzzles.puzzle import Puzzle
from cpqueens.puzzles.repairing import made_unique
from cpqueens.puzzles.solving import model_of
from cpqueens.puzzles.squares import Owner, Squares
from cpqueens.system.interrupts import listening

LETTERS = "ABCDEFGHIJKLMNOPRSTUVWXYZ"
"""Without Q, which is a queen."""

LARGEST = len(LETTERS)
MOST = LARGEST // 4
"""Queens in a line: boards of 4 rows for each are the smallest."""

TIME_LIMIT = 60.0
_JOINS = 50


def generated_regions(
    size: int, seed: int, stars: int = 1, time_limit: float | None = None
) -> tuple[str, ...]:
    """Return rows of letters of a puzzle with exactly one solution and connected regions.

    A random solution is drawn and a region grown around each queen, or around each ``stars`` that are near.
    While there is a second solution, a square of it is given to a neighbouring region, so that the second
    falls. With one queen a line the solutions are searched here, with more by CP-SAT, on whose version the
    puzzle of a seed then depends. Sizes are 4 * stars to 25: on smaller boards queens cannot but touch.

    Seen made: 14 rows with three queens and 17 with four in seconds; on a busy machine 21 with five in a
    minute, and 16 with four and 25 with six in four. The least boards take longest, as most placements end
    nowhere: 20 with five and 24 with six were not made there within five.

    >>> generated_regions(5, 1) == generated_regions(5, 1)
    True

    Parameters
    ----------
    time_limit
        Seconds, by default 60 of processor time; the puzzle of a seed does not depend on them.

    Raises
    ------
    ModelError
        For another number of queens in a line than 1 to 6, or another size.
    NotInTime
        If no puzzle was found in time.
    """
    if not 1 <= stars <= MOST:
        raise ModelError(f"stars: 1 to {MOST} are needed, got {stars}")
    if not 4 * stars <= size <= LARGEST:
        raise ModelError(f"size: {4 * stars} to {LARGEST} is needed with stars={stars}, got {size}")
    if time_limit is not None and not time_limit > 0:
        raise ModelError(f"time_limit: more than 0 seconds are needed, got {time_limit}")
    shuffle = random.Random(f"{size} {seed} {stars}")
    with limited(time_limit, TIME_LIMIT) as limit, listening() as interrupt:
        end = now() + limit

        def left() -> float:
            seconds = end - now()
            if interrupt.poll():
                raise KeyboardInterrupt
            if seconds <= 0:
                raise NotInTime(
                    f"no puzzle of size {size} with stars={stars} and seed={seed} was found in"
                    f" {limit:.3g} s; other seeds, more time or larger boards may help"
                )
            return seconds

        while True:
            queens = random_placement(size, stars, shuffle, left)
            boards = (joined(grown(queens, size, shuffle), stars, shuffle) for _ in range(_JOINS))
            owner = next((board for board in boards if board and left()), None)
            second = _by_search(queens, left) if stars == 1 else _by_cpsat(queens, stars, left)
            if owner and made_unique(owner, queens, second, shuffle):
                return lettered(owner)


def lettered(owner: Owner) -> tuple[str, ...]:
    """Return rows of letters."""
    return tuple("".join(LETTERS[k] for k in row) for row in owner)


def _by_search(queens: Squares, left: Callable[[], float]) -> Callable[[Owner, int], Squares | None]:
    def second(owner: Owner, _: int) -> Squares | None:
        left()
        return next((found for found in solutions(owner) if found != queens), None)

    return second


def _by_cpsat(
    queens: Squares, stars: int, left: Callable[[], float]
) -> Callable[[Owner, int], Squares | None]:
    def second(owner: Owner, seed: int) -> Squares | None:
        model = model_of(Puzzle(len(owner), lettered(owner), stars))
        x = model["x"]
        model.add(x[tuple(zip(*queens, strict=True))].sum() < len(queens))
        outcome = model.solve(solver="cpsat", seed=seed, num_workers=1, time_limit=left())
        if outcome.solution is not None:
            rows, columns = np.nonzero(outcome.solution[x])
            return tuple(zip(rows.tolist(), columns.tolist(), strict=True))
        while not outcome.complete:  # out of time, or interrupted, which this raises
            left()
        return None

    return second


def solutions(owner: Owner) -> Iterator[Squares]:
    """Yield all solutions with one queen a line; the line or region with the fewest squares goes first.

    Sets of squares are the bits of an integer, square (r, c) the bit r * size + c.
    """
    size = len(owner)
    squares = [(r, c) for r in range(size) for c in range(size)]
    lines = [(("row", r), ("column", c), ("region", owner[r][c])) for r, c in squares]
    units = {line: 0 for three in lines for line in three}
    for k, three in enumerate(lines):
        for line in three:
            units[line] |= 1 << k
    touched = [
        sum(1 << (a * size + b) for a in _around(r, size) for b in _around(c, size)) for r, c in squares
    ]
    taken = [mask | units[x] | units[y] | units[z] for mask, (x, y, z) in zip(touched, lines, strict=True)]

    def deeper(free: int, left: list[int], placed: tuple[int, ...]) -> Iterator[Squares]:
        if not left:
            yield tuple(squares[k] for k in sorted(placed))
            return
        least = min((free & unit for unit in left), key=int.bit_count)
        while least:
            k = (least & -least).bit_length() - 1
            least &= least - 1
            yield from deeper(free & ~taken[k], [unit for unit in left if not unit >> k & 1], (*placed, k))

    return deeper((1 << size * size) - 1, list(units.values()), ())


def _around(k: int, size: int) -> range:
    return range(max(k - 1, 0), min(k + 2, size))
