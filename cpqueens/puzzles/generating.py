"""Region puzzles with one solution, made by a seed: so many queens in each line and region, none touching."""

import random
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from cpqueens.backends.clock import limited, now
from cpqueens.errors import ModelError, NotInTime
from cpqueens.model import Model
from cpqueens.problems import catalog
from cpqueens.puzzles.puzzle import Owner, Puzzle, Square, Squares, beside, parts
from cpqueens.puzzles.rules import difficulty
from cpqueens.system.interrupts import listening

# ---- borders shifted until a board of regions has one solution ----------------------------------------

REPAIRS = 150
"""Where so many shifts were not enough, other regions are sooner found than these are mended."""

_FAR = 4
"""A square that no other region touches is given away with the way to it, of at most so many squares."""

Shift = tuple[list[Square], int]
"""Squares of one region, and the region that gets them."""


def made_unique(
    owner: Owner,
    queens: Squares,
    second: Callable[[Owner, int], Collection[Square] | None],
    shuffle: random.Random,
) -> bool:
    """Shift borders until ``queens`` is the only solution; say whether that came about.

    ``second(owner, k)`` returns a solution other than ``queens``, or None where there is none. A square of it
    goes to a region beside, so that it falls while ``queens`` stands; and of all such shifts one is made that
    leaves, of the solutions met so far, as few as possible.
    """
    size = len(owner)
    everywhere = [(r, c) for r in range(size) for c in range(size)]
    met = np.zeros((0, size * size), dtype=np.int16)
    for repair in range(REPAIRS):
        wrong = second(owner, repair)
        if wrong is None:
            return True
        met = np.vstack([met, [[s in wrong for s in everywhere]]])
        shifts = list(shifts_of(owner, queens, sorted(set(wrong) - set(queens))))
        shifts = shifts or list(shifts_of(owner, queens, everywhere))
        if not shifts:
            return False
        left = _left(owner, met, shifts, len(queens) // size)
        squares, region = shuffle.choice(
            [s for s, many in zip(shifts, left, strict=True) if many == min(left)]
        )
        for r, c in squares:
            owner[r][c] = region
    return False


def shifts_of(owner: Owner, queens: Squares, squares: Collection[Square]) -> Iterator[Shift]:
    """Yield the shifts that give away one of ``squares``, no queen, and leave all regions connected.

    What such a square cuts off from the queens of its region goes with it.
    """
    size, kept = len(owner), set(queens)
    for square in squares:
        if square in kept:
            continue
        mine = owner[square[0]][square[1]]
        region = {(r, c) for r, row in enumerate(owner) for c, k in enumerate(row) if k == mine}
        for other, way in _ways_out(owner, square, kept):
            pieces = parts(region - set(way), size)
            held = [piece for piece in pieces if piece & kept]
            if len(held) == 1:
                yield [*way, *(s for piece in pieces if piece is not held[0] for s in sorted(piece))], other


def _ways_out(owner: Owner, square: Square, kept: Collection[Square]) -> Iterator[tuple[int, list[Square]]]:
    """Yield the regions nearest to a square, and the way to each, within its own region and past no queen."""
    size, mine = len(owner), owner[square[0]][square[1]]
    came: dict[Square, Square | None] = {square: None}
    front, found = [square], dict[int, Square]()
    for _ in range(_FAR):
        further = []
        for s in front:
            for t in beside(s, size):
                region = owner[t[0]][t[1]]
                if region != mine:
                    found.setdefault(region, s)
                elif t not in came and t not in kept:
                    came[t] = s
                    further.append(t)
        if found:
            break
        front = further
    for region, last in sorted(found.items()):
        way: list[Square] = []
        at: Square | None = last
        while at is not None:
            way.append(at)
            at = came[at]
        yield region, way


def _left(owner: Owner, met: np.ndarray, shifts: list[Shift], stars: int) -> list[int]:
    """Return for each shift how many of the solutions met so far (rows of 0 and 1) it would leave."""
    size = len(owner)
    inside = (np.array(owner).reshape(-1, 1) == np.arange(size)).astype(np.int16)
    spare = met @ inside - stars  # of each solution in each region; a solution has 0 everywhere
    wrong = (spare != 0).sum(axis=1)
    left = []
    for squares, region in shifts:
        mine = owner[squares[0][0]][squares[0][1]]
        moved = met[:, [r * size + c for r, c in squares]].sum(axis=1)
        before = (spare[:, mine] != 0).astype(int) + (spare[:, region] != 0)
        after = (spare[:, mine] - moved != 0).astype(int) + (spare[:, region] + moved != 0)
        left.append(int((wrong - before + after == 0).sum()))
    return left


def model_of(puzzle: Puzzle) -> Model:
    """Return the model: that of star_battle, or of queens square by square, with what is on the board."""
    if puzzle.regions:
        given = {"regions": puzzle.regions, "stars": puzzle.stars, "touching": puzzle.touching}
        model = catalog.find("star_battle").instance(**given).model
    else:
        model = catalog.find("queens").instance(n=puzzle.size, viewpoint="booleans").model
    x = model["x"]
    model += [x[r, c] == 1 for r, c in sorted(puzzle.queens)]
    model += [x[r, c] == 0 for r, c in sorted(puzzle.empty)]
    return model


def first_two(puzzle: Puzzle, solver: str = "auto", **options: Any) -> tuple[list[frozenset[Square]], bool]:
    """Return at most two solutions, as squares with queens, and whether there are surely no others."""
    model = model_of(puzzle)
    outcome = model.enumerate(solver=solver, solution_limit=2, **options)
    found = [
        frozenset((r, c) for r, row in enumerate(s[model["x"]].tolist()) for c, v in enumerate(row) if v)
        for s in outcome.solutions
    ]
    return found, outcome.complete


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


# ---- regions grown around queens -------------------------------------------------------------------------


def grown(queens: Squares, size: int, shuffle: random.Random) -> Owner:
    """Give each square to a region of a neighbour, until none is left; region k is that of queen k.

    Some regions are eager and some are not: where all are equally large, thousands of solutions are left.
    """
    eager = [shuffle.random() ** 3 + 0.005 for _ in queens]
    owner = [[-1] * size for _ in range(size)]
    for k, (row, column) in enumerate(queens):
        owner[row][column] = k
    border = [(r, c) for r in range(size) for c in range(size) if owner[r][c] < 0]
    while border:
        shuffle.shuffle(border)
        for r, c in border:
            near = [owner[a][b] for a, b in beside((r, c), size) if owner[a][b] >= 0]
            if near and owner[r][c] < 0:
                region = shuffle.choice(near)
                owner[r][c] = region if shuffle.random() < eager[region] else -1
        border = [(r, c) for r, c in border if owner[r][c] < 0]
    return owner


def joined(owner: Owner, stars: int, shuffle: random.Random) -> Owner | None:
    """Return the board with one region of each ``stars`` that hang together; None if some are left alone.

    Who has the fewest neighbours that are free chooses first: it would be left alone.
    """
    size = len(owner)
    near: dict[int, set[int]] = {}
    for r in range(size):
        for c in range(size):
            mine = near.setdefault(owner[r][c], set())
            mine |= {owner[a][b] for a, b in beside((r, c), size)} - {owner[r][c]}
    free, new = set(near), dict[int, int]()
    while free:
        group = {min(free, key=lambda k: (len(near[k] & free), k))}
        free -= group
        while len(group) < stars:
            room = {k: len(near[k] & free) for k in sorted(set().union(*(near[k] for k in group)) & free)}
            if not room:
                return None
            least = min(room.values()) + (shuffle.random() < 0.3)
            chosen = shuffle.choice([k for k, many in room.items() if many <= least])
            group.add(chosen)
            free.remove(chosen)
        new |= dict.fromkeys(group, len(new) // stars)
    return [[new[k] for k in row] for row in owner]


# ---- boards drawn at random ------------------------------------------------------------------------------


_NODES = 1000
"""After so many rows a board is begun anew: what its first rows spoilt is not mended by later ones."""


def random_placement(
    size: int, stars: int, shuffle: random.Random, watch: Callable[[], object] = lambda: None
) -> Squares:
    """Return squares with ``stars`` queens in each row and column, none touching, row by row.

    There are such boards from 4 * stars rows on: on smaller ones queens cannot but touch, which CP-SAT proves
    for up to six a line. ``watch`` is called for each board begun, and may raise.

    >>> len(random_placement(8, 2, random.Random(1)))
    16
    """

    nodes = 0

    def deeper(rows: list[tuple[int, ...]], lacks: list[int]) -> list[tuple[int, ...]] | None:
        nonlocal nodes
        if len(rows) == size:
            return rows
        near = {c + d for c in (rows[-1] if rows else ()) for d in (-1, 0, 1)}
        open_columns = [c for c in range(size) if lacks[c] and c not in near]
        fitting = [p for p in _spread(open_columns, stars) if _leaves_room(p, lacks, size - len(rows) - 1)]
        shuffle.shuffle(fitting)
        for row in fitting[:2]:
            nodes += 1
            found = deeper([*rows, row], _less(lacks, row)) if nodes <= _NODES else None
            if found:
                return found
        return None

    while True:
        watch()
        nodes = 0
        rows = deeper([], [stars] * size)
        if rows:
            return tuple((r, c) for r, row in enumerate(rows) for c in row)


def _spread(columns: list[int], many: int, first: int = 0) -> Iterator[tuple[int, ...]]:
    """Yield all choices of so many columns from ``first`` on, no two of them neighbours."""
    if not many:
        yield ()
        return
    for c in columns:
        if c >= first:
            for more in _spread(columns, many - 1, c + 2):
                yield (c, *more)


def _less(lacks: list[int], row: tuple[int, ...]) -> list[int]:
    left = lacks.copy()
    for c in row:
        left[c] -= 1
    return left


def _leaves_room(row: tuple[int, ...], lacks: list[int], below: int) -> bool:
    """Return whether each column still has room in the rows below for the queens that it lacks.

    Two neighbouring columns have room for one in each two rows together.
    """
    left = _less(lacks, row)
    room = (below + 1) // 2
    if any(many > (below // 2 if c in row else room) for c, many in enumerate(left)):
        return False
    return all(a + b <= room for a, b in pairwise(left))


# ---- of a difficulty -------------------------------------------------------------------------------------


_TRIES = 200


def made(
    size: int, seed: int, level: str | None = None, stars: int = 1, time_limit: float | None = None
) -> tuple[Puzzle, str, int]:
    """Return a puzzle with one solution, its difficulty, and the seed that gave it.

    Of a wanted difficulty the seeds from ``seed`` on are tried, within ``time_limit`` seconds; by default
    within 60 seconds of processor time.

    Raises
    ------
    ModelError
        For a size or a number of stars that is not made, or if none of 200 seeds gives that difficulty.
    NotInTime
        If there was no time for more seeds, or for one.
    """
    with limited(time_limit, TIME_LIMIT) as seconds:
        return _tried(size, seed, level, stars, seconds)


def _tried(size: int, seed: int, level: str | None, stars: int, seconds: float) -> tuple[Puzzle, str, int]:
    end = now() + seconds
    for used in range(seed, seed + _TRIES):
        left = max(end - now(), 1e-9) if used > seed else seconds
        try:
            regions = generated_regions(size, used, stars, left)
        except NotInTime:
            if used == seed:
                raise
            raise NotInTime(
                f"--level {level}: none of the seeds {seed} to {used - 1} gives such a puzzle, which took"
                f" {seconds:.3g} s"
            ) from None
        puzzle = Puzzle(size, regions, stars)
        found = difficulty(puzzle)
        if level in (None, found):
            return puzzle, found, used
    raise ModelError(f"--level {level}: none of the seeds {seed} to {seed + _TRIES - 1} gives such a puzzle")
