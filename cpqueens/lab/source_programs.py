"""The sources' programs with their known mistakes, written anew from what is known of them, to be measured.

Nobody else uses them: the strategies of this package have none of these mistakes. Each is a switch, so that
what one of them costs is a difference between two measurements of one program. Boards are lists, and all of
it is plain Python: a run of 8 queens takes milliseconds.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

SOLVED, MISSED, FAILED = "solved", "missed", "failed"
"""How a run of a program ended; what is missed is solved, and was reported as a failure."""

Squares = tuple[tuple[int, int], ...]


# ---- A1: hill climbing over boards ---------------------------------------------------------------------


@cache
def _rays(n: int, row: int, column: int) -> tuple[Squares, ...]:
    """Return the squares that a queen sees to either side in her row and on her diagonals, nearest first."""
    ways = [(dr, dc) for dc in (-1, 1) for dr in (-1, 0, 1)]
    lines = [[(row + k * dr, column + k * dc) for k in range(1, n)] for dr, dc in ways]
    return tuple(tuple((r, c) for r, c in line if 0 <= r < n and 0 <= c < n) for line in lines)


def _seen(board: list[list[int]], state: list[int]) -> int:
    """Return half of the queens that are seen from queens, as that program counts conflicts."""
    rays = (ray for column, row in enumerate(state) for ray in _rays(len(state), row, column))
    return sum(any(board[r][c] for r, c in ray) for ray in rays) // 2


def _board(state: list[int], aliased: bool = False) -> list[list[int]]:
    """Return a board with a queen in each column; its rows may be one and the same list."""
    n = len(state)
    board = [[0] * n] * n if aliased else [[0] * n for _ in range(n)]
    for column, row in enumerate(state):
        board[row][column] = 1
    return board


def _best_neighbour(state: list[int], aliased: bool) -> tuple[list[int], int]:
    """Return the last one of the best among all neighbours that are no worse and the state, and its count."""
    best, least = list(state), _seen(_board(state), state)
    moved, board = list(state), _board(state, aliased)
    for column, was in enumerate(state):
        for row in range(len(state)):
            if row == was:
                continue
            moved[column] = row
            board[row][column], board[was][column] = 1, 0
            seen = _seen(board, moved)
            if seen <= least:
                best, least = list(moved), seen
            board[row][column], board[was][column] = 0, 1
        moved[column] = was
    return best, least


def climb(n: int, rng: random.Random, aliased: bool, most: int = 10_000) -> str:
    """Climb hills as the listings of A1 do, on boards whose rows may be ``aliased``.

    An array of rows that is filled with one row has that row everywhere: a queen that is put on a square is
    on all squares of her column. The state itself is looked at on a board of its own.

    >>> climb(4, random.Random(3), aliased=False), climb(4, random.Random(3), aliased=True)
    ('solved', 'failed')
    """
    state = [rng.randrange(n) for _ in range(n)]
    for _ in range(most):
        before = _seen(_board(state), state)
        best, _least = _best_neighbour(state, aliased)
        if best == state:
            break
        if _seen(_board(best), best) == before:  # a shoulder: anywhere
            best[rng.randrange(n)] = rng.randrange(n)
        state = best
    return SOLVED if _seen(_board(state), state) == 0 else FAILED


# ---- counters of lines, for the others -----------------------------------------------------------------


class _Lines:
    """How many queens each column and diagonal has, with one queen in each row."""

    def __init__(self, columns: list[int]) -> None:
        self.n = len(columns)
        self.at = [[0] * (2 * self.n) for _ in range(3)]
        self.pairs = 0
        for row, column in enumerate(columns):
            self.put(row, column)

    def _places(self, row: int, column: int) -> tuple[int, int, int]:
        return column, row + column, row - column + self.n - 1

    def put(self, row: int, column: int) -> None:
        """Put a queen on a square."""
        for line, place in zip(self.at, self._places(row, column), strict=True):
            self.pairs += line[place]
            line[place] += 1

    def take(self, row: int, column: int) -> None:
        """Take one away."""
        for line, place in zip(self.at, self._places(row, column), strict=True):
            line[place] -= 1
            self.pairs -= line[place]

    def attackers(self, row: int, column: int) -> int:
        """Return how many queens attack a square."""
        column, up, down = self._places(row, column)
        return self.at[0][column] + self.at[1][up] + self.at[2][down]


# ---- A2: limited sideways moves ------------------------------------------------------------------------


@dataclass(frozen=True)
class SidewaysProgram:
    """Steepest descent with limited sideways moves, with any of three mistakes.

    >>> SidewaysProgram(limit=10).run(8, random.Random(5))
    'failed'

    Attributes
    ----------
    limit
        Sideways moves in a row.
    counts_starts
        The first state of each path counts as one.
    forgets_last
        At the limit the state that the last try has reached is not looked at.
    rounds
        Columns of the start are rounded, which halves the share of those at the borders.
    """

    limit: int
    counts_starts: bool = False
    forgets_last: bool = False
    rounds: bool = False

    def run(self, n: int, rng: random.Random) -> str:
        """Return how one run ends."""
        columns = [self._column(n, rng) for _ in range(n)]
        lines = _Lines(columns)
        first = sideways = int(self.counts_starts)
        while lines.pairs:
            before, (best, moves) = lines.pairs, _best_moves(columns, lines)
            if best > before or (sideways >= self.limit and best == before):
                return FAILED
            if sideways >= self.limit and self.forgets_last:
                return FAILED if best else MISSED
            row, column = rng.choice(moves)
            lines.take(row, columns[row])
            lines.put(row, column)
            columns[row] = column
            sideways = sideways + 1 if best == before else first
        return SOLVED

    def _column(self, n: int, rng: random.Random) -> int:
        return int(rng.random() * (n - 1) + 0.5) if self.rounds else rng.randrange(n)


def _best_moves(columns: list[int], lines: _Lines) -> tuple[int, list[tuple[int, int]]]:
    """Return the least number of pairs after a move of one queen within her row, and all such moves."""
    best, moves = 1 << 30, list[tuple[int, int]]()
    for row, was in enumerate(columns):
        lines.take(row, was)
        rest = lines.pairs
        for column in range(lines.n):
            pairs = rest + lines.attackers(row, column)
            if column != was and pairs <= best:
                moves = moves if pairs == best else []
                moves.append((row, column))
                best = pairs
        lines.put(row, was)
    return best, moves


# ---- A7: minimisation of conflicts by swaps ------------------------------------------------------------


@dataclass(frozen=True)
class SwapProgram:
    """Sosic and Gu's QS1 with any of three mistakes.

    >>> SwapProgram().restarts(8, random.Random(1)) <= SwapProgram(True, True).restarts(8, random.Random(1))
    True

    Attributes
    ----------
    later_only
        A queen counts as attacked only if one in a later row attacks her.
    each_pass
        After every pass that leaves conflicts all queens are shuffled, each swapped with any: a bias.
    stale
        Swaps are compared with the conflicts that there were before the first one of a queen.
    """

    later_only: bool = False
    each_pass: bool = False
    stale: bool = False

    def restarts(self, n: int, rng: random.Random, most: int = 100_000) -> int:
        """Return how many new permutations it takes to solve n queens."""
        columns = list(range(n))
        rng.shuffle(columns)
        for number in range(most):
            lines = _Lines(columns)
            while self._pass(columns, lines) and not self.each_pass:
                pass
            if not lines.pairs:
                return number
            self._shuffle(columns, rng)
        return most

    def _shuffle(self, columns: list[int], rng: random.Random) -> None:
        if not self.each_pass:
            rng.shuffle(columns)
            return
        for i in range(len(columns)):
            j = rng.randrange(len(columns))
            columns[i], columns[j] = columns[j], columns[i]

    def _pass(self, columns: list[int], lines: _Lines) -> bool:
        """Go over all pairs of queens once; say whether any were swapped."""
        swapped = False
        for i in range(lines.n):
            known = lines.pairs
            for j in range(i + 1, lines.n):
                if not lines.pairs:
                    return False
                if not (self._attacked(i, columns, lines) or self._attacked(j, columns, lines)):
                    continue
                before = known if self.stale else lines.pairs
                _swap(i, j, columns, lines)
                if lines.pairs < before:
                    swapped = True
                else:
                    _swap(i, j, columns, lines)
        return swapped

    def _attacked(self, row: int, columns: list[int], lines: _Lines) -> bool:
        if self.later_only:
            column = columns[row]
            return any(abs(columns[k] - column) == k - row for k in range(row + 1, lines.n))
        return lines.attackers(row, columns[row]) > 3  # herself, on each of her lines


def _swap(i: int, j: int, columns: list[int], lines: _Lines) -> None:
    for row in (i, j):
        lines.take(row, columns[row])
    columns[i], columns[j] = columns[j], columns[i]
    for row in (i, j):
        lines.put(row, columns[row])


def outcomes(run: SidewaysProgram, n: int, runs: int, seed: int = 0) -> Iterator[str]:
    """Yield how runs end."""
    rng = random.Random(seed)
    for _ in range(runs):
        yield run.run(n, rng)
